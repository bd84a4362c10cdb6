"""What leaves the computer, and to whom: each server counts what it is asked."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from chatty_desktop.app import App
from tests.helpers.desk import definition
from tests.helpers.folder import Room
from tests.helpers.servers import OpenAIServer

WORDS = "The key is under the third flowerpot."


@asynccontextmanager
async def two_servers(
    folder: Path, strategy: dict[str, Any], **settings: Any
) -> AsyncIterator[tuple[Room, OpenAIServer, OpenAIServer]]:
    """A room whose agent is answered by "near", the second provider in the list; "far" is the
    first."""
    async with OpenAIServer() as far, OpenAIServer() as near:
        providers = [
            {"id": name, "kind": "openai", "base_url": server.base_url, "models": ["small"]}
            for name, server in (("far", far), ("near", near))
        ]
        document = {
            "providers": providers,
            "default_model": "near/small",
            "embedder": None,
        }
        write_settings(folder, document | settings)
        app = await App.open(folder)
        try:
            agent = await app.agents.save(definition(strategy))
            session = await app.sessions.create("")
            yield Room(app, agent, session.id), far, near
        finally:
            await app.close()


def write_settings(folder: Path, document: dict[str, Any]) -> None:
    folder.mkdir()
    (folder / "settings.json").write_text(json.dumps(document), "utf-8")


def told(server: OpenAIServer) -> bool:
    """Whether a server was sent what the person wrote."""
    return any(WORDS in json.dumps(each.body) for each in server.requests)


async def test_a_message_goes_to_the_model_that_answers_and_to_nobody_else(tmp_path: Path) -> None:
    async with two_servers(tmp_path / "data", {"kind": "window"}) as (room, far, near):
        await room.say(WORDS)
        assert told(near)
        assert not far.requests


async def test_memory_is_made_by_the_first_provider_unless_another_model_is_named(
    tmp_path: Path,
) -> None:
    facts: dict[str, Any] = {"kind": "semantic"}
    async with two_servers(tmp_path / "unnamed", facts) as (room, far, _near):
        await room.say(WORDS)
        assert told(far)
    named = {"memory_extractor_model": "near/small"}
    async with two_servers(tmp_path / "settings", facts, **named) as (room, far, near):
        await room.say(WORDS)
        assert told(near)
        assert not far.requests
    own = facts | {"model": "near/small"}
    async with two_servers(tmp_path / "agent", own) as (room, far, near):
        await room.say(WORDS)
        assert not far.requests
