"""The models of all providers of the settings together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from chatty_desktop.domain.errors import Invalid, Unreachable
from chatty_desktop.domain.settings import Settings
from chatty_desktop.paths import Paths
from chatty_desktop.providers.engines import LocalEngines
from chatty_desktop.providers.registry import ProviderRegistry
from tests.helpers.servers import Answer, OllamaServer, OpenAIServer
from tests.integration.providers.conftest import QUICK, answered, asking, no_key

NOWHERE = "http://127.0.0.1:9"
"""The discard port: nothing listens there."""


class Clock:
    """Seconds that pass when told to."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def registry(tmp_path: Path, clock: Clock) -> AsyncIterator[ProviderRegistry]:
    paths = Paths(tmp_path)
    paths.create()
    made = ProviderRegistry(
        paths, no_key, lambda event: None, patience=QUICK, ask_seconds=10, clock=clock
    )
    yield made
    await made.close()


@pytest.fixture
async def lab() -> AsyncIterator[OpenAIServer]:
    async with OpenAIServer(models=("small", "large")) as server:
        yield server


def settings(*providers: dict[str, Any], default: str | None = None) -> Settings:
    return Settings.model_validate({"providers": providers, "default_model": default})


def openai(provider_id: str, url: str, *models: str) -> dict[str, Any]:
    return {"id": provider_id, "kind": "openai", "base_url": url, "models": list(models)}


async def test_a_model_is_found_by_its_reference_and_answers(
    registry: ProviderRegistry, lab: OpenAIServer
) -> None:
    registry.apply(settings(openai("lab", lab.base_url)))
    model = registry.chat_model("lab/vendor/model:8b")
    assert model.reference == "lab/vendor/model:8b"
    await answered(model)
    assert lab.chats[0].body["model"] == "vendor/model:8b"


@pytest.mark.parametrize("reference", ["other/small", "small", "lab/", ""])
async def test_a_reference_of_no_provider_is_invalid_and_not_registered(
    registry: ProviderRegistry, reference: str
) -> None:
    registry.apply(settings(openai("lab", NOWHERE)))
    assert registry.registered("lab/small") and not registry.registered(reference)
    with pytest.raises(Invalid):
        registry.chat_model(reference)


async def test_the_first_available_is_the_first_provider_that_answers(
    registry: ProviderRegistry, lab: OpenAIServer
) -> None:
    async with OllamaServer(models=("tiny:latest",)) as ollama:
        second = {"id": "ollama", "kind": "ollama", "base_url": ollama.base_url}
        registry.apply(settings(openai("down", NOWHERE, "x"), second, openai("lab", lab.base_url)))
        assert await registry.first_available() == "ollama/tiny:latest"
    assert lab.requests == [], "those after the first that answers are not asked"


async def test_the_default_of_a_provider_is_the_settings_own_then_the_first_named_then_listed(
    registry: ProviderRegistry, lab: OpenAIServer
) -> None:
    url = lab.base_url
    registry.apply(settings(openai("lab", url, "named"), default="lab/large"))
    assert await registry.first_available() == "lab/large"
    registry.apply(settings(openai("lab", url, "named"), default="gone/x"))
    assert await registry.first_available() == "lab/named"
    registry.apply(settings(openai("lab", url)))
    assert await registry.first_available() == "lab/small"


async def test_the_settings_may_change_while_it_is_asked_which_is_available(
    registry: ProviderRegistry, lab: OpenAIServer
) -> None:
    down, there = openai("down", NOWHERE, "x"), openai("lab", lab.base_url)
    registry.apply(settings(down, there))
    asked = asyncio.create_task(registry.first_available())
    while not asked.done():
        # The same again: what is unchanged is kept.
        registry.apply(settings(down, there))
        await asyncio.sleep(0)
    assert await asked == "lab/small"


async def test_without_any_that_answers_there_is_none(registry: ProviderRegistry) -> None:
    local = {"id": "local", "kind": "llama_cpp", "models": ["/nowhere/m.gguf"]}
    registry.apply(settings(openai("down", NOWHERE, "x"), local))
    assert await registry.first_available() is None


async def test_a_local_model_is_available_without_being_started(
    registry: ProviderRegistry, tmp_path: Path
) -> None:
    pytest.importorskip("xllamacpp")
    file = tmp_path / "m.gguf"
    file.write_bytes(b"GGUF, and no model at all")
    local = {"id": "local", "kind": "llama_cpp", "models": [str(file)]}
    registry.apply(settings(local))
    assert await registry.first_available() == f"local/{file}"


async def test_a_server_that_hangs_is_passed_over(tmp_path: Path, lab: OpenAIServer) -> None:
    async def hangs(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await released.wait()
        writer.close()

    released = asyncio.Event()
    registry = ProviderRegistry(Paths(tmp_path), no_key, lambda event: None, ask_seconds=0.3)
    silent = await asyncio.start_server(hangs, "127.0.0.1", 0)
    port = silent.sockets[0].getsockname()[1]
    registry.apply(
        settings(openai("silent", f"http://127.0.0.1:{port}"), openai("lab", lab.base_url))
    )
    _, lines = await registry.choices()
    assert len(lines) == 1 and "silent" in lines[0] and "did not answer" in lines[0]
    released.set()
    silent.close()
    await registry.close()


async def test_what_is_available_is_asked_anew_after_a_few_seconds_and_after_a_change(
    registry: ProviderRegistry, lab: OpenAIServer, clock: Clock
) -> None:
    registry.apply(settings(openai("lab", lab.base_url)))
    for _ in range(3):
        assert await registry.first_available() == "lab/small"
    assert len(lab.requests) == 1
    await lab.close()
    clock.now += 6
    assert await registry.first_available() is None
    async with lab:
        assert await registry.first_available() is None, "a few seconds are not over yet"
        registry.apply(settings(openai("lab", lab.base_url)))
        assert await registry.first_available() == "lab/small"


async def test_the_choices_are_all_models_listed_or_named_with_a_line_for_who_is_down(
    registry: ProviderRegistry, lab: OpenAIServer
) -> None:
    registry.apply(
        settings(
            openai("lab", lab.base_url, "by-hand", "small"),
            openai("down", NOWHERE, "hoped-for"),
            openai("wrong", "ftp://x"),
        )
    )
    choices, lines = await registry.choices()
    assert [(choice.reference, choice.listed) for choice in choices] == [
        ("lab/by-hand", False),
        ("lab/small", True),
        ("lab/large", True),
        ("down/hoped-for", False),
    ]
    assert [line.partition(":")[0] for line in lines] == ["wrong", "down"]


async def test_a_model_named_without_the_tag_that_ollama_adds_is_no_choice_of_its_own(
    registry: ProviderRegistry,
) -> None:
    async with OllamaServer(models=("small:latest", "large:8b")) as server:
        named = {"base_url": server.base_url, "models": ["small", "large"]}
        registry.apply(settings({"id": "here", "kind": "ollama", **named}))
        choices, _lines = await registry.choices()
    assert [(choice.reference, choice.listed) for choice in choices] == [
        ("here/small", True),
        ("here/large", False),
        ("here/large:8b", True),
    ]


async def test_an_address_that_is_none_is_invalid_for_its_own_models_alone(
    registry: ProviderRegistry, lab: OpenAIServer
) -> None:
    registry.apply(settings(openai("wrong", "ftp://x"), openai("lab", lab.base_url)))
    with pytest.raises(Invalid, match="write http://"):
        registry.chat_model("wrong/small")
    assert await registry.first_available() == "lab/small"


async def test_settings_that_leave_a_provider_as_it_is_do_not_disturb_its_answers(
    registry: ProviderRegistry, lab: OpenAIServer
) -> None:
    held = asyncio.Event()
    lab.script(Answer(text=["one ", "two"], held=held, held_after=1))
    entry = openai("lab", lab.base_url)
    registry.apply(settings(entry))
    stream = registry.chat_model("lab/small").stream(asking())
    assert (await anext(stream)).text == "one "
    registry.apply(settings(entry, openai("new", NOWHERE)))
    await asyncio.sleep(0.05)
    held.set()
    assert "".join([delta.text async for delta in stream]) == "two"


async def test_other_options_of_the_same_server_do_not_end_an_answer_under_way(
    registry: ProviderRegistry, lab: OpenAIServer
) -> None:
    held = asyncio.Event()
    lab.script(Answer(text=["one ", "two"], held=held, held_after=1))
    entry = openai("lab", lab.base_url)
    registry.apply(settings(entry))
    stream = registry.chat_model("lab/small").stream(asking())
    assert (await anext(stream)).text == "one "
    registry.apply(settings({**entry, "models": ["huge"], "context_length": 4096}))
    await asyncio.sleep(0.05)
    held.set()
    assert "".join([delta.text async for delta in stream]) == "two"
    assert await registry.chat_model("lab/small").context_length() == 4096


async def test_without_a_local_engine_nothing_is_loaded_and_the_memory_is_told(
    registry: ProviderRegistry, lab: OpenAIServer
) -> None:
    registry.apply(settings(openai("lab", lab.base_url)))
    engines = LocalEngines(lambda: registry.local)
    models, memory = await engines.measured()
    assert models == engines.loaded == []
    assert 0 < memory.available <= memory.total
    assert await engines.needs("lab/small") is None
    await engines.unload("lab/small")


async def test_closing_ends_the_answers_that_still_run(
    registry: ProviderRegistry, lab: OpenAIServer
) -> None:
    lab.script(Answer(text=["one "] * 500, delay=0.02))
    registry.apply(settings(openai("lab", lab.base_url)))
    stream = registry.chat_model("lab/small").stream(asking())
    await anext(stream)

    async def rest() -> None:
        async for _ in stream:
            pass

    task = asyncio.create_task(rest())
    await asyncio.sleep(0)
    await registry.close()
    await lab.chats[0].left.wait()
    with pytest.raises(Unreachable):
        await task
    with pytest.raises(Invalid):
        registry.chat_model("lab/small")
