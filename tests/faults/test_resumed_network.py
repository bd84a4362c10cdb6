"""A computer that slept: what was connected before is gone, and says so only when it is used.

Real servers on loopback that forget their connections, asked by the real SDKs.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Literal

import pytest

from chatty_desktop.app import App
from chatty_desktop.domain.errors import Unreachable
from chatty_desktop.providers.contract import Provider
from chatty_desktop.providers.patience import Patience
from tests.helpers.servers import Answer, OllamaServer, OpenAIServer, Received
from tests.helpers.servers.answers import ScriptedServer
from tests.helpers.servers.http import Reply
from tests.integration.providers.conftest import QUICK, answered, provider_for

Way = Literal["closes", "resets", "hangs"]


class Forgetful(ScriptedServer):
    """One that can forget the connections it has: what comes over them is lost.

    lost: the requests that were, by the connection they came over. forgets_all: new ones as well.
    """

    def __init__(self, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self.known: set[int] = set()
        self.forgotten: set[int] = set()
        self.lost: list[int] = []
        self.forgets_all = False
        self.way: Way = "closes"

    def forget(self, way: Way) -> None:
        """From now on whatever comes over the connections of today is lost, in that way."""
        self.way = way
        self.forgotten |= self.known

    async def respond(self, received: Received, reply: Reply) -> None:
        self.known.add(reply.came_from)
        if not self.forgets_all and reply.came_from not in self.forgotten:
            await super().respond(received, reply)
            return
        self.lost.append(reply.came_from)
        if self.way == "closes":
            await reply.cut()
        elif self.way == "resets":
            await reply.reset()
        else:
            await asyncio.Event().wait()


class ForgetfulOpenAI(Forgetful, OpenAIServer):
    pass


class ForgetfulOllama(Forgetful, OllamaServer):
    pass


Server = ForgetfulOpenAI | ForgetfulOllama


async def _chat(provider: Provider) -> None:
    assert (await answered(provider.chat_model("small"))).finish == "stop"


async def _embed(provider: Provider) -> None:
    assert len(await provider.embed("small", ["one", "two"])) == 2


async def _list(provider: Provider) -> None:
    assert await provider.listed() == ["small"]


ASKED = {"chat": _chat, "embed": _embed, "list": _list}

each_question = pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)


@pytest.fixture(params=[ForgetfulOpenAI, ForgetfulOllama], ids=["openai", "ollama"])
async def server(request: pytest.FixtureRequest) -> AsyncIterator[Server]:
    async with request.param(models=("small",)) as running:
        yield running


@pytest.fixture
async def provider(server: Server) -> AsyncIterator[Provider]:
    made = provider_for(server, QUICK)
    yield made
    await made.close()


@each_question
@pytest.mark.parametrize("way", ["closes", "resets"])
async def test_what_was_lost_with_a_kept_connection_is_asked_again_over_a_new_one(
    server: Server, provider: Provider, ask: Callable[[Provider], Awaitable[None]], way: Way
) -> None:
    await _list(provider)
    server.forget(way)
    await ask(provider)
    assert len(server.lost) == 1
    assert len(server.known) == 2


@pytest.mark.parametrize("way", ["closes", "resets"])
async def test_several_kept_connections_that_are_gone_cost_no_answer(
    server: Server, provider: Provider, way: Way
) -> None:
    held = asyncio.Event()
    server.script(*[Answer("Noted.", held=held)] * 3)
    chats = [asyncio.ensure_future(_chat(provider)) for _ in range(3)]
    await server.received(chats=3)
    held.set()
    await asyncio.gather(*chats)
    assert len(server.known) == 3
    server.forget(way)
    await _chat(provider)
    assert 1 <= len(server.lost) == len(set(server.lost)) <= 3
    assert len(server.known) == 4


@each_question
@pytest.mark.parametrize("way", ["closes", "resets"])
async def test_a_server_that_drops_new_connections_too_is_told_of_after_one_more_try(
    server: Server, provider: Provider, ask: Callable[[Provider], Awaitable[None]], way: Way
) -> None:
    await _list(provider)
    server.forgets_all, server.way = True, way
    with pytest.raises(Unreachable, match=r"lab .* cannot be reached: .* broke off"):
        await ask(provider)
    assert len(server.lost) == 2
    with pytest.raises(Unreachable, match=r"lab .* cannot be reached: .* broke off"):
        await ask(provider)
    assert len(server.lost) == 3, "nothing is kept, so there is nothing to ask again for"


@pytest.mark.parametrize("ask", [_chat, _list], ids=["chat", "list"])
async def test_a_connection_that_hangs_ends_with_its_time_and_the_next_one_is_new(
    server: Server, ask: Callable[[Provider], Awaitable[None]]
) -> None:
    provider = provider_for(server, Patience(connect=20.0, read=1.0, question=1.0))
    await _list(provider)
    server.forget("hangs")
    with pytest.raises(Unreachable, match=r"lab .* did not answer in time"):
        await ask(provider)
    assert len(server.lost) == 1, "a server that is busy is not asked twice"
    await ask(provider)
    assert (len(server.lost), len(server.known)) == (1, 2)
    await provider.close()


async def test_an_answer_that_had_begun_is_not_asked_for_again(
    server: Server, provider: Provider
) -> None:
    await _list(provider)
    server.script(Answer("Half of it", drop_after=1))
    with pytest.raises(Unreachable, match="broke off in mid-answer"):
        await _chat(provider)
    assert len(server.chats) == 1


async def test_how_a_server_stands_is_told_anew_once_it_is_back(
    server: Server, tmp_path: Path
) -> None:
    kind = "openai" if isinstance(server, ForgetfulOpenAI) else "ollama"
    lab = {"id": "lab", "kind": kind, "base_url": server.base_url, "models": ["small"]}
    settings = {"providers": [lab], "default_model": "lab/small"}
    (tmp_path / "settings.json").write_text(json.dumps(settings), "utf-8")
    app = await App.open(tmp_path, patience=QUICK)
    try:
        assert (await app.standing.of(None)).problem == ""
        await server.close()
        assert "cannot be reached" in (await app.standing.of(None)).problem
        if kind == "ollama":
            assert await app.discovery.ollama(server.base_url) is None
            with pytest.raises(Unreachable):
                await app.ollama_library.models("lab")
        await server.__aenter__()
        assert (await app.standing.of(None)).problem == ""
        if kind == "ollama":
            assert await app.discovery.ollama(server.base_url) is not None
            assert [model.name for model in await app.ollama_library.models("lab")] == ["small"]
    finally:
        await app.close()
