"""What is found out about models: asked of real SDKs, tried on scripted servers of either wire."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from chatty_desktop.domain.errors import Unreachable
from chatty_desktop.domain.models import Findings
from chatty_desktop.domain.settings import ModelOptions, Settings
from chatty_desktop.paths import Paths
from chatty_desktop.providers.probing import ModelProbing
from chatty_desktop.providers.registry import ProviderRegistry
from tests.helpers.servers import Answer, Call, OllamaServer, OpenAIServer, Received
from tests.integration.providers.conftest import QUICK, no_key

Server = OpenAIServer | OllamaServer

WEATHER = Call("get_weather", '{"city": "Paris"}')
MARK = '{"mark": "violet"}'


class Lab:
    """A registry over one server, and the settings that the outcome is saved in."""

    def __init__(self, folder: Path, server: Server, step_seconds: float) -> None:
        kind = "openai" if isinstance(server, OpenAIServer) else "ollama"
        self.settings = Settings.model_validate(
            {"providers": [{"id": "lab", "kind": kind, "base_url": server.base_url}]}
        )
        self.registry = ProviderRegistry(
            Paths(folder), no_key, lambda event: None, patience=QUICK, ask_seconds=10
        )
        self.registry.apply(self.settings)
        self.probing = ModelProbing(self.registry, self._save, step_seconds=step_seconds)
        self.steps: list[str] = []

    async def find_out(self, model: str = "small") -> Findings:
        return await self.probing.find_out(f"lab/{model}", self.steps.append)

    @property
    def saved(self) -> ModelOptions:
        return self.settings.providers[0].options_of("small")

    async def _save(self, change: Callable[[Settings], Settings]) -> None:
        self.settings = change(self.settings)


Open = Callable[..., Lab]


@pytest.fixture
async def lab_of(tmp_path: Path) -> AsyncIterator[Open]:
    opened: list[Lab] = []

    def open_lab(server: Server, step_seconds: float = 30) -> Lab:
        opened.append(Lab(tmp_path, server, step_seconds))
        return opened[-1]

    yield open_lab
    for lab in opened:
        await lab.registry.close()


def answers(**by_kind: Any) -> Callable[[Received], Answer]:
    """Answers a chat by what it wants: `tools`, `schema`."""

    def answer(received: Received) -> Answer:
        wants = "tools" if received.body.get("tools") else "schema"
        found = by_kind[wants]
        return Answer(text=found) if isinstance(found, str) else found

    return answer


def scripted(server: Server, tools: Answer | str, schema: Answer | str) -> None:
    """Let a server answer both questions as given."""
    server.default = answers(tools=tools, schema=schema)
    server.default_fold = answers(tools=tools, schema=schema)


async def test_a_model_that_can_do_it_all_is_found_out_and_saved(
    server: Server, lab_of: Open
) -> None:
    if isinstance(server, OllamaServer):
        server.abilities = None
    scripted(server, Answer(tool_calls=(WEATHER,)), MARK)
    lab = lab_of(server)
    found = await lab.find_out()
    assert (found.tools.holds, found.json_schema.holds, found.embeds.holds) == (True, True, True)
    assert found.dimension == server.dimension
    assert lab.saved == ModelOptions(tools=True, json_schema=True, embeds=True)
    assert lab.steps == ["asking", "tools", "json_schema", "embeds"]
    assert len(server.chats) + len(server.folds) == 2 and len(server.embeddings) == 1


async def test_a_call_in_the_text_of_an_answer_counts_and_is_told(
    server: Server, lab_of: Open
) -> None:
    scripted(server, '<tool_call>{"name": "get_weather", "arguments": {}}</tool_call>', MARK)
    found = await lab_of(server).find_out()
    assert found.tools.holds is True and "text" in found.tools.reason


async def test_a_model_that_answers_in_words_calls_no_tools_and_is_not_constrained(
    server: Server, lab_of: Open
) -> None:
    server.script_embeddings(Answer.fail(400, "does not support embeddings"))
    scripted(server, "It is sunny.", "Bonjour !")
    lab = lab_of(server)
    found = await lab.find_out()
    assert (found.tools.holds, found.json_schema.holds, found.embeds.holds) == (False,) * 3
    assert lab.saved == ModelOptions(tools=False, json_schema=False, embeds=False)


async def test_a_server_that_refuses_the_form_of_an_answer_is_quoted(
    server: Server, lab_of: Open
) -> None:
    scripted(server, "It is sunny.", Answer.fail(400, "no grammars here"))
    found = await lab_of(server).find_out()
    assert found.json_schema.holds is False
    assert "no grammars here" in found.json_schema.reason


async def test_a_model_that_only_thinks_leaves_it_open(server: Server, lab_of: Open) -> None:
    thinking = Answer(reasoning="round and round", finish="length")
    scripted(server, thinking, thinking)
    lab = lab_of(server)
    found = await lab.find_out()
    assert (found.tools.holds, found.json_schema.holds) == (None, None)
    assert "still thinking" in found.tools.reason
    assert (lab.saved.tools, lab.saved.json_schema) == (None, None)


async def test_thought_before_a_call_or_an_answer_does_not_matter(
    server: Server, lab_of: Open
) -> None:
    scripted(
        server,
        Answer(reasoning="A tool would help.", tool_calls=(WEATHER,)),
        Answer(text=f"<think>hm</think>{MARK}"),
    )
    found = await lab_of(server).find_out()
    assert (found.tools.holds, found.json_schema.holds) == (True, True)


async def test_a_model_that_does_not_answer_in_time_leaves_it_open(
    server: Server, lab_of: Open
) -> None:
    never = asyncio.Event()
    scripted(server, Answer(held=never), Answer(held=never))
    found = await lab_of(server, step_seconds=0.2).find_out()
    assert (found.tools.holds, found.json_schema.holds) == (None, None)
    assert "no answer within 0.2 s" in found.tools.reason


async def test_one_try_that_fails_leaves_the_others_alone(server: Server, lab_of: Open) -> None:
    scripted(server, Answer.fail(500, "out of memory"), MARK)
    found = await lab_of(server).find_out()
    assert found.tools.holds is None and "out of memory" in found.tools.reason
    assert found.json_schema.holds is True


async def test_a_server_that_is_down_is_told_once_and_nothing_is_saved(
    server: Server, lab_of: Open
) -> None:
    lab = lab_of(server)
    await server.close()
    with pytest.raises(Unreachable):
        await lab.find_out()
    assert lab.saved == ModelOptions()
    assert lab.steps == ["asking"]


async def test_cancelling_ends_the_request_and_saves_nothing(server: Server, lab_of: Open) -> None:
    never = asyncio.Event()
    scripted(server, Answer(text=["It "] * 3, held=never, held_after=1), MARK)
    lab = lab_of(server)
    task = asyncio.create_task(lab.find_out())
    await server.received(1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await server.chats[0].left.wait()
    assert lab.saved == ModelOptions()


async def test_what_ollama_tells_is_believed_and_not_tried(lab_of: Open) -> None:
    async with OllamaServer(models=("small",), abilities=("completion",)) as server:
        scripted(server, Answer(tool_calls=(WEATHER,)), MARK)
        found = await lab_of(server).find_out()
        assert (found.tools.holds, found.embeds.holds) == (False, False)
        assert found.card.longest_context == 32768
        assert found.card.parameters == "0.5B"
        assert not any(received.body.get("tools") for received in server.chats)
        assert server.embeddings == []


async def test_an_embedding_model_is_not_chatted_with(lab_of: Open) -> None:
    async with OllamaServer(models=("small",), abilities=("embedding",)) as server:
        found = await lab_of(server).find_out()
        assert (found.tools.holds, found.json_schema.holds) == (False, False)
        assert (found.embeds.holds, found.dimension) == (True, server.dimension)
        assert server.chats == [] and server.folds == []


async def test_an_embedding_model_of_which_nothing_is_told_is_known_by_its_vectors(
    lab_of: Open,
) -> None:
    async with OpenAIServer() as server:
        refusal = Answer.fail(404, "This is not a chat model")
        scripted(server, refusal, refusal)
        found = await lab_of(server).find_out()
        assert (found.tools.holds, found.json_schema.holds, found.embeds.holds) == (
            False,
            False,
            True,
        )


async def test_a_server_that_embeds_nowhere_is_a_no_once_it_has_chatted(lab_of: Open) -> None:
    async with OpenAIServer() as server:
        scripted(server, "Sunny.", MARK)
        server.script_embeddings(Answer.fail(501, "does not support embeddings"))
        found = await lab_of(server).find_out()
        assert found.embeds.holds is False and "does not support" in found.embeds.reason


async def test_a_server_that_refuses_temperature_is_asked_without(lab_of: Open) -> None:
    async with OpenAIServer(refuses=["temperature"]) as server:
        scripted(server, Answer(tool_calls=(WEATHER,)), MARK)
        found = await lab_of(server).find_out()
        assert (found.tools.holds, found.json_schema.holds) == (True, True)


async def test_a_list_that_tells_of_abilities_and_sizes_is_read(lab_of: Open) -> None:
    card = {
        "supported_parameters": ["temperature", "tools", "structured_outputs"],
        "meta": {"n_ctx_train": 32768, "n_ctx": 4096, "n_params": 494_032_768, "size": 485_000_000},
    }
    async with OpenAIServer(card=card) as server:
        (told,) = await lab_of(server).registry.cards("lab")
    assert (told.tools, told.json_schema, told.embeds) == (True, True, None)
    assert (told.context_length, told.longest_context) == (4096, 32768)
    assert (told.parameters, told.size) == ("0.5B", 485_000_000)


@pytest.mark.parametrize(
    "card", [{"meta": [1], "supported_parameters": "tools", "capabilities": ["x"]}, {"meta": None}]
)
async def test_a_list_of_nonsense_tells_the_names(card: dict[str, Any], lab_of: Open) -> None:
    async with OpenAIServer(card=card) as server:
        (told,) = await lab_of(server).registry.cards("lab")
    assert (told.name, told.tools, told.context_length, told.size) == ("small", None, None, None)
