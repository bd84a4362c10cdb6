"""All MCP servers of the settings: a `ToolBox`, and what else they have to give."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chatty_desktop.domain.errors import ChattyError, Invalid
from chatty_desktop.domain.mcp import (
    McpPrompt,
    McpResource,
    McpState,
    McpText,
    McpTool,
    may_have,
    offered_names,
)
from chatty_desktop.domain.mcp_secrets import key_names
from chatty_desktop.domain.mcp_settings import McpServer
from chatty_desktop.domain.settings import Settings
from chatty_desktop.domain.tools import ToolResult, ToolSpec, ToolUse
from chatty_desktop.engine.ports import Publish
from chatty_desktop.providers.mcp.server_log import ServerLog, log_file_name

if TYPE_CHECKING:
    from chatty_desktop.providers.mcp.connection import Connection, KeyOf

log = logging.getLogger(__name__)

CALL_SECONDS = 120.0
"""How long a call may take where the settings of its server say nothing."""

BACK_OFF_SECONDS = (1.0, 5.0, 20.0)
"""Waited before each start after a crash; one crash more and a server is left alone."""

LIST_SECONDS = 20.0
"""How long a run waits for servers that start; those that take longer are left out of it."""


class McpServers:
    """The servers by their names in the settings. None is started before it is needed, but those
    the settings name for that."""

    def __init__(
        self,
        logs: Path,
        key_of: KeyOf,
        publish: Publish,
        *,
        back_off: tuple[float, ...] = BACK_OFF_SECONDS,
        list_seconds: float = LIST_SECONDS,
    ) -> None:
        self._logs = logs
        self._key_of = key_of
        self._publish = publish
        self._back_off = back_off
        self._list_seconds = list_seconds
        self._connections: dict[str, Connection] = {}
        self._ending: set[asyncio.Task[None]] = set()
        self._closed = False

    # --- what the app does with them ------------------------------------------------------------

    def apply(self, settings: Settings) -> None:
        """Take over the settings: end what is gone, begin anew with what runs and changed."""
        wanted = settings.mcp_servers
        for name in self._connections.keys() - wanted.keys():
            self._later(self._connections.pop(name).stop())
        for name, server in wanted.items():
            present = self._connections.get(name)
            if present is None:
                self._connections[name] = self._made(name, server)
            elif present.server != server:
                self._change(present, server)

    def renew(self, key_name: str) -> None:
        """Begin anew with what runs, or failed, with a key that is another one now."""
        for connection in self._connections.values():
            phase = connection.state.phase
            if phase != "off" and key_name in key_names(connection.server):
                self._later(self._again(connection, run=phase != "failed"))

    def begin(self) -> None:
        """Start those that are to start with the app."""
        for connection in self._connections.values():
            if connection.server.enabled and connection.server.start_with_app:
                connection.start()

    async def close(self) -> None:
        """End them all."""
        self._closed = True
        await asyncio.gather(
            *(connection.stop() for connection in self._connections.values()),
            *self._ending,
            return_exceptions=True,
        )

    # --- what the person does with them ---------------------------------------------------------

    def states(self) -> dict[str, McpState]:
        """How each server is, by its name."""
        return {name: connection.state for name, connection in self._connections.items()}

    def start(self, name: str) -> None:
        """Start a server, or start one again that failed. Raises `Invalid`."""
        connection = self._named(name)
        if not connection.server.enabled:
            raise Invalid(f"The MCP server {name} is switched off. Switch it on first.")
        if not self._closed:
            connection.start()

    async def stop(self, name: str) -> None:
        """End a server until it is needed again. Raises `Invalid`."""
        await self._named(name).stop()

    async def restart(self, name: str) -> None:
        """End a server and start it anew. Raises `Invalid`."""
        await self.stop(name)
        self.start(name)

    async def read_log(self, name: str, lines: int = 200) -> str:
        """The last lines that its program wrote beside what it answered. Raises `Invalid`."""
        return await self._named(name).log.tail(lines)

    # --- what models do with them ---------------------------------------------------------------

    async def tools(self, names: Collection[str] | None = None) -> list[ToolSpec]:
        """The tools of every server that is switched on. One that has not listed any yet, and may
        have one of the names where some are given, is started first, and waited for a while; one
        that cannot be had has none."""
        unknown = [
            c
            for c in self._enabled()
            if not c.state.tools and (names is None or may_have(c.name, names))
        ]
        await asyncio.gather(*(self._had(connection) for connection in unknown))
        return self.known_tools()

    def known_tools(self) -> list[ToolSpec]:
        """Those that servers which are switched on have listed, without asking any."""
        return [self._spec(*entry) for entry in self._offered().items()]

    async def call(self, use: ToolUse) -> ToolResult:
        """Run a tool on its server. Raises `Invalid` when there is no such tool, `Unreachable`
        when its server cannot be started or is gone."""
        found = self._offered().get(use.tool.name)
        source = self._connections.get(use.tool.source)
        if found is None and source is not None and source.server.enabled:
            await source.session(self._list_seconds)
            found = self._offered().get(use.tool.name)
        if found is None:
            raise Invalid(
                f"There is no tool {use.tool.name} any more: its MCP server is gone, switched off,"
                " or does not list it."
            )
        connection, tool = found
        session = await connection.session(self._list_seconds)
        seconds = connection.server.timeout_seconds or CALL_SECONDS
        return await session.call(tool.name, use.arguments, seconds)

    # --- what the person puts into messages -----------------------------------------------------

    async def have_ready(self) -> None:
        """Start every server that is switched on, and wait a while for them; what becomes of each
        is in its state."""
        await asyncio.gather(*(self._had(connection) for connection in self._enabled()))

    async def resources(self) -> list[McpResource]:
        """What the servers that are switched on let be read; starts them."""
        await self.have_ready()
        return [entry for c in self._enabled() for entry in c.state.resources]

    async def read(self, uri: str, server: str = "") -> McpText:
        """The text of a resource, of the server named or the first that lists it. Raises
        `Invalid`, `Unreachable`, and `Refused` also when it holds none."""
        if not server:
            listed = (entry.server for entry in await self.resources() if entry.uri == uri)
            server = next(listed, "")
        if not server:
            raise Invalid(f"No MCP server lists {uri}.")
        session = await self._named(server).session(self._list_seconds)
        return await session.read(uri)

    async def prompts(self) -> list[McpPrompt]:
        """The prepared texts of the servers that are switched on; starts them."""
        await self.have_ready()
        return [entry for c in self._enabled() for entry in c.state.prompts]

    async def prompt(self, name: str, arguments: dict[str, str], server: str = "") -> str:
        """A prepared text, filled, of the server named or the first that has it. Raises
        `Invalid`, `Unreachable`, `Refused`."""
        if not server:
            having = (entry.server for entry in await self.prompts() if entry.name == name)
            server = next(having, "")
        if not server:
            raise Invalid(f"No MCP server has a prompt {name}.")
        session = await self._named(server).session(self._list_seconds)
        return await session.prompt(name, arguments)

    # --- parts ----------------------------------------------------------------------------------

    def _enabled(self) -> list[Connection]:
        return [c for c in self._connections.values() if c.server.enabled]

    def _named(self, name: str) -> Connection:
        if name not in self._connections:
            raise Invalid(f"There is no MCP server {name} any more.")
        return self._connections[name]

    def _offered(self) -> dict[str, tuple[Connection, McpTool]]:
        """Tools by the names models call them by. Also tools that are switched off take part in
        naming: a switch must not rename another tool."""
        listed = {
            (connection.name, tool.name): (connection, tool)
            for connection in self._enabled()
            for tool in connection.state.tools
        }
        names = offered_names(listed)
        return {
            names[pair]: (connection, tool)
            for pair, (connection, tool) in listed.items()
            if tool.name not in connection.server.disabled_tools
        }

    def _made(self, name: str, server: McpServer) -> Connection:
        # Only where there is a server: a start without one does not pay for it.
        from chatty_desktop.providers.mcp.connection import Connection

        log_of = ServerLog(self._logs / log_file_name(name))
        return Connection(name, server, log_of, self._key_of, self._publish, self._back_off)

    def _spec(self, name: str, found: tuple[Connection, McpTool]) -> ToolSpec:
        connection, tool = found
        return ToolSpec(name, tool.description, tool.parameters, source=connection.name)

    async def _had(self, connection: Connection) -> None:
        """Have a server ready, if it can be."""
        if self._closed:
            return
        try:
            await connection.session(self._list_seconds)
        except ChattyError as error:
            log.info("%s", error)

    def _change(self, connection: Connection, server: McpServer) -> None:
        running = connection.state.phase in ("starting", "ready")
        anew = connection.server.launch != server.launch
        connection.change_settings(server)
        if (running or connection.state.phase == "failed") and (anew or not server.enabled):
            self._later(self._again(connection, run=running and server.enabled))

    async def _again(self, connection: Connection, *, run: bool) -> None:
        await connection.stop()
        if run and not self._closed:
            connection.start()

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)
