"""What is loaded: for how long it stays, what it takes, and how it takes other settings over."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from chatty_desktop.domain.engines import LoadedModel
from chatty_desktop.domain.errors import Refused, Unreachable
from chatty_desktop.domain.events import EnginesChanged, Event
from chatty_desktop.domain.requests import Delta
from chatty_desktop.domain.settings import (
    EmbedderSettings,
    ModelOptions,
    ProviderSettings,
    Settings,
)
from chatty_desktop.paths import Paths
from chatty_desktop.providers.embedders import SystemEmbedder
from chatty_desktop.providers.engines import LocalEngines
from chatty_desktop.providers.registry import ProviderRegistry
from tests.helpers.waiting import until
from tests.real_model.asking import answered, asking, endless, engines
from tests.real_model.pooled import with_pooling

LOCAL = ProviderSettings(id="local", kind="llama_cpp", models=("starter",), context_length=2048)


async def _no_key(_provider_id: str) -> str | None:
    return None


class Desk:
    """A registry with the local engine alone, whose settings can be changed."""

    def __init__(self, paths: Paths, entry: ProviderSettings) -> None:
        self.paths = paths
        self.entry = entry
        self.seen: list[list[LoadedModel]] = []
        self.registry = ProviderRegistry(paths, _no_key, self._heard)
        self.engines = LocalEngines(lambda: self.registry.local)
        self.registry.apply(Settings(providers=(entry,)))

    def set(self, **changed: object) -> None:
        self.entry = self.entry.model_copy(update=changed)
        self.registry.apply(Settings(providers=(self.entry,)))

    async def say(self, text: str = "Say hello.") -> str:
        reply, _ = await answered(
            self.registry.chat_model("local/starter"), asking(text, max_tokens=3)
        )
        return reply

    def begin(self) -> AsyncGenerator[Delta, None]:
        stream = self.registry.chat_model("local/starter").stream(endless())
        return cast("AsyncGenerator[Delta, None]", stream)

    @property
    def model(self) -> LoadedModel:
        (model,) = self.engines.loaded
        return model

    def _heard(self, event: Event) -> None:
        if isinstance(event, EnginesChanged):
            self.seen.append(self.engines.loaded)


@pytest.fixture
async def desk(paths: Paths) -> AsyncIterator[Desk]:
    made = Desk(paths, LOCAL)
    yield made
    await made.registry.close()
    assert engines() == []


async def test_what_is_loaded_is_told_with_how_it_stands(desk: Desk) -> None:
    assert desk.engines.loaded == []
    assert await desk.say()
    states = [models[0].state if models else "" for models in desk.seen]
    assert list(dict.fromkeys(states)) == ["loading", "ready", "busy"]
    assert states[-1] == "ready"
    model = desk.model
    assert (model.reference, model.purpose) == ("local/starter", "chat")
    assert model.context_length == 2048 and model.threads > 0 and model.unload_at is None
    (measured,), memory = await desk.engines.measured()
    assert measured.memory is not None and measured.memory > 400_000_000
    assert 0 < memory.available < memory.total


async def test_threads_and_a_context_of_its_own_reach_the_engine(desk: Desk) -> None:
    desk.set(threads=1, model_options={"starter": ModelOptions(context_length=1024)})
    await desk.say()
    assert (desk.model.threads, desk.model.context_length) == (1, 1024)
    assert await desk.registry.chat_model("local/starter").context_length() == 1024


async def test_other_settings_wait_for_the_answer_under_way(desk: Desk) -> None:
    stream = desk.begin()
    await anext(stream)
    (before,) = engines()
    desk.set(context_length=1024)
    for _ in range(5):
        await anext(stream)
    assert desk.model.context_length == 2048
    await stream.aclose()
    await until(lambda: not desk.engines.loaded)
    assert await desk.say()
    assert desk.model.context_length == 1024
    assert [engine.pid for engine in engines()] != [before.pid]


async def test_what_the_engine_need_not_know_leaves_it_as_it_is(desk: Desk) -> None:
    await desk.say()
    (before,) = engines()
    desk.set(
        keep_alive_minutes=60,
        models=("starter", "other.gguf"),
        model_options={"starter": ModelOptions(temperature=0.5)},
    )
    assert await desk.say()
    assert [engine.pid for engine in engines()] == [before.pid]
    assert desk.model.unload_at is not None


async def test_a_model_goes_when_it_was_idle_long_enough_and_comes_back_when_asked(
    desk: Desk,
) -> None:
    desk.set(keep_alive_minutes=0.001)
    for _ in range(2):
        assert await desk.say()
        await until(lambda: not engines())
        assert desk.engines.loaded == []


async def test_an_answer_may_take_longer_than_a_model_stays(desk: Desk) -> None:
    desk.set(keep_alive_minutes=0.0005)
    stream = desk.begin()
    await anext(stream)
    await asyncio.sleep(0.3)
    assert (await anext(stream)).text and desk.model.state == "busy"
    await stream.aclose()
    await until(lambda: not engines())


async def test_a_model_that_stays_is_let_go_once_it_may_not_stay(desk: Desk) -> None:
    await desk.say()
    desk.set(keep_alive_minutes=0.001)
    await until(lambda: not desk.engines.loaded)


async def test_a_model_is_unloaded_by_hand_but_not_in_mid_answer(desk: Desk) -> None:
    stream = desk.begin()
    await anext(stream)
    with pytest.raises(Refused, match="is at work"):
        await desk.engines.unload("local/starter")
    await stream.aclose()
    await desk.engines.unload("local/other")
    assert len(engines()) == 1
    await desk.engines.unload("local/starter")
    assert (engines(), desk.engines.loaded) == ([], [])


async def test_an_engine_that_ends_by_itself_is_no_longer_told_as_loaded(desk: Desk) -> None:
    await desk.say()
    desk.seen.clear()
    engines()[0].kill()
    await until(lambda: desk.seen)
    assert desk.engines.loaded == []


async def test_a_model_file_embeds_end_to_end_beside_the_one_that_chats(
    desk: Desk, tmp_path: Path, starter_file: Path
) -> None:
    file = await asyncio.to_thread(with_pooling, starter_file, tmp_path / "embeds.gguf")
    embedder = EmbedderSettings(provider="local", model=str(file))
    settings = Settings(providers=(desk.entry,), embedder=embedder)
    present = SystemEmbedder(lambda: settings, desk.registry.embedding_of).present()
    assert present is not None
    _, texts = await asyncio.gather(
        desk.say(),
        present.embed_texts(
            ["The cat sleeps on the sofa.", "A kitten naps on a couch.", "def f(x): return x + 1"]
        ),
    )
    assert texts.shape[0] == 3 and np.allclose(np.linalg.norm(texts, axis=1), 1, atol=1e-5)
    query = (await present.embed_queries(["The cat sleeps on the sofa."]))[0]
    assert query @ texts[0] > 0.999
    assert texts[0] @ texts[1] > texts[0] @ texts[2]
    assert {model.purpose for model in desk.engines.loaded} == {"chat", "embedding"}
    assert len(engines()) == 2
    await desk.engines.unload(f"local/{file}", "embedding")
    assert [model.purpose for model in desk.engines.loaded] == ["chat"]


async def test_an_embedding_model_is_missing_with_its_path(desk: Desk) -> None:
    embed = desk.registry.embedding_of("local")
    with pytest.raises(Unreachable, match="is not there"):
        await embed("gone.gguf", ["text"])
