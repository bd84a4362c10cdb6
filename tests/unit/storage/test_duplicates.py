"""Copies of chats with everything that is remembered in them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.messages import Scope, Session
from chatty_desktop.storage import tables
from chatty_desktop.storage.duplicates import COPIED, StoredDuplicates
from tests.helpers.bag_of_words import BagOfWords
from tests.helpers.desk import STATE, Desk
from tests.helpers.scripted import ScriptedModel, ScriptedModels
from tests.unit.storage.conftest import Place

EVERYTHING: dict[str, Any] = {
    "kind": "composite",
    "layers": [
        STATE,
        {"kind": "summarized", "every": 2},
        {"kind": "semantic"},
        {"kind": "episodic", "threshold": 0.0},
    ],
}


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel()


@pytest.fixture
async def desk(place: Place, tmp_path: Path, model: ScriptedModel) -> AsyncIterator[Desk]:
    """A talk of two exchanges and an abandoned answer, all remembered in every way."""
    desk = await Desk.open(tmp_path, ScriptedModels(model), EVERYTHING, database=await place.open())
    desk.embedders.embedder = BagOfWords(dimension=64)
    for number in range(2):
        model.folds.extend(
            [
                [{"key": "goal", "value": f"trip {number}"}],
                f"A summary of trip {number}.",
                f'{{"facts": [{{"subject": "Ada", "fact": "likes trip {number}"}}]}}',
            ]
        )
        await desk.say(f"the trip {number} goes to Kyoto")
    await desk.chat.retry(desk.session.id)
    await desk.chat.wait(desk.session.id)
    yield desk
    await desk.close()


def duplicates(desk: Desk) -> StoredDuplicates:
    return StoredDuplicates(desk.database, desk.bus.publish, desk.episodes.copied)


async def remembered(desk: Desk, session: Session) -> list[Any]:
    """All that the inspector shows of a chat, without what names it."""
    snapshot = await desk.memories.inspect(Scope(desk.agent.id, session.id))
    return [snapshot.strategy, *(_nameless(asdict(each)) for each in snapshot.layers),
            *(_nameless(asdict(each)) for each in snapshot.ledger)]  # fmt: skip


def _nameless(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            name: _nameless(each)
            for name, each in value.items()
            if not name.endswith(("id", "ids", "_from"))
        }
    if isinstance(value, list | tuple):
        return [_nameless(each) for each in value]
    return value


async def test_a_copy_says_and_remembers_the_same(desk: Desk) -> None:
    copy = await duplicates(desk).duplicate(desk.session.id, "Talk (copy)")
    assert copy.title == "Talk (copy)"
    said = [m.content for m in await desk.messages.page(desk.session.id)]
    assert [m.content for m in await desk.messages.page(copy.id)] == said
    original = await remembered(desk, desk.session)
    assert await remembered(desk, copy) == original
    layers = (await desk.memories.inspect(Scope(desk.agent.id, copy.id))).layers
    assert layers[0].state
    assert any(layer.facts for layer in layers)
    assert any(layer.summary for layer in layers)
    assert [e.text for e in await desk.runs.read_log(copy.id)] == [
        e.text for e in await desk.runs.read_log(desk.session.id)
    ]


async def test_a_copy_recalls_by_its_own_messages_and_vectors(desk: Desk) -> None:
    copy = await duplicates(desk).duplicate(desk.session.id, "copy")
    of_copy, of_original = [
        await desk.episodes.counts(Scope(desk.agent.id, each))
        for each in (copy.id, desk.session.id)
    ]
    assert of_copy == of_original
    assert of_copy.total > 0
    assert of_copy.without_vector == 0
    own = {m.id for m in await desk.messages.branch(copy.id)}
    assert own.isdisjoint(m.id for m in await desk.messages.branch(desk.session.id))
    await desk.chat.send(copy.id, desk.agent.id, "Kyoto again?")
    await desk.chat.wait(copy.id)
    layers = (await desk.memories.inspect(Scope(desk.agent.id, copy.id))).layers
    recalled = [each for layer in layers for each in layer.recalled or ()]
    assert recalled
    assert {each["id"] for each in recalled} <= own


async def test_the_two_go_ways_of_their_own(desk: Desk, model: ScriptedModel) -> None:
    copy = await duplicates(desk).duplicate(desk.session.id, "copy")
    before = await remembered(desk, desk.session)
    model.folds.append([{"key": "goal", "value": "stay at home"}])
    await desk.chat.send(copy.id, desk.agent.id, "we stay at home")
    await desk.chat.wait(copy.id)
    assert await remembered(desk, desk.session) == before
    assert await remembered(desk, copy) != before
    await desk.sessions.delete(desk.session.id)
    assert len(await desk.messages.page(copy.id)) == 6
    layers = (await desk.memories.inspect(Scope(desk.agent.id, copy.id))).layers
    assert layers[0].state == {"goal": "stay at home"}


async def test_other_branches_are_copied_too(desk: Desk) -> None:
    copy = await duplicates(desk).duplicate(desk.session.id, "copy")
    counts = [await _count(desk, each) for each in (desk.session.id, copy.id)]
    assert counts == [5, 5]
    answers = [m for m in await desk.messages.page(copy.id) if m.role == "assistant"]
    versions = await desk.messages.versions([answers[-1].id])
    assert len(versions[answers[-1].id]) == 2


async def test_a_chat_that_is_gone_cannot_be_copied(desk: Desk) -> None:
    await desk.sessions.put_away([desk.session.id])
    with pytest.raises(Invalid, match="no longer there"):
        await duplicates(desk).duplicate(desk.session.id, "copy")


async def _count(desk: Desk, session_id: str) -> int:
    return await desk.database.read(
        lambda c: int(
            c.execute(
                text("SELECT count(*) FROM messages WHERE session_id = :id"), {"id": session_id}
            ).scalar_one()
        )
    )


def test_every_table_with_rows_of_a_chat_is_copied() -> None:
    of_a_chat = {t.name for t in tables.metadata.sorted_tables if "session_id" in t.c}
    of_a_chat.remove("drafts")  # what is being written is in one place
    of_a_chat.remove("measurements")  # what a model came to on this chat, not what was said in it
    assert {table.name for table in COPIED} == of_a_chat
