"""Episodic memory through the chat service, its vectors made of the words of a text."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chatty_desktop.domain.errors import Refused, Unreachable
from chatty_desktop.domain.events import EmbeddingProgress, Notice
from chatty_desktop.domain.ids import new_id
from chatty_desktop.domain.messages import Message
from chatty_desktop.engine.memory.contract import Recalling
from tests.helpers.bag_of_words import BagOfWords
from tests.helpers.desk import Desk, system, wire
from tests.helpers.scripted import ScriptedModel, ScriptedModels

EPISODIC: dict[str, Any] = {"kind": "episodic", "top_k": 2, "threshold": 0.3}


@pytest.fixture
def bag() -> BagOfWords:
    return BagOfWords(dimension=256)


@pytest.fixture
async def desk(tmp_path: Path, models: ScriptedModels, bag: BagOfWords) -> AsyncIterator[Desk]:
    """Ada, whose memory is Episodic, with an embedder."""
    desk = await Desk.open(tmp_path, models, EPISODIC)
    desk.embedders.embedder = bag
    yield desk
    await desk.close()


def recalled(model: ScriptedModel) -> list[str]:
    """The recalled messages of the last request: who said what."""
    parts = system(model.chats[-1]).split("\n\n")[1:]
    assert all("earlier message" in part for part in parts)
    return [part.split(", ", 2)[-1] for part in parts]


async def test_what_resembles_the_new_message_is_recalled_in_time_order_and_nothing_else_is_sent(
    desk: Desk, model: ScriptedModel
) -> None:
    for text in ("my cat is called Mio", "the weather is fine", "Mio the cat likes tuna"):
        await desk.say(text)
    await desk.say("what does my cat Mio like")
    assert recalled(model) == ["User: my cat is called Mio", "User: Mio the cat likes tuna"]
    assert wire(model.chats[-1]) == [("user", "what does my cat Mio like")]


async def test_what_is_below_the_threshold_is_not_recalled_and_the_inspector_says_so(
    desk: Desk, model: ScriptedModel
) -> None:
    await desk.say("the weather is fine")
    await desk.say("quantum physics")
    assert recalled(model) == []
    layer = await desk.layer()
    assert layer.recalled == ()
    assert layer.episodes is not None
    assert layer.episodes["query"] == "quantum physics"
    reasons = {row["content"]: row["left_out"] for row in layer.episodes["left_out"]}
    assert reasons == {"the weather is fine": "below threshold", "OK.": "below threshold"}


async def test_at_most_top_k_are_recalled_and_the_rest_was_not_among_the_best(
    desk: Desk, model: ScriptedModel
) -> None:
    for number in range(5):
        await desk.say(f"tea number {number}")
    await desk.say("tea number")
    assert len(recalled(model)) == 2
    layer = await desk.layer()
    assert layer.recalled is not None and layer.episodes is not None
    assert [row["role"] for row in layer.recalled] == ["user", "user"]
    assert all(row["score"] >= 0.3 for row in layer.recalled)
    reasons = [row["left_out"] for row in layer.episodes["left_out"]]
    assert reasons.count("not among the best") == 3


async def test_a_run_is_embedded_in_one_batch(desk: Desk, bag: BagOfWords) -> None:
    await desk.say("hello there")
    assert bag.texts == [["User: hello there", "Assistant: OK."]]
    assert bag.queries == [["hello there"]]


async def test_without_an_embedder_messages_are_kept_and_the_run_log_says_so_once_a_run(
    desk: Desk, model: ScriptedModel, bag: BagOfWords
) -> None:
    desk.embedders.embedder = None
    await desk.say("my cat is called Mio")
    lines = [line for line in await desk.log_lines() if "embedder" in line]
    assert len(lines) == 1
    layer = await desk.layer()
    assert layer.episodes is not None
    assert (layer.episodes["total"], layer.episodes["without_vector"]) == (2, 2)
    assert layer.episodes["embedder"] is None
    desk.embedders.embedder = bag
    await desk.say("hello")
    await desk.say("what is my cat called")
    assert recalled(model) == ["User: my cat is called Mio"]


async def test_an_embedder_that_is_down_blocks_no_reply_and_catches_up_later(
    desk: Desk, model: ScriptedModel, bag: BagOfWords
) -> None:
    bag.failure = Unreachable("The embedding server is down.")
    reply = await desk.say("my cat is called Mio")
    assert reply.content == "OK."
    notices = [event.text for event in desk.events if isinstance(event, Notice)]
    assert any("could not be consulted" in text and "is down" in text for text in notices)
    assert any("2 messages are kept without a vector" in line for line in await desk.log_lines())
    bag.failure = None
    await desk.say("hello")
    assert len(bag.texts[-1]) == 4, "what was left is embedded with the run"
    await desk.say("what is my cat called")
    assert recalled(model) == ["User: my cat is called Mio"]


@pytest.mark.expected_log("segments overlap")
@pytest.mark.expected_log("Memory failed")
async def test_something_odd_inside_an_embedder_blocks_no_reply(
    desk: Desk, bag: BagOfWords
) -> None:
    bag.failure = RuntimeError("segments overlap")
    assert (await desk.say("hello")).content == "OK."


async def test_a_text_that_the_embedder_refuses_does_not_hold_up_the_others(
    desk: Desk, model: ScriptedModel
) -> None:
    class Picky(BagOfWords):
        async def embed_texts(self, texts):  # type: ignore[no-untyped-def]
            if any("poison" in text for text in texts):
                raise Refused("test/bag refused the request.")
            return await super().embed_texts(texts)

    picky = desk.embedders.embedder = Picky(dimension=256)
    await desk.say("a bottle of poison")
    await desk.messages.append(
        replace(
            (await desk.messages.page(desk.session.id, limit=1))[0],
            id=new_id(),
            parent_id=(await desk.messages.page(desk.session.id, limit=1))[0].id,
            content="poison alone",
        )
    )
    await desk.say("my cat is called Mio")
    await desk.say("what is my cat called")
    assert recalled(model) == ["User: my cat is called Mio"]
    assert not any("poison" in text for batch in picky.texts for text in batch)
    assert not [line for line in await desk.log_lines() if "without a vector" in line]
    assert await desk.episodes.unembedded("test", "bag", 256) == []


async def test_an_embedder_that_refuses_everything_marks_nothing_as_refused(
    desk: Desk, bag: BagOfWords
) -> None:
    bag.failure = Refused("test/bag is no embedding model.")
    await desk.say("my cat is called Mio")
    assert any("no embedding model" in line for line in await desk.log_lines())
    assert len(await desk.episodes.unembedded("test", "bag", None)) == 2


async def test_after_a_switch_recall_starts_from_scratch_and_switching_back_finds_the_old(
    desk: Desk, model: ScriptedModel, bag: BagOfWords
) -> None:
    await desk.say("my cat is called Mio")
    desk.embedders.embedder = BagOfWords(model="another", dimension=128)
    await desk.say("hello")
    layer = await desk.layer()
    assert layer.episodes is not None
    assert layer.episodes["by_embedder"] == [
        {"embedder": "test/bag", "dimension": 256, "count": 2, "searched": False},
        {"embedder": "test/another", "dimension": 128, "count": 4, "searched": True},
    ]


async def test_what_was_said_on_an_abandoned_branch_is_not_recalled(
    desk: Desk, model: ScriptedModel
) -> None:
    first = await desk.say("hello")
    await desk.say("my cat is called Mio")
    await desk.messages.set_leaf(desk.session.id, first.id)
    await desk.say("what is my cat called")
    assert recalled(model) == []
    layer = await desk.layer()
    assert layer.episodes is not None
    reasons = {row["content"]: row["left_out"] for row in layer.episodes["left_out"]}
    assert reasons["my cat is called Mio"] == "other branch"


async def test_answering_again_recalls_neither_the_question_nor_the_answer_before(
    desk: Desk, model: ScriptedModel
) -> None:
    await desk.say("my cat is called Mio")
    await desk.say("is my cat called Mio")
    await desk.chat.retry(desk.session.id)
    await desk.chat.wait(desk.session.id)
    assert recalled(model) == ["User: my cat is called Mio"]


async def test_what_another_layer_shows_is_left_out_and_the_next_best_takes_its_place(
    desk: Desk,
) -> None:
    said: list[Message] = []
    for text in ("my cat Mio", "my cat Mio is old", "my cat Mio is old now"):
        await desk.say(text)
        said.append((await desk.messages.page(desk.session.id, limit=2))[0])
    memory = desk.memories.of(desk.agent, desk.scope, "")
    assert isinstance(memory, Recalling)
    memory.leave_out([said[1].id])
    incoming = await desk.chat.send(desk.session.id, desk.agent.id, "my cat Mio is old")
    await desk.chat.wait(desk.session.id)
    sections = await memory.recall(incoming)
    assert [section.message_ids for section in sections] == [(said[0].id,), (said[2].id,)]
    assert {section.origin for section in sections} == {"episodic"}


async def test_hybrid_finds_by_words_what_the_vector_misses(
    desk: Desk, model: ScriptedModel
) -> None:
    await desk.use({**EPISODIC, "threshold": 0.9, "ranking": "hybrid", "top_k": 1})
    for number in range(12):
        await desk.say(f"small talk {number} about the weather and the garden and so on")
    await desk.say("The aquarium is at Umekoji, near the station, and closes at five")
    await desk.say("small talk about nothing")
    await desk.say("when does the aquarium close")
    assert "Umekoji" in recalled(model)[0]
    layer = await desk.layer()
    assert layer.recalled is not None
    assert layer.recalled[0]["score"] < 0.9 < 1
    assert layer.recalled[0]["lexical"] > 0.5


async def test_an_episode_lost_between_two_writes_is_recorded_with_the_next_run(
    tmp_path: Path, models: ScriptedModels, model: ScriptedModel, bag: BagOfWords
) -> None:
    desk = await Desk.open(tmp_path, models, EPISODIC)
    desk.embedders.embedder = bag
    await desk.say("my cat is called Mio")
    page = await desk.messages.page(desk.session.id)

    def lose(connection: Any) -> None:
        connection.exec_driver_sql("DELETE FROM episodes")

    # As when the app is killed in between, and started again.
    await desk.database.write(lose)
    await desk.close()
    desk = await Desk.open(tmp_path, models)
    desk.embedders.embedder = bag
    try:
        await desk.say("hello")
        counts = await desk.episodes.counts(desk.scope)
        assert (counts.total, counts.without_vector) == (4, 0)
        await desk.say("what is my cat called")
        assert page[0].content in recalled(model)[0]
    finally:
        await desk.close()


async def test_a_change_to_episodic_in_mid_session_begins_at_the_last_exchange(
    desk: Desk,
) -> None:
    await desk.use({"kind": "window"})
    await desk.say("one")
    await desk.say("two")
    await desk.use(EPISODIC)
    await desk.say("three")
    layer = await desk.layer()
    assert layer.starts_at is not None and layer.starts_at.content == "two"
    assert layer.episodes is not None
    assert layer.episodes["total"] == 4


async def test_embedding_again_brings_everything_to_the_present_embedder_with_progress(
    desk: Desk, model: ScriptedModel
) -> None:
    await desk.say("my cat is called Mio")
    other = desk.embedders.embedder = BagOfWords(model="another", dimension=128)
    first = await desk.reembedding.run(stop_after=1)
    assert (first.done, first.left) == (1, 1)
    rest = await desk.reembedding.run()
    assert (rest.done, rest.left) == (1, 0)
    told = [event for event in desk.events if isinstance(event, EmbeddingProgress)]
    assert EmbeddingProgress(1, 1) in told and told[-1] == EmbeddingProgress(0, 0)
    assert len(other.texts) == 2
    await desk.say("what is my cat called")
    assert recalled(model) == ["User: my cat is called Mio"]


async def test_embedding_again_says_why_it_cannot_go_on_and_keeps_what_is_done(
    desk: Desk, bag: BagOfWords
) -> None:
    bag.failure = Unreachable("down")
    for number in range(10):
        await desk.say(f"message {number}")
    bag.failure = None

    class Failing(BagOfWords):
        async def embed_texts(self, texts):  # type: ignore[no-untyped-def]
            if len(self.texts) == 1:
                raise Unreachable("The server went away.")
            return await super().embed_texts(texts)

    desk.embedders.embedder = Failing(dimension=256)
    with pytest.raises(Unreachable, match="went away"):
        await desk.reembedding.run()
    assert not desk.reembedding.running
    assert (await desk.episodes.counts()).without_vector == 4


async def test_embedding_again_stops_when_the_settings_name_another_embedder(desk: Desk) -> None:
    desk.embedders.embedder = None
    for number in range(20):
        await desk.say(f"message {number}")

    class Replaced(BagOfWords):
        async def embed_texts(self, texts):  # type: ignore[no-untyped-def]
            desk.embedders.embedder = BagOfWords(model="another")
            return await super().embed_texts(texts)

    desk.embedders.embedder = Replaced(dimension=256)
    stopped = await desk.reembedding.run()
    assert (stopped.done, stopped.left) == (16, 24)
    await desk.reembedding.ended()
    assert not desk.reembedding.running
