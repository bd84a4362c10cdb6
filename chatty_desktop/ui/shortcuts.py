"""All shortcuts of a window, read from the actions themselves."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QFontMetrics, QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLineEdit,
    QMainWindow,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.domain.matching import distance, folded
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.palette.entries import entries_of
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import L, M


class ShortcutsDialog(QDialog):
    """What can be done by key: by menu, then what works in the lists that have the keyboard."""

    def __init__(self, window: QMainWindow, theme: Theme) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Keyboard shortcuts"))
        self._theme = theme
        self.search = QLineEdit()
        self.search.setPlaceholderText(tr("Search shortcuts"))
        self.search.setAccessibleName(tr("Search shortcuts"))
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._find)
        self.list = QTreeWidget()
        self.list.setAccessibleName(tr("Keyboard shortcuts"))
        self.list.setProperty("panel", "framed")
        self.list.setColumnCount(2)
        self.list.setHeaderHidden(True)
        self.list.setRootIsDecorated(False)
        self.list.setItemsExpandable(False)
        self.list.setIndentation(0)
        self._fill(window)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(L, L, L, L)
        column.setSpacing(M)
        column.addWidget(self.search)
        column.addWidget(self.list, 1)
        column.addWidget(buttons)
        letters = QFontMetrics(theme.words())
        room = self.screen().availableSize()
        self.resize(
            min(room.width(), max(520, 72 * letters.averageCharWidth())),
            min(room.height(), max(560, 34 * letters.height())),
        )
        self.list.setColumnWidth(0, self.width() * 3 // 5)

    def _fill(self, window: QMainWindow) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for entry in entries_of(window.menuBar()):
            if entry.keys:
                groups.setdefault(entry.place, []).append((entry.words, entry.keys))
        for name, words, keys in _of_lists(window):
            place = tr("In the list: {name}", name=name)
            groups.setdefault(place, []).append((words, keys))
        high = QFontMetrics(self._theme.words()).height() + 2 * self._theme.measures.item
        for place, rows in groups.items():
            top = QTreeWidgetItem(self.list, [place])
            top.setFirstColumnSpanned(True)
            top.setFont(0, self._theme.heading())
            top.setFlags(Qt.ItemFlag.ItemIsEnabled)
            top.setSizeHint(0, QSize(0, high + M))
            for words, keys in rows:
                item = QTreeWidgetItem(top, [words, keys])
                item.setData(0, Qt.ItemDataRole.AccessibleTextRole, f"{words}, {keys}")
                item.setSizeHint(0, QSize(0, high))
            top.setExpanded(True)

    def _find(self, typed: str) -> None:
        words = folded(typed).split()
        for number in range(self.list.topLevelItemCount()):
            top = self.list.topLevelItem(number)
            assert top is not None
            left = False
            for row in range(top.childCount()):
                item = top.child(row)
                assert item is not None
                said = folded(f"{item.text(0)} {item.text(1)} {top.text(0)}")
                item.setHidden(distance(words, said) is None)
                left = left or not item.isHidden()
            top.setHidden(not left)


def _of_lists(window: QWidget) -> Iterator[tuple[str, str, str]]:
    """Shortcuts that only work while a part of the window has the keyboard: the name of the part,
    what is done, the keys."""
    for widget in window.findChildren(QWidget):
        for action in widget.actions():
            if _is_of_widget(action) and widget.accessibleName():
                words = action.text().replace("&", "").removesuffix(" …")
                keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
                yield widget.accessibleName(), words, keys


def _is_of_widget(action: QAction) -> bool:
    own = action.shortcutContext() == Qt.ShortcutContext.WidgetShortcut
    return own and not action.shortcut().isEmpty()
