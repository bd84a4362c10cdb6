"""Runs through the chat service: how they end, and what is kept when they do not go well."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator

import pytest
from sqlalchemy import Connection, text

from chatty_desktop.domain.errors import Invalid, Unreachable
from chatty_desktop.domain.events import MessageCommitted, Notice, RunPhaseChanged, TextStreamed
from chatty_desktop.domain.messages import Message, Status
from chatty_desktop.domain.requests import ChatRequest, Delta, Usage
from chatty_desktop.engine.prompt import Prompt
from chatty_desktop.storage.messages import StoredMessages
from tests.helpers.desk import Desk, wire
from tests.helpers.scripted import ScriptedModel, ScriptedModels
from tests.helpers.waiting import until


@pytest.fixture(autouse=True)
async def _plain(desk: Desk) -> None:
    await desk.use({"kind": "full_transcript"})


async def newest(desk: Desk) -> Message:
    return (await desk.messages.page(desk.session.id, limit=1))[0]


async def test_the_persons_message_is_committed_before_the_model_is_asked(
    desk: Desk, model: ScriptedModel
) -> None:
    model.gate.clear()
    sent = await desk.chat.send(desk.session.id, desk.agent.id, "Hello")
    assert (await newest(desk)) == sent
    model.gate.set()
    await desk.chat.wait(desk.session.id)


async def test_an_answer_streams_and_ends_as_one_committed_message(
    desk: Desk, model: ScriptedModel
) -> None:
    model.answers.append([Delta("Hel"), Delta("lo"), Delta(finish="stop", usage=Usage(9, 2))])
    reply = await desk.say("Hi")
    assert (reply.content, reply.status, reply.model) == ("Hello", Status.COMPLETE, "test/small")
    streamed = "".join(e.text for e in desk.events if isinstance(e, TextStreamed))
    commits = [
        e.message
        for e in desk.events
        if isinstance(e, MessageCommitted) and e.message.id == reply.id
    ]
    assert commits[0].content + streamed == "Hello"
    assert [m.status for m in commits] == [Status.STREAMING, Status.COMPLETE]
    request = await desk.memories.last_request(desk.scope)
    assert request is not None
    assert request.usage == Usage(9, 2)
    assert [s.origin for s in request.sections] == ["system", "new"]


class Thoughtful(ScriptedModel):
    """Reasons, answers, and takes its time over both."""

    async def stream(self, request: ChatRequest) -> AsyncIterator[Delta]:
        self.requests.append(request)
        yield Delta(reasoning="Let me ")
        await asyncio.sleep(0.05)
        yield Delta(reasoning="see.")
        yield Delta("\n")
        yield Delta("It is ")
        await asyncio.sleep(0.2)
        yield Delta("so.")
        yield Delta(finish="stop")


async def test_how_long_the_model_reasoned_before_it_answered_is_kept(
    desk: Desk, models: ScriptedModels
) -> None:
    models.models["test/small"] = Thoughtful()
    reply = await desk.say("Why?")
    assert reply.reasoning == "Let me see."
    # What came after the answer had begun took as long as the pause in it at least.
    assert 0.05 <= reply.thought_seconds <= reply.seconds - 0.19
    stored = await desk.messages.get(reply.id)
    assert stored is not None
    assert stored.thought_seconds == reply.thought_seconds


async def test_a_reply_without_reasoning_has_no_time_of_thought(desk: Desk) -> None:
    assert (await desk.say("Hi")).thought_seconds == 0


@pytest.mark.parametrize(
    ("deltas", "status"),
    [
        ([Delta("Half a"), Delta(finish="length")], Status.TRUNCATED),
        ([Delta("Half a")], Status.CUT),
        ([Delta(finish="stop")], Status.FAILED),
        ([Delta(reasoning="hm"), Delta(finish="stop")], Status.FAILED),
    ],
)
async def test_the_reply_says_how_it_ended(
    desk: Desk, model: ScriptedModel, deltas: list[Delta], status: Status
) -> None:
    model.answers.append(deltas)
    reply = await desk.say("Hi")
    assert reply.status is status
    assert bool(reply.error) == (status in (Status.CUT, Status.FAILED))


async def test_a_failed_answer_says_why_and_can_be_tried_again(
    desk: Desk, model: ScriptedModel
) -> None:
    model.answers.append(Unreachable("lab refused the connection."))
    reply = await desk.say("Hi")
    assert (reply.status, reply.error) == (Status.FAILED, "lab refused the connection.")
    await desk.chat.retry(desk.session.id)
    await desk.chat.wait(desk.session.id)
    path = await desk.messages.branch(desk.session.id)
    assert [m.content for m in path] == ["Hi", "OK."]
    assert wire(model.chats[-1]) == [("user", "Hi")]


async def test_after_a_failure_the_next_message_carries_the_unanswered_one_along(
    desk: Desk, model: ScriptedModel
) -> None:
    model.answers.append(Unreachable("down"))
    await desk.say("one")
    await desk.say("two")
    assert wire(model.chats[-1]) == [("user", "one\n\ntwo")]


class Endless(ScriptedModel):
    """Streams a word at a time until it is stopped."""

    async def stream(self, request: ChatRequest) -> AsyncIterator[Delta]:
        self.requests.append(request)
        try:
            while True:
                yield Delta("word ")
                await asyncio.sleep(0.001)
        finally:
            self.closed += 1


async def test_stop_closes_the_stream_and_keeps_the_partial(
    desk: Desk, models: ScriptedModels
) -> None:
    endless = Endless()
    models.models["test/small"] = endless
    await desk.chat.send(desk.session.id, desk.agent.id, "Go")
    await until(lambda: desk.chat.partial(desk.session.id)[1].count("word") > 5)  # type: ignore[index]
    desk.chat.stop(desk.session.id)
    await desk.chat.wait(desk.session.id)
    reply = await newest(desk)
    assert (reply.status, endless.closed) == (Status.STOPPED, 1)
    assert reply.content.count("word") > 5
    assert desk.chat.running() == []


@pytest.mark.parametrize("moments", range(0, 40, 3))
async def test_stop_at_any_moment_leaves_one_reply_that_has_ended(
    desk: Desk, models: ScriptedModels, moments: int
) -> None:
    models.models["test/small"] = Endless()
    await desk.chat.send(desk.session.id, desk.agent.id, "Go")
    for _ in range(moments):
        await asyncio.sleep(0)
    desk.chat.stop(desk.session.id)
    desk.chat.stop(desk.session.id)
    await desk.chat.wait(desk.session.id)
    branch = list(await desk.messages.branch(desk.session.id))
    fresh = list(await StoredMessages(desk.database).branch(desk.session.id))
    assert branch == fresh
    assert [m.status for m in branch] == [Status.COMPLETE, Status.STOPPED]
    assert desk.chat.running() == []


async def test_stop_while_the_prompt_is_measured_asks_no_model(
    desk: Desk, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, go_on = threading.Event(), threading.Event()
    freed: list[bool] = []

    def tokens(_prompt: Prompt) -> int:
        began.set()
        freed.append(go_on.wait(5))
        return 1

    monkeypatch.setattr(Prompt, "tokens", tokens)
    await desk.chat.send(desk.session.id, desk.agent.id, "Go")
    await until(began.is_set)
    desk.chat.stop(desk.session.id)
    await desk.chat.wait(desk.session.id)
    go_on.set()
    await until(lambda: bool(freed))
    assert freed == [True]  # the window was not kept waiting meanwhile
    assert (await newest(desk)).status is Status.STOPPED
    assert model.chats == []
    assert desk.chat.running() == []


async def test_closing_keeps_the_partial_too(desk: Desk, models: ScriptedModels) -> None:
    models.models["test/small"] = Endless()
    await desk.chat.send(desk.session.id, desk.agent.id, "Go")
    await until(lambda: any(isinstance(e, TextStreamed) for e in desk.events))
    await desk.chat.close()
    assert (await newest(desk)).status is Status.STOPPED


async def test_partial_replies_are_in_the_database_while_they_stream(
    desk: Desk, models: ScriptedModels
) -> None:
    models.models["test/small"] = Endless()
    await desk.chat.send(desk.session.id, desk.agent.id, "Go")

    async def saved() -> int:
        return (await newest(desk)).content.count("word")

    await until(lambda: any(isinstance(e, TextStreamed) for e in desk.events))
    first = await saved()
    while await saved() <= first:  # noqa: ASYNC110
        await asyncio.sleep(0.02)
    assert await desk.messages.close_interrupted() == 1
    left = await desk.messages.get((await newest(desk)).id)
    assert left is not None
    assert left.status is Status.CUT
    desk.chat.stop(desk.session.id)
    await desk.chat.wait(desk.session.id)


async def test_a_session_answers_one_message_at_a_time(desk: Desk, model: ScriptedModel) -> None:
    model.gate.clear()
    await desk.chat.send(desk.session.id, desk.agent.id, "one")
    with pytest.raises(Invalid, match="still answering"):
        await desk.chat.send(desk.session.id, desk.agent.id, "two")
    assert len(await desk.messages.branch(desk.session.id)) == 1
    model.gate.set()
    await desk.chat.wait(desk.session.id)


@pytest.mark.parametrize("text", ["", "  \n "])
async def test_an_empty_message_is_not_sent(desk: Desk, text: str) -> None:
    with pytest.raises(Invalid, match="empty"):
        await desk.chat.send(desk.session.id, desk.agent.id, text)


async def test_two_sessions_answer_at_once_and_never_mix(desk: Desk, model: ScriptedModel) -> None:
    other = await desk.sessions.create("Other")
    model.gate.clear()
    model.answers.extend(["first", "second"])
    await desk.chat.send(desk.session.id, desk.agent.id, "one")
    await until(lambda: len(model.chats) == 1)
    await desk.chat.send(other.id, desk.agent.id, "two")
    await until(lambda: len(model.chats) == 2)
    assert set(desk.chat.running()) == {desk.session.id, other.id}
    model.gate.set()
    await desk.chat.wait(desk.session.id)
    await desk.chat.wait(other.id)
    texts = {
        s.id: [m.content for m in await desk.messages.branch(s.id)] for s in (desk.session, other)
    }
    assert {t[0] for t in texts.values()} == {"one", "two"}
    assert {t[1] for t in texts.values()} == {"first", "second"}
    for event in desk.events:
        if isinstance(event, TextStreamed):
            owner = await desk.messages.get(event.message_id)
            assert owner is not None
            assert owner.session_id == event.session_id


async def test_deleting_a_session_in_mid_answer_leaves_nothing_of_it(
    desk: Desk, model: ScriptedModel
) -> None:
    await desk.say("one")
    model.gate.clear()
    await desk.chat.send(desk.session.id, desk.agent.id, "two")
    counts = await desk.chat.delete_session(desk.session.id)
    assert counts.messages >= 3
    assert await desk.sessions.list() == []
    assert list(await desk.messages.branch(desk.session.id)) == []
    assert desk.chat.running() == []


async def test_deleting_an_agent_takes_its_memory_and_leaves_the_chat(
    desk: Desk, model: ScriptedModel
) -> None:
    from tests.helpers.desk import STATE

    await desk.use(STATE)
    model.folds.append([{"key": "goal", "value": "Kyoto"}])
    await desk.say("Kyoto")
    model.fold_gate.clear()
    await desk.chat.send(desk.session.id, desk.agent.id, "Osaka")
    await until(lambda: len(model.fold_requests) == 2)
    counts = await desk.chat.delete_agent(desk.agent.id)
    assert (counts.revisions, counts.ledger_rows) == (1, 1)
    assert len(await desk.messages.branch(desk.session.id)) == 4
    assert await desk.ledger() == []
    assert await desk.agents.list() == []


async def test_a_request_longer_than_the_context_is_told(desk: Desk, model: ScriptedModel) -> None:
    model.context = 300
    await desk.say("word " * 400)
    notices = [e.text for e in desk.events if isinstance(e, Notice)]
    assert any("more than the 300" in text for text in notices)


async def test_a_server_that_read_far_less_than_was_sent_is_told(
    desk: Desk, model: ScriptedModel
) -> None:
    model.answers.append([Delta("OK."), Delta(finish="stop", usage=Usage(200, 2))])
    await desk.say("word " * 800)
    assert any("read only 200" in e.text for e in desk.events if isinstance(e, Notice))


async def test_the_phases_of_a_run_come_in_order_and_end_idle(
    desk: Desk, model: ScriptedModel
) -> None:
    await desk.say("Hi")
    phases = [(e.phase, e.model) for e in desk.events if isinstance(e, RunPhaseChanged)]
    assert phases == [
        ("waiting_for_model", ""),
        ("waiting_for_model", "test/small"),
        ("streaming", "test/small"),
        ("settling", ""),
        ("idle", ""),
    ]


async def test_without_any_model_the_reply_says_what_to_do(
    desk: Desk, models: ScriptedModels
) -> None:
    desk.settings = desk.settings.model_copy(update={"default_model": None})
    models.models.clear()
    reply = await desk.say("Hi")
    assert reply.status is Status.FAILED
    assert "No model is available" in reply.error


async def test_a_disk_that_is_full_when_the_reply_comes_is_told_and_the_reply_shown(
    desk: Desk, models: ScriptedModels
) -> None:
    model = models.models["test/small"]
    model.answers.append("words " * 200_000)
    model.gate.clear()
    await desk.chat.send(desk.session.id, desk.agent.id, "Hi")
    await until(lambda: model.chats)

    def fill(connection: Connection) -> None:
        pages = connection.scalar(text("PRAGMA page_count"))
        connection.execute(text(f"PRAGMA max_page_count = {pages}"))

    await desk.database.write(fill)
    model.gate.set()
    await desk.chat.wait(desk.session.id)
    shown = [e.message for e in desk.events if isinstance(e, MessageCommitted)][-1]
    assert shown.status is Status.FAILED
    assert shown.content.startswith("words words")
    assert "disk is full" in shown.error
    assert any("disk is full" in e.text for e in desk.events if isinstance(e, Notice))
    assert desk.chat.running() == []
    assert (await desk.messages.get(shown.parent_id or "")) is not None
