"""What of a chat is shown: pages come as the reader scrolls, replies grow as they stream."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget
from shiboken6 import isValid

from chatty_desktop.domain.events import Event, MessageCommitted, RunLogged, TextStreamed
from chatty_desktop.domain.messages import Message, Role, Status
from chatty_desktop.ui.chat.about_views import VersionsOf, WarningsOf
from chatty_desktop.ui.chat.drawn import DrawnMessages
from chatty_desktop.ui.chat.message_place import MessagePlace
from chatty_desktop.ui.chat.read_branch import Page, ReadBranch, Whole
from chatty_desktop.ui.chat.stream import ReplyStream
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme

FIRST = 24
"""Messages read at first: more than fill the pane."""

PAGE = 60
"""Messages read at a time while scrolling up."""

Partial = Callable[[str], tuple[str, str, str] | None]


class Transcript(QWidget):
    """The messages of one session's current branch.

    `page` and `whole` read a branch (of `ReadBranch`), `versions` and `warnings` what there is to
    say about its messages (of `AboutViews`); `partial(session)` is (message id, text, reasoning)
    of the reply being written.

    filled: whether there is any message is known, and whether it has changed (bool).
    asked: what the person wants done to a message (of `asked.Asked`).
    """

    filled = Signal(bool)
    asked = Signal(object)

    def __init__(
        self,
        *,
        page: Page,
        whole: Whole,
        partial: Partial,
        versions: VersionsOf,
        warnings: WarningsOf,
        theme: Theme,
        tasks: Tasks,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.read = ReadBranch(page, whole)
        self._partial = partial
        self._tasks = tasks
        self._session: str | None = None
        self._opening: object | None = None
        self._opened = asyncio.Event()
        self._loading = False
        self._missed: list[MessageCommitted] = []
        self._stream = ReplyStream(self)
        self._stream.grown.connect(self._grown)
        self.drawn = DrawnMessages(
            self.read, versions=versions, warnings=warnings, theme=theme, tasks=tasks, parent=self
        )
        self.drawn.asked.connect(self.asked)
        self.drawn.redrawn.connect(self._restore_stream)
        self.column = self.drawn.column
        self.column.near_top.connect(self._want_older)
        self.column.near_end.connect(self.drawn.draw_later)
        self.column.jump_wanted.connect(self.to_end)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.column)

    # --- what is shown -------------------------------------------------------------------

    def open(self, session_id: str | None) -> None:
        """Show a session from its end; None shows nothing."""
        self._session = session_id
        self._stream.end()
        self.read.clear()
        self.drawn.about.set_session(session_id)
        self.drawn.clear()
        self._missed = []
        self._opening = None
        self._loading = False
        if session_id is not None:
            self._read_anew(session_id)

    def follow_branch(self) -> None:
        """The session's branch is another one now: keep what both have in common where it is."""
        if self._session is not None:
            self._read_anew(self._session)

    def _read_anew(self, session_id: str) -> None:
        self._opening = object()
        self._opened.clear()
        self._tasks.start(self._read_end(session_id, self._opening))

    async def _read_end(self, session_id: str, opening: object) -> None:
        try:
            messages, at_start = await self.read.end(session_id, max(FIRST, len(self.read)))
        finally:
            current = self._opening is opening
            if current:
                self._opening = None
                self._opened.set()
        if not current:
            return
        self._take_branch(messages, at_start=at_start)
        missed, self._missed = self._missed, []
        for event in missed:
            self._commit(event.message)
        self._restore_stream()
        self.filled.emit(len(self.read) > 0)

    def _take_branch(self, messages: list[Message], *, at_start: bool) -> None:
        """Show the end of a branch, of which some may be shown already."""
        same = self.read.same_up_to(messages)
        if same is None:
            self.read.messages = messages
            self.read.at_start = at_start
            self.drawn.draw_end()
            return
        start = self.read.index(messages[0].id) or 0
        self._truncate(same)
        for message in messages[same - start :]:
            self._append(message)
        if self.column.views and self.drawn.to_the_end:
            self.column.views[-1].set_last(True)
        self.drawn.mark_end()

    def take(self, event: Event) -> None:
        """Draw what has happened, when it is about the session shown."""
        if isinstance(event, MessageCommitted) and event.message.session_id == self._session:
            if self._opening:
                self._missed.append(event)
                return
            self._commit(event.message)
            self.filled.emit(len(self.read) > 0)
        elif isinstance(event, TextStreamed):
            self._stream.take(event)
        elif isinstance(event, RunLogged) and event.session_id == self._session:
            self.drawn.about.add(event.entry)

    def edit(self, message_id: str) -> None:
        """Let the person write a message of their own anew, where it is shown."""
        view = self.drawn.view(self.read.index(message_id))
        if view is not None:
            view.edit()

    @property
    def last(self) -> Message | None:
        """The newest message of the branch."""
        return self.read.messages[-1] if self.read.messages else None

    def last_versions(self) -> tuple[str, Sequence[str]] | None:
        """Of the newest message drawn that has several versions: its id, and those of all."""
        for view in reversed(self.column.views):
            if ids := self.drawn.about.versions(view.message.id):
                return view.message.id, ids
        return None

    def last_of(self, role: Role) -> Message | None:
        """The newest message of the person's own, or the newest reply."""
        return self.read.last_of(role)

    # --- going places --------------------------------------------------------------------

    def to_end(self) -> None:
        """Go to the newest message, and follow."""
        if not self.drawn.to_the_end:
            self.drawn.draw_end()
        self.column.to_end()

    def to_start(self) -> None:
        """Go to the first message of the chat."""
        if self._session is not None:
            self._tasks.start(self._to_start(self._session))

    async def show_message(self, message_id: str) -> bool:
        """Bring a message into sight, reading what lies between; False when it is not in this
        branch. Raises `StorageFailed`."""
        view = await self._find(message_id)
        if view is None:
            return False
        view.reveal(message_id)
        self.column.to_view(view)
        view.mark()
        return True

    async def show_found(self, message_id: str, number: int) -> bool:
        """Bring a place in a message into sight: the so-manieth of those that are marked, from 0.
        False when it is not in this branch. Raises `StorageFailed`."""
        view = await self._find(message_id)
        if view is None:
            return False
        self.leave_found()
        await view.draw_found(number, message_id)
        if not isValid(view):  # the chat was left meanwhile
            return False
        self.column.to_place(view, view.show_found(number, message_id))
        return True

    def mark_words(self, pattern: re.Pattern[str] | None) -> None:
        """Mark everything in the messages that a pattern finds in folded text; None: nothing."""
        self.drawn.mark_words(pattern)

    def leave_found(self) -> None:
        """None of the places that are marked is the one meant."""
        for view in self.column.views:
            view.leave_found()

    async def _to_start(self, session: str) -> None:
        await self._read_to_start(session)
        if self._session == session and self.read.messages:
            self.column.to_view(self.drawn.draw_around(0))

    async def _find(self, message_id: str) -> MessagePlace | None:
        """The view of a message, drawn with its neighbours if it is not."""
        session = self._session
        if self._opening:
            await self._opened.wait()
        index = self.read.index(message_id)
        if index is None and session is not None:
            await self._read_to_start(session)
            index = self.read.index(message_id) if self._session == session else None
        return None if index is None else self.drawn.draw_around(self.drawn.drawn_in(index))

    async def _read_to_start(self, session: str) -> None:
        if self._opening:
            await self._opened.wait()
        if self._session == session and not self.read.at_start:
            self.drawn.moved(await self.read.all(session))

    # --- events --------------------------------------------------------------------------

    def _commit(self, message: Message) -> None:
        """A message is new, or has its final form."""
        index = self.read.index(message.id)
        if index is not None:
            self.read.messages[index] = message
            if message.id == self._stream.message_id and message.status is not Status.STREAMING:
                self._stream.end()
            if (view := self.drawn.view(index)) is not None:
                view.show_message(message, last=index == len(self.read) - 1)
            self.drawn.draw_steps(index)
            return
        if message.parent_id is None:
            self._truncate(0)
        else:
            parent = self.read.index(message.parent_id)
            if parent is None:
                return
            self._truncate(parent + 1)
        if message.role == "user":
            self.to_end()
        self._append(message)
        self.drawn.mark_end()

    def _append(self, message: Message) -> None:
        """The branch goes on with a message; it is drawn when the reader is near."""
        to_the_end = self.drawn.to_the_end
        if to_the_end and self.column.views:
            self.column.views[-1].set_last(False)
        self.read.messages.append(message)
        if message.status is Status.STREAMING:
            self._stream.follow(message.id)
        if to_the_end:
            self.drawn.draw_last()

    def _truncate(self, length: int) -> None:
        """Forget the messages from `length` on: another branch goes on from there."""
        if length >= len(self.read):
            return
        self._stream.end()
        del self.read.messages[length:]
        self.drawn.truncate()

    def _grown(self, text: str, thoughts: str) -> None:
        index = self.read.index(self._stream.message_id) if self._stream.message_id else None
        if (view := self.drawn.view(index)) is not None:
            view.append(text, thoughts)

    def _restore_stream(self) -> None:
        """Show all that has come of the reply being written."""
        partial = self._partial(self._session) if self._session else None
        index = self.read.index(partial[0]) if partial else None
        if partial is None or index is None:
            return
        if self.read.messages[index].status is not Status.STREAMING:
            return
        self._stream.follow(partial[0])
        if (view := self.drawn.view(index)) is not None:
            view.restore_stream(partial[1], partial[2])

    # --- paging --------------------------------------------------------------------------

    def _want_older(self) -> None:
        if self._loading or self._session is None or not self.column.views:
            return
        if not self.drawn.draw_earlier() and not self.read.at_start:
            self._loading = True
            self._tasks.start(self._read_older(self._session))

    async def _read_older(self, session: str) -> None:
        try:
            count = await self.read.older(session, PAGE)
        finally:
            if self._session == session:
                self._loading = False
        if self._session == session and count:
            self.drawn.moved(count)
            self._want_older()
