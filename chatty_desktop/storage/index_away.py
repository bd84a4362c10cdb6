"""The server that keeps the index of episodes, while it gives what is asked of it and while not.

What a server did not give is told once, and it is asked again after a while: the tables are not
built anew for it, since nothing is wrong with them.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from chatty_desktop.domain.embedding import EmbedderId
from chatty_desktop.domain.errors import StorageFailed
from chatty_desktop.domain.events import Notice
from chatty_desktop.engine.ports import Publish
from chatty_desktop.storage.index_failures import server_trouble
from chatty_desktop.storage.index_places import IndexPlace

log = logging.getLogger(__name__)

AGAIN_SECONDS = 60.0
"""After which a server that did not answer is asked again."""


class ServerAway:
    """Which tables of the index wait for their server, and why. `ask_again` is called once some
    have waited for a while; whoever asks says `answered` for those that were had."""

    def __init__(
        self,
        place: IndexPlace,
        publish: Publish,
        ask_again: Callable[[], None],
        again_seconds: float = AGAIN_SECONDS,
    ) -> None:
        self._place = place
        self._publish = publish
        self._ask_again = ask_again
        self._again_seconds = again_seconds
        self._again: asyncio.TimerHandle | None = None
        self._trouble: dict[EmbedderId, str] = {}

    def waiting(self) -> tuple[EmbedderId, ...]:
        """The tables that wait."""
        return tuple(self._trouble)

    def trouble(self, embedder: EmbedderId) -> str:
        """Why a table waits; "" where it does not."""
        return self._trouble.get(embedder, "")

    def keeps_back(self, embedder: EmbedderId, error: Exception) -> bool:
        """Whether an error means that the server does not give a table. It is told, unless it was
        so before, and the server is asked again later."""
        trouble = server_trouble(error, self._place.shown) if self._place.away else ""
        if not trouble:
            return False
        if self._trouble.get(embedder) != trouble:
            self._trouble[embedder] = trouble
            self._publish(
                Notice(
                    "warning",
                    f"{trouble} Chats go on: memory reads episodes from the database until the"
                    " index can be used again.",
                )
            )
        if self._again is None:
            loop = asyncio.get_running_loop()
            self._again = loop.call_later(self._again_seconds, self._waited)
        return True

    def answered(self, embedder: EmbedderId) -> None:
        """A table that waited was had."""
        del self._trouble[embedder]
        log.info("The index of episodes by %s is used again", embedder.name)

    def failure(self, error: Exception) -> StorageFailed:
        """What an error means for somebody who waits for what was asked."""
        log.info("The index of episodes at %s failed: %s", self._place.shown, error)
        return StorageFailed(
            server_trouble(error, self._place.shown)
            or f"The index of episodes at {self._place.shown} cannot be used."
        )

    def close(self) -> None:
        """Ask no more."""
        if self._again is not None:
            self._again.cancel()

    def _waited(self) -> None:
        self._again = None
        self._ask_again()
