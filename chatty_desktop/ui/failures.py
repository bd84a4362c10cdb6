"""What nobody caught: it reaches the person in a banner, and the log."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from chatty_desktop.ui.language import tr

log = logging.getLogger(__name__)


@contextmanager
def reported(loop: asyncio.AbstractEventLoop, tell: Callable[[str], None]) -> Iterator[None]:
    """While this lasts, exceptions of slots, callbacks and forgotten tasks are told and logged."""

    def uncaught(
        kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        log.critical("An exception was not caught", exc_info=(kind, error, trace))
        tell(describe(error))

    def in_loop(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, BaseException):
            uncaught(type(error), error, error.__traceback__)
        else:
            log.error("The event loop reports: %s", context.get("message"))

    before = sys.excepthook
    sys.excepthook = uncaught
    loop.set_exception_handler(in_loop)
    try:
        yield
    finally:
        sys.excepthook = before
        loop.set_exception_handler(None)


def describe(error: BaseException) -> str:
    """An unexpected exception as a line for the person."""
    return tr(
        "Something went wrong inside the app ({kind}: {error}). The details are in the log.",
        kind=type(error).__name__,
        error=error,
    )
