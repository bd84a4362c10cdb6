"""What a tool of the app is: its description, and what it does."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from chatty_desktop.domain.memory import MemorySnapshot
from chatty_desktop.domain.messages import Scope
from chatty_desktop.domain.tools import ToolResult, ToolSpec, ToolUse
from chatty_desktop.engine.ports import Embedders, EpisodeStore, MessageLog, Pages


class Tool(Protocol):
    """One tool. It raises `ChattyError` for what cannot be done, in words for the model."""

    @property
    def spec(self) -> ToolSpec: ...

    async def run(self, use: ToolUse) -> ToolResult: ...


@dataclass(frozen=True, slots=True)
class Reach:
    """What tools of the app reach. `closed` is a folder that no tool reads or writes, whatever
    folders an agent was given: the app's own, with keys in it. `inspect` tells what is remembered
    in a scope."""

    pages: Pages
    messages: MessageLog
    episodes: EpisodeStore
    embedders: Embedders
    inspect: Callable[[Scope], Awaitable[MemorySnapshot]]
    closed: Path | None = None


def arguments(*required: str, **properties: dict[str, Any]) -> dict[str, Any]:
    """The JSON schema of arguments."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def text(description: str) -> dict[str, Any]:
    """The schema of an argument that is text."""
    return {"type": "string", "description": description}


def number(description: str, least: int, most: int) -> dict[str, Any]:
    """The schema of an argument that is a whole number."""
    return {"type": "integer", "description": description, "minimum": least, "maximum": most}
