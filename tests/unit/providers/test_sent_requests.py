"""A request for sending again by hand is what the server gets from the app."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from chatty_desktop.app import App
from chatty_desktop.domain.messages import Scope
from chatty_desktop.engine.prompt import as_asked
from tests.helpers.servers import OllamaServer, OpenAIServer

KEY = "sk-never-shown-8841"


async def _asked(app: App) -> tuple[Any, str]:
    """Ask Small talk something; the request as it is copied, as JSON and as a command."""
    agent = await app.agents.by_name("Small talk")
    assert agent is not None
    session = await app.sessions.create("t", agent.id)
    await app.chat.send(session.id, agent.id, "Where is Kyoto?")
    await app.chat.wait(session.id)
    (run,) = await app.memories.asked_for(Scope(agent.id, session.id))
    found = await app.memories.request_of(run.run_id)
    assert found is not None
    wire = await app.sent.wire(found[0].model, as_asked(found[0]))
    return json.loads(wire.as_json()), wire.as_curl()


def chats(server: OpenAIServer | OllamaServer) -> list[Any]:
    """The bodies of all that asked for an answer."""
    return [each.body for each in server.requests if "chat" in each.path]


async def test_the_json_is_the_body_the_openai_server_got_and_the_key_is_not_in_it(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHATTY_KEY_LAB", KEY)
    async with OpenAIServer(models=("small",)) as server:
        write(data_dir, {"id": "lab", "kind": "openai", "base_url": server.base_url})
        app = await App.open(data_dir)
        body, command = await _asked(app)
        await app.close()
        sent = chats(server)[-1]
        assert body == sent
        assert KEY not in command
        assert "$CHATTY_KEY_LAB" in command
        assert server.base_url in command
        if shutil.which("curl") is None:
            return
        # The command is one that works: a shell sends the same once more.
        shell = await asyncio.create_subprocess_exec(
            "sh", "-c", command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
        )
        await shell.communicate()
        assert shell.returncode == 0
        assert chats(server)[-1] == sent
        assert len(chats(server)) == 2


async def test_the_json_is_the_body_that_ollama_got(data_dir: Path) -> None:
    async with OllamaServer() as server:
        write(data_dir, {"id": "lab", "kind": "ollama", "base_url": server.base_url})
        app = await App.open(data_dir)
        body, _command = await _asked(app)
        await app.close()
        sent = {k: v for k, v in chats(server)[-1].items() if v not in (None, [])}
        assert body == sent


def write(data_dir: Path, provider: dict[str, Any]) -> None:
    data_dir.mkdir(parents=True)
    provider = provider | {"models": ["small"], "model_options": {"small": {"temperature": 0.25}}}
    value = {
        "providers": [provider],
        "default_model": "lab/small",
        "embedder": None,
        "automatic_titles": False,
    }
    (data_dir / "settings.json").write_text(json.dumps(value))
