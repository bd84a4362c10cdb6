"""Memory changed by the person: the rules of a patch, pins, revisions, what waits for a word."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from chatty_desktop.domain.by_hand import PINNED, attempts_on
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.state import PatchRefused
from tests.helpers.bag_of_words import BagOfWords
from tests.helpers.desk import STATE, Desk, system
from tests.helpers.scripted import ScriptedModel, ScriptedModels
from tests.helpers.waiting import until


def goal(value: str) -> list[dict[str, Any]]:
    return [{"key": "goal", "value": value}]


async def test_a_key_set_by_hand_is_a_revision_with_a_row_of_its_own(
    desk: Desk, model: ScriptedModel
) -> None:
    model.folds.append(goal("Kyoto"))
    await desk.say("My goal is Kyoto.")
    await desk.acts.change_state(desk.scope, "state", {"goal": "Osaka", "open": ["a hotel"]})
    assert await desk.state() == {"goal": "Osaka", "open": ["a hotel"]}
    row = (await desk.ledger())[-1]
    assert (row.kind, row.outcome, row.model) == ("by_hand", "accepted", "")
    assert row.patch == {"goal": "Osaka", "open": ["a hotel"]}
    await desk.say("Hello")
    assert '"goal":"Osaka"' in system(model.chats[-1])
    assert await desk.pending() == []


@pytest.mark.parametrize(
    ("patch", "reason"),
    [({"colour": "red"}, "no key"), ({"goal": "x" * 5000}, "4000 are allowed")],
)
async def test_what_a_patch_may_not_do_a_person_may_not_do_either(
    desk: Desk, patch: dict[str, Any], reason: str
) -> None:
    await desk.say("Hello")
    with pytest.raises(PatchRefused, match=reason):
        await desk.acts.change_state(desk.scope, "state", patch)
    assert await desk.state() == {}
    assert [row.kind for row in await desk.ledger()] == ["fold"]


async def test_before_the_first_message_there_is_nothing_to_change(desk: Desk) -> None:
    with pytest.raises(Invalid, match="first message"):
        await desk.acts.change_state(desk.scope, "state", {"goal": "Kyoto"})


async def test_a_key_that_the_fields_no_longer_have_can_be_forgotten(
    desk: Desk, model: ScriptedModel
) -> None:
    model.folds.append(goal("Kyoto"))
    await desk.say("My goal is Kyoto.")
    await desk.use({**STATE, "fields": [{"name": "open"}]})
    with pytest.raises(PatchRefused):
        await desk.acts.change_state(desk.scope, "state", {"goal": "Osaka"})
    await desk.acts.change_state(desk.scope, "state", {"goal": None})
    assert await desk.state() == {}


async def test_no_fold_overwrites_a_pinned_key_and_the_attempt_is_shown(
    desk: Desk, model: ScriptedModel
) -> None:
    model.folds.append(goal("Kyoto"))
    await desk.say("My goal is Kyoto.")
    await desk.acts.pin(desk.scope, "state", "goal", True)
    model.folds.append([*goal("Osaka"), {"key": "open", "value": "a hotel"}])
    await desk.say("My goal is Osaka now. Open is a hotel.")
    assert await desk.state() == {"goal": "Kyoto", "open": "a hotel"}
    row = (await desk.ledger())[-1]
    assert row.dropped == ({"key": "goal", "value": "Osaka", "reason": PINNED},)
    attempt = attempts_on("goal", (await desk.ledger())[::-1], "state")
    assert attempt is not None
    assert (attempt.value, attempt.count, attempt.ledger_id) == ("Osaka", 1, row.id)
    assert (await desk.layer()).pins == ("goal",)

    await desk.acts.change_state(desk.scope, "state", {"goal": "Nara"})
    assert (await desk.state())["goal"] == "Nara"
    await desk.acts.pin(desk.scope, "state", "goal", False)
    model.folds.append(goal("Osaka"))
    await desk.say("My goal is Osaka.")
    assert (await desk.state())["goal"] == "Osaka"


async def test_one_key_is_undone_without_undoing_later_folds(
    desk: Desk, model: ScriptedModel
) -> None:
    hotel: list[dict[str, Any]] = [{"key": "open", "value": "a hotel"}]
    folds: tuple[list[dict[str, Any]], ...] = (goal("Kyoto"), goal("Osaka"), hotel)
    for change in folds:
        model.folds.append(change)
        await desk.say(f"{change[0]['key']} is {change[0]['value']}.")
    osaka = (await desk.past.of_key(desk.scope, "state", "goal"))[0]
    assert (osaka.value, osaka.before) == ("Osaka", "Kyoto")
    await desk.acts.undo(desk.scope, "state", "goal", osaka.revision_id)
    assert await desk.state() == {"goal": "Kyoto", "open": "a hotel"}
    changes = await desk.past.of_key(desk.scope, "state", "goal")
    assert [(c.value, c.by_hand) for c in changes] == [
        ("Kyoto", True),
        ("Osaka", False),
        ("Kyoto", False),
    ]
    assert [m.content for m in changes[1].sources] == ["goal is Osaka."]


async def test_memory_is_made_what_it_was_at_a_message(desk: Desk, model: ScriptedModel) -> None:
    model.folds.append(goal("Kyoto"))
    first = await desk.say("My goal is Kyoto.")
    forget: list[dict[str, Any]] = [{"key": "goal", "forget": True}]
    model.folds.append([*forget, {"key": "open", "value": "a hotel"}])
    await desk.say("Forget the goal. Open is a hotel.")
    assert (await desk.past.at(desk.scope, first.id)).layers[0].state == {"goal": "Kyoto"}
    await desk.acts.restore(desk.scope, first.id)
    assert await desk.state() == {"goal": "Kyoto"}
    row = (await desk.ledger())[-1]
    assert (row.kind, row.patch) == ("by_hand", {"goal": "Kyoto", "open": None})


async def test_an_edit_follows_its_branch_and_goes_with_the_message_it_was_made_after(
    desk: Desk, model: ScriptedModel
) -> None:
    await desk.say("Hello")
    first = (await desk.messages.branch(desk.session.id))[0]
    await desk.acts.change_state(desk.scope, "state", {"goal": "Kyoto"})
    await desk.chat.edit(first.id, "Good day")
    await desk.chat.wait(desk.session.id)
    assert await desk.state() == {}
    await desk.messages.set_leaf(desk.session.id, first.id)
    newest = await desk.messages.newest_below(first.id)
    await desk.messages.set_leaf(desk.session.id, newest)
    assert await desk.state() == {"goal": "Kyoto"}


async def test_an_edit_made_while_a_fold_is_under_way_is_not_lost(
    desk: Desk, model: ScriptedModel
) -> None:
    model.folds.append(goal("Kyoto"))
    model.fold_gate.clear()
    await desk.chat.send(desk.session.id, desk.agent.id, "My goal is Kyoto.")
    await until(lambda: bool(model.fold_requests))
    edit = asyncio.create_task(desk.acts.change_state(desk.scope, "state", {"open": "a hotel"}))
    await asyncio.sleep(0)
    model.fold_gate.set()
    await edit
    await desk.chat.wait(desk.session.id)
    assert await desk.state() == {"goal": "Kyoto", "open": "a hotel"}


# --- a change that waits for the person's word ---------------------------------------------------


@pytest.fixture
async def asking(desk: Desk) -> Desk:
    """The desk, Ada asking before she keeps what is folded."""
    await desk.equip(approve_memory=True)
    return desk


async def test_a_change_waits_and_its_messages_stay_queued_until_it_is_accepted(
    asking: Desk, model: ScriptedModel
) -> None:
    model.folds.append(goal("Kyoto"))
    await asking.say("My goal is Kyoto.")
    layer = await asking.layer()
    assert layer.state == {}
    assert layer.waiting is not None
    assert layer.waiting.patch == {"goal": "Kyoto"}
    assert len(layer.pending or ()) == 2
    assert await asking.ledger() == []
    await asking.say("And Nara.")
    assert len(model.fold_requests) == 1
    assert any("still waits for you" in line for line in await asking.log_lines())

    await asking.acts.decide(asking.scope, "state", layer.waiting.id, {"goal": "Kyoto"})
    await asking.chat.wait(asking.session.id)
    assert await asking.state() == {"goal": "Kyoto"}
    assert (await asking.layer()).waiting is None
    assert len(model.fold_requests) == 2
    assert await asking.pending() == []
    rows = await asking.ledger()
    assert [(row.kind, row.outcome) for row in rows] == [("fold", "accepted"), ("fold", "nothing")]


async def test_a_waiting_change_can_be_changed_or_refused(
    asking: Desk, model: ScriptedModel
) -> None:
    model.folds.append(goal("Kyoto"))
    await asking.say("My goal is Kyoto.")
    waiting = (await asking.layer()).waiting
    assert waiting is not None
    with pytest.raises(PatchRefused, match="no key"):
        await asking.acts.decide(asking.scope, "state", waiting.id, {"colour": "red"})
    await asking.acts.decide(asking.scope, "state", waiting.id, {"goal": "Nara"})
    assert await asking.state() == {"goal": "Nara"}
    model.folds.append(goal("Osaka"))
    await asking.say("My goal is Osaka.")
    waiting = (await asking.layer()).waiting
    assert waiting is not None
    await asking.acts.decide(asking.scope, "state", waiting.id, None)
    assert await asking.state() == {"goal": "Nara"}
    assert await asking.pending() == []
    row = (await asking.ledger())[-1]
    assert (row.outcome, row.reason, row.patch) == (
        "refused",
        "Refused by the person.",
        {"goal": "Osaka"},
    )
    with pytest.raises(Invalid, match="any more"):
        await asking.acts.decide(asking.scope, "state", waiting.id, None)


async def test_a_waiting_change_is_there_after_a_restart(
    tmp_path: Path, model: ScriptedModel, models: ScriptedModels
) -> None:
    desk = await Desk.open(tmp_path, models, STATE)
    await desk.equip(approve_memory=True)
    model.folds.append(goal("Kyoto"))
    await desk.say("My goal is Kyoto.")
    await desk.close()
    again = await Desk.open(tmp_path, models)
    waiting = (await again.layer()).waiting
    assert waiting is not None
    assert waiting.patch == {"goal": "Kyoto"}
    await again.acts.decide(again.scope, "state", waiting.id, waiting.patch)
    assert await again.state() == {"goal": "Kyoto"}
    await again.close()


async def test_where_the_person_need_not_be_asked_any_more_what_waited_is_folded_anew(
    asking: Desk, model: ScriptedModel
) -> None:
    model.folds.append(goal("Kyoto"))
    await asking.say("My goal is Kyoto.")
    await asking.equip(approve_memory=False)
    model.folds.append(goal("Kyoto, then Nara"))
    await asking.say("And Nara.")
    assert await asking.state() == {"goal": "Kyoto, then Nara"}
    assert (await asking.layer()).waiting is None
    assert await asking.pending() == []


async def test_a_waiting_change_goes_with_a_message_it_came_from(
    asking: Desk, model: ScriptedModel
) -> None:
    model.folds.append(goal("Kyoto"))
    await asking.say("My goal is Kyoto.")
    first = (await asking.messages.branch(asking.session.id))[0]
    await asking.messages.delete(asking.session.id, first.id, following=False)
    assert await asking.memory.waiting(asking.scope, "state") == []


# --- summaries, facts, episodes ------------------------------------------------------------------


async def test_a_summary_is_rewritten_and_restored_and_still_stands_for_its_messages(
    desk: Desk, model: ScriptedModel
) -> None:
    await desk.use({"kind": "summarized", "every": 2})
    model.folds.extend(["They greet each other.", "They talk about Kyoto and its temples."])
    await desk.say("Hello")
    with pytest.raises(Invalid, match="needs words"):
        await desk.acts.change_summary(desk.scope, "summarized", " ")
    await desk.acts.change_summary(desk.scope, "summarized", "They said hello.")
    layer = await desk.layer()
    assert (layer.summary, layer.covered, layer.pending) == ("They said hello.", 2, ())
    await desk.say("Kyoto is full of temples.")
    assert (await desk.layer()).covered == 4
    earlier = (await desk.layer()).summaries or ()
    assert [each.text for each in earlier] == [
        "They talk about Kyoto and its temples.",
        "They said hello.",
        "They greet each other.",
    ]
    await desk.acts.restore_summary(desk.scope, "summarized", earlier[2].id)
    layer = await desk.layer()
    assert (layer.summary, layer.covered) == ("They greet each other.", 2)
    assert len(layer.pending or ()) == 2
    (change, *_) = await desk.past.of_summary(desk.scope, "summarized", "They greet each other.")
    assert change.by_hand


async def test_a_fact_is_added_corrected_and_forgotten_and_each_can_be_looked_back_to(
    desk: Desk, model: ScriptedModel
) -> None:
    await desk.use({"kind": "semantic"})
    model.folds.append(json.dumps({"facts": [{"subject": "Leo", "fact": "Leo is seven."}]}))
    first = await desk.say("Leo is seven.")
    (seven,) = (await desk.layer()).facts or ()
    second = await desk.say("Hello")
    await desk.acts.add_fact(desk.scope, "semantic", "Mia", "Mia is nine.")
    await desk.acts.change_fact(desk.scope, "semantic", seven.id, "Leo is eight.")
    facts = (await desk.layer()).facts or ()
    assert [fact.fact for fact in facts] == ["Mia is nine.", "Leo is eight."]
    changes = await desk.past.of_fact(desk.scope, "semantic", facts[1].id)
    assert [change.value for change in changes] == ["Leo is eight.", "Leo is seven."]
    assert [m.content for m in changes[1].sources] == ["Leo is seven."]
    await desk.acts.change_fact(desk.scope, "semantic", facts[1].id, None)
    assert [f.fact for f in (await desk.layer()).facts or ()] == ["Mia is nine."]
    past = (await desk.past.at(desk.scope, first.id)).layers[0]
    assert [fact.fact for fact in past.facts or ()] == ["Leo is seven."]
    await desk.acts.restore(desk.scope, first.id)
    assert [f.fact for f in (await desk.layer()).facts or ()] == ["Leo is seven."]
    assert second.id != first.id


async def test_a_removed_episode_is_never_recalled_again(desk: Desk, model: ScriptedModel) -> None:
    await desk.use({"kind": "episodic", "threshold": -1.0})
    desk.embedders.embedder = BagOfWords()
    await desk.say("Kyoto is full of temples.")
    first = (await desk.messages.branch(desk.session.id))[0]
    await desk.acts.remove_episode(desk.scope, first.id)
    await desk.say("Which temples?")
    await desk.say("Which temples again?")
    assert "Kyoto is full" not in system(model.chats[-1])
    assert (await desk.ledger())[-1].reason == "An episode was removed."
    with pytest.raises(Invalid, match="no longer there"):
        await desk.acts.remove_episode(desk.scope, first.id)
