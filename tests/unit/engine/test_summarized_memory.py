"""Summarized memory through the chat service, over real stores."""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatty_desktop.domain.errors import Invalid, Refused, Unreachable
from chatty_desktop.domain.requests import ChatRequest, Delta
from tests.helpers.desk import STATE, Desk, system, wire
from tests.helpers.scripted import ScriptedModel, ScriptedModels

EVERY_4: dict[str, Any] = {"kind": "summarized", "every": 4}


async def said(desk: Desk, *texts: str) -> None:
    for text in texts:
        await desk.say(text)


async def test_every_n_messages_one_call_makes_the_next_summary(
    desk: Desk, model: ScriptedModel
) -> None:
    await desk.use({"kind": "summarized", "every": 6})
    model.folds.extend(["Summary one.", "Summary one and two."])
    await said(desk, *(f"message {n}" for n in range(8)))

    assert (len(model.chats), len(model.fold_requests)) == (8, 2)
    layer = await desk.layer()
    assert layer.summary == "Summary one and two."
    assert (layer.covered, len(layer.pending or ())) == (12, 4)
    assert [s.text for s in layer.summaries or ()] == ["Summary one and two.", "Summary one."]
    question = model.fold_requests[1].messages[-1].content
    assert "Summary one." in question
    assert "message 3" in question
    assert "message 2" not in question
    rows = await desk.ledger()
    assert [(r.kind, r.outcome, r.patch) for r in rows] == [
        ("summary", "accepted", {"summary": "Summary one."}),
        ("summary", "accepted", {"summary": "Summary one and two."}),
    ]
    assert (rows[0].prompt_tokens, rows[0].completion_tokens) == (11, 7)


async def test_the_model_sees_the_summary_then_every_message_after_its_cut(
    desk: Desk, model: ScriptedModel
) -> None:
    await desk.use(EVERY_4)
    model.folds.append("They plan a trip.")
    await said(desk, "one", "two", "three", "four")
    last = model.chats[-1]
    assert "They plan a trip." in system(last)
    assert [text for _role, text in wire(last)] == ["three", "OK.", "four"]
    request = await desk.memories.last_request(desk.scope)
    assert request is not None
    assert [s.origin for s in request.sections] == [
        "system",
        "summary",
        "summarized",
        "summarized",
        "new",
    ]


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        ("", "refused"),
        ("<think>They plan a trip.</think>", "refused"),
        ("<think>They plan a trip.", "refused"),
        ("(none yet)", "refused"),
        ([Delta("They plan"), Delta(finish="length")], "refused"),
        ([Delta("They plan")], "unreachable"),
        (Unreachable("The server is down."), "unreachable"),
        (Refused("400: the context is too short"), "refused"),
    ],
)
async def test_a_failure_advances_nothing_and_the_originals_are_still_sent(
    desk: Desk, model: ScriptedModel, reply: Any, outcome: str
) -> None:
    await desk.use(EVERY_4)
    model.folds.append(reply)
    await said(desk, "one", "two")
    layer = await desk.layer()
    assert (layer.summary, layer.covered, len(layer.pending or ())) == (None, 0, 4)
    (row,) = await desk.ledger()
    assert (row.outcome, row.consumed, row.patch, row.attempts) == (outcome, False, None, 1)

    model.folds.append("All of it.")
    await desk.say("three")
    assert [text for _role, text in wire(model.chats[-1])] == ["one", "OK.", "two", "OK.", "three"]
    layer = await desk.layer()
    assert (layer.summary, layer.covered) == ("All of it.", 6)


async def test_a_failure_keeps_the_summary_there_is(desk: Desk, model: ScriptedModel) -> None:
    await desk.use(EVERY_4)
    model.folds.extend(["First.", Unreachable("HTTP 500: internal error")])
    await said(desk, "one", "two", "three", "four")
    layer = await desk.layer()
    assert (layer.summary, layer.covered) == ("First.", 4)
    assert [m.content for m in layer.pending or ()] == ["three", "OK.", "four", "OK."]
    assert "internal error" in (await desk.log_lines())[-1]


async def test_reasoning_is_cut_from_a_summary(desk: Desk, model: ScriptedModel) -> None:
    await desk.use(EVERY_4)
    model.folds.append("<think>secret</think>They plan a trip.")
    await said(desk, "one", "two")
    assert (await desk.layer()).summary == "They plan a trip."
    assert "secret" not in (await desk.ledger())[0].reply


async def test_a_smaller_summary_is_told_and_the_larger_one_kept(
    desk: Desk, model: ScriptedModel
) -> None:
    await desk.use(EVERY_4)
    model.folds.extend(["They plan a long trip to Kyoto in May.", "A trip."])
    await said(desk, "one", "two", "three", "four")
    row = (await desk.ledger())[-1]
    assert row.outcome == "accepted"
    assert "7 characters instead of 38" in row.reason
    assert any("7 characters instead of 38" in line for line in await desk.log_lines())
    texts = [s.text for s in (await desk.layer()).summaries or ()]
    assert texts == ["A trip.", "They plan a long trip to Kyoto in May."]


async def test_an_own_prompt_stands_in_the_place_of_the_built_in_one(
    desk: Desk, model: ScriptedModel
) -> None:
    await desk.use({**EVERY_4, "summary_prompt": "Only the $prices, please."})
    await said(desk, "one", "two")
    assert system(model.fold_requests[0]) == "Only the $prices, please."


async def test_the_strategys_own_model_summarizes(
    desk: Desk, model: ScriptedModel, models: ScriptedModels
) -> None:
    other = ScriptedModel("test/other")
    models.models[other.reference] = other
    await desk.use({**EVERY_4, "model": "test/other"})
    other.folds.append("By the other.")
    await said(desk, "one", "two")
    assert (await desk.layer()).summary == "By the other."
    assert model.fold_requests == []


async def test_without_a_model_the_messages_are_sent_and_the_run_log_says_so(
    desk: Desk, models: ScriptedModels
) -> None:
    async def nobody() -> None:
        return None

    models.first_available = nobody  # type: ignore[method-assign]
    await desk.use(EVERY_4)
    await said(desk, "one", "two")
    assert (await desk.layer()).covered == 0
    assert any("no chat model" in line for line in await desk.log_lines())


async def test_a_long_stretch_is_summarized_in_parts_that_fit_the_model(
    desk: Desk, model: ScriptedModel
) -> None:
    await desk.use({"kind": "summarized", "every": 8})
    model.context = 2048
    model.answers.extend(["word " * 300] * 4)
    model.folds.extend([f"Part {n}." for n in range(9)])
    await said(desk, *(f"question {n} " + "word " * 100 for n in range(4)))
    questions = [r.messages[-1].content for r in model.fold_requests]
    assert len(questions) > 1
    assert all(len(q) < 2048 * 4 for q in questions)
    layer = await desk.layer()
    assert layer.covered == 8
    assert layer.summary == f"Part {len(questions) - 1}."


async def test_a_refused_summary_can_be_asked_for_again_from_the_ledger(
    desk: Desk, model: ScriptedModel
) -> None:
    await desk.use(EVERY_4)
    model.folds.extend(["", "At last."])
    await said(desk, "one", "two")
    (row,) = await desk.ledger()
    await desk.memories.fold_again(row.id)
    await desk.chat.wait(desk.session.id)
    assert (await desk.layer()).summary == "At last."


async def test_what_is_in_a_summary_is_not_summarized_twice(
    desk: Desk, model: ScriptedModel
) -> None:
    await desk.use(EVERY_4)
    model.folds.extend(["", "All."])
    await said(desk, "one", "two", "three")
    before = len(model.fold_requests)
    with pytest.raises(Invalid, match="in the summary by now"):
        await desk.memories.fold_again((await desk.ledger())[0].id)
    assert len(model.fold_requests) == before


async def test_what_was_summarized_on_an_abandoned_branch_is_not_seen(
    desk: Desk, model: ScriptedModel
) -> None:
    await desk.use(EVERY_4)
    model.folds.append("One and two.")
    first = await desk.say("one")
    await desk.say("two")
    await desk.messages.set_leaf(desk.session.id, first.id)
    layer = await desk.layer()
    assert (layer.summary, len(layer.pending or ())) == (None, 2)
    await desk.say("another two")
    last = model.chats[-1]
    assert "One and two." not in system(last)
    assert [text for _role, text in wire(last)] == ["one", "OK.", "another two"]


async def test_after_another_strategy_it_goes_on_where_its_summary_ends(
    desk: Desk, model: ScriptedModel
) -> None:
    await desk.use(EVERY_4)
    model.folds.append("One and two.")
    await said(desk, "one", "two")
    await desk.use({"kind": "window", "max_messages": 2})
    await said(desk, "three", "four")
    await desk.use({"kind": "summarized", "every": 20})
    await desk.say("five")
    last = model.chats[-1]
    assert "One and two." in system(last)
    assert [t for _r, t in wire(last)] == ["three", "OK.", "four", "OK.", "five"]


async def test_chosen_in_mid_session_it_starts_from_the_last_exchange(
    desk: Desk, model: ScriptedModel
) -> None:
    await desk.use({"kind": "window"})
    await said(desk, "one", "two")
    await desk.use(EVERY_4)
    await desk.say("three")
    assert [t for _r, t in wire(model.chats[-1])] == ["two", "OK.", "three"]
    starts_at = (await desk.layer()).starts_at
    assert starts_at is not None
    assert starts_at.content == "two"


async def test_folding_again_is_told_to_be_of_no_use_to_a_memory_that_asks_no_model(
    desk: Desk, model: ScriptedModel
) -> None:
    await desk.use(EVERY_4)
    model.folds.append("")
    await said(desk, "one", "two")
    await desk.use({"kind": "window"})
    with pytest.raises(Invalid):
        await desk.memories.fold_again((await desk.ledger())[0].id)
    await desk.use(STATE)


# --- the promise: no gap, no overlap ---------------------------------------------------------


class Noting(ScriptedModel):
    """Answers with a word nobody said before; its summaries are the words of the question."""

    async def stream(self, request: ChatRequest) -> AsyncIterator[Delta]:
        fold = request.temperature == 0.0
        if fold and not self.folds:
            text = request.messages[-1].content
            self.folds.append(" ".join(re.findall(r"\b[ua]\d+\b", text)) + " ")
        elif not fold:
            self.answers.append(f"a{len(self.chats)}")
        async for delta in super().stream(request):
            yield delta


FAILURES: dict[str, Any] = {
    "empty": "",
    "reasoning": "<think>u1",
    "unreachable": Unreachable("down"),
    "refused": Refused("400"),
}
STEPS = st.one_of(
    st.sampled_from(["say", *FAILURES]).map(lambda what: (what, 0)),
    st.tuples(st.sampled_from(["edit", "retry", "elsewhere"]), st.integers(0, 30)),
)


@given(
    steps=st.lists(STEPS, min_size=4, max_size=16),
    every=st.sampled_from([2, 3, 4, 7]),
    context=st.sampled_from([300, 8192]),
)
@settings(max_examples=25)
def test_summary_and_verbatim_part_cover_the_scope_exactly(
    steps: list[tuple[str, int]], every: int, context: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_covered(Path(folder), steps, every, context))


async def _covered(folder: Path, steps: list[tuple[str, int]], every: int, context: int) -> None:
    model = Noting(context=context)
    desk = await Desk.open(folder, ScriptedModels(model), {"kind": "summarized", "every": every})
    ends: list[str] = []
    for number, (what, which) in enumerate(steps):
        branch = list(await desk.messages.branch(desk.session.id))
        if what in ("edit", "retry") and branch:
            asked = [m for m in branch if m.role == "user"]
            chosen = asked[which % len(asked)]
            if what == "retry":
                await desk.messages.set_leaf(desk.session.id, chosen.id)
                await desk.chat.retry(desk.session.id)
                await desk.chat.wait(desk.session.id)
                continue
            await desk.messages.set_leaf(desk.session.id, chosen.parent_id)
        elif what == "elsewhere" and ends:
            await desk.messages.set_leaf(desk.session.id, ends[which % len(ends)])
        if what in FAILURES:
            model.folds.append(FAILURES[what])
        sent = len(model.chats)
        ends.append((await desk.say(f"u{number}")).id)
        model.folds.clear()
        await _check(desk, model.chats[sent])
    await desk.close()


async def _check(desk: Desk, request: ChatRequest) -> None:
    everything = [m.content for m in await desk.messages.branch(desk.session.id)]
    layer = await desk.layer()
    verbatim = [m.content for m in layer.pending or ()]
    assert (layer.summary or "").split() + verbatim == everything
    assert layer.covered + len(verbatim) == len(everything)
    summarized = re.findall(r"\b[ua]\d+\b", system(request))
    assert summarized + [text for _role, text in wire(request)] == everything[:-1]
