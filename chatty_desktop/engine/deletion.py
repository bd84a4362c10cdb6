"""Deleting chats so that it can be undone for a while."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence

from chatty_desktop.domain.errors import ChattyError
from chatty_desktop.domain.messages import DeletionCounts
from chatty_desktop.engine.chat import ChatService
from chatty_desktop.engine.ports import Sessions

log = logging.getLogger(__name__)

UNDO_SECONDS = 600.0
"""How long a deletion can be undone; the next start ends it too."""

AFTER_START_SECONDS = 3.0
"""The window comes first."""


class Deletions:
    """Puts chats away, brings them back, and deletes for good those that nobody wants back.

    `tidy` is called after the start, and after chats are gone for good.
    """

    def __init__(
        self,
        chat: ChatService,
        sessions: Sessions,
        tidy: Callable[[], Awaitable[None]],
        undo_seconds: float = UNDO_SECONDS,
        start_seconds: float = AFTER_START_SECONDS,
    ) -> None:
        self._chat = chat
        self._sessions = sessions
        self._tidy = tidy
        self._undo_seconds = undo_seconds
        self._start_seconds = start_seconds
        self._since: dict[str, float] = {}
        self._task: asyncio.Task[None] | None = None
        self._closed = False

    def begin(self) -> None:
        """Delete for good what an earlier run of the app put away."""
        self._finish_soon(self._start_seconds, at_start=True)

    async def delete(self, session_ids: Sequence[str]) -> DeletionCounts:
        """Stop what runs in the chats and put them away; what the deletion takes along."""
        # By a clock that nobody sets: a jump of the other one must not end what can be undone.
        self._since |= dict.fromkeys(session_ids, time.monotonic())
        counts = await self._chat.put_away(session_ids)
        self._finish_soon(self._undo_seconds)
        return counts

    async def undo(self, session_ids: Sequence[str]) -> None:
        """Bring the chats back as they were. Raises `Invalid` when they are gone for good."""
        await self._sessions.restore(session_ids)

    async def close(self) -> None:
        """End the wait; what was put away is deleted for good with the next start."""
        self._closed = True
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    def _finish_soon(self, wait: float, *, at_start: bool = False) -> None:
        """Have one task that deletes for good what has been away for long enough."""
        if not self._closed and (self._task is None or self._task.done()):
            self._task = asyncio.create_task(self._finish(wait, at_start))

    async def _finish(self, wait: float, at_start: bool) -> None:
        while True:
            await asyncio.sleep(wait)
            try:
                gone = [each for each in await self._sessions.away() if self._is_over(each)]
                for session_id in gone:
                    await self._chat.delete_session(session_id)
                    self._since.pop(session_id, None)
                if gone or at_start:
                    await self._tidy()
                at_start = False
                if not await self._sessions.away():
                    return
            except ChattyError as problem:
                # They are out of sight already; the next try or start makes it final.
                log.info("Deleted chats could not be removed for good yet: %s", problem)
            wait = min(60.0, self._undo_seconds)

    def _is_over(self, session_id: str) -> bool:
        """Whether the time for undoing is: of what an earlier run put away it always is."""
        since = self._since.get(session_id)
        return since is None or time.monotonic() - since >= self._undo_seconds
