"""A data folder that speaks to a scripted server, with an agent in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from chatty_desktop.app import App
from chatty_desktop.domain.agents import Agent
from chatty_desktop.domain.memory import LayerSnapshot
from chatty_desktop.domain.messages import Message, Scope
from tests.helpers.desk import STATE, definition


def settings_for(
    folder: Path, base_url: str, kind: str = "openai", embedder: str | None = None
) -> None:
    """Write settings.json with one provider "lab" and its model "small"; `embedder` names a model
    of that provider."""
    folder.mkdir(parents=True, exist_ok=True)
    provider = {"id": "lab", "kind": kind, "base_url": base_url, "models": ["small"]}
    document: dict[str, Any] = {
        "providers": [provider],
        "default_model": "lab/small",
        "embedder": None,
    }
    if embedder is not None:
        document["embedder"] = {"provider": "lab", "model": embedder}
    (folder / "settings.json").write_text(json.dumps(document), "utf-8")


class Room:
    """The open app, Ada in it, and the session "Talk"."""

    def __init__(self, app: App, agent: Agent, session_id: str) -> None:
        self.app = app
        self.agent = agent
        self.session_id = session_id

    @classmethod
    async def open(
        cls, folder: Path, strategy: dict[str, Any] | None = None, database: str | None = None
    ) -> Room:
        app = await App.open(folder, database)
        agent = await app.agents.by_name("Ada")
        if agent is None:
            agent = await app.agents.save(definition(strategy or STATE))
        session = await app.sessions.find("Talk") or await app.sessions.create("Talk")
        return cls(app, agent, session.id)

    @property
    def scope(self) -> Scope:
        return Scope(self.agent.id, self.session_id)

    async def say(self, text: str) -> Message:
        """Send and wait for the reply and its memory; returns the reply."""
        await self.app.chat.send(self.session_id, self.agent.id, text)
        await self.app.chat.wait(self.session_id)
        return (await self.messages())[-1]

    async def messages(self) -> list[Message]:
        return list(await self.app.messages.branch(self.session_id))

    async def layer(self) -> LayerSnapshot:
        return (await self.app.memories.inspect(self.scope)).layers[0]

    async def outcomes(self) -> list[str]:
        """Of every fold, oldest first."""
        return [row.outcome for row in (await self.app.memory.ledger(self.scope))[::-1]]

    async def close(self) -> None:
        await self.app.close()
