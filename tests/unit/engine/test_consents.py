"""Asking the person about calls of tools: by events, with answers that hold for a chat."""

from __future__ import annotations

import asyncio

import pytest

from chatty_desktop.domain.errors import Refused
from chatty_desktop.domain.events import ConsentSettled, ConsentWanted, Event
from chatty_desktop.domain.messages import Scope
from chatty_desktop.domain.tools import ToolSpec, ToolUse
from chatty_desktop.engine.consents import PersonsConsents


def use(call_id: str = "1", tool: str = "write_file", session: str = "talk") -> ToolUse:
    return ToolUse(Scope("ada", session), call_id, ToolSpec(tool, "", {}))


@pytest.fixture
def events() -> list[Event]:
    return []


@pytest.fixture
def consents(events: list[Event]) -> PersonsConsents:
    consents = PersonsConsents(events.append)
    consents.attend()
    return consents


async def asked(consents: PersonsConsents, *uses: ToolUse) -> list[asyncio.Task[str]]:
    tasks: list[asyncio.Task[str]] = [asyncio.create_task(consents.ask(each)) for each in uses]
    await asyncio.sleep(0)
    return tasks


async def test_where_nobody_is_there_to_be_asked_the_call_is_refused_with_that_reason() -> None:
    with pytest.raises(Refused, match="nobody can be asked"):
        await PersonsConsents(lambda _event: None).ask(use())


async def test_a_question_waits_until_it_is_answered(
    consents: PersonsConsents, events: list[Event]
) -> None:
    (task,) = await asked(consents, use())
    (wanted,) = consents.waiting("talk")
    assert events == [ConsentWanted(wanted.question_id, use())]
    consents.answer(wanted.question_id, "once")
    assert await task == "once"
    assert events[1:] == [ConsentSettled(wanted.question_id, "talk")]
    assert consents.waiting() == ()


async def test_what_is_allowed_once_is_asked_again(consents: PersonsConsents) -> None:
    (task,) = await asked(consents, use())
    consents.answer(consents.waiting()[0].question_id, "once")
    await task
    (again,) = await asked(consents, use())
    assert len(consents.waiting()) == 1
    again.cancel()


async def test_what_is_allowed_for_a_chat_holds_for_that_tool_in_that_chat_alone(
    consents: PersonsConsents,
) -> None:
    same = await asked(consents, use("1"), use("2"))
    other = await asked(consents, use(tool="fetch_page"), use(session="elsewhere"))
    consents.answer(consents.waiting()[0].question_id, "chat")
    assert [await task for task in same] == ["chat", "chat"]
    assert await consents.ask(use("3")) == "chat"
    assert len(consents.waiting()) == 2
    for task in other:
        task.cancel()


async def test_a_run_that_is_stopped_takes_its_question_back(
    consents: PersonsConsents, events: list[Event]
) -> None:
    (task,) = await asked(consents, use())
    question = consents.waiting()[0].question_id
    task.cancel()
    await asyncio.wait([task])
    assert consents.waiting() == ()
    assert isinstance(events[-1], ConsentSettled)
    consents.answer(question, "once")
