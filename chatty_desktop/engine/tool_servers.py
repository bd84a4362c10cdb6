"""Changes of MCP servers that reach beyond their entries in the settings: the keys in them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from chatty_desktop.domain.errors import Invalid, StorageFailed
from chatty_desktop.domain.mcp_secrets import key_names, parted, wrapped
from chatty_desktop.domain.mcp_settings import McpServer, name_problem
from chatty_desktop.domain.settings import Settings
from chatty_desktop.engine.ports import Keys, SettingsStore


class ToolServers:
    """Adds, changes and removes MCP servers. Their keys never come into the settings."""

    def __init__(self, settings: SettingsStore, keys: Keys) -> None:
        self._settings = settings
        self._keys = keys

    async def add(
        self,
        servers: Mapping[str, McpServer],
        *,
        marked: Collection[str] = (),
        into_file: bool = False,
    ) -> None:
        """Add servers by their names. Raises `Invalid` for a name that is none or taken before
        anything is added, and as `save` does; what came before the one that failed is there then.
        """
        for name in servers:
            if problem := name_problem(name, self._settings.current.mcp_servers.keys()):
                raise Invalid(f"{name}: {problem}" if name and len(servers) > 1 else problem)
        for name, server in servers.items():
            await self.save(name, server, marked=marked, into_file=into_file)

    async def save(
        self,
        name: str,
        server: McpServer,
        *,
        marked: Collection[str] = (),
        old_name: str = "",
        into_file: bool = False,
    ) -> None:
        """Put a server into the settings, in the place of the one of its name or of `old_name`.
        What is a key in it, by its look or since it is `marked`, goes to the keyring.

        Raises `Invalid`, `NoKeyring` when the person has to be asked whether keys may go into a
        file (`into_file`), `StorageFailed`; nothing is changed then.
        """
        if server.problem:
            raise Invalid(server.problem)
        taken = self._settings.current.mcp_servers.keys()
        if old_name not in ("", name) and (problem := name_problem(name, taken)):
            raise Invalid(problem)
        found = parted(name, server, marked)
        stored: list[str] = []
        before = self._key_names()

        def change(now: Settings) -> Settings:
            if old_name and old_name != name:
                return now.with_mcp_server(name, found.server, instead_of=old_name)
            return now.with_mcp_server(name, found.server)

        try:
            for key_name, key in found.keys.items():
                await self._keys.set(key_name, wrapped(key), into_file=into_file)
                stored.append(key_name)
            await self._settings.change(change)
        except (Invalid, StorageFailed):
            for key_name in stored:
                if key_name not in before:
                    await self._keys.forget(key_name)
            raise
        await self._forget(before - self._key_names())

    async def remove(self, name: str) -> None:
        """Take a server out of the settings, then forget its keys. Raises `StorageFailed`."""
        before = self._key_names()
        await self._settings.change(lambda now: now.with_mcp_server(name, None))
        await self._forget(before - self._key_names())

    def _key_names(self) -> set[str]:
        servers = self._settings.current.mcp_servers.values()
        return {key_name for server in servers for key_name in key_names(server)}

    async def _forget(self, names: Collection[str]) -> None:
        for name in names:
            if name.startswith("mcp/"):  # others are the person's own
                await self._keys.forget(name)
