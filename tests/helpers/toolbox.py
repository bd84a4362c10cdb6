"""Tools that do what a test says: a real class behind the engine's own port."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from typing import Any

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.tools import ToolResult, ToolSpec, ToolUse

Does = Callable[[ToolUse], Awaitable[ToolResult | str]]

ANY_TEXT: dict[str, Any] = {"type": "object", "properties": {"text": {"type": "string"}}}


class ScriptedTools:
    """`ports.ToolBox`. `used` keeps the calls that ran, `stopped` those that were cancelled;
    `most` is how many ran at the same time."""

    def __init__(self) -> None:
        self.used: list[ToolUse] = []
        self.stopped: list[ToolUse] = []
        self.running = 0
        self.most = 0
        self._tools: dict[str, tuple[ToolSpec, Does]] = {}
        self.add("echo", echo)

    def add(
        self,
        name: str,
        does: Does,
        parameters: dict[str, Any] | None = None,
        *,
        harmless: bool = True,
    ) -> None:
        """Put a tool into the box."""
        spec = ToolSpec(name, f"Does {name}.", parameters or ANY_TEXT, harmless=harmless)
        self._tools[name] = spec, does

    async def tools(self, names: Collection[str] | None = None) -> list[ToolSpec]:
        return self.known_tools()

    def known_tools(self) -> list[ToolSpec]:
        return [spec for spec, _does in self._tools.values()]

    async def call(self, use: ToolUse) -> ToolResult:
        if use.tool.name not in self._tools:
            raise Invalid(f"There is no tool called {use.tool.name}.")
        self.used.append(use)
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            given = await self._tools[use.tool.name][1](use)
        except asyncio.CancelledError:
            self.stopped.append(use)
            raise
        finally:
            self.running -= 1
        return ToolResult(given) if isinstance(given, str) else given


async def echo(use: ToolUse) -> str:
    """Gives back what it was given."""
    return f"echo: {use.arguments.get('text', '')}"
