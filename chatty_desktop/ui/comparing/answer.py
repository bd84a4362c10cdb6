"""One of two answers side by side: streamed, and taken into the chat when the person wants it."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

from PySide6.QtCore import Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QPushButton, QVBoxLayout, QWidget
from shiboken6 import isValid

from chatty_desktop.domain.comparing import Omission
from chatty_desktop.engine.comparing import Compared, Comparing
from chatty_desktop.ui.chat.message_text import LINE
from chatty_desktop.ui.language import tr, trn
from chatty_desktop.ui.pieces import Problem, caption, emphasise
from chatty_desktop.ui.plain import Label
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.throttle import Throttle
from chatty_desktop.ui.tokens import S

_DRAW_MS = 50


class AnswerColumn(QWidget):
    """ended: the answer is whole, was stopped, or failed. text: what has come of it."""

    ended = Signal()

    def __init__(
        self, comparing: Comparing, theme: Theme, tasks: Tasks, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._comparing, self._tasks = comparing, tasks
        self._task: asyncio.Task[None] | None = None
        self._compared: Compared | None = None
        self.text = ""
        self._reasoning = ""
        self._drawn = self._line = 0  # letters in the box, and in its last line
        self.title = Label()
        self.title.setWordWrap(True)
        emphasise(self.title)
        self._meta = caption(theme)
        self.box = QPlainTextEdit()
        self.box.setReadOnly(True)
        self.box.setTabChangesFocus(True)
        self.problem = Problem(theme, "danger", "warning-circle")
        self.take = QPushButton(tr("Take as a new version"))
        self.take.setToolTip(tr("Put this answer into the chat beside the reply that is there"))
        self.take.setAutoDefault(False)
        self.take.setEnabled(False)
        self.take.clicked.connect(self._take)
        self._throttle = Throttle(_DRAW_MS, self._draw, self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(S)
        column.addWidget(self.title)
        column.addWidget(self._meta)
        column.addWidget(self.box, 1)
        column.addWidget(self.problem)
        column.addWidget(self.take)

    @property
    def running(self) -> bool:
        return self._task is not None

    def set_title(self, text: str) -> None:
        """What the answer was given, in words."""
        self.title.setText(text)
        self.box.setAccessibleName(text)

    def start(self, compared: Compared, omission: Omission | None) -> None:
        """Ask, and show what comes."""
        self._compared = compared
        self.text = self._reasoning = ""
        self.box.clear()
        self._drawn = self._line = 0
        self.problem.say("")
        self.take.setEnabled(False)
        self.take.setText(tr("Take as a new version"))
        self._meta.setText("")
        self._task = self._tasks.start(self._ask(compared, omission), failed=self.problem.say)
        self._task.add_done_callback(self._done)

    def stop(self) -> None:
        """End the answer, keeping what has come."""
        if self._task is not None:
            self._task.cancel()

    async def _ask(self, compared: Compared, omission: Omission | None) -> None:
        tokens = await asyncio.to_thread(self._comparing.tokens, compared, omission)
        self._meta.setText(trn("about {count} token", "about {count} tokens", tokens))
        async with aclosing(self._comparing.answer(compared, omission)) as deltas:
            async for delta in deltas:
                self.text += delta.text
                self._reasoning += delta.reasoning
                self._throttle.request()

    def _done(self, task: asyncio.Task[None]) -> None:
        if task is self._task:
            self._task = None
            if isValid(self) and not self._tasks.closed:
                self._throttle.request()
                self.take.setEnabled(bool(self.text.strip()))
                self.ended.emit()

    def _draw(self) -> None:
        came = self.text[self._drawn :]
        self._drawn = len(self.text)
        for start in range(0, len(came), LINE):
            part = came[start : start + LINE]
            if self._line >= LINE:
                # Qt lays out all of a line each time it grows.
                self._write("\n")
                self._line = 0
            self._write(part)
            _before, broken, last = part.rpartition("\n")
            self._line = len(last) + (0 if broken else self._line)

    def _write(self, text: str) -> None:
        cursor = QTextCursor(self.box.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(text)

    def _take(self) -> None:
        if self._compared is not None:
            self.take.setEnabled(False)
            self._tasks.start(self._taking(self._compared), failed=self._not_taken)

    async def _taking(self, compared: Compared) -> None:
        await self._comparing.take(compared, self.text, reasoning=self._reasoning)
        if isValid(self):
            self.take.setText(tr("Is in the chat"))

    def _not_taken(self, reason: str) -> None:
        self.problem.say(reason)
        self.take.setEnabled(True)
