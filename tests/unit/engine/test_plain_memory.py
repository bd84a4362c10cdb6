"""None, window and full transcript through the chat service."""

from __future__ import annotations

from tests.helpers.desk import Desk, wire
from tests.helpers.scripted import ScriptedModel


async def test_no_memory_shows_the_model_only_the_new_message(
    desk: Desk, model: ScriptedModel
) -> None:
    await desk.use(None)
    await desk.say("one")
    await desk.say("two")
    assert wire(model.chats[-1]) == [("user", "two")]
    assert model.fold_requests == []


async def test_a_window_shows_the_last_messages_before_the_new_one(
    desk: Desk, model: ScriptedModel
) -> None:
    await desk.use({"kind": "window", "max_messages": 3})
    for text in ("one", "two", "three"):
        await desk.say(text)
    assert wire(model.chats[-1]) == [
        ("assistant", "OK."),
        ("user", "two"),
        ("assistant", "OK."),
        ("user", "three"),
    ]
    layer = await desk.layer()
    path = await desk.messages.branch(desk.session.id)
    assert layer.verbatim_from == path[-3].id


async def test_a_full_transcript_shows_every_message_of_the_current_branch(
    desk: Desk, model: ScriptedModel
) -> None:
    await desk.use({"kind": "full_transcript"})
    first = await desk.say("one")
    await desk.say("left behind")
    await desk.messages.set_leaf(desk.session.id, first.id)
    await desk.say("two")
    assert [text for _role, text in wire(model.chats[-1])] == ["one", "OK.", "two"]


async def test_changing_the_strategy_deletes_nothing(desk: Desk, model: ScriptedModel) -> None:
    model.folds.append([{"key": "goal", "value": "Kyoto"}])
    await desk.say("Kyoto")
    from tests.helpers.desk import STATE

    await desk.use({"kind": "window"})
    await desk.say("two")
    await desk.use(STATE)
    assert await desk.state() == {"goal": "Kyoto"}
    assert len(await desk.messages.branch(desk.session.id)) == 4
