"""MCP servers as the app has them, called without a chat."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from chatty_desktop.domain.events import Event, Notice
from chatty_desktop.domain.mcp import McpState
from chatty_desktop.domain.messages import Scope
from chatty_desktop.domain.settings import Settings
from chatty_desktop.domain.tools import ToolResult, ToolSpec, ToolUse
from chatty_desktop.providers.mcp.servers import McpServers


class Bench:
    """The servers of the settings, and what was published. `keys` are those of the keyring.
    Calls go to the server `s`."""

    def __init__(self, logs: Path, back_off: tuple[float, ...] = (0.05, 0.05)) -> None:
        self.logs = logs
        self.told: list[Event] = []
        self.keys: dict[str, str] = {}
        self.servers = McpServers(
            logs, self._key, self.told.append, back_off=back_off, list_seconds=30
        )

    async def _key(self, name: str) -> str | None:
        return self.keys.get(name)

    def configure(self, **servers: dict[str, Any]) -> None:
        self.servers.apply(Settings.model_validate({"mcpServers": servers}))

    def state(self, name: str = "s") -> McpState:
        return self.servers.states()[name]

    def use(self, tool: str, **arguments: Any) -> ToolUse:
        spec = next((s for s in self.servers.known_tools() if s.name == tool), None)
        spec = spec or ToolSpec(tool, "", {}, source="s")
        return ToolUse(Scope("agent", "session"), "call", spec, arguments)

    async def call(self, tool: str, **arguments: Any) -> ToolResult:
        return await self.servers.call(self.use(f"s__{tool}", **arguments))

    @property
    def notices(self) -> str:
        return "\n".join(event.text for event in self.told if isinstance(event, Notice))
