"""The messages a person has sent in a chat, brought back one by one with Up and Down."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from chatty_desktop.domain.messages import Message
from chatty_desktop.ui.tasks import Tasks

READ_AT_ONCE = 100
"""Messages of the chat; about half are the person's."""


class ReadPage(Protocol):
    """`ports.MessageLog.page`."""

    def __call__(
        self, session_id: str, before: str | None = None, limit: int = 60
    ) -> Awaitable[list[Message]]: ...


class OwnMessages:
    """Steps through them, newest first; nothing is written over but what it put there itself.

    `shown` gives the text that is written now, `show` puts one in its place.
    """

    def __init__(
        self, page: ReadPage, shown: Callable[[], str], show: Callable[[str], None], tasks: Tasks
    ) -> None:
        self._page = page
        self._shown = shown
        self._show = show
        self._tasks = tasks
        self._session_id: str | None = None
        self._texts: list[str] = []
        self._oldest: str | None = None
        self._more = True
        self._wanted = 0
        self._put = ""
        self._reading = False

    def open(self, session_id: str | None) -> None:
        """Step through another chat's from now on; None: there is none yet."""
        self._session_id = session_id
        self._begin()

    def step(self, by: int) -> bool:
        """Go back (1) or forth (-1). False where the key means something else: in a text of the
        person's own, or past the newest."""
        text = self._shown()
        if self._session_id is None or text not in ("", self._put):
            return False
        if not text and not self._reading:
            self._begin()
        wanted = self._wanted + by
        if wanted < 0:
            return False
        self._wanted = wanted if self._more else min(wanted, len(self._texts))
        if not self._reading:
            self._reading = True
            self._tasks.start(self._go())
        return True

    def _begin(self) -> None:
        """Before the newest, with nothing read: more may have been sent since."""
        self._texts = []
        self._oldest = None
        self._more = True
        self._wanted = 0
        self._put = ""
        self._reading = False

    async def _go(self) -> None:
        session_id = self._session_id
        try:
            while len(self._texts) < self._wanted and self._more and session_id is not None:
                page = await self._page(session_id, self._oldest, READ_AT_ONCE)
                if session_id != self._session_id:
                    return
                self._take(page)
        finally:
            if session_id == self._session_id:
                self._reading = False
        self._wanted = min(self._wanted, len(self._texts))
        # Something may have been typed while it was read.
        if self._shown() in ("", self._put):
            self._put = self._texts[self._wanted - 1] if self._wanted else ""
            self._show(self._put)

    def _take(self, page: list[Message]) -> None:
        self._more = len(page) == READ_AT_ONCE
        self._oldest = page[0].id if page else self._oldest
        for message in reversed(page):
            # The same again, such as one sent to a second agent, is one step.
            if message.role == "user" and message.content not in self._texts[-1:]:
                self._texts.append(message.content)
