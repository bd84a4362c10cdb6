"""Semantic memory through the chat service, over real stores."""

from __future__ import annotations

import json
from typing import Any

import pytest

from chatty_desktop.domain.errors import Invalid, Refused, Unreachable
from chatty_desktop.domain.requests import Delta
from tests.helpers.desk import STATE, Desk, system, wire
from tests.helpers.scripted import ScriptedModel, ScriptedModels

SEMANTIC: dict[str, Any] = {"kind": "semantic"}


def facts(*found: tuple[str, str]) -> str:
    return json.dumps({"facts": [{"subject": s, "fact": f} for s, f in found]})


@pytest.fixture
async def ada(desk: Desk) -> Desk:
    """The desk, Ada's memory being Semantic."""
    await desk.use(SEMANTIC)
    return desk


async def known(desk: Desk) -> list[tuple[str, str]]:
    return [(f.subject, f.fact) for f in (await desk.layer()).facts or ()]


async def test_the_facts_of_a_run_are_kept_with_their_sources_and_shown_to_the_model(
    ada: Desk, model: ScriptedModel
) -> None:
    model.folds.append(facts(("Leo", "Leo is seven."), ("user", "lives in Porto")))
    await ada.say("My son Leo is seven. We live in Porto.")
    await ada.say("Hello again!")

    assert await known(ada) == [("Leo", "Leo is seven."), ("user", "lives in Porto")]
    first = (await ada.messages.branch(ada.session.id))[0]
    assert {f.source_ids for f in (await ada.layer()).facts or ()} == {(first.id,)}
    last = model.chats[-1]
    assert "- Leo is seven.\n- user: lives in Porto" in system(last)
    assert wire(last) == [("user", "Hello again!")]
    row = (await ada.ledger())[0]
    assert (row.kind, row.outcome, row.attempts, row.consumed) == (
        "extraction",
        "accepted",
        1,
        True,
    )
    assert row.patch == {"Leo": ["Leo is seven."], "user": ["lives in Porto"]}
    assert (row.prompt_tokens, row.completion_tokens) == (11, 7)


async def test_thirty_runs_cost_thirty_extractions_each_over_what_is_new(
    ada: Desk, model: ScriptedModel
) -> None:
    model.folds.extend([facts()] * 30)
    for number in range(30):
        await ada.say(f"message {number}")
    assert (len(model.chats), len(model.fold_requests)) == (30, 30)
    question = model.fold_requests[-1].messages[-1].content
    assert "message 29" in question
    assert "message 28" not in question


async def test_an_exact_repeat_is_not_kept_twice(ada: Desk, model: ScriptedModel) -> None:
    model.folds.extend([facts(("Leo", "Leo is seven."))] * 2)
    await ada.say("Leo is seven.")
    await ada.say("As I said, Leo is seven.")
    assert await known(ada) == [("Leo", "Leo is seven.")]
    row = (await ada.ledger())[-1]
    assert (row.outcome, row.reason) == ("nothing", "Everything found is known already.")


@pytest.mark.parametrize(
    ("replies", "outcome", "attempts", "pending"),
    [
        (["[]"], "nothing", 1, 0),
        (["There is nothing.", "Really nothing."], "refused", 2, 0),
        (["", "<think>hm"], "refused", 2, 0),
        (['{"facts": [{"subject": "a"', '{"facts": [{"subject": "a"'], "refused", 2, 0),
        ([Unreachable("down")], "unreachable", 1, 2),
        ([[Delta('{"facts": [')]], "unreachable", 1, 2),
        (["prose", Unreachable("down")], "unreachable", 2, 2),
    ],
)
async def test_nothing_unparseable_and_unreachable_are_three_outcomes(
    ada: Desk,
    model: ScriptedModel,
    replies: list[Any],
    outcome: str,
    attempts: int,
    pending: int,
) -> None:
    model.folds.extend(replies)
    await ada.say("Leo is seven.")
    (row,) = await ada.ledger()
    assert (row.outcome, row.attempts, row.patch) == (outcome, attempts, None)
    assert len(await ada.pending()) == pending
    assert len(model.fold_requests) == len(replies)


async def test_a_refused_answer_is_asked_for_again_with_the_reason(
    ada: Desk, model: ScriptedModel
) -> None:
    model.folds.extend(["Leo is seven.", facts(("Leo", "Leo is seven."))])
    await ada.say("Leo is seven.")
    retry = model.fold_requests[-1].messages
    assert retry[-2].content == "Leo is seven."
    assert "no JSON" in retry[-1].content
    assert await known(ada) == [("Leo", "Leo is seven.")]


async def test_a_bare_array_is_read(ada: Desk, model: ScriptedModel) -> None:
    model.folds.append('[{"subject": "Leo", "fact": "Leo is seven."}]')
    await ada.say("Leo is seven.")
    assert await known(ada) == [("Leo", "Leo is seven.")]


async def test_what_an_unreachable_model_left_is_read_with_the_next_run(
    ada: Desk, model: ScriptedModel
) -> None:
    model.folds.append(Unreachable("down"))
    await ada.say("Leo is seven.")
    model.folds.append(facts(("Leo", "Leo is seven.")))
    await ada.say("Hello!")
    assert await known(ada) == [("Leo", "Leo is seven.")]
    assert await ada.pending() == []
    assert len((await ada.ledger())[-1].message_ids) == 4


async def test_what_the_messages_do_not_tell_is_left_out_and_shown_in_the_ledger(
    ada: Desk, model: ScriptedModel
) -> None:
    model.folds.append(facts(("user", "The user is called Marta."), ("Leo", "Leo is seven.")))
    await ada.say("Leo is seven.")
    assert await known(ada) == [("Leo", "Leo is seven.")]
    (row,) = await ada.ledger()
    assert [each["value"] for each in row.dropped] == ["The user is called Marta."]


async def test_the_newest_facts_are_sent_when_not_all_have_room(
    ada: Desk, model: ScriptedModel
) -> None:
    await ada.use({"kind": "semantic", "max_chars": 100})
    for number in range(6):
        model.folds.append(facts((f"point {number}", f"point {number} is settled for good")))
        await ada.say(f"point {number} is settled for good")
    model.folds.append(facts())
    await ada.say("Hello!")
    shown = system(model.chats[-1])
    assert "point 5" in shown
    assert "point 2" not in shown
    layer = await ada.layer()
    assert (len(layer.facts or ()), layer.covered, layer.max_chars) == (6, 3, 100)
    assert layer.size <= 100


async def test_facts_follow_the_branch_and_may_be_learnt_again_on_another(
    ada: Desk, model: ScriptedModel
) -> None:
    model.folds.append(facts())
    first = await ada.say("Hello!")
    model.folds.append(facts(("Leo", "Leo is seven.")))
    await ada.say("Leo is seven.")
    await ada.messages.set_leaf(ada.session.id, first.id)
    assert await known(ada) == []
    model.folds.append(facts(("Leo", "Leo is seven.")))
    await ada.say("Leo is seven, I said.")
    assert "Leo is seven." not in system(model.chats[-1])
    assert await known(ada) == [("Leo", "Leo is seven.")]
    assert len(await ada.memory.facts(ada.scope, "semantic")) == 2


async def test_a_server_that_cannot_constrain_is_asked_in_words(
    ada: Desk, model: ScriptedModel
) -> None:
    model.folds.extend([Refused("400: response_format"), facts(("Leo", "Leo is seven."))])
    await ada.say("Leo is seven.")
    schemas = [request.json_schema is not None for request in model.fold_requests]
    assert schemas == [True, False]
    assert "one JSON object" in model.fold_requests[-1].messages[-1].content
    assert await known(ada) == [("Leo", "Leo is seven.")]


async def test_a_long_queue_is_read_in_parts_that_fit_the_model(
    ada: Desk, model: ScriptedModel
) -> None:
    model.context = 2048
    model.folds.append(Unreachable("down"))
    model.answers.extend(["word " * 240] * 2)
    await ada.say("word " * 240)
    model.folds.extend([facts()] * 4)
    await ada.say("word " * 240)
    rows = (await ada.ledger())[1:]
    assert [len(row.message_ids) for row in rows] == [2, 2]
    assert await ada.pending() == []


async def test_a_refused_batch_can_be_read_again_from_the_ledger(
    ada: Desk, model: ScriptedModel
) -> None:
    model.folds.extend(["prose", "prose"])
    await ada.say("Leo is seven.")
    model.folds.append(facts(("Leo", "Leo is seven.")))
    (row,) = await ada.ledger()
    await ada.memories.fold_again(row.id)
    await ada.chat.wait(ada.session.id)
    assert await known(ada) == [("Leo", "Leo is seven.")]
    assert [r.consumed for r in await ada.ledger()] == [True, False]


async def test_a_batch_of_another_branch_is_not_read_again(ada: Desk, model: ScriptedModel) -> None:
    model.folds.extend(["prose", "prose"])
    await ada.say("Leo is seven.")
    await ada.messages.set_leaf(ada.session.id, None)
    with pytest.raises(Invalid, match="current branch"):
        await ada.memories.fold_again((await ada.ledger())[0].id)


async def test_without_a_model_the_queue_is_kept_and_the_run_log_says_so(
    ada: Desk, models: ScriptedModels
) -> None:
    async def nobody() -> None:
        return None

    models.first_available = nobody  # type: ignore[method-assign]
    await ada.say("Leo is seven.")
    assert len(await ada.pending()) == 2
    assert any("no chat model" in line for line in await ada.log_lines())


async def test_a_fact_is_corrected_or_forgotten_by_hand(ada: Desk, model: ScriptedModel) -> None:
    model.folds.append(facts(("Leo", "Leo is seven."), ("Leo", "Leo likes trains.")))
    await ada.say("Leo is seven and likes trains.")
    seven, trains = (await ada.layer()).facts or ()
    await ada.acts.change_fact(ada.scope, "semantic", seven.id, " Leo is\n eight. ")
    await ada.acts.change_fact(ada.scope, "semantic", trains.id, None)
    assert await known(ada) == [("Leo", "Leo is eight.")]
    model.folds.append(facts())
    await ada.say("Hello!")
    assert "Leo is eight." in system(model.chats[-1])
    with pytest.raises(Invalid, match="needs words"):
        await ada.acts.change_fact(ada.scope, "semantic", seven.id, "  ")
    with pytest.raises(Invalid, match="no longer there"):
        await ada.acts.change_fact(ada.scope, "semantic", trains.id, "Leo is nine.")


async def test_facts_outlive_a_change_of_strategy(ada: Desk, model: ScriptedModel) -> None:
    model.folds.append(facts(("Leo", "Leo is seven.")))
    await ada.say("Leo is seven.")
    await ada.use(STATE)
    await ada.say("Hello!")
    await ada.use(SEMANTIC)
    assert await known(ada) == [("Leo", "Leo is seven.")]
