"""How long something takes, whatever becomes of the wall clock meanwhile."""

from __future__ import annotations

import time
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Began:
    """A beginning, now. `at`: seconds since 1970 UTC, as the wall clock says it."""

    at: float = field(default_factory=time.time)
    _mark: float = field(default_factory=time.monotonic, repr=False)

    @property
    def seconds(self) -> float:
        """How long ago that was: never less than nothing, also where the clock was set back."""
        return time.monotonic() - self._mark

    @property
    def now(self) -> float:
        """The present on the clock that told `at`: so many seconds later than that."""
        return self.at + self.seconds
