"""Models of an Ollama are listed, pulled and deleted through its own SDK."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from chatty_desktop.domain.downloads import Download
from chatty_desktop.domain.errors import Invalid, Unreachable
from chatty_desktop.domain.events import DownloadChanged, Event
from chatty_desktop.domain.settings import ProviderSettings, Settings
from chatty_desktop.providers.ollama_library import OllamaLibrary
from tests.helpers.servers import OllamaServer
from tests.helpers.waiting import until
from tests.integration.providers.conftest import QUICK, no_key


class Watched:
    """The library of one Ollama called "box", and how its pulls were shown."""

    def __init__(self, server: OllamaServer) -> None:
        entry = ProviderSettings(id="box", kind="ollama", base_url=server.base_url)
        settings = Settings(providers=(entry,))
        self.shown: list[Download] = []
        self.library = OllamaLibrary(lambda: settings, no_key, self._take, patience=QUICK)

    def _take(self, event: Event) -> None:
        assert isinstance(event, DownloadChanged)
        self.shown.append(event.download)

    async def reach(self, state: str) -> Download:
        await until(lambda: self.shown and self.shown[-1].state == state)
        return self.shown[-1]


@pytest.fixture
async def server() -> AsyncIterator[OllamaServer]:
    async with OllamaServer(models=("small:latest", "nomic:v1")) as started:
        started.library = {"qwen3:4b": (4_000_000, 500), "tiny": (100,)}
        yield started


@pytest.fixture
async def box(server: OllamaServer) -> AsyncIterator[Watched]:
    made = Watched(server)
    yield made
    await made.library.close()


async def test_models_are_listed_by_name_with_their_sizes(box: Watched) -> None:
    models = await box.library.models("box")
    assert [model.name for model in models] == ["nomic:v1", "small:latest"]
    assert models[0].size == 400_000_000


async def test_a_pull_sums_its_layers_and_ends_with_the_model_there(box: Watched) -> None:
    begun = box.library.pull("box", " ollama pull qwen3:4b ")
    assert (begun.id, begun.name, begun.state) == ("box/qwen3:4b", "qwen3:4b", "waiting")
    done = await box.reach("finished")
    assert (done.done, done.total) == (4_000_500, 4_000_500)
    assert "qwen3:4b" in [model.name for model in await box.library.models("box")]


async def test_stop_closes_the_connection_and_a_pull_goes_on(
    server: OllamaServer, box: Watched
) -> None:
    server.pull_held = asyncio.Event()
    box.library.pull("box", "qwen3:4b")
    await until(lambda: box.shown[-1].total == 4_000_000)
    assert box.library.pull("box", "qwen3:4b").state == "running"
    await box.library.stop("box/qwen3:4b")
    await server.requests[-1].left.wait()
    assert [pull.state for pull in box.library.pulls("box")] == ["paused"]
    server.pull_held.set()
    box.library.pull("box", "qwen3:4b")
    assert (await box.reach("finished")).total == 4_000_500


async def test_a_connection_that_breaks_pauses_and_says_why(
    server: OllamaServer, box: Watched
) -> None:
    server.pull_breaks = True
    box.library.pull("box", "qwen3:4b")
    assert "broke off" in (await box.reach("paused")).reason
    box.library.pull("box", "qwen3:4b")
    assert (await box.reach("finished")).reason == ""


async def test_a_name_that_nobody_has_is_told(box: Watched) -> None:
    box.library.pull("box", "no-such-model")
    assert "no model 'no-such-model' to get" in (await box.reach("paused")).reason
    await box.library.dismiss("box/no-such-model")
    assert box.library.pulls("box") == []
    assert box.shown[-1].state == "gone"


@pytest.mark.parametrize("name", ["", "  ", "two names"])
async def test_what_is_no_name_is_refused(box: Watched, name: str) -> None:
    with pytest.raises(Invalid, match="name of one model"):
        box.library.pull("box", name)


async def test_a_deleted_model_is_gone(server: OllamaServer, box: Watched) -> None:
    await box.library.delete("box", "small:latest")
    assert server.models == ("nomic:v1",)
    with pytest.raises(Unreachable, match="has no model"):
        await box.library.delete("box", "small:latest")


async def test_an_ollama_that_does_not_run_is_told(server: OllamaServer, box: Watched) -> None:
    await server.close()
    with pytest.raises(Unreachable, match="Is Ollama running"):
        await box.library.models("box")
    box.library.pull("box", "tiny")
    assert "Is Ollama running" in (await box.reach("paused")).reason
    with pytest.raises(Invalid, match="no Ollama 'lab'"):
        await box.library.models("lab")
