"""MCP servers in the settings, and their keys beside them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from chatty_desktop.app import App
from chatty_desktop.domain.errors import Invalid, NoKeyring
from chatty_desktop.domain.mcp_settings import McpServer
from tests.helpers.keyrings import MemoryKeyring, system_keyring

SERVER = McpServer(command="npx", args=("-y", "x"), env={"API_KEY": "planted-key", "SIZE": "3"})
PLACE = "mcp/git/API_KEY"


@pytest.fixture
async def app(data_dir: Path) -> AsyncIterator[App]:
    opened = await App.open(data_dir)
    yield opened
    await opened.close()


def kept(app: App) -> dict[str, object]:
    servers: dict[str, object] = json.loads(app.paths.settings.read_text("utf-8"))["mcpServers"]
    return servers


async def test_a_key_goes_to_the_keyring_and_leaves_with_the_server(app: App) -> None:
    with system_keyring(MemoryKeyring()) as keyring:
        del keyring
        await app.tool_servers.add({"git": SERVER})
        assert "planted-key" not in app.paths.settings.read_text("utf-8")
        assert await app.keys.key(PLACE) == "planted-key"
        await app.tool_servers.remove("git")
        assert await app.keys.key(PLACE) is None
        assert app.settings.current.mcp_servers == {}


async def test_a_server_that_is_saved_again_or_renamed_keeps_its_key(app: App) -> None:
    with system_keyring(MemoryKeyring()):
        await app.tool_servers.add({"git": SERVER})
        stored = app.settings.current.mcp_servers["git"]
        await app.tool_servers.save("hub", stored, old_name="git")
        assert list(kept(app)) == ["hub"]
        assert await app.keys.key(PLACE) == "planted-key"
        without = stored.model_copy(update={"env": {"SIZE": "3"}})
        await app.tool_servers.save("hub", without, old_name="hub")
        assert await app.keys.key(PLACE) is None


async def test_without_a_keyring_nothing_is_changed_until_a_file_is_agreed_to(app: App) -> None:
    with pytest.raises(NoKeyring):
        await app.tool_servers.add({"git": SERVER})
    assert app.settings.current.mcp_servers == {}
    await app.tool_servers.add({"git": SERVER}, into_file=True)
    assert "planted-key" not in app.paths.settings.read_text("utf-8")
    assert "planted-key" in app.paths.keys.read_text("utf-8")


async def test_a_name_that_is_none_or_taken_and_an_entry_that_is_none_are_refused(app: App) -> None:
    await app.tool_servers.add({"git": McpServer(command="x")})
    for name in ("", "git", "a/b", "x" * 65):
        with pytest.raises(Invalid):
            await app.tool_servers.add({name: McpServer(command="x")})
    with pytest.raises(Invalid, match="neither"):
        await app.tool_servers.save("new", McpServer())
    await app.tool_servers.add({"hub": McpServer(command="x")})
    with pytest.raises(Invalid, match="already"):
        await app.tool_servers.save("hub", McpServer(command="x"), old_name="git")
