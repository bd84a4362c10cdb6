"""Runs, and telling of what happens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from chatty_desktop.domain.events import Event, LogEntry
from chatty_desktop.domain.messages import (
    Scope,
)
from chatty_desktop.domain.requests import Usage
from chatty_desktop.domain.runs import Run, Section, SentRequest


class Runs(Protocol):
    """Runs, their log, and what was sent to the model."""

    async def start(self, run: Run) -> None:
        """Begin a run."""
        ...

    async def ask(self, run: Run, sections: Sequence[Section], tokens: int) -> None:
        """Keep what is about to be sent in a step of a run; verbatim messages as references, not
        as copies. `tokens` is the estimate of the whole."""
        ...

    async def answered(self, run_id: str, usage: Usage) -> None:
        """The server's token counts for the newest request of a run."""
        ...

    async def finish(self, run_id: str, status: str) -> None:
        """End a run."""
        ...

    async def log(self, session_id: str, entry: LogEntry) -> None: ...

    async def read_log(self, session_id: str, limit: int = 500) -> list[LogEntry]:
        """The newest `limit` lines, oldest of them first."""
        ...

    async def warnings(self, session_id: str, run_ids: Sequence[str]) -> list[LogEntry]:
        """The lines of these runs that are warnings or errors, oldest first."""
        ...

    async def last_strategy(self, scope: Scope) -> dict[str, Any] | None:
        """The effective strategy of the newest run of the scope, None before the first."""
        ...

    async def last_request(self, scope: Scope) -> SentRequest | None: ...


Publish = Callable[[Event], None]
"""Tells every listener of something that happened; never blocks, never raises."""
