"""Tools: what a model may call, what came of it, and what the person says to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from chatty_desktop.domain.messages import Scope
from chatty_desktop.domain.requests import ToolOffer

Policy = Literal["ask", "allow", "never"]
"""Whether a tool runs: after a question, at once, or not at all."""

Consent = Literal["once", "chat", "refused"]
"""What the person says to a call: this once, always in this chat, or no."""


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as it is offered. `parameters` is the JSON schema of its arguments. `source` is ""
    for what comes with the app, else the id of the MCP server. One that is `harmless` runs without
    asking unless the agent says otherwise."""

    name: str
    description: str
    parameters: dict[str, Any]
    source: str = ""
    harmless: bool = False

    @property
    def policy(self) -> Policy:
        """What holds where the agent says nothing."""
        return "allow" if self.harmless else "ask"

    @property
    def offer(self) -> ToolOffer:
        """The same, as it goes to a model."""
        return ToolOffer(self.name, self.description, self.parameters)


@dataclass(frozen=True, slots=True)
class ToolUse:
    """One call that is about to run: by whom, of what, with which arguments. `folders` are those
    that the person has given to the agent."""

    scope: Scope
    call_id: str
    tool: ToolSpec
    arguments: dict[str, Any] = field(default_factory=dict)
    folders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a call gave, whole: it is cut to the model's budget where a prompt is built. `failed`:
    the text says why it could not be done; `timed_out`: since it took too long."""

    text: str
    failed: bool = False
    timed_out: bool = False
