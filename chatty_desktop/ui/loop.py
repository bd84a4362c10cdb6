"""The loop that serves Qt and asyncio: qasync's, without its gaps."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator
from typing import Any

import qasync
from PySide6.QtCore import QCoreApplication, QTimerEvent


class Loop(qasync.QEventLoop):  # type: ignore[misc]  # qasync has no types
    """Qt's loop, in which a task takes a step only where asyncio's own loop would let it: while the
    loop runs, and not in the middle of another task's step.

    Qt handles events in inner loops as well, such as those of `processEvents` or of a system's own
    clipboard. A step that comes up in one of them while another task is at work is refused by
    asyncio and lost, and its task never goes on.
    """

    def __init__(self, app: QCoreApplication | None) -> None:
        super().__init__(app)
        self._timer = _Steps(self)

    def run_forever(self) -> int:
        """Run until stopped; Qt's exit status.

        Async generators that were left half-way are closed, as asyncio's own loop does and qasync's
        does not: a stream of a model that was stopped hangs up in one of them.
        """
        hooks = sys.get_asyncgen_hooks()
        sys.set_asyncgen_hooks(finalizer=self._close_generator)
        try:
            status: int = super().run_forever()
            return status
        finally:
            sys.set_asyncgen_hooks(*hooks)

    def _close_generator(self, generator: AsyncGenerator[Any, Any]) -> None:
        if not self.is_closed():
            self.call_soon_threadsafe(self.create_task, generator.aclose())


class _Steps(qasync._SimpleTimer):  # type: ignore[misc]
    def __init__(self, loop: Loop) -> None:
        super().__init__()
        self._loop = loop
        self._running: set[int] = set()

    def startTimer(self, interval: int) -> int:
        number: int = super().startTimer(interval)
        self._running.add(number)
        return number

    def killTimer(self, number: int) -> None:
        self._running.discard(number)
        super().killTimer(number)

    def stop(self) -> None:
        """End every timer now: one that outlives its object, which may end in any thread, has Qt
        crash."""
        super().stop()
        for number in tuple(self._running):
            self.killTimer(number)

    def timerEvent(self, event: QTimerEvent) -> None:
        # A timer that is passed over comes again: Qt's repeat until they are ended.
        loop = self._loop
        if loop.is_running() and asyncio.current_task(loop) is None:
            super().timerEvent(event)
