"""Find in a chat: a slim bar over the messages, every place marked, from one to the next."""

from __future__ import annotations

import asyncio

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from chatty_desktop.domain.finding import LONGEST, FoldedTexts, Places, pattern_of
from chatty_desktop.ui.chat.read_branch import Whole
from chatty_desktop.ui.chat.transcript import Transcript
from chatty_desktop.ui.language import number, tr
from chatty_desktop.ui.lines import hairline
from chatty_desktop.ui.pieces import caption, edge_to_edge, icon_button, takes_escape
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.throttle import Throttle
from chatty_desktop.ui.tokens import XS, M, S

WAIT_MS = 120
"""Milliseconds in which further keys are waited for before the chat is looked through."""


class FindField(QLineEdit):
    """Where the text is typed. Enter and Shift+Enter step, Esc ends the search."""

    stepped = Signal(int)
    left = Signal()

    def event(self, event: QEvent) -> bool:
        return takes_escape(event) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            self.stepped.emit(-1 if back else 1)
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)


class FindBar(QWidget):
    """The field, how many places there are, and the buttons that step and close."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = FindField()
        self.field.setPlaceholderText(tr("Find in this chat"))
        self.field.setAccessibleName(tr("Find in this chat"))
        self.field.setMaxLength(LONGEST)
        self.field.setClearButtonEnabled(True)
        self.field.setMaximumWidth(360)
        self.count = caption(theme)
        self.before = icon_button(theme, "caret-up", tr("Previous place (Shift+F3)"))
        self.after = icon_button(theme, "caret-down", tr("Next place (F3)"))
        self.close_button = icon_button(theme, "x", tr("Close the search (Esc)"))
        row = QHBoxLayout()
        row.setContentsMargins(M, XS, S, XS)
        row.setSpacing(S)
        row.addWidget(self.field, 3)
        row.addWidget(self.count)
        row.addWidget(self.before)
        row.addWidget(self.after)
        row.addStretch(1)
        row.addWidget(self.close_button)
        column = edge_to_edge(QVBoxLayout(self))
        column.addLayout(row)
        column.addWidget(hairline())
        self.hide()


class FindInChat(QObject):
    """Looks through all of the branch that the transcript shows, also what is not read into it;
    `whole(session)` is that branch.

    left: the search is over, and the keyboard wanted elsewhere.
    """

    left = Signal()

    def __init__(
        self, transcript: Transcript, whole: Whole, theme: Theme, tasks: Tasks, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.bar = FindBar(theme)
        self._transcript = transcript
        self._whole = whole
        self._tasks = tasks
        self._session: str | None = None
        self._texts = FoldedTexts()
        self._places = Places()
        self._at: int | None = None
        self._looking: asyncio.Task[None] | None = None
        self._jumping: asyncio.Task[None] | None = None
        self._throttle = Throttle(WAIT_MS, self._look, self)
        self.bar.field.textChanged.connect(self._typed)
        self.bar.field.stepped.connect(self.step)
        self.bar.field.left.connect(self.close)
        self.bar.before.clicked.connect(lambda: self.step(-1))
        self.bar.after.clicked.connect(lambda: self.step(1))
        self.bar.close_button.clicked.connect(self.close)
        transcript.filled.connect(self._branch_changed)
        self._show_count()

    def set_session(self, session_id: str | None) -> None:
        """Another chat is open: the bar stays, and finds in that one."""
        self._session = session_id
        self._texts = FoldedTexts()
        self._places, self._at = Places(), None
        self._show_count()
        if session_id is None:
            self.bar.hide()
        elif not self.bar.isHidden():
            self._typed()

    def open(self) -> None:
        """Show the bar with the keyboard in it."""
        if self._session is None:
            return
        if self.bar.isHidden():
            self.bar.show()
            self._typed()
        self.bar.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.bar.field.selectAll()

    def close(self) -> None:
        """End the search; nothing is marked any more."""
        if self.bar.isHidden():
            return
        self.bar.hide()
        self._throttle.drop()
        self._texts = FoldedTexts()
        self._places, self._at = Places(), None
        self._transcript.mark_words(None)
        self.left.emit()

    def step(self, by: int) -> None:
        """Go to the next place (1) or the one before (-1), round at the ends; opens the bar where
        it is not open."""
        if self.bar.isHidden():
            self.open()
        elif self._places.total:
            at = self._places.nearest - (by > 0) if self._at is None else self._at
            self._go((at + by) % self._places.total)

    def _typed(self) -> None:
        self._at = None
        self._transcript.mark_words(pattern_of(self.bar.field.text()))
        self._throttle.request()

    def _branch_changed(self) -> None:
        if not self.bar.isHidden():
            self._throttle.request()

    def _look(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
        self._looking = self._tasks.start(self._find())

    async def _find(self) -> None:
        session, pattern = self._session, pattern_of(self.bar.field.text())
        if session is None or pattern is None:
            self._places = Places()
            self._show_count()
            return
        branch = list(await self._whole(session))
        near = self._transcript.column.first_in_sight()
        places = await asyncio.to_thread(
            self._texts.find, branch, pattern, near.message.id if near else None
        )
        if session != self._session or self.bar.isHidden():
            return
        fresh = self._at is None
        self._places = places
        if fresh and places.total:
            self._go(places.nearest)
        else:
            self._at = min(self._at or 0, places.total - 1) if places.total else None
            self._show_count(looked=True)

    def _go(self, at: int) -> None:
        self._at = at
        self._show_count()
        if self._jumping is not None:
            self._jumping.cancel()
        self._jumping = self._tasks.start(self._jump(*self._places.place(at)))

    async def _jump(self, message_id: str, number_in_it: int) -> None:
        await self._transcript.show_found(message_id, number_in_it)

    def _show_count(self, *, looked: bool = False) -> None:
        total = self._places.total
        typed = bool(self.bar.field.text().strip())
        if total and self._at is not None:
            text = tr("{at} of {count}", at=number(self._at + 1), count=number(total))
        else:
            text = tr("Not found") if typed and looked and not total else ""
        self.bar.count.setText(text)
        self.bar.before.setEnabled(total > 0)
        self.bar.after.setEnabled(total > 0)
