"""What a run is about."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from chatty_desktop.domain.agents import AgentDefinition
from chatty_desktop.domain.events import Level
from chatty_desktop.domain.messages import Message, Scope

Tell = Callable[[Level, str], Awaitable[None]]
"""Writes a line about a run into the log of its session."""


@dataclass(frozen=True, slots=True)
class Turn:
    """Who answers which message, with which memory. `begun` is how the answer begins, when one
    that broke off is gone on with, and `steps` the calls and results before it."""

    run_id: str
    scope: Scope
    agent: AgentDefinition
    incoming: Message
    strategy: dict[str, Any]
    begun: str = ""
    steps: tuple[Message, ...] = ()
