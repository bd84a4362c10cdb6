"""The palette: type some letters of an action, a chat or a page, and press Enter."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt
from PySide6.QtGui import QFontMetrics, QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.ui.announcing import Announcer
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.lines import hairline
from chatty_desktop.ui.palette.entries import Entry, Findable, ranked
from chatty_desktop.ui.palette.rows import EntryDelegate, EntryModel, spoken
from chatty_desktop.ui.pieces import caption, row_list
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XS, L, M, S
from chatty_desktop.ui.window_state import WindowState

RECENT = 12
"""How many of those used last are remembered."""

_ROWS = 11
_STEPS = {
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_PageDown: _ROWS - 1,
    Qt.Key.Key_PageUp: 1 - _ROWS,
}


class Palette(QFrame):
    """Lies over a window while it is open.

    entries: what is at hand; asked at each opening. read: more that has to be looked up, such as
    chats; it comes into the list when it is there. state: remembers what was used last.
    """

    def __init__(
        self,
        window: QWidget,
        *,
        entries: Callable[[], list[Entry]],
        read: Callable[[], Awaitable[list[Entry]]] | None = None,
        state: WindowState | None = None,
        theme: Theme,
        tasks: Tasks,
    ) -> None:
        super().__init__(window)
        self._window, self._theme, self._tasks, self._state = window, theme, tasks, state
        self._entries, self._read = entries, read
        self._at_hand: list[Findable] = []
        self._read_before: list[Findable] = []
        self._reading: asyncio.Task[None] | None = None
        self._before: QWidget | None = None
        self._recent = state.text("palette").split("\t") if state is not None else []
        # What is marked, for those who hear it: the keyboard is on the letters typed.
        self.announcer = Announcer(self)
        self.setProperty("panel", "palette")
        self.input = QLineEdit()
        self.input.setProperty("bare", "true")
        self.input.setPlaceholderText(tr("What do you want to do, or where do you want to go?"))
        self.input.setAccessibleName(tr("Find an action or a chat"))
        self.input.textChanged.connect(self._show)
        self.input.installEventFilter(self)
        self.model = EntryModel()
        self._delegate = EntryDelegate(theme)
        self.list = row_list(tr("What was found"), self.model, self._delegate)
        # The keyboard stays where letters are typed.
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.clicked.connect(self._take)
        self._nothing = caption(theme, tr("Nothing is called that."))
        self._nothing.setContentsMargins(L, S, L, S)
        self._lay_out()
        self.hide()
        window.installEventFilter(self)
        QApplication.instance().focusChanged.connect(self._focus_moved)  # type: ignore[union-attr]
        theme.changed.connect(self._place)

    def open(self) -> None:
        """Show it, empty, with the keyboard in it."""
        if not self.isVisible():
            self._before = QApplication.focusWidget()
        self._at_hand = [Findable.of(entry) for entry in self._entries()]
        self.input.clear()
        self._show()
        self.show()
        self.raise_()
        self.input.setFocus()
        if self._read is not None and (self._reading is None or self._reading.done()):
            self._reading = self._tasks.start(self._look_up(self._read))

    def leave(self) -> None:
        """Put it away and give the keyboard back."""
        before, self._before = self._before, None
        self.hide()
        if before is not None and before.isVisible():
            before.setFocus()

    @property
    def chosen(self) -> Entry | None:
        """What Enter would do."""
        return self.model.entry(self.list.currentIndex().row())

    # --- what is shown -----------------------------------------------------------------------

    async def _look_up(self, read: Callable[[], Awaitable[list[Entry]]]) -> None:
        entries = await read()
        self._read_before = [Findable.of(entry) for entry in entries]
        if self.isVisible():
            self._show(keep=True)

    def _show(self, _typed: str = "", *, keep: bool = False) -> None:
        """`keep`: whatever was marked stays so, where it is still there."""
        marked = self.chosen if keep else None
        found = ranked((*self._at_hand, *self._read_before), self.input.text(), self._recent)
        self.model.show_entries(found)
        self._mark(_row_of(marked, found))
        self._nothing.setVisible(not found)
        self.list.setVisible(bool(found))
        self._place()

    def _mark(self, row: int) -> None:
        self.list.setCurrentIndex(self.model.index(row))
        if self.isVisible() and self.chosen is not None:
            self.announcer.say(spoken(self.chosen))

    # --- what is done ------------------------------------------------------------------------

    def _take(self, index: QModelIndex) -> None:
        entry = self.model.entry(index.row())
        if entry is None or not entry.possible:
            return
        self._recent = [entry.key, *(key for key in self._recent if key != entry.key)][:RECENT]
        if self._state is not None:
            self._state.set("palette", "\t".join(self._recent))
        self.leave()
        entry.do()

    def _step(self, by: int) -> None:
        """One step goes on at the other end; several stop there."""
        rows = self.model.rowCount()
        if rows:
            row = self.list.currentIndex().row() + by
            self._mark(row % rows if abs(by) == 1 else max(0, min(rows - 1, row)))

    def _focus_moved(self, _old: QWidget | None, new: QWidget | None) -> None:
        """The keyboard went elsewhere in the window: it is not wanted any more."""
        elsewhere = new is not None and new is not self.input and new.window() is self.window()
        if elsewhere and self.isVisible():
            self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keys that are not letters; and the window's size."""
        if watched is self._window and event.type() == QEvent.Type.Resize:
            self._place()
        if watched is not self.input or not isinstance(event, QKeyEvent):
            return super().eventFilter(watched, event)
        key = Qt.Key(event.key())
        enter = key in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier or not (
            key in _STEPS or enter or key == Qt.Key.Key_Escape
        ):
            return super().eventFilter(watched, event)
        if event.type() == QEvent.Type.ShortcutOverride:
            # Else Esc would stop the answer behind.
            event.accept()
        elif event.type() == QEvent.Type.KeyPress:
            if key in _STEPS:
                self._step(_STEPS[key])
            elif enter:
                self._take(self.list.currentIndex())
            else:
                self.leave()
        return True

    # --- putting together --------------------------------------------------------------------

    def _lay_out(self) -> None:
        self.input.setContentsMargins(L, M, L, M)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, XS)
        column.setSpacing(0)
        column.addWidget(self.input)
        column.addWidget(hairline())
        column.addSpacing(XS)
        column.addWidget(self._nothing)
        column.addWidget(self.list, 1)

    def _place(self) -> None:
        """In the middle, near the top, as large as its rows."""
        letters = QFontMetrics(self._theme.words())
        row = max(letters.height(), self._theme.icon_size) + 2 * self._theme.measures.row - 2
        wide = min(self._window.width() - 2 * L, max(620, 84 * letters.averageCharWidth()))
        above = self.input.sizeHint().height() + 2 * XS + 3
        room = max(1, min(_ROWS, (self._window.height() * 3 // 4 - above) // row))
        high = above + row * max(1, min(room, self.model.rowCount()))
        top = min(self._window.height() // 8, 96)
        self.setGeometry((self._window.width() - wide) // 2, top, wide, high)


def _row_of(entry: Entry | None, found: Sequence[Entry]) -> int:
    if entry is not None:
        for row, each in enumerate(found):
            if each.key == entry.key:
                return row
    return 0
