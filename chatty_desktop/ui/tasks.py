"""Who owns the asyncio tasks that widgets start."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from chatty_desktop.domain.errors import ChattyError
from chatty_desktop.ui.language import tr, translated

log = logging.getLogger(__name__)

Failed = Callable[[str], None]


class Tasks:
    """Owns tasks until they end; what goes wrong in one reaches the person and the log.

    `failure` is told the text of every failure whose starter did not ask to hear it itself.
    """

    def __init__(self, failure: Failed) -> None:
        self._failure = failure
        self._running: set[asyncio.Task[Any]] = set()
        self._closed = False

    def start(
        self, coro: Coroutine[Any, Any, Any], *, failed: Failed | None = None
    ) -> asyncio.Task[None]:
        """Run a coroutine as a task of the window. After `close` it is dropped.

        `failed` gets the text for the person in place of the window's own banner.
        """
        task = asyncio.get_event_loop().create_task(self._watch(coro, failed or self._failure))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        # A task cancelled before its first step never enters `coro`, which then wants closing.
        task.add_done_callback(lambda _: coro.close())
        if self._closed:
            task.cancel()
            coro.close()  # the loop may end before it comes to the callback
        return task

    @property
    def closed(self) -> bool:
        """Whether nothing starts any more: a timer may come due when the loop has ended already."""
        return self._closed

    async def close(self) -> None:
        """Cancel every task and wait until all have ended; nothing starts after this."""
        self._closed = True
        current = asyncio.current_task()
        running = [task for task in self._running if task is not current]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def idle(self) -> None:
        """Wait until no task is left (those started meanwhile included)."""
        current = asyncio.current_task()
        while running := [task for task in self._running if task is not current]:
            await asyncio.gather(*running, return_exceptions=True)

    async def _watch(self, coro: Coroutine[Any, Any, Any], failed: Failed) -> None:
        try:
            await coro
        except ChattyError as error:
            log.info("%s: %s", type(error).__name__, error)
            failed(translated(str(error)))
        except Exception as error:
            log.exception("A task of the window failed")
            failed(
                tr(
                    "Something went wrong inside the app ({kind}: {error})."
                    " The details are in the log.",
                    kind=type(error).__name__,
                    error=error,
                )
            )
