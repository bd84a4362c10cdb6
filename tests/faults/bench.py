"""The app between two faulty servers of one wire, and the chats that are tried there."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from chatty_desktop.app import App
from chatty_desktop.domain.agents import Agent, AgentDefinition
from chatty_desktop.domain.messages import Message, Scope, Status
from chatty_desktop.domain.strategies import parse_strategy
from chatty_desktop.providers.patience import Patience
from tests.faults.faulty import Aim, Faulty, FaultyOllama, FaultyOpenAI, Names
from tests.helpers.filled import is_whole
from tests.helpers.servers.http import CERTIFICATE

PATIENT = Patience(connect=20.0, read=20.0, question=20.0, waits=(0.02, 0.02), longest_wait=1.0)
HASTY = Patience(connect=20.0, read=1.0, question=1.0, waits=(0.02, 0.02), longest_wait=1.0)
"""For servers that fall silent, and for those alone: on a busy machine any may take that long."""

CAUSES = {
    "refused": "connection was refused",
    "unknown name": "no computer of that name is known",
    "not tls": "does not speak https",
    "401": "wants a key",
    "404": "has no model 'small",
    "429": "takes no more requests .* Try again later",
    "429 with Retry-After": "takes no more requests .* Try again in 0.02 s",
    "429 for an hour": "takes no more requests .* Try again in 60 min",
    "500": "failed .status 500: scripted 500",
    "503": "failed .status 503: scripted 503",
    "silent": "did not answer (in time|within)",
    "stalls": "fell silent in mid-answer|did not answer (in time|within)",
    "reset": "broke off",
    "broken JSON": "did not answer as such a server does|broke off",
    "error inside": "out of memory",
    "web page": "did not answer as such a server does .*web page",
    "nothing": "did not answer as such a server does",
    "garbage": "did not answer as such a server does",
    "no http": "broke off|did not answer as such a server does",
}
"""What the message says of the cause. The others of the faults are none to the person."""

TRIES = {"429": 3, "429 with Retry-After": 3}
"""Requests that a fault may cost, where it is not one."""


@dataclass(slots=True)
class Chat:
    """One chat of an agent of its own."""

    app: App
    agent: Agent
    session_id: str
    title: str

    @property
    def scope(self) -> Scope:
        return Scope(self.agent.id, self.session_id)

    async def say(self, text: str) -> Message:
        """The reply, or what there is of it, once memory has settled too."""
        await self.app.chat.send(self.session_id, self.agent.id, text)
        await self.app.chat.wait(self.session_id)
        return (await self.messages())[-1]

    async def messages(self) -> list[Message]:
        return list(await self.app.messages.branch(self.session_id))

    async def log(self) -> list[str]:
        entries = await self.app.runs.read_log(self.session_id)
        return [line for entry in entries for line in entry.text.splitlines()]


@dataclass(slots=True)
class Bench:
    """One wire: the app, and two servers of the same kind, the second over https. `lab` and `tls`
    are what they are called in the settings. `chats` are those of the present cell."""

    app: App
    lab: Faulty
    tls: Faulty
    chats: list[Chat] = field(default_factory=list)
    made: int = 0

    async def set(self, **settings: Any) -> None:
        await self.app.settings.change(lambda now: now.model_copy(update=settings))

    async def is_quiet(self) -> None:
        """Nothing runs any more, and nothing is left that says so."""
        assert self.app.chat.running() == []
        chats, self.chats = self.chats, []
        messages = [message for chat in chats for message in await chat.messages()]
        assert [each for each in messages if each.status is Status.STREAMING] == []


@dataclass(slots=True)
class Cell:
    """One fault at one stage: the server that has it, and what that is called."""

    bench: Bench
    fault: str

    @property
    def provider(self) -> str:
        return "tls" if self.fault == "not tls" else "lab"

    @property
    def server(self) -> Faulty:
        return self.bench.tls if self.provider == "tls" else self.bench.lab

    @property
    def is_failure(self) -> bool:
        """Whether anything is wrong with it but its size and what it is called."""
        return self.fault in CAUSES

    async def chat(self, strategy: dict[str, Any], *tools: str, provider: str = "") -> Chat:
        """A chat with an agent that speaks to the server that fails, or to the one named."""
        app = self.bench.app
        self.bench.made += 1
        definition = AgentDefinition(
            name=f"Ada {self.bench.made}",
            model=f"{provider or self.provider}/small",
            memory_strategy=parse_strategy(strategy),
            tools=tools,
        )
        agent = await app.agents.save(definition)
        session = await app.sessions.create(f"Talk {self.bench.made}", agent.id)
        self.bench.chats.append(Chat(app, agent, session.id, session.title))
        return self.bench.chats[-1]

    async def fail(self, aim: Aim, before: Aim | None = None) -> None:
        """Let the fault strike what is aimed at from now on, or from the answer to the request
        `before` it on."""
        await self.server.fail_with(self.fault, aim, before)

    def judge_words(self, text: str, cause: str = "") -> None:
        """What the person is told names the server and the cause, and is for people."""
        assert re.search(cause or CAUSES[self.fault], text), text
        assert self.provider in text, text
        assert not re.search(r"Traceback|Error\(|httpx|<html", text), text
        assert len(text) < 1000, text

    def judge_requests(self, most: int = 1) -> None:
        """No more was asked of a server that fails than is worth it."""
        struck = [received.path for received in self.server.struck]
        assert len(struck) <= TRIES.get(self.fault, most), struck


@asynccontextmanager
async def benches(wire: str, folders: list[Path]) -> AsyncIterator[list[Bench]]:
    """A patient bench and a hasty one, with the same servers of a wire."""
    kind = FaultyOpenAI if wire == "openai" else FaultyOllama
    names = Names()
    with names.asked(), pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
        lab, tls = (kind(names, models=("small",), context_length=8192) for _ in range(2))
        tls.tls = True
        async with lab, tls:
            made = []
            for folder, patience in zip(folders, (PATIENT, HASTY), strict=True):
                _write_settings(folder, wire, lab, tls)
                made.append(Bench(await App.open(folder, patience=patience), lab, tls))
                made[-1].app.events.subscribe(made[-1].app.titles.heard)
            yield made
            for bench in made:
                await bench.app.close()
    assert all(is_whole(bench.app.paths.database) for bench in made)


def _write_settings(folder: Path, kind: str, lab: Faulty, tls: Faulty) -> None:
    def provider(name: str, server: Faulty) -> dict[str, Any]:
        address = server.address.replace("127.0.0.1", "localhost")
        path = "/v1" if kind == "openai" else ""
        return {"id": name, "kind": kind, "base_url": address + path, "models": ["small"]}

    document = {
        "providers": [provider("lab", lab), provider("tls", tls)],
        "default_model": "lab/small",
        "memory_extractor_model": "lab/small",
        "embedder": {"provider": "lab", "model": "small"},
        "automatic_titles": False,
    }
    (folder / "settings.json").write_text(json.dumps(document), "utf-8")
