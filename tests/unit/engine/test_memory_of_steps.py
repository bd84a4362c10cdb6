"""Memory and tools: a run of thirty steps is one fold, and no strategy parts call and result."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatty_desktop.domain.messages import Message, ToolCall
from chatty_desktop.domain.questions import condensed, exchanges_of_tools, message_lines
from chatty_desktop.domain.requests import Delta
from chatty_desktop.domain.tokens import estimate
from chatty_desktop.domain.tools import ToolUse
from chatty_desktop.engine.asking import first_batch
from tests.helpers.desk import STATE, Desk
from tests.helpers.scripted import ScriptedModel


def steps(count: int, tool: str = "long") -> list[list[Delta] | str]:
    """So many steps that each call the tool, then the answer."""
    made: list[list[Delta] | str] = []
    for number in range(count):
        call = ToolCall(f"c{number}", tool, json.dumps({"text": f"page {number}"}))
        made.append([Delta(finish="tool_calls", tool_calls=(call,))])
    return [*made, "All done."]


@pytest.fixture
async def reading(desk: Desk) -> Desk:
    """Ada with a tool that gives 50 kB."""

    async def long(use: ToolUse) -> str:
        return f"{use.arguments['text']} " + "words of a long page " * 2500

    desk.tools.add("long", long)
    await desk.equip("long", max_steps=40)
    return desk


@pytest.mark.parametrize("context", [4096, 8192])
async def test_thirty_steps_of_long_results_are_folded_once(
    reading: Desk, model: ScriptedModel, context: int
) -> None:
    model.context = context
    model.answers.extend(steps(30))
    model.folds.append([{"key": "goal", "value": "read the pages"}])
    assert (await reading.say("Read the pages.")).content == "All done."
    assert len(model.chats) == 31
    (fold,) = model.fold_requests
    (row,) = await reading.ledger()
    assert len(row.message_ids) == 1 + 30 + 30 + 1
    asked = fold.messages[-1].content
    assert all(f"tool: page {number} " in asked for number in range(30))
    assert sum(estimate(m.content) for m in fold.messages) < context
    assert await reading.state() == {"goal": "read the pages"}
    assert await reading.pending() == []


async def test_a_run_that_reaches_its_limit_is_folded_too(
    reading: Desk, model: ScriptedModel
) -> None:
    await reading.equip("long", max_steps=30)
    model.answers.extend(steps(40))
    await reading.say("Read the pages.")
    assert len(model.chats) == 30
    assert len(model.fold_requests) == 1
    assert await reading.pending() == []


@pytest.mark.parametrize(
    "strategy",
    [
        STATE,
        {"kind": "window", "max_messages": 7},
        {"kind": "full_transcript"},
        {"kind": "summarized", "every": 5},
        {"kind": "composite", "layers": [{"kind": "window", "max_messages": 4}, STATE]},
    ],
    ids=lambda strategy: strategy["kind"],
)
async def test_no_strategy_sends_a_call_without_its_result(
    reading: Desk, model: ScriptedModel, strategy: dict[str, Any]
) -> None:
    await reading.use(strategy)
    await reading.equip("long")
    for turn in range(3):
        model.answers.extend(steps(turn + 2))
        await reading.say(f"Read on, {turn}.")
    for request in model.chats:
        owed: list[str] = []
        for message in request.messages:
            assert (message.role == "tool") == bool(owed)
            if owed:
                assert message.tool_call_id == owed.pop(0)
            owed += [call.id for call in message.tool_calls]
        assert owed == []
        assert request.messages[-1].role in ("user", "tool")


async def test_results_of_tools_are_no_episodes(reading: Desk, model: ScriptedModel) -> None:
    await reading.use({"kind": "episodic"})
    await reading.equip("long")
    model.answers.extend(steps(2))
    await reading.say("Read the pages.")
    assert (await reading.episodes.counts(reading.scope)).total == 2


@st.composite
def runs(draw: st.DrawFn) -> list[Message]:
    """Messages of a scope: what the person said, steps with up to three calls, replies."""
    log: list[Message] = []

    def add(role: Any, content: str, **more: Any) -> None:
        number = len(log)
        log.append(Message(f"m{number}", "s", None, "a", "r", role, content, 0.0, **more))

    for _ in range(draw(st.integers(1, 4))):
        add("user", draw(st.text(min_size=1, max_size=200)))
        for _ in range(draw(st.integers(0, 6))):
            ids = [f"c{len(log)}-{n}" for n in range(draw(st.integers(1, 3)))]
            given = "x" * draw(st.integers(0, 4000))
            add("assistant", "", tool_calls=tuple(ToolCall(i, "long", given) for i in ids))
            for i in ids:
                add("tool", "y" * draw(st.integers(1, 60_000)), tool_call_id=i)
        add("assistant", draw(st.text(min_size=1, max_size=200)))
    return log


@given(runs(), st.integers(200, 8000))
def test_batches_cover_the_messages_in_order_and_part_no_call_from_its_result(
    log: list[Message], room: int
) -> None:
    rest, seen = log, []
    while rest:
        batch = first_batch(rest, room)
        assert batch
        assert batch[0].role != "tool"
        seen += [message.id for message in batch]
        rest = rest[len(batch) :]
    assert seen == [message.id for message in log]


@given(runs(), st.integers(200, 8000))
def test_calls_and_results_take_what_words_leave_of_the_room(log: list[Message], room: int) -> None:
    short = condensed(log, room)
    parts = sum((m.role == "tool") + len(m.tool_calls) for m in log)
    words = sum(estimate(m.content) for m in log if m.role != "tool" and m.content)
    lines = [message_lines(m, 6000) for m in short if m.role == "tool" or m.tool_calls]
    assert sum(map(estimate, lines)) <= max(room - words, room // 2, parts * (8 + 12)) + parts * 8
    assert [m for m in short if m.role == "user"] == [m for m in log if m.role == "user"]
    assert [m.id for group in exchanges_of_tools(short) for m in group] == [m.id for m in log]
