"""What of a chat is shown: pages come as the reader scrolls, replies grow as they stream."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from chatty_desktop.domain.events import Event, MessageCommitted, TextStreamed
from chatty_desktop.domain.messages import Message, Role, Status
from chatty_desktop.ui.chat.column import MessageColumn
from chatty_desktop.ui.chat.message import MessageView
from chatty_desktop.ui.chat.stream import ReplyStream
from chatty_desktop.ui.language import N_, tr
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme

FIRST = 24
"""Messages read at first: more than fill the pane."""

PAGE = 60
"""Messages read at a time while scrolling up."""

BATCH = 3
"""Views made in one go: some 15 ms of work, then the event loop has its turn."""

KEPT = 180
"""Views kept; beyond it those farthest from the reader are let go, and made again on the way
back."""

VERBATIM = N_("The model sees what follows word for word")

Page = Callable[[str, str | None, int], Awaitable[list[Message]]]
Partial = Callable[[str], tuple[str, str, str] | None]
VersionsOf = Callable[[Sequence[str]], Awaitable[dict[str, tuple[str, ...]]]]


class Transcript(QWidget):
    """The messages of one session's current branch.

    `page(session, before, limit)` reads messages that end at the leaf or just before `before`;
    `partial(session)` is (message id, text, reasoning) of the reply being written.

    `versions(ids)` gives those of the messages that have other versions, with the ids of all.

    filled: whether there is any message is known, and whether it has changed (bool).
    asked: what the person wants done to a message (of `asked.Asked`).
    """

    filled = Signal(bool)
    asked = Signal(object)

    def __init__(
        self,
        *,
        page: Page,
        partial: Partial,
        versions: VersionsOf,
        theme: Theme,
        tasks: Tasks,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._page = page
        self._partial = partial
        self._versions_of = versions
        self._theme = theme
        self._tasks = tasks
        self._session: str | None = None
        self._speakers: dict[str, str] = {}
        self._verbatim_from: str | None = None
        # Every message read so far, gapless down to the leaf; `_first` is the first with a view.
        self._messages: list[Message] = []
        self._first = 0
        self._at_start = True
        self._opening: object | None = None
        self._opened = asyncio.Event()
        self._loading = False
        self._missed: list[MessageCommitted] = []
        self._versions: dict[str, tuple[str, ...]] = {}
        self._asking_versions = QTimer(self)
        self._asking_versions.setSingleShot(True)
        self._asking_versions.timeout.connect(self._ask_versions)
        self._stream = ReplyStream(self)
        self._stream.grown.connect(self._grown)
        self.column = MessageColumn(theme)
        self.column.near_top.connect(self._want_older)
        self.column.near_end.connect(self._want_newer)
        self.column.jump_wanted.connect(self.to_end)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.column)
        theme.changed.connect(self._recolour)

    # --- what is shown -------------------------------------------------------------------

    def open(self, session_id: str | None) -> None:
        """Show a session from its end; None shows nothing."""
        self._session = session_id
        self._clear()
        if session_id is not None:
            self._read(session_id)

    def follow_branch(self) -> None:
        """The session's branch is another one now: keep what both have in common where it is."""
        if self._session is not None:
            self._read(self._session)

    def _read(self, session_id: str) -> None:
        self._opening = object()
        self._opened.clear()
        self._tasks.start(self._read_end(session_id, self._opening))

    async def _read_end(self, session_id: str, opening: object) -> None:
        wanted = max(FIRST, len(self._messages))
        try:
            messages = await self._page(session_id, None, wanted)
        finally:
            current = self._opening is opening
            if current:
                self._opening = None
                self._opened.set()
        if not current:
            return
        self._take_branch(messages, at_start=len(messages) < wanted)
        missed, self._missed = self._missed, []
        for event in missed:
            self._commit(event.message)
        self._restore_stream()
        self.filled.emit(bool(self._messages))

    def _take_branch(self, messages: list[Message], *, at_start: bool) -> None:
        """Show the end of a branch, of which some may be shown already."""
        start = self._index(messages[0].id) if messages else None
        # What stood before may have been deleted.
        before = self._messages[start - 1].id if start else None
        if start is None or (start and messages[0].parent_id != before):
            self.column.remove(0, len(self.column.views))
            self._messages = messages
            self._at_start = at_start
            self._show_end()
            return
        same = start
        for message in messages:
            if same == len(self._messages) or self._messages[same].id != message.id:
                break
            same += 1
        self._truncate(same)
        for message in messages[same - start :]:
            self._append(message)
        if self.column.views and self._shown_to_end:
            self.column.views[-1].set_last(True)
        self._mark_end()

    def take(self, event: Event) -> None:
        """Draw what has happened, when it is about the session shown."""
        if isinstance(event, MessageCommitted) and event.message.session_id == self._session:
            if self._opening:
                self._missed.append(event)
                return
            self._commit(event.message)
            self.filled.emit(bool(self._messages))
        elif isinstance(event, TextStreamed):
            self._stream.take(event)

    def set_speakers(self, names: dict[str, str]) -> None:
        """The names of the agents by their ids."""
        self._speakers = dict(names)
        for view in self.column.views:
            view.set_speaker(self._speaker(view.message))

    def set_verbatim_from(self, message_id: str | None) -> None:
        """The oldest message that the next request carries word for word."""
        self._verbatim_from = message_id
        for index, view in enumerate(self.column.views):
            view.set_memory_line(self._line_above(self._first + index))

    def edit(self, message_id: str) -> None:
        """Let the person write a message of their own anew, where it is shown."""
        index = self._index(message_id)
        view = self._view(index) if index is not None else None
        if view is not None:
            view.edit()

    @property
    def last(self) -> Message | None:
        """The newest message of the branch."""
        return self._messages[-1] if self._messages else None

    def last_versions(self) -> tuple[str, Sequence[str]] | None:
        """Of the newest message drawn that has several versions: its id, and those of all."""
        for view in reversed(self.column.views):
            if ids := self._versions.get(view.message.id):
                return view.message.id, ids
        return None

    def last_of(self, role: Role) -> Message | None:
        """The newest message of the person's own, or the newest reply."""
        return next((m for m in reversed(self._messages) if m.role == role), None)

    def to_end(self) -> None:
        """Go to the newest message, and follow."""
        if self._first + len(self.column.views) < len(self._messages):
            self.column.remove(0, len(self.column.views))
            self._show_end()
        self.column.to_end()

    async def show_message(self, message_id: str) -> bool:
        """Bring a message into sight, reading what lies between; False when it is not in this
        branch. Raises `StorageFailed`."""
        session = self._session
        if self._opening:
            await self._opened.wait()
        index = self._index(message_id)
        while index is None and not self._at_start and session is not None:
            before = self._messages[0].id if self._messages else None
            older = await self._page(session, before, 500)
            if self._session != session:
                return False
            self._add_older(older, 500)
            index = self._index(message_id)
        if index is None:
            return False
        if not self._first <= index < self._first + len(self.column.views):
            self.column.following = False
            self.column.remove(0, len(self.column.views))
            self._first = max(0, index - 4)
            self._make_views(self._first, min(len(self._messages), index + BATCH), 0)
        view = self.column.views[index - self._first]
        self.column.to_view(view)
        view.mark()
        return True

    # --- events --------------------------------------------------------------------------

    def _commit(self, message: Message) -> None:
        """A message is new, or has its final form."""
        index = self._index(message.id)
        if index is not None:
            self._messages[index] = message
            view = self._view(index)
            if message.id == self._stream.message_id and message.status is not Status.STREAMING:
                self._stream.end()
            if view is not None:
                view.show_message(message, last=index == len(self._messages) - 1)
            return
        if message.parent_id is None:
            self._truncate(0)
        else:
            parent = self._index(message.parent_id)
            if parent is None:
                return
            self._truncate(parent + 1)
        if message.role == "user":
            self.to_end()
        self._append(message)
        self._mark_end()

    @property
    def _shown_to_end(self) -> bool:
        return self._first + len(self.column.views) == len(self._messages)

    def _append(self, message: Message) -> None:
        """The branch goes on with a message; it is drawn when the reader is near."""
        shown_to_end = self._shown_to_end
        if shown_to_end and self.column.views:
            self.column.views[-1].set_last(False)
        self._messages.append(message)
        if message.status is Status.STREAMING:
            self._stream.follow(message.id)
        if shown_to_end:
            last = len(self._messages) - 1
            self._make_views(last, last + 1, len(self.column.views))
            if self.column.following:
                self._let_go(top=True)

    def _truncate(self, length: int) -> None:
        """Forget the messages from `length` on: another branch goes on from there."""
        if length >= len(self._messages):
            return
        self._stream.end()
        del self._messages[length:]
        keep = max(0, length - self._first)
        self.column.remove(keep, len(self.column.views))
        if not self.column.views and self._messages:
            self._show_end()

    def _grown(self, text: str, thoughts: str) -> None:
        index = self._index(self._stream.message_id) if self._stream.message_id else None
        view = self._view(index) if index is not None else None
        if view is not None:
            view.append(text, thoughts)

    def _restore_stream(self) -> None:
        """Show all that has come of the reply being written."""
        partial = self._partial(self._session) if self._session else None
        index = self._index(partial[0]) if partial else None
        if partial is None or index is None:
            return
        if self._messages[index].status is not Status.STREAMING:
            return
        self._stream.follow(partial[0])
        view = self._view(index)
        if view is not None:
            view.restore_stream(partial[1], partial[2])

    # --- paging --------------------------------------------------------------------------

    def _want_older(self) -> None:
        if self._loading or self._session is None or not self.column.views:
            return
        if self._first > 0:
            self._make_views(max(0, self._first - BATCH), self._first, 0)
            self._let_go(top=False)
        elif not self._at_start:
            self._loading = True
            self._tasks.start(self._read_older(self._session, self._messages[0].id))

    def _want_newer(self) -> None:
        end = self._first + len(self.column.views)
        if self.column.views and end < len(self._messages):
            # Being at the end of the views is not being at the end of the chat.
            self.column.following = False
            more = min(len(self._messages), end + BATCH)
            self._make_views(end, more, len(self.column.views))
            self._let_go(top=True)
            self._restore_stream()

    async def _read_older(self, session: str, before: str) -> None:
        try:
            older = await self._page(session, before, PAGE)
        finally:
            if self._session == session:
                self._loading = False
        if self._session == session and self._messages and self._messages[0].id == before:
            self._add_older(older, PAGE)
            self._want_older()

    def _add_older(self, older: list[Message], wanted: int) -> None:
        self._messages[:0] = older
        self._first += len(older)
        self._at_start = len(older) < wanted

    def _show_end(self) -> None:
        """Draw the last messages, no more of them at first than the pane has room for."""
        self._first = len(self._messages)
        while self._first > 0 and not self.column.full:
            self._make_views(max(0, self._first - BATCH), self._first, 0)
        self._restore_stream()
        self._mark_end()

    def _make_views(self, start: int, end: int, at: int) -> None:
        """Make views of the messages from `start` up to `end`; `at` is where in the column."""
        if start >= end:
            return
        views = []
        for index in range(start, end):
            message = self._messages[index]
            view = MessageView(
                message,
                self._speaker(message),
                self._theme,
                last=index == len(self._messages) - 1,
            )
            view.asked.connect(self.asked)
            view.set_versions(self._versions.get(message.id, ()))
            view.set_memory_line(self._line_above(index))
            views.append(view)
        if at == 0:
            self._first = start
        self.column.insert(at, views)
        self._mark_end()

    def _let_go(self, *, top: bool) -> None:
        """Drop the views farthest from the reader when there are too many."""
        extra = len(self.column.views) - KEPT
        if extra <= 0:
            return
        if top:
            self._first += extra
            self.column.remove(0, extra)
        else:
            self.column.remove(KEPT, KEPT + extra)
        self._mark_end()

    def _clear(self) -> None:
        self._stream.end()
        self._messages = []
        self._missed = []
        self._versions = {}
        self._first = 0
        self._at_start = True
        self._opening = None
        self._loading = False
        self._verbatim_from = None
        self.column.following = True
        self.column.remove(0, len(self.column.views))

    def _ask_versions(self) -> None:
        if self._session is not None:
            self._tasks.start(self._read_versions(self._session))

    async def _read_versions(self, session: str) -> None:
        """Learn which of the messages that are drawn have other versions."""
        ids = [view.message.id for view in self.column.views]
        found = await self._versions_of(ids)
        if session != self._session:
            return
        for message_id in ids:
            self._versions.pop(message_id, None)
        self._versions |= found
        for view in self.column.views:
            view.set_versions(self._versions.get(view.message.id, ()))

    def _mark_end(self) -> None:
        self._asking_versions.start(0)
        end = self._first + len(self.column.views)
        self.column.set_end_beyond(bool(self.column.views) and end < len(self._messages))

    # --- parts ---------------------------------------------------------------------------

    def _index(self, message_id: str) -> int | None:
        """Where a message stands; looked for from the end, where it mostly is."""
        for index in range(len(self._messages) - 1, -1, -1):
            if self._messages[index].id == message_id:
                return index
        return None

    def _view(self, index: int) -> MessageView | None:
        at = index - self._first
        return self.column.views[at] if 0 <= at < len(self.column.views) else None

    def _speaker(self, message: Message) -> str:
        if message.role == "user":
            return tr("You")
        name = self._speakers.get(message.agent_id, tr("Assistant"))
        return tr("{name} · tool result", name=name) if message.role == "tool" else name

    def _line_above(self, index: int) -> str:
        first_of_all = index == 0 and self._at_start
        wanted = self._messages[index].id == self._verbatim_from and not first_of_all
        return tr(VERBATIM) if wanted else ""

    def _recolour(self) -> None:
        for view in self.column.views:
            view.recolour()
