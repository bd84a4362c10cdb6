"""The folders that an agent's file tools may reach."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from chatty_desktop.ui.elided import ElidedLabel
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import IconLabel, Problem, icon_button
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import S


class Folders(QWidget):
    """A line for each folder, and a button for one more.

    changed: the person added or removed one.
    """

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._folders: list[str] = []
        self._rows: list[QWidget] = []
        self._none = Problem(theme, "warning", "warning")
        self.add = QPushButton(tr("Add a folder …"))
        self.add.setAutoDefault(False)
        self.add.clicked.connect(self.ask)
        theme.dress(self.add, "folder-simple-plus", "text")
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(S)
        self._column.addWidget(self._none)
        self._column.addWidget(self.add, 0, Qt.AlignmentFlag.AlignLeft)
        self.set(())

    def value(self) -> list[str]:
        """The folders, in the order in which they were given."""
        return list(self._folders)

    def set(self, folders: Sequence[str]) -> None:
        """Show folders, telling nobody."""
        self._folders = list(folders)
        for row in self._rows:
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        self._rows = [self._row(folder) for folder in folders]
        for at, row in enumerate(self._rows):
            self._column.insertWidget(at, row)
        none = tr("Without a folder the file tools reach nothing.")
        self._none.say("" if folders else none)

    def ask(self) -> QFileDialog:
        """Let the person choose a folder."""
        start = self._folders[-1] if self._folders else str(Path.home())
        dialog = QFileDialog(self, tr("Folder for the agent"), start)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self._take)
        dialog.open()
        return dialog

    def _take(self, folder: str) -> None:
        folder = str(Path(folder))
        if folder not in self._folders:
            self.set([*self._folders, folder])
            self.changed.emit()

    def _remove(self, folder: str) -> None:
        self.set([each for each in self._folders if each != folder])
        self.changed.emit()

    def _row(self, folder: str) -> QWidget:
        row = QWidget()
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(S)
        remove = icon_button(self._theme, "x", tr("Take {folder} away", folder=folder))
        remove.clicked.connect(lambda: self._remove(folder))
        line.addWidget(IconLabel(self._theme, "folder-simple"))
        line.addWidget(ElidedLabel(folder), 1)
        line.addWidget(remove)
        return row
