"""Runs, and telling of what happens."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from chatty_desktop.domain.events import Event, LogEntry
from chatty_desktop.domain.messages import (
    Scope,
)
from chatty_desktop.domain.requests import ToolOffer, Usage
from chatty_desktop.domain.runs import AskedFor, Run, Section, SentRequest


class Runs(Protocol):
    """Runs, their log, and what was sent to the model."""

    async def start(self, run: Run) -> None:
        """Begin a run."""
        ...

    async def ask(
        self,
        run: Run,
        sections: Sequence[Section],
        tokens: int,
        *,
        options: Mapping[str, float] | None = None,
        tools: Sequence[ToolOffer] = (),
    ) -> None:
        """Keep what is about to be sent in a step of a run; verbatim messages as references, not
        as copies. `tokens` is the estimate of the whole, `options` are those of sampling."""
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

    async def last_request(self, scope: Scope) -> SentRequest | None: ...

    async def request_of(self, run_id: str, step: int | None = None) -> SentRequest | None:
        """What was sent in a step of a run, from 1, None: in its last. None where the run, or the
        step, sent nothing that is still kept."""
        ...

    async def run_before(self, run_id: str) -> str | None:
        """The run of the same scope that asked before this one."""
        ...

    async def asked_for(self, scope: Scope, limit: int = 100) -> list[AskedFor]:
        """The runs of a scope that asked a model, newest first."""
        ...


Publish = Callable[[Event], None]
"""Tells every listener of something that happened; never blocks, never raises."""
