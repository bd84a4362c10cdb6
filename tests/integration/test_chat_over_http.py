"""The whole engine through the real SDK against a server that misbehaves on command."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from chatty_desktop.domain.messages import Status
from tests.helpers.folder import Room, settings_for
from tests.helpers.servers import Answer, OpenAIServer
from tests.helpers.waiting import until


@pytest.fixture
async def server() -> AsyncIterator[OpenAIServer]:
    async with OpenAIServer(context_length=8192) as server:
        yield server


@pytest.fixture
async def room(tmp_path: Path, server: OpenAIServer) -> AsyncIterator[Room]:
    settings_for(tmp_path, server.base_url)
    room = await Room.open(tmp_path)
    yield room
    await room.close()


async def test_a_chat_is_answered_folded_and_shown_as_it_was_after_a_restart(
    tmp_path: Path, server: OpenAIServer
) -> None:
    settings_for(tmp_path, server.base_url)
    room = await Room.open(tmp_path)
    server.script("Lovely. When?")
    server.script_folds([{"key": "goal", "value": "a trip to Kyoto"}], Answer.fail(503))
    server.script_folds(Answer.fail(503), Answer.fail(503), Answer.fail(503))
    reply = await room.say("I want to make a trip to Kyoto.")
    assert (reply.content, reply.status, reply.model) == (
        "Lovely. When?",
        Status.COMPLETE,
        "lab/small",
    )
    await room.say("In May.")
    before, log = await room.layer(), await room.messages()
    assert before.state == {"goal": "a trip to Kyoto"}
    assert [m.content for m in before.pending or ()] == ["In May.", log[-1].content]
    await room.close()

    room = await Room.open(tmp_path)
    assert await room.layer() == before
    assert await room.messages() == log
    await room.close()


async def test_the_fold_is_constrained_by_a_schema_of_the_agents_own_keys(
    room: Room, server: OpenAIServer
) -> None:
    await room.say("Hello")
    (fold,) = server.folds
    asked = str(fold.body["response_format"])
    assert all(key in asked for key in ("goal", "working_on", "open"))
    assert fold.body["temperature"] == 0


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer.fail(401, "bad key"), "key"),
        (Answer.fail(404, "no such model"), "small"),
        (Answer.fail(400, "context too long"), "context too long"),
        (Answer(""), "empty"),
        (Answer("", reasoning="only thinking"), "empty"),
    ],
)
async def test_an_answer_that_did_not_come_says_why_and_the_chat_stays_usable(
    room: Room, server: OpenAIServer, answer: Answer, words: str
) -> None:
    server.script(answer)
    reply = await room.say("Hello")
    assert reply.status is Status.FAILED
    assert words in reply.error
    assert (await room.say("Again")).status is Status.COMPLETE


async def test_a_server_that_is_down_says_so_and_retry_answers_once_it_is_up(
    tmp_path: Path,
) -> None:
    server = OpenAIServer()
    async with server:
        port = int(server.address.rsplit(":", 1)[1])
    settings_for(tmp_path, server.base_url)
    room = await Room.open(tmp_path)
    reply = await room.say("Hello")
    assert reply.status is Status.FAILED
    assert str(port) in reply.error
    async with OpenAIServer(port=port) as again:
        again.script("Here I am.")
        await room.app.chat.retry(room.session_id)
        await room.app.chat.wait(room.session_id)
        assert [m.content for m in await room.messages()] == ["Hello", "Here I am."]
    await room.close()


async def test_too_many_requests_are_tried_again_as_the_server_asks(
    room: Room, server: OpenAIServer
) -> None:
    server.script(Answer.fail(429, "slow down", retry_after=0.05), "Fine.")
    assert (await room.say("Hello")).content == "Fine."


@pytest.mark.parametrize(
    "answer",
    [
        Answer(["Half ", "of ", "it"], drop_after=2),
        Answer(["Half ", "of "], finish=None),
        Answer(["Half ", "of "], finish=None, done=False),
    ],
)
async def test_a_stream_that_breaks_off_leaves_a_reply_marked_cut(
    room: Room, server: OpenAIServer, answer: Answer
) -> None:
    server.script(answer)
    reply = await room.say("Hello")
    assert (reply.content, reply.status) == ("Half of ", Status.CUT)
    assert reply.error


async def test_stop_hangs_up_on_the_server_and_keeps_what_came(
    room: Room, server: OpenAIServer
) -> None:
    never = asyncio.Event()
    server.script(Answer(["Some ", "words ", "more"], held=never, held_after=2))
    await room.app.chat.send(room.session_id, room.agent.id, "Hello")
    await server.received(chats=1)
    await until(lambda: _partial(room).endswith("words "))
    room.app.chat.stop(room.session_id)
    await asyncio.wait_for(server.chats[0].left.wait(), 10)
    await room.app.chat.wait(room.session_id)
    reply = (await room.messages())[-1]
    assert (reply.content, reply.status) == ("Some words ", Status.STOPPED)
    never.set()


async def test_reasoning_is_kept_apart_and_never_folded(room: Room, server: OpenAIServer) -> None:
    server.script(Answer("Kyoto.", reasoning="They like temples."))
    reply = await room.say("Where to?")
    assert (reply.content, reply.reasoning) == ("Kyoto.", "They like temples.")
    assert "temples" not in str(server.folds[0].body)
    await room.say("Why?")
    assert "temples" not in str(server.chats[1].body)


@pytest.mark.parametrize(
    "fold",
    [
        "I do not think that anything changed.",
        "<think>goal is Kyoto</think>",
        "<think>goal is Kyoto",
        "",
        '{"goal": "Kyoto"}\n{"goal": "Osaka"}',
        Answer("", reasoning='{"goal": "Kyoto"}'),
    ],
)
async def test_a_fold_that_answers_no_object_is_refused_after_one_retry(
    room: Room, server: OpenAIServer, fold: str | Answer
) -> None:
    server.script_folds(fold, fold)
    await room.say("To Kyoto!")
    assert await room.outcomes() == ["refused"]
    assert len(server.folds) == 2
    layer = await room.layer()
    assert (layer.state, layer.pending) == ({}, ())


@pytest.mark.parametrize(
    "fold",
    [Answer.fail(401, "bad key"), Answer(["{"], drop_after=1), Answer.fail(404, "model not found")],
)
async def test_a_fold_that_reached_no_model_keeps_the_queue(
    room: Room, server: OpenAIServer, fold: Answer
) -> None:
    server.script_folds(fold)
    await room.say("To Kyoto!")
    assert await room.outcomes() == ["unreachable"]
    assert len((await room.layer()).pending or ()) == 2


async def test_a_server_that_knows_no_schema_is_asked_in_words(tmp_path: Path) -> None:
    async with OpenAIServer(refuses=("response_format",)) as server:
        settings_for(tmp_path, server.base_url)
        room = await Room.open(tmp_path)
        server.script_folds('Sure! ```json\n{"goal": "Kyoto"}\n```')
        await room.say("To Kyoto!")
        assert (await room.layer()).state == {"goal": "Kyoto"}
        await room.close()


async def test_several_sessions_stream_at_once_without_mixing(
    room: Room, server: OpenAIServer
) -> None:
    other = await room.app.sessions.create("Other")
    server.default = Answer("word " * 30, delay=0.002)
    await room.app.chat.send(room.session_id, room.agent.id, "one")
    await room.app.chat.send(other.id, room.agent.id, "two")
    assert set(room.app.chat.running()) == {room.session_id, other.id}
    await room.app.chat.wait(room.session_id)
    await room.app.chat.wait(other.id)
    mine = [m.content for m in await room.messages()]
    theirs = [m.content for m in await room.app.messages.branch(other.id)]
    assert (mine[0], theirs[0]) == ("one", "two")
    assert mine[1].strip() == theirs[1].strip() == ("word " * 30).strip()


async def test_closing_in_mid_answer_ends_soon_and_keeps_what_came(
    tmp_path: Path, server: OpenAIServer
) -> None:
    settings_for(tmp_path, server.base_url)
    room = await Room.open(tmp_path)
    never = asyncio.Event()
    server.script(Answer(["Some ", "words"], held=never, held_after=1))
    await room.app.chat.send(room.session_id, room.agent.id, "Hello")
    await until(lambda: _partial(room))
    await asyncio.wait_for(room.close(), 10)
    room = await Room.open(tmp_path)
    assert [(m.content, m.status) for m in await room.messages()] == [
        ("Hello", Status.COMPLETE),
        ("Some ", Status.STOPPED),
    ]
    await room.close()
    never.set()


def _partial(room: Room) -> str:
    """The reply being written, as far as it has come."""
    partial = room.app.chat.partial(room.session_id)
    return partial[1] if partial else ""
