"""The loop that serves Qt and asyncio: qasync's, without its gaps."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator, Callable
from contextvars import Context
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

    def call_later(
        self,
        delay: float,
        callback: Callable[..., object],
        *args: Any,
        context: Context | None = None,
    ) -> asyncio.Handle:
        """As asyncio says; what is cancelled is let go of at once, as time-outs are that last
        minutes and almost never come to pass."""
        return self._timer.add(_Later(callback, args, self, context), delay)

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


class _Later(asyncio.Handle):
    """A call to come; `let_go` is called when it is cancelled."""

    __slots__ = ("let_go",)

    let_go: Callable[[], None]

    def cancel(self) -> None:
        if not self.cancelled():
            super().cancel()
            let_go, self.let_go = self.let_go, _nothing
            let_go()


class _Steps(qasync._SimpleTimer):  # type: ignore[misc]
    def __init__(self, loop: Loop) -> None:
        super().__init__()
        self._loop = loop
        self._running: set[int] = set()
        self._handles: dict[int, _Later] = {}

    def add(self, handle: _Later, delay: float) -> _Later:
        number = self.startTimer(int(max(0.0, delay) * 1000))
        self._handles[number] = handle
        handle.let_go = lambda: self._let_go(number, handle)
        return handle

    def _let_go(self, number: int, handle: _Later) -> None:
        # Qt gives the number of a timer that has ended to another one.
        if self._handles.get(number) is handle:
            del self._handles[number]
            self.killTimer(number)

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
        self._handles.clear()
        for number in tuple(self._running):
            self.killTimer(number)

    def timerEvent(self, event: QTimerEvent) -> None:
        # A timer that is passed over comes again: Qt's repeat until they are ended.
        loop = self._loop
        if loop.is_running() and asyncio.current_task(loop) is None:
            number = event.timerId()
            handle = self._handles.pop(number, None)
            self.killTimer(number)
            if handle is not None:
                handle.let_go = _nothing
                handle._run()


def _nothing() -> None:
    """Of a call that has come there is nothing to let go of."""
