"""When an engine that keeps crashing is given up."""

from __future__ import annotations

import time
from collections import deque
from pathlib import Path

from chatty_desktop.domain.errors import Unreachable

_MOST = 3
_COUNT_SECONDS = 300.0


class Crashes:
    """The crashes of late, since an answer went well."""

    def __init__(self) -> None:
        self._at: deque[float] = deque(maxlen=_MOST)

    def forget(self) -> None:
        """An answer went well."""
        self._at.clear()

    def count(self, model: str, log: Path) -> None:
        """Take note of a crash with a model, called so in a sentence. Raises `Unreachable` when
        there were too many of late; the try after that is let through again."""
        now = time.monotonic()
        self._at.append(now)
        if len(self._at) == _MOST and now - self._at[0] < _COUNT_SECONDS:
            self._at.clear()
            raise Unreachable(
                f"The local engine stopped {_MOST} times in a row with {model}."
                f" Choose a smaller model or a shorter context. {log} says more.",
                cause="server",
            )
