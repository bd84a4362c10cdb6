"""What can be done in the graph window, as actions with shortcuts, its menu bar and its tools."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu, QToolBar, QWidget

from chatty_desktop.ui.language import tr
from chatty_desktop.ui.theme import Theme


class GraphActions(QObject):
    """Every action of the window; the window connects them.

    add_menu: filled by the window whenever it is opened.
    """

    def __init__(self, theme: Theme, canvas: QWidget, window: QWidget) -> None:
        """What acts on what is chosen works by its keys while `canvas` has the keyboard."""
        super().__init__(window)
        self._theme = theme
        keys = QKeySequence.StandardKey
        do = self._make
        self.save = do(tr("Save"), keys.Save, "floppy-disk")
        self.revert = do(tr("Revert to what is stored"), "", "arrow-counter-clockwise")
        self.bring = do(tr("Import …"), "", "download-simple")
        self.export = do(tr("Export …"), "", "export")
        self.undo = do(tr("Undo"), keys.Undo, "arrow-u-up-left")
        self.redo = do(tr("Redo"), keys.Redo, "arrow-u-up-right")
        self.delete = do(tr("Delete"), "Del", "trash")
        self.duplicate = do(tr("Duplicate"), "Ctrl+D", "copy")
        self.connect_to = do(tr("Connect to …"), "Ctrl+J", "flow-arrow")
        self.choose_all = do(tr("Select all"), keys.SelectAll, "selection-all")
        self.lay_out = do(tr("Lay out from left to right"), "Ctrl+L", "tree-structure")
        self.row = do(tr("Align in a row"), "", "align-center-vertical")
        self.column = do(tr("Align in a column"), "", "align-left")
        self.zoom_in = do(tr("Zoom in"), "Ctrl++", "magnifying-glass-plus")
        self.zoom_in.setShortcuts([QKeySequence("Ctrl++"), QKeySequence("Ctrl+=")])
        self.zoom_out = do(tr("Zoom out"), "Ctrl+-", "magnifying-glass-minus")
        self.fit = do(tr("Show all of it"), "Ctrl+0", "corners-out")
        self.close = do(tr("Close window"), keys.Close, "x")
        # In a field these keys are the field's own.
        for action in (self.delete, self.choose_all):
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            canvas.addAction(action)
        for action in (self.undo, self.redo):
            action.setEnabled(False)
        self.add_menu = QMenu(tr("Add"), window)
        theme.dress(self.add_menu, "plus")

    @property
    def of_nodes(self) -> list[QAction]:
        """What is done to the nodes that are chosen."""
        return [self.connect_to, self.duplicate, self.delete]

    def put_into(self, window: QMainWindow) -> None:
        """Fill the menu bar and the tool bar of the window."""
        graph = window.menuBar().addMenu(tr("Graph"))
        graph.addActions([self.save, self.revert])
        graph.addSeparator()
        graph.addActions([self.bring, self.export])
        graph.addSeparator()
        graph.addAction(self.close)
        edit = window.menuBar().addMenu(tr("Edit"))
        edit.addActions([self.undo, self.redo])
        edit.addMenu(self.add_menu)
        edit.addActions(self.of_nodes)
        edit.addActions([self.choose_all, self.lay_out, self.row, self.column])
        view = window.menuBar().addMenu(tr("View"))
        view.addActions([self.zoom_in, self.zoom_out, self.fit])
        bar = QToolBar(tr("Graph"))
        bar.setMovable(False)
        bar.addAction(self.add_menu.menuAction())
        bar.addActions(self.of_nodes)
        bar.addSeparator()
        bar.addActions([self.undo, self.redo])
        bar.addSeparator()
        bar.addActions([self.lay_out, self.zoom_out, self.zoom_in, self.fit])
        bar.addSeparator()
        bar.addAction(self.save)
        window.addToolBar(bar)

    def _make(self, text: str, key: str | QKeySequence.StandardKey, icon: str) -> QAction:
        action = QAction(text, self)
        if key:
            action.setShortcut(QKeySequence(key))
        self._theme.dress(action, icon)
        return action
