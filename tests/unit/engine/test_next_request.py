"""The size of the next request is told as the run will find it, and telling it changes nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from chatty_desktop.domain.messages import Scope
from chatty_desktop.domain.settings import ModelOptions, ProviderSettings
from chatty_desktop.domain.tokens import estimate
from chatty_desktop.storage import tables
from tests.helpers.bag_of_words import BagOfWords
from tests.helpers.desk import STATE, Desk
from tests.helpers.scripted import ScriptedModel, ScriptedModels
from tests.helpers.toolbox import ANY_TEXT

FACTS = '{"facts": [{"subject": "Ada", "fact": "likes Kyoto"}]}'
STRATEGIES: list[tuple[dict[str, Any], list[Any]]] = [
    ({"kind": "none"}, []),
    ({"kind": "window", "max_messages": 3}, []),
    ({"kind": "full_transcript"}, []),
    (STATE, [[{"key": "goal", "value": "Kyoto in May"}]] * 3),
    ({"kind": "summarized", "every": 4}, ["They want to go to Kyoto in May."] * 3),
    ({"kind": "semantic"}, [FACTS] * 3),
    (
        {"kind": "composite", "layers": [STATE, {"kind": "window", "max_messages": 2}]},
        [[{"key": "goal", "value": "Kyoto in May"}]] * 3,
    ),
]


async def rows(desk: Desk) -> dict[str, int]:
    """How many rows each table has."""
    names = tables.metadata.sorted_tables

    return {
        table.name: (await desk.database.rows(select(func.count()).select_from(table)))[0][0]
        for table in names
    }


async def estimated(desk: Desk) -> int:
    """What the last run took its request for."""
    request = await desk.memories.last_request(desk.scope)
    assert request is not None
    return request.estimated_tokens


@pytest.mark.parametrize(
    ("strategy", "folds"), STRATEGIES, ids=[each["kind"] for each, _ in STRATEGIES]
)
async def test_every_request_is_as_large_as_it_was_told_to_be(
    desk: Desk, model: ScriptedModel, strategy: dict[str, Any], folds: list[Any]
) -> None:
    await desk.use(strategy)
    model.folds.extend(folds)
    for text in ("Kyoto in May, 京都", "three nights", "a guesthouse near the river", "", "more"):
        before = await rows(desk)
        asked = len(model.requests)
        told = await desk.memories.next_request(desk.scope)
        assert await rows(desk) == before
        assert len(model.requests) == asked
        assert told.context == 8192
        assert told.model == "test/small"
        if text:
            await desk.say(text)
            assert told.tokens(text) == await estimated(desk)


async def test_in_mid_session_a_new_memory_is_told_of_without_being_begun(
    desk: Desk, model: ScriptedModel
) -> None:
    await desk.use({"kind": "window"})
    await desk.say("Kyoto")
    await desk.say("in May")
    await desk.use(STATE)
    told = await desk.memories.next_request(desk.scope)
    assert (await rows(desk))["layer_starts"] == 0
    assert told.parts["earlier"] > 0
    await desk.say("three nights")
    assert told.tokens("three nights") == await estimated(desk)


async def test_what_is_recalled_counts_as_much_as_last_time_and_embeds_nothing(desk: Desk) -> None:
    embedder = BagOfWords(dimension=64)
    desk.embedders.embedder = embedder
    await desk.use({"kind": "episodic", "threshold": 0.1})
    assert "recalled" not in (await desk.memories.next_request(desk.scope)).parts
    await desk.say("the trip goes to Kyoto")
    await desk.say("what of the trip to Kyoto")
    request = await desk.memories.last_request(desk.scope)
    assert request is not None
    shown = sum(each.tokens for each in request.sections if each.origin == "episodic")
    assert shown
    before = await rows(desk)
    asked = len(embedder.queries), len(embedder.texts)
    told = await desk.memories.next_request(desk.scope)
    assert told.parts["recalled"] == shown
    assert await rows(desk) == before
    assert (len(embedder.queries), len(embedder.texts)) == asked


async def test_a_chat_that_is_not_there_yet_has_a_size_too(
    desk: Desk, model: ScriptedModel
) -> None:
    told = await desk.memories.next_request(Scope(desk.agent.id, ""))
    assert set(told.parts) == {"system", "memory"}
    await desk.say("Kyoto")
    assert told.tokens("Kyoto") == await estimated(desk)


async def test_without_a_model_the_size_is_told_without_a_context(tmp_path: Path) -> None:
    desk = await Desk.open(tmp_path, ScriptedModels(), STATE, default_model=None)
    told = await desk.memories.next_request(desk.scope)
    await desk.close()
    assert (told.model, told.context) == ("", None)
    assert told.tokens("") > 0


async def test_tools_are_counted_with_the_schemas_of_their_arguments(
    desk: Desk, model: ScriptedModel
) -> None:
    before = await desk.memories.next_request(desk.scope)
    assert "tools" not in before.parts
    await desk.equip("echo")
    told = await desk.memories.next_request(desk.scope)
    assert told.parts["tools"] >= estimate(json.dumps(ANY_TEXT))
    await desk.say("Kyoto")
    assert told.tokens("Kyoto") == await estimated(desk)


async def test_of_a_model_that_takes_no_tools_none_are_counted(desk: Desk) -> None:
    await desk.equip("echo")
    options = {"small": ModelOptions(tools=False)}
    desk.settings = desk.settings.model_copy(
        update={"providers": (ProviderSettings(id="test", kind="openai", model_options=options),)}
    )
    assert "tools" not in (await desk.memories.next_request(desk.scope)).parts
