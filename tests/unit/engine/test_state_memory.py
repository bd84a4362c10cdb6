"""State memory through the chat service, over real stores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chatty_desktop.domain.errors import Invalid, Refused, Unreachable
from chatty_desktop.domain.messages import Scope
from tests.helpers.desk import STATE, Desk, system, wire
from tests.helpers.scripted import ScriptedModel, ScriptedModels


def sets(key: str, value: Any) -> dict[str, Any]:
    return {"key": key, "value": value}


async def test_a_fold_takes_the_run_into_the_state_and_empties_the_queue(
    desk: Desk, model: ScriptedModel
) -> None:
    model.folds.append([sets("goal", "a trip to Kyoto")])
    await desk.say("I plan a trip to Kyoto.")

    assert await desk.state() == {"goal": "a trip to Kyoto"}
    assert await desk.pending() == []
    (row,) = await desk.ledger()
    assert (row.outcome, row.attempts, row.patch) == ("accepted", 1, {"goal": "a trip to Kyoto"})
    assert (row.prompt_tokens, row.completion_tokens) == (11, 7)


async def test_the_model_sees_spec_state_and_the_last_exchange_only(
    desk: Desk, model: ScriptedModel
) -> None:
    model.folds.extend([[sets("goal", "Kyoto")], [], []])
    model.answers.extend(["Nice.", "In May.", "Yes."])
    await desk.say("I want to see Kyoto.")
    await desk.say("When is it warm?")
    await desk.say("Is it far?")

    last = model.chats[-1]
    assert wire(last) == [
        ("user", "When is it warm?"),
        ("assistant", "In May."),
        ("user", "Is it far?"),
    ]
    assert "Keep what this person is working on" in system(last)
    assert '{"goal":"Kyoto"}' in system(last)
    assert "open (what is still unresolved)" in system(last)


async def test_only_new_messages_are_folded_and_each_of_them_once(
    desk: Desk, model: ScriptedModel
) -> None:
    for text in ("one", "two", "three"):
        await desk.say(text)
    assert [len(row.message_ids) for row in await desk.ledger()] == [2, 2, 2]
    assert len({i for row in await desk.ledger() for i in row.message_ids}) == 6
    question = model.fold_requests[-1].messages[-1].content
    assert "three" in question
    assert "two" not in question


async def test_thirty_runs_cost_thirty_folds(desk: Desk, model: ScriptedModel) -> None:
    for number in range(30):
        await desk.say(f"message {number}")
    assert (len(model.chats), len(model.fold_requests)) == (30, 30)


async def test_nothing_to_change_is_an_outcome_of_its_own(desk: Desk, model: ScriptedModel) -> None:
    model.folds.append([])
    await desk.say("Hello!")
    (row,) = await desk.ledger()
    assert (row.outcome, row.patch, row.consumed) == ("nothing", None, True)
    assert await desk.pending() == []


async def test_a_refused_patch_is_asked_for_again_with_the_reason_and_the_present_state(
    desk: Desk, model: ScriptedModel
) -> None:
    model.folds.extend([[sets("goal", "Kyoto")]])
    await desk.say("To Kyoto!")
    model.folds.extend([[sets("mood", "happy")], [sets("open", "hotel")]])
    await desk.say("The hotel is open, I am happy.")

    retry = model.fold_requests[-1].messages[-1].content
    assert '"mood"' in retry
    assert '{"goal":"Kyoto"}' in retry
    assert await desk.state() == {"goal": "Kyoto", "open": "hotel"}
    assert (await desk.ledger())[-1].attempts == 2


async def test_what_a_fold_calls_its_own_words_is_the_same_each_time_and_no_ones_else(
    desk: Desk, model: ScriptedModel
) -> None:
    model.folds.extend([[sets("mood", "a secret")], [sets("goal", "Kyoto")], []])
    await desk.say("My secret word is xylophone.")
    await desk.say("Hello.")
    first, retry, later = model.fold_requests
    own = [request.messages[: request.own_turns] for request in (first, retry, later)]
    assert own[0] == own[1] == own[2] == first.messages[:-1]
    said = "".join(message.content or "" for message in own[0])
    assert len(said) > 1000 and "xylophone" not in said and "Keep what this person" not in said
    assert all(chat.own_turns == 0 for chat in model.chats)


async def test_refused_patch_leaves_state_and_drops_pending(
    desk: Desk, model: ScriptedModel
) -> None:
    model.folds.append([sets("goal", "Kyoto")])
    await desk.say("To Kyoto!")
    model.folds.extend([[sets("mood", "happy")], [sets("mood", "happy")]])
    await desk.say("I am happy.")

    assert await desk.state() == {"goal": "Kyoto"}
    assert await desk.pending() == []
    row = (await desk.ledger())[-1]
    assert (row.outcome, row.attempts, row.patch) == ("refused", 2, {"mood": "happy"})
    assert '"mood"' in row.reason
    assert len(row.message_ids) == 2
    assert len(model.fold_requests) == 3


@pytest.mark.parametrize(
    "reply",
    ["", "I think nothing changed here.", "<think>goal is Kyoto", '{"goal": "a"} {"goal": "b"}'],
)
async def test_an_answer_without_one_object_is_a_refusal(
    desk: Desk, model: ScriptedModel, reply: str
) -> None:
    model.folds.extend([reply, reply])
    await desk.say("Hello!")
    (row,) = await desk.ledger()
    assert (row.outcome, row.attempts, row.consumed) == ("refused", 2, True)


async def test_reasoning_is_cut_from_what_is_stored(desk: Desk, model: ScriptedModel) -> None:
    model.folds.append('<think>secret</think>{"changes": [{"key": "goal", "value": "Kyoto"}]}')
    await desk.say("To Kyoto!")
    (row,) = await desk.ledger()
    assert await desk.state() == {"goal": "Kyoto"}
    assert "secret" not in row.reply


async def test_a_patch_over_the_limit_is_refused_and_a_shorter_one_is_taken(
    desk: Desk, model: ScriptedModel
) -> None:
    await desk.use({**STATE, "max_chars": 40})
    model.folds.extend([[sets("goal", "Kyoto " * 20)], [sets("goal", "Kyoto")]])
    await desk.say("Kyoto!")
    assert await desk.state() == {"goal": "Kyoto"}
    assert "40" in model.fold_requests[-1].messages[-1].content


async def test_what_the_messages_do_not_bear_out_is_left_out_and_shown_in_the_ledger(
    desk: Desk, model: ScriptedModel
) -> None:
    model.folds.append([sets("goal", "Kyoto"), sets("open", "buy a piano")])
    await desk.say("To Kyoto!")
    assert await desk.state() == {"goal": "Kyoto"}
    (row,) = await desk.ledger()
    assert [each["key"] for each in row.dropped] == ["open"]


@pytest.mark.parametrize(
    "cause", ["connection", "timeout", "server", "rate_limit", "authentication", "missing"]
)
async def test_a_model_that_cannot_be_reached_keeps_the_queue_for_the_next_run(
    desk: Desk, model: ScriptedModel, cause: Any
) -> None:
    model.folds.append(Unreachable("The server is down.", cause))
    await desk.say("I go to Kyoto.")
    assert await desk.pending() == ["I go to Kyoto.", "OK."]
    assert (await desk.ledger())[-1].outcome == "unreachable"

    model.folds.append([sets("goal", "Kyoto"), sets("open", "hotel")])
    await desk.say("I need a hotel.")
    assert await desk.state() == {"goal": "Kyoto", "open": "hotel"}
    assert len((await desk.ledger())[-1].message_ids) == 4
    assert len(model.fold_requests) == 2


async def test_an_answer_cut_off_in_the_middle_is_not_a_refusal(
    desk: Desk, model: ScriptedModel
) -> None:
    from chatty_desktop.domain.requests import Delta

    model.folds.append([Delta('{"changes": [')])
    await desk.say("I go to Kyoto.")
    assert (await desk.ledger())[-1].outcome == "unreachable"
    assert len(await desk.pending()) == 2


async def test_a_servers_own_refusal_is_shown_once_and_not_retried(
    desk: Desk, model: ScriptedModel
) -> None:
    model.folds.extend([Refused("400: too long"), Refused("400: too long")])
    await desk.say("Hello!")
    (row,) = await desk.ledger()
    assert (row.outcome, row.reason, row.attempts) == ("refused", "400: too long", 1)


async def test_a_server_that_cannot_constrain_is_asked_in_words_from_then_on(
    desk: Desk, model: ScriptedModel
) -> None:
    model.folds.extend([Refused("400: response_format"), '{"goal": "Kyoto"}', '{"open": "hotel"}'])
    await desk.say("To Kyoto!")
    await desk.say("And a hotel.")
    schemas = [request.json_schema is not None for request in model.fold_requests]
    assert schemas == [True, False, False]
    assert await desk.state() == {"goal": "Kyoto", "open": "hotel"}


async def test_without_any_model_to_fold_state_behaves_as_a_window(tmp_path: Path) -> None:
    model = ScriptedModel()
    models = ScriptedModels(model)
    desk = await Desk.open(tmp_path, models, STATE)

    async def nobody() -> None:
        return None

    models.first_available = nobody  # type: ignore[method-assign]
    for number in range(15):
        await desk.say(f"message {number}")
    assert model.fold_requests == []
    assert len(wire(model.chats[-1])) == 21
    assert wire(model.chats[-1])[0] == ("user", "message 4")
    assert await desk.ledger() == []
    assert any("no chat model" in line for line in await desk.log_lines())
    await desk.close()


async def test_a_long_queue_is_folded_in_order_in_chunks_that_fit_the_context(
    desk: Desk, model: ScriptedModel
) -> None:
    for number in range(12):
        model.folds.append(Unreachable("down"))
        await desk.say(f"{number}: " + "many words " * 250)
    model.context = 4096
    await desk.say("end")

    rows = [row for row in await desk.ledger() if row.outcome != "unreachable"]
    assert len(rows) > 2
    ids = [i for row in rows for i in row.message_ids]
    path = [message.id for message in await desk.messages.branch(desk.session.id)]
    assert ids == path
    longest = max(
        sum(len(m.content) for m in r.messages) for r in model.fold_requests[-len(rows) :]
    )
    assert longest / 4 < 4096
    assert await desk.pending() == []


async def test_a_chunk_that_reaches_no_model_leaves_the_rest_in_the_queue(
    desk: Desk, model: ScriptedModel
) -> None:
    for number in range(6):
        model.folds.append(Unreachable("down"))
        await desk.say(f"{number}: " + "many words " * 400)
    model.context = 4096
    model.folds.extend([[], Unreachable("down again")])
    await desk.say("end")
    taken = (await desk.ledger())[-2].message_ids
    assert 0 < len(taken) < 14
    assert len(await desk.pending()) == 14 - len(taken)


async def test_memory_is_as_it_was_after_the_app_was_closed_and_opened(tmp_path: Path) -> None:
    model = ScriptedModel()
    desk = await Desk.open(tmp_path, ScriptedModels(model), STATE)
    model.folds.extend([[sets("goal", "Kyoto")], Unreachable("down")])
    await desk.say("To Kyoto!")
    await desk.say("By train.")
    before = await desk.layer()
    await desk.close()

    desk = await Desk.open(tmp_path, ScriptedModels(model))
    assert await desk.layer() == before
    assert await desk.pending() == ["By train.", "OK."]
    await desk.close()


async def test_answering_again_leaves_what_was_learnt_from_the_old_reply_behind(
    desk: Desk, model: ScriptedModel
) -> None:
    model.folds.append([sets("goal", "Kyoto")])
    await desk.say("To Kyoto!")
    model.answers.append("Take the hotel Sakura.")
    model.folds.append([sets("open", "hotel Sakura")])
    await desk.say("Which one?")
    assert await desk.state() == {"goal": "Kyoto", "open": "hotel Sakura"}

    model.answers.append("Take the inn.")
    model.fold_gate.clear()
    await desk.chat.retry(desk.session.id)
    while len(model.fold_requests) < 3:
        await _turn()
    assert await desk.state() == {"goal": "Kyoto"}
    assert await desk.pending() == ["Which one?", "Take the inn."]
    model.folds.append([sets("open", "inn")])
    model.fold_gate.set()
    await desk.chat.wait(desk.session.id)
    assert await desk.state() == {"goal": "Kyoto", "open": "inn"}


async def test_going_back_to_a_branch_brings_its_memory_back(
    desk: Desk, model: ScriptedModel
) -> None:
    model.folds.append([sets("goal", "Kyoto")])
    first = await desk.say("To Kyoto!")
    model.folds.append([sets("goal", "Osaka")])
    second = await desk.say("No, Osaka!")
    await desk.messages.set_leaf(desk.session.id, first.id)
    assert await desk.state() == {"goal": "Kyoto"}
    model.folds.append([sets("open", "hotel")])
    await desk.say("A hotel?")
    assert await desk.state() == {"goal": "Kyoto", "open": "hotel"}
    await desk.messages.set_leaf(desk.session.id, second.id)
    assert await desk.state() == {"goal": "Osaka"}
    assert await desk.pending() == []


async def test_state_chosen_in_mid_session_starts_from_the_last_exchange(
    desk: Desk, model: ScriptedModel
) -> None:
    await desk.use({"kind": "full_transcript"})
    for text in ("one", "two", "three"):
        await desk.say(text)
    await desk.use(STATE)
    layer = await desk.layer()
    assert layer.starts_at is not None
    assert layer.starts_at.content == "three"

    await desk.say("four")
    (row,) = await desk.ledger()
    path = await desk.messages.branch(desk.session.id)
    assert list(row.message_ids) == [message.id for message in path[4:]]
    assert (await desk.layer()).starts_at == path[4]
    assert [text for _role, text in wire(model.chats[-1])] == ["three", "OK.", "four"]


async def test_the_next_turn_waits_for_the_fold_and_the_reply_does_not(
    desk: Desk, model: ScriptedModel
) -> None:
    model.fold_gate.clear()
    await desk.chat.send(desk.session.id, desk.agent.id, "To Kyoto!")
    while not model.fold_requests:
        await _turn()
    (reply,) = await desk.messages.page(desk.session.id, limit=1)
    assert (reply.content, reply.status.value) == ("OK.", "complete")

    await desk.chat.send(desk.session.id, desk.agent.id, "And then?")
    for _ in range(50):
        await _turn()
    assert len(model.chats) == 1
    model.folds.append([sets("goal", "Kyoto")])
    model.fold_gate.set()
    await desk.chat.wait(desk.session.id)
    assert '{"goal":"Kyoto"}' in system(model.chats[1])


async def test_stopping_a_fold_keeps_its_messages_in_the_queue(
    desk: Desk, model: ScriptedModel
) -> None:
    model.fold_gate.clear()
    await desk.chat.send(desk.session.id, desk.agent.id, "To Kyoto!")
    while not model.fold_requests:
        await _turn()
    desk.chat.stop(desk.session.id)
    await desk.chat.wait(desk.session.id)
    assert await desk.pending() == ["To Kyoto!", "OK."]
    assert await desk.ledger() == []


async def test_a_refused_batch_can_be_folded_again_without_touching_the_queue(
    desk: Desk, model: ScriptedModel
) -> None:
    model.folds.extend(["no", "no"])
    await desk.say("To Kyoto!")
    model.folds.append(Unreachable("down"))
    await desk.say("A hotel?")
    (refused, _) = await desk.ledger()

    model.folds.append([sets("goal", "Kyoto")])
    await desk.memories.fold_again(refused.id)
    await desk.chat.wait(desk.session.id)
    assert await desk.state() == {"goal": "Kyoto"}
    assert await desk.pending() == ["A hotel?", "OK."]
    row = (await desk.ledger())[-1]
    assert (row.outcome, row.message_ids) == ("accepted", refused.message_ids)


async def test_messages_of_another_branch_cannot_be_folded_again(
    desk: Desk, model: ScriptedModel
) -> None:
    model.folds.extend(["no", "no"])
    await desk.say("To Kyoto!")
    (refused,) = await desk.ledger()
    await desk.messages.set_leaf(desk.session.id, None)
    with pytest.raises(Invalid, match="current branch"):
        await desk.memories.fold_again(refused.id)
    with pytest.raises(Invalid, match="no longer there"):
        await desk.memories.fold_again("gone")


async def test_keys_that_left_the_fields_stay_stored_are_badged_and_not_shown(
    desk: Desk, model: ScriptedModel
) -> None:
    model.folds.append([sets("goal", "Kyoto"), sets("open", "hotel")])
    await desk.say("Kyoto, hotel")
    await desk.use({**STATE, "fields": [{"name": "goal"}]})
    assert "open" in (await desk.layer()).badge
    assert await desk.state() == {"goal": "Kyoto", "open": "hotel"}
    await desk.say("Go on.")
    assert "hotel" not in system(model.chats[-1])
    assert "hotel" not in model.fold_requests[-1].messages[-1].content


async def test_a_state_over_a_lowered_limit_loads_with_a_badge(
    desk: Desk, model: ScriptedModel
) -> None:
    model.folds.append([sets("goal", "Kyoto in the spring of next year")])
    await desk.say("Kyoto in the spring of next year")
    await desk.use({**STATE, "max_chars": 20})
    layer = await desk.layer()
    assert "more than the 20 allowed" in layer.badge
    assert (await desk.say("Go on.")).content == "OK."


async def test_each_key_tells_when_and_after_which_message_it_last_changed(
    desk: Desk, model: ScriptedModel
) -> None:
    model.folds.extend([[sets("goal", "Kyoto")], [sets("open", "hotel")], [sets("goal", "Osaka")]])
    replies = [await desk.say(text) for text in ("Kyoto", "hotel", "Osaka")]
    changes = (await desk.layer()).changes
    assert {key: change.message_id for key, change in changes.items()} == {
        "goal": replies[2].id,
        "open": replies[1].id,
    }


async def test_forgetting_everything_is_a_change_too(desk: Desk, model: ScriptedModel) -> None:
    model.folds.extend([[sets("goal", "Kyoto")], [{"key": "goal", "forget": True}]])
    await desk.say("Kyoto")
    await desk.say("Forget the goal.")
    assert await desk.state() == {}
    assert [row.outcome for row in await desk.ledger()] == ["accepted", "accepted"]


async def test_the_prompt_does_not_grow_with_the_chat(desk: Desk, model: ScriptedModel) -> None:
    sizes = []
    for number in range(40):
        model.folds.append([sets("open", f"point {number:04}")])
        await desk.say(f"point {number:04}")
        request = await desk.memories.last_request(desk.scope)
        assert request is not None
        sizes.append(request.estimated_tokens)
    assert sizes[39] == sizes[5]


async def test_more_chats_at_once_than_are_kept_in_memory_are_folded_all_the_same(
    desk: Desk, model: ScriptedModel
) -> None:
    sessions = [await desk.sessions.create(f"Chat {number}") for number in range(8)]
    model.gate.clear()
    for session in sessions:
        await desk.chat.send(session.id, desk.agent.id, f"Hello from {session.title}")
    model.gate.set()
    for session in sessions:
        await desk.chat.wait(session.id)
    for session in sessions:
        (row,) = await desk.memory.ledger(Scope(desk.agent.id, session.id))
        branch = await desk.messages.branch(session.id)
        assert list(row.message_ids) == [message.id for message in branch]


async def test_agents_of_one_session_have_memories_of_their_own(
    desk: Desk, model: ScriptedModel
) -> None:
    from tests.helpers.desk import definition

    model.folds.append([sets("goal", "Kyoto")])
    await desk.say("Kyoto")
    other = await desk.agents.save(definition(STATE).model_copy(update={"name": "Bob"}))
    await desk.chat.send(desk.session.id, other.id, "Hello Bob")
    await desk.chat.wait(desk.session.id)
    assert wire(model.chats[-1]) == [("user", "Hello Bob")]
    assert await desk.state() == {"goal": "Kyoto"}
    assert "Kyoto" not in json.dumps([m.content for m in model.fold_requests[-1].messages[-1:]])


async def _turn() -> None:
    """Let everything that is ready take a step, the database's thread included."""
    import asyncio

    await asyncio.sleep(0.005)
