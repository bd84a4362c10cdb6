"""Every fault of a model server at every stage of a run, over both wires, through the real SDKs.

One app for each wire; each cell is a chat of its own. What must hold: a message that names the
provider and the cause, the person's message kept, memory's queue kept, nothing half-written, no
more requests than are worth it, and that all goes well once the server is well again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from chatty_desktop.domain.messages import Message, Status
from tests.faults.bench import Bench, Cell, Chat, benches
from tests.faults.faulty import FAULTS, Aim, Faulty, FaultyOpenAI
from tests.helpers.desk import STATE
from tests.helpers.servers import Answer, Call

pytestmark = pytest.mark.asyncio(loop_scope="module")

OF_EACH_KIND = (
    "refused",
    "not tls",
    "401",
    "429 for an hour",
    "500",
    "silent",
    "reset",
    "error inside",
    "web page",
    "nothing",
    "huge",
    "other type",
)
"""Faults that differ above the wire, for stages that share it with another one."""

each_fault = pytest.mark.parametrize("fault", FAULTS)
each_fault_of_a_whole = pytest.mark.parametrize(
    "fault",
    # What comes whole or not at all is late when it stalls, as from a server that is silent.
    [fault for fault in FAULTS if fault != "stalls"],
)
one_of_each_kind = pytest.mark.parametrize("fault", OF_EACH_KIND)


@pytest_asyncio.fixture(loop_scope="module", scope="module", params=["openai", "ollama"])
async def both(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[list[Bench]]:
    async with benches(request.param, [tmp_path_factory.mktemp("data") for _ in range(2)]) as made:
        yield made


@pytest_asyncio.fixture(loop_scope="module")
async def cell(both: list[Bench], fault: str) -> AsyncIterator[Cell]:
    patient, hasty = both
    made = Cell(hasty if fault in ("silent", "stalls") else patient, fault)
    yield made
    await made.server.mend()
    await made.bench.is_quiet()


# --- the reply -------------------------------------------------------------------------------


@each_fault
async def test_a_reply_that_failed_is_told_of_and_can_be_asked_for_again(cell: Cell) -> None:
    chat = await cell.chat({"kind": "full_transcript"})
    await cell.fail(cell.server.is_chat)
    _judge_reply(await chat.say("My first words"), cell)
    await cell.server.mend()
    assert (await chat.messages())[0].content == "My first words"
    cell.server.script("Well again.")
    await cell.bench.app.chat.retry(chat.session_id)
    await cell.bench.app.chat.wait(chat.session_id)
    words = [(m.content, m.status) for m in await chat.messages()]
    assert words == [("My first words", Status.COMPLETE), ("Well again.", Status.COMPLETE)]


@one_of_each_kind
async def test_a_reply_that_failed_after_a_tool_keeps_the_call_and_its_result(cell: Cell) -> None:
    chat = await cell.chat({"kind": "full_transcript"}, "clock")
    cell.server.script(Answer(tool_calls=(Call("clock"),)))
    await cell.fail(_has_result(cell.server), before=cell.server.is_chat)
    _judge_reply(await chat.say("What time is it?"), cell)
    await cell.server.mend()
    asked, call, result, _reply = await chat.messages()
    assert asked.content == "What time is it?"
    assert result.tool_call_id == call.tool_calls[0].id and not result.error
    cell.server.script("Noon.")
    assert (await chat.say("And now?")).content == "Noon."


def _judge_reply(reply: Message, cell: Cell) -> None:
    cell.judge_requests()
    if not cell.is_failure:
        assert reply.status is Status.COMPLETE, reply.error
        return
    begun = cell.fault in ("stalls", "reset", "broken JSON", "error inside")
    assert reply.status is (Status.CUT if begun else Status.FAILED)
    assert bool(reply.content) is begun
    cell.judge_words(reply.error)


def _has_result(server: Faulty) -> Aim:
    return lambda received: (
        server.is_chat(received)
        and any(message["role"] == "tool" for message in received.body["messages"])
    )


# --- memory that a model keeps ---------------------------------------------------------------


@each_fault
async def test_a_fold_that_failed_keeps_its_messages_for_the_next_run(cell: Cell) -> None:
    await _settle(cell, STATE, '{"changes": []}')


@one_of_each_kind
async def test_facts_that_were_not_extracted_are_in_the_next_run(cell: Cell) -> None:
    await _settle(cell, {"kind": "semantic"}, '{"facts": []}')


@one_of_each_kind
async def test_a_summary_that_failed_is_written_in_the_next_run(cell: Cell) -> None:
    strategy = {"kind": "summarized", "every": 2}
    await _settle(cell, strategy, "They spoke of words that were first.")


async def _settle(cell: Cell, strategy: dict[str, Any], well: str) -> None:
    app, server = cell.bench.app, cell.server
    chat = await cell.chat({**strategy, "model": f"{cell.provider}/small"})
    server.default_fold = well
    server.script("Noted.")
    await cell.fail(_is_chat(server, 2), before=_is_chat(server, 1))
    reply = await chat.say("My first words")
    assert (reply.content, reply.status) == ("Noted.", Status.COMPLETE)
    # An answer that is no answer is refused, and asked for once more.
    cell.judge_requests(most=1 if cell.is_failure else 2)
    (row,) = await app.memory.ledger(chat.scope)
    snapshot = (await app.memories.inspect(chat.scope)).layers[0]
    assert not snapshot.state and not snapshot.facts
    if cell.is_failure:
        assert row.outcome == "unreachable", row.reason
        cell.judge_words(row.reason)
        assert [m.content for m in snapshot.pending or ()] == ["My first words", "Noted."]
        assert snapshot.summary is None
    else:
        assert row.outcome in ("accepted", "nothing", "refused"), row.reason
    await server.mend()
    server.script("Well again.", well)
    assert (await chat.say("More words")).content == "Well again."
    rows = await app.memory.ledger(chat.scope)
    assert rows[0].outcome in ("accepted", "nothing"), rows[0].reason
    if cell.is_failure:
        assert len(rows[0].message_ids) == 4
    assert not (await app.memories.inspect(chat.scope)).layers[0].pending


def _is_chat(server: Faulty, number: int) -> Aim:
    """Whether a request is the chat of that number from now on, 1 the first."""
    before = len(server.chats) + len(server.folds)
    return lambda received: (
        server.is_chat(received) and len(server.chats) + len(server.folds) + 1 - before >= number
    )


# --- memory by vectors -----------------------------------------------------------------------


@each_fault_of_a_whole
async def test_a_reply_comes_without_what_could_not_be_looked_up(cell: Cell) -> None:
    chat = await _episodic_chat(cell)
    await cell.fail(_is_embedding(cell.server))
    reply = await chat.say("My first words")
    assert reply.status is Status.COMPLETE, reply.error
    if cell.is_failure:
        cell.judge_words(_line_with("could not be consulted", await chat.log()))
    await _embeds_again(cell, chat)


@one_of_each_kind
async def test_messages_without_a_vector_are_kept_and_get_one_later(cell: Cell) -> None:
    chat = await _episodic_chat(cell)
    server = cell.server
    embedded = len(server.embeddings)
    await cell.fail(
        lambda r: r.path == server.embed_path and len(server.embeddings) > embedded,
        before=_is_embedding(server),
    )
    reply = await chat.say("My first words")
    assert reply.status is Status.COMPLETE, reply.error
    if cell.is_failure:
        cell.judge_requests()
        cell.judge_words(_line_with("without a vector", await chat.log()))
        assert (await cell.bench.app.episodes.counts(chat.scope)).without_vector == 2
    await _embeds_again(cell, chat)


async def _episodic_chat(cell: Cell) -> Chat:
    """A chat answered by the server that is well, embedded by the one that is not."""
    embedder = cell.bench.app.settings.current.embedder
    assert embedder is not None
    await cell.bench.set(embedder=embedder.model_copy(update={"provider": cell.provider}))
    other = "lab" if cell.provider == "tls" else "tls"
    return await cell.chat({"kind": "episodic", "threshold": 0.0}, provider=other)


async def _embeds_again(cell: Cell, chat: Chat) -> None:
    await cell.server.mend()
    for words in ("Words again", "And words once more"):  # recalled is what the run before embedded
        assert (await chat.say(words)).status is Status.COMPLETE
    app = cell.bench.app
    assert (await app.episodes.counts(chat.scope)).without_vector == 0
    snapshot = (await app.memories.inspect(chat.scope)).layers[0]
    assert [each["content"] for each in snapshot.recalled or ()] != []


def _is_embedding(server: Faulty) -> Aim:
    return lambda received: received.path == server.embed_path


def _line_with(words: str, lines: list[str]) -> str:
    return next((line for line in lines if words in line), "")


# --- beside the chat -------------------------------------------------------------------------


@pytest.mark.parametrize("fault", ["refused", "500", "reset", "nothing", "huge"])
async def test_a_title_that_failed_leaves_the_first_words_and_is_asked_for_again(
    cell: Cell,
) -> None:
    app, server = cell.bench.app, cell.server
    await cell.bench.set(memory_extractor_model=f"{cell.provider}/small", automatic_titles=True)
    try:
        chat = await cell.chat({"kind": "none"})
        server.script("Noted.")
        await cell.fail(_is_chat(server, 2), before=_is_chat(server, 1))
        await chat.say("My first words")
        line = await _logged("title", chat)
        cell.judge_requests()
        if cell.is_failure:
            cell.judge_words(line)
            now = await app.sessions.get(chat.session_id)
            assert now is not None and (now.title, now.titled_by) == (chat.title, "words")
            await server.mend()
            server.script("Well again.", "Words and more words")
            await chat.say("More words")
            await _logged("asked for a title", chat)
            now = await app.sessions.get(chat.session_id)
            assert now is not None and now.title == "Words and more words"
    finally:
        await cell.bench.set(automatic_titles=False)


async def _logged(words: str, chat: Chat) -> str:
    while not (line := _line_with(words, await chat.log())):  # noqa: ASYNC110  # the test's limit
        await asyncio.sleep(0.01)
    return line


@each_fault_of_a_whole
async def test_models_that_cannot_be_listed_are_those_named_by_hand(cell: Cell) -> None:
    app, server = cell.bench.app, cell.server
    named_by_hand = f"{cell.provider}/small"
    await cell.fail(lambda received: received.path == server.list_path)
    choices, lines = await app.models.choices()
    cell.judge_requests(most=2)
    named = [choice.reference for choice in choices if choice.provider_id == cell.provider]
    assert named_by_hand in named
    if cell.fault == "404":
        # Not every server that speaks OpenAI's wire has a list; Ollama has.
        if isinstance(server, FaultyOpenAI):
            assert lines == []
        else:
            (line,) = lines
            cell.judge_words(line, cause="has nothing at that address")
    elif cell.is_failure:
        (line,) = lines
        cell.judge_words(line)
        assert named == [named_by_hand]
    else:
        assert lines == []
    await server.mend()
    choices, lines = await app.models.choices()
    assert lines == []
    assert [choice.listed for choice in choices if choice.reference == named_by_hand] == [True]
