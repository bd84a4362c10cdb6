"""A chat goes out as a document and comes in again without loss."""

from __future__ import annotations

import json
import random
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete

from chatty_desktop.domain.chat_document import (
    ChatDocument,
    read_document,
    write_document,
)
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.memory import LayerSnapshot
from chatty_desktop.domain.messages import Scope
from chatty_desktop.engine.exchange import ChatExchange
from chatty_desktop.storage import tables
from chatty_desktop.storage.chat_documents import StoredChatDocuments
from tests.helpers.attached import image_file, text_file
from tests.helpers.bag_of_words import BagOfWords
from tests.helpers.desk import STATE, Desk
from tests.helpers.diligent import Diligent, OneModel, order
from tests.unit.storage.conftest import Place

EVERYTHING = {
    "kind": "composite",
    "layers": [
        STATE,
        {"kind": "semantic"},
        {"kind": "summarized", "every": 4},
        {"kind": "episodic", "ranking": "hybrid"},
    ],
}


@pytest.fixture
async def desk(place: Place, tmp_path: Path) -> AsyncIterator[Desk]:
    desk = await Desk.open(tmp_path, OneModel(Diligent()), EVERYTHING, database=await place.open())
    desk.embedders.embedder = BagOfWords()
    yield desk
    await desk.close()


def exchange(desk: Desk) -> ChatExchange:
    return ChatExchange(StoredChatDocuments(desk.database), desk.agents, desk.bus.publish)


def anonymous(document: ChatDocument) -> Any:
    """The document with its ids numbered in the order in which they come."""
    text = write_document(document)
    seen: dict[str, str] = {}
    for word in text.replace('"', " ").split():
        if len(word) == 32 and all(letter in "0123456789abcdef" for letter in word):
            seen.setdefault(word, f"#{len(seen)}")
    for old, new in seen.items():
        text = text.replace(old, new)
    return json.loads(text)


async def change_by_hand(desk: Desk, chance: random.Random, number: int) -> None:
    """Some of what a person does to memory."""
    acts, scope = desk.acts, desk.scope
    state, semantic, summarized, _episodic = (await desk.memories.inspect(scope)).layers
    key = chance.choice(("goal", "open"))
    if chance.random() < 0.5:
        await acts.change_state(scope, "state", {key: f"h{number}"})
        await acts.pin(scope, "state", key, key not in state.pins)
    if chance.random() < 0.5 and semantic.facts:
        fact = chance.choice(semantic.facts)
        words = chance.choice((None, f"Changed to f{number}."))
        await acts.change_fact(scope, "semantic", fact.id, words)
    if chance.random() < 0.5 and summarized.summary:
        await acts.change_summary(scope, "summarized", f"Summary {number}.")
    if number == 3:
        branch = await desk.messages.branch(desk.session.id)
        await acts.remove_episode(scope, branch[0].id)


def known(layers: Sequence[LayerSnapshot]) -> Any:
    """What is remembered, without ids."""
    state, semantic, summarized, episodic = layers
    facts = [(fact.subject, fact.fact) for fact in semantic.facts or ()]
    waiting = state.waiting and state.waiting.patch
    counted = (episodic.episodes or {})["total"]
    return state.state, state.pins, waiting, facts, summarized.summary, summarized.covered, counted


@pytest.mark.parametrize("seed", range(4))
async def test_a_chat_comes_in_as_it_went_out(desk: Desk, seed: int) -> None:
    chance = random.Random(seed)
    for number in range(8):
        said = order(chance.choice(("goal", "open")), f"v{number}")
        files = chance.sample((text_file(), image_file(), text_file("other.txt", "else")), 2)
        await desk.chat.send(
            desk.session.id, desk.agent.id, said, files if chance.random() < 0.5 else ()
        )
        await desk.chat.wait(desk.session.id)
        mine = [m for m in await desk.messages.branch(desk.session.id) if m.role == "user"]
        if chance.random() < 0.4:
            await desk.chat.edit(chance.choice(mine).id, order("working_on", f"e{number}"))
            await desk.chat.wait(desk.session.id)
        await change_by_hand(desk, chance, number)
    await desk.equip(approve_memory=True)
    await desk.say(order("working_on", "waits"))
    await desk.equip(approve_memory=False)
    there = exchange(desk)
    remembered = (await desk.memories.inspect(desk.scope)).layers
    assert remembered[0].waiting is not None
    went_out = await there.document(desk.session.id)
    incoming = await there.read([write_document(went_out)])
    session = await there.add_document(incoming.documents[0])
    assert session.id != desk.session.id
    came_in = await there.document(session.id)
    assert anonymous(came_in) == anonymous(went_out)
    layers = (await desk.memories.inspect(Scope(desk.agent.id, session.id))).layers
    assert known(layers) == known(remembered)
    await desk.say(order("goal", "elsewhere"))
    assert anonymous(await there.document(session.id)) == anonymous(went_out)


async def test_an_agent_that_is_not_here_comes_along(desk: Desk, tmp_path: Path) -> None:
    await desk.say(order("goal", "kyoto"))
    text = write_document(await exchange(desk).document(desk.session.id))
    (tmp_path / "other").mkdir()
    other = await Desk.open(tmp_path / "other", OneModel(Diligent()))
    await other.agents.delete(other.agent.id)
    incoming = await exchange(other).read([text])
    session = await exchange(other).add_document(incoming.documents[0])
    agent = await other.agents.by_name("Ada")
    assert agent is not None
    other.agent, other.session = agent, session
    assert (await other.memories.inspect(other.scope)).layers[0].state == {"goal": "kyoto"}
    await other.close()


async def test_a_chat_of_an_agent_that_was_deleted_comes_in_too(desk: Desk) -> None:
    await desk.say("Hello")
    await desk.database.write(lambda c: c.execute(delete(tables.agents)))
    document = await exchange(desk).document(desk.session.id)
    session = await exchange(desk).add_document(document)
    assert len(await desk.messages.branch(session.id)) == 2


MESSAGE = {"id": "a", "agent_id": "x", "role": "user", "content": "Hello"}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"messages": [MESSAGE, MESSAGE]}, "the same id"),
        ({"messages": [{**MESSAGE, "parent_id": "a"}]}, "in a ring"),
        ({"messages": [{**MESSAGE, "role": "pope"}]}, "role"),
        ({"messages": [{"id": "a"}]}, "agent_id"),
        ({"messages": "many"}, "messages"),
        ({"version": 99}, "newer version"),
    ],
)
def test_what_would_not_fit_is_refused_with_the_reason(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(Invalid, match=reason):
        read_document({"format": "chatty-desktop-chat", **change})


async def test_what_a_newer_version_added_is_passed_over(desk: Desk) -> None:
    value = {"format": "chatty-desktop-chat", "aura": 7, "messages": [{**MESSAGE, "mood": "gay"}]}
    incoming = await exchange(desk).read([json.dumps(value)])
    session = await exchange(desk).add_document(incoming.documents[0])
    assert [m.content for m in await desk.messages.branch(session.id)] == []
    (stored,) = (await exchange(desk).document(session.id)).messages
    assert stored.content == "Hello"
