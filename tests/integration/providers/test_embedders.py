"""Embedding through the real SDKs, against scripted servers on loopback."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from chatty_desktop.domain.errors import Invalid, Refused, Unreachable
from chatty_desktop.domain.settings import EmbedderSettings, ProviderSettings, Settings
from chatty_desktop.engine.ports import Embedder
from chatty_desktop.paths import Paths
from chatty_desktop.providers.embedders import BATCH, SystemEmbedder
from chatty_desktop.providers.registry import ProviderRegistry
from tests.helpers.servers import Answer, OllamaServer, OpenAIServer
from tests.helpers.waiting import until
from tests.integration.providers.conftest import QUICK, no_key

Server = OpenAIServer | OllamaServer


class System:
    """The embedder of some settings that can be changed."""

    def __init__(self, folder: Path, server: Server) -> None:
        kind = "openai" if isinstance(server, OpenAIServer) else "ollama"
        lab = ProviderSettings.model_validate(
            {"id": "lab", "kind": kind, "base_url": server.base_url}
        )
        self.settings = Settings(providers=(lab,), default_model=None, embedder=None)
        self.registry = ProviderRegistry(Paths(folder), no_key, lambda _e: None, patience=QUICK)
        self.registry.apply(self.settings)
        self._embedders = SystemEmbedder(lambda: self.settings, self.registry.embedding_of)

    def use(self, provider: str | None, model: str = "small", **more: str) -> Embedder | None:
        named = EmbedderSettings(provider=provider, model=model, **more) if provider else None
        self.settings = self.settings.model_copy(update={"embedder": named})
        return self._embedders.present()


@pytest.fixture
async def system(tmp_path: Path, server: Server) -> AsyncIterator[System]:
    server.models = ("small", "nomic-embed-text")
    made = System(tmp_path, server)
    yield made
    await made.registry.close()


def chosen(system: System, model: str = "small", **more: str) -> Embedder:
    embedder = system.use("lab", model, **more)
    assert embedder is not None
    return embedder


async def test_texts_become_vectors_of_length_one_in_their_order(
    system: System, server: Server
) -> None:
    embedder = chosen(system)
    vectors = await embedder.embed_texts(["the cat", "the train to Kyoto"])
    assert vectors.shape == (2, 64) and vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    query = await embedder.embed_queries(["train to Kyoto"])
    assert vectors[1] @ query[0] > vectors[0] @ query[0]
    assert (embedder.provider, embedder.model) == ("lab", "small")


async def test_queries_and_texts_are_marked_as_the_model_wants_or_as_the_person_says(
    system: System, server: Server
) -> None:
    await chosen(system, "nomic-embed-text").embed_texts(["a"])
    await chosen(system, "nomic-embed-text").embed_queries(["b"])
    await chosen(system, "nomic-embed-text", query_prefix="find: ").embed_queries(["c"])
    await chosen(system, "nomic-embed-text", text_prefix="").embed_texts(["d"])
    sent = [received.body["input"] for received in server.embeddings]
    assert sent == [["search_document: a"], ["search_query: b"], ["find: c"], ["d"]]


async def test_many_texts_go_in_batches(system: System, server: Server) -> None:
    vectors = await chosen(system).embed_texts([f"text {i}" for i in range(BATCH + 3)])
    assert len(vectors) == BATCH + 3
    assert [len(received.body["input"]) for received in server.embeddings] == [BATCH, 3]


async def test_a_text_that_is_too_long_is_cut_until_it_fits(system: System, server: Server) -> None:
    too_long = Answer.fail(500, "input is too large to process")
    server.script_embeddings(too_long, Answer(), too_long)
    vectors = await chosen(system).embed_texts(["short", "long " * 400])
    assert vectors.shape == (2, 64)
    sent = [[len(text) for text in received.body["input"]] for received in server.embeddings]
    assert sent == [[5, 2000], [5], [2000], [1000]]


@pytest.mark.parametrize(
    ("answer", "error", "cause"),
    [
        (Answer.fail(503, "overloaded"), Unreachable, "server"),
        (Answer.fail(401, "no"), Unreachable, "authentication"),
        (Answer.fail(400, "this model does not support embeddings"), Refused, ""),
        (Answer(raw=b'{"nothing": true}'), Unreachable, "server"),
        (Answer(raw=b"<html>"), Unreachable, "server"),
    ],
)
async def test_what_a_server_answers_instead_is_told_apart(
    system: System, server: Server, answer: Answer, error: type[Exception], cause: str
) -> None:
    server.script_embeddings(answer)
    with pytest.raises(error) as raised:
        await chosen(system).embed_texts(["a"])
    assert getattr(raised.value, "cause", "") == cause
    assert "lab" in str(raised.value)
    assert (await chosen(system).embed_texts(["a"])).shape == (1, 64)


async def test_a_server_that_is_gone_is_unreachable_and_used_again_when_back(
    system: System, server: Server
) -> None:
    embedder = chosen(system)
    await server.close()
    with pytest.raises(Unreachable):
        await embedder.embed_texts(["a"])
    async with server:
        assert len(await embedder.embed_texts(["a"])) == 1


async def test_no_vector_no_direction_and_another_count_are_refused(
    system: System, server: Server
) -> None:
    answers: list[list[list[float]]] = [[[0.0, 0.0]], [[]], [[1.0], [1.0]]]
    for rows in answers:
        body = (
            {"data": [{"index": i, "embedding": row} for i, row in enumerate(rows)]}
            if isinstance(server, OpenAIServer)
            else {"embeddings": rows}
        )
        server.script_embeddings(Answer(raw=json.dumps(body).encode()))
        with pytest.raises(Refused, match="lab/small gave"):
            await chosen(system).embed_texts(["a"])


async def test_none_is_none_and_an_unknown_provider_is_said(system: System) -> None:
    assert system.use(None) is None
    with pytest.raises(Invalid, match="no provider 'gone'"):
        system.use("gone")


async def test_stopping_in_the_middle_leaves_the_connection_usable(
    system: System, server: Server
) -> None:
    held = asyncio.Event()
    server.script_embeddings(Answer(held=held))
    task = asyncio.create_task(chosen(system).embed_texts(["a"]))
    await until(lambda: server.embeddings)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(await chosen(system).embed_texts(["a"])) == 1
