"""What is done to messages is done to their memory: edits, other answers, versions, deletions."""

from __future__ import annotations

import random
import tempfile
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from chatty_desktop.domain.errors import Invalid, Unreachable
from chatty_desktop.domain.events import BranchChanged
from chatty_desktop.domain.messages import Message, Role, Status
from tests.helpers.bag_of_words import BagOfWords
from tests.helpers.desk import STATE, Desk
from tests.helpers.diligent import Diligent, OneModel, order
from tests.helpers.scripted import ScriptedModel, ScriptedModels
from tests.helpers.waiting import until

KEYS = ("goal", "open", "working_on", *(f"key{number}" for number in range(9)))

ACTS = ("say", "say", "say", "edit", "again", "switch", "branch", "delete", "delete", "cut")

EVERYTHING = {
    "kind": "composite",
    "layers": [
        {**STATE, "fields": [{"name": key, "description": ""} for key in KEYS]},
        {"kind": "semantic"},
        {"kind": "summarized", "every": 4},
        {"kind": "episodic", "ranking": "hybrid"},
    ],
}


@pytest.fixture
def diligent() -> Diligent:
    return Diligent()


@pytest.fixture
async def all_layers(tmp_path: Path, diligent: Diligent) -> AsyncIterator[Desk]:
    """Ada, who remembers in every way."""
    desk = await Desk.open(tmp_path, OneModel(diligent), EVERYTHING)
    desk.embedders.embedder = BagOfWords()
    yield desk
    await desk.close()


async def texts(desk: Desk) -> list[str]:
    return [message.content for message in await desk.messages.branch(desk.session.id)]


async def said(desk: Desk) -> list[Message]:
    """The person's messages on the branch."""
    branch = await desk.messages.branch(desk.session.id)
    return [message for message in branch if message.role == "user"]


async def remembered(desk: Desk) -> dict[str, object]:
    """What every layer holds, less what differs with when it was taken in."""
    layers = (await desk.memories.inspect(desk.scope)).layers
    branch = await desk.messages.branch(desk.session.id)
    place = {message.id: number for number, message in enumerate(branch)}
    state, semantic, summarized, _episodic = layers
    summary = [summarized.summary] if summarized.summary else []
    waiting = [m.content for m in summarized.pending or () if m.role == "user"]
    embedder = desk.embedders.embedder
    assert embedder is not None
    found = await desk.memories.search_episodes(desk.scope, "set", limit=1_000)
    return {
        "state": state.state,
        "unfolded": [place[m.id] for m in state.pending or ()],
        "facts": sorted((fact.subject, fact.fact) for fact in semantic.facts or ()),
        # Its cut differs, but summary and verbatim part are all that was said, in order.
        "said": " ".join(summary + waiting),
        "episodes": sorted(
            place[each.episode.message_id] for each in found.shown if each.on_branch
        ),
    }


# --- one by one ------------------------------------------------------------------------------


async def test_an_edited_message_begins_a_branch_and_memory_follows_it(all_layers: Desk) -> None:
    desk = all_layers
    await desk.say(order("goal", "kyoto"))
    await desk.say(order("open", "hotel"))
    first = (await said(desk))[0]
    await desk.chat.edit(first.id, order("goal", "nara"))
    await desk.chat.wait(desk.session.id)
    assert await texts(desk) == [order("goal", "nara"), "It is noted."]
    assert (await remembered(desk))["state"] == {"goal": "nara"}
    assert BranchChanged(desk.session.id) in desk.events
    await desk.chat.switch_to(first.id)
    assert len(await texts(desk)) == 4
    assert (await remembered(desk))["state"] == {"goal": "kyoto", "open": "hotel"}


async def test_only_the_persons_own_messages_can_be_edited(all_layers: Desk) -> None:
    reply = await all_layers.say("Hello")
    with pytest.raises(Invalid, match="your own"):
        await all_layers.chat.edit(reply.id, "I did not say that.")
    with pytest.raises(Invalid, match="is empty"):
        await all_layers.chat.edit((await said(all_layers))[0].id, "  ")
    assert await texts(all_layers) == ["Hello", "It is noted."]


async def test_another_answer_stands_beside_the_first_and_can_be_by_another_model(
    desk: Desk, model: ScriptedModel, models: ScriptedModels
) -> None:
    large = ScriptedModel("test/large")
    models.models[large.reference] = large
    model.answers.append("Yes.")
    large.answers.append("No.")
    first = await desk.say("Is it far?")
    await desk.say("And then?")
    await desk.chat.answer_again(first.id, "test/large")
    await desk.chat.wait(desk.session.id)
    branch = await desk.messages.branch(desk.session.id)
    assert [m.content for m in branch] == ["Is it far?", "No."]
    assert branch[-1].model == "test/large"
    versions = await desk.messages.versions([m.id for m in branch])
    assert versions == {branch[-1].id: (first.id, branch[-1].id)}
    await desk.chat.switch_to(first.id)
    assert await texts(desk) == ["Is it far?", "Yes.", "And then?", "OK."]


async def test_a_stopped_reply_is_gone_on_with_as_a_version_of_its_own(
    all_layers: Desk, diligent: Diligent
) -> None:
    desk = all_layers
    diligent.gate.clear()
    await desk.chat.send(desk.session.id, desk.agent.id, order("goal", "kyoto"))
    await until(lambda: (desk.chat.partial(desk.session.id) or ("", ""))[1])
    desk.chat.stop(desk.session.id)
    await desk.chat.wait(desk.session.id)
    stopped = (await desk.messages.branch(desk.session.id))[-1]
    assert (stopped.content, stopped.status) == ("It is ", Status.STOPPED)
    diligent.gate.set()
    await desk.chat.go_on(stopped.id)
    await desk.chat.wait(desk.session.id)
    whole = (await desk.messages.branch(desk.session.id))[-1]
    assert (whole.content, whole.status) == ("It is noted.", Status.COMPLETE)
    assert whole.parent_id == stopped.parent_id
    request = await desk.memories.last_request(desk.scope)
    assert request is not None
    assert (request.sections[-1].origin, request.sections[-1].content) == ("begun", "It is ")
    with pytest.raises(Invalid, match="stopped or cut off"):
        await desk.chat.go_on(whole.id)


async def test_a_reply_that_cannot_be_gone_on_with_says_why_and_loses_nothing(
    all_layers: Desk, diligent: Diligent
) -> None:
    desk = all_layers
    await desk.say("Hello")
    reply = (await desk.messages.branch(desk.session.id))[-1]
    cut = replace(reply, status=Status.CUT, content="It is ")
    await desk.messages.update(cut)
    diligent.failure = Unreachable("The server is down.")
    await desk.chat.go_on(cut.id)
    await desk.chat.wait(desk.session.id)
    failed = (await desk.messages.branch(desk.session.id))[-1]
    assert (failed.status, failed.error) == (Status.FAILED, "The server is down.")
    assert failed.content == ""
    await desk.chat.switch_to(cut.id)
    assert (await texts(desk))[-1] == "It is "


async def test_the_next_message_follows_the_one_that_was_branched_from(all_layers: Desk) -> None:
    desk = all_layers
    reply = await desk.say(order("goal", "kyoto"))
    await desk.say(order("goal", "nara"))
    await desk.chat.branch_from(reply.id)
    assert (await remembered(desk))["state"] == {"goal": "kyoto"}
    await desk.say(order("open", "hotel"))
    assert (await remembered(desk))["state"] == {"goal": "kyoto", "open": "hotel"}


async def test_nothing_is_done_to_messages_while_a_chat_answers(
    all_layers: Desk, diligent: Diligent
) -> None:
    desk = all_layers
    reply = await desk.say("Hello")
    diligent.gate.clear()
    await desk.chat.send(desk.session.id, desk.agent.id, "And?")
    for act in (
        desk.chat.answer_again(reply.id),
        desk.chat.switch_to(reply.id),
        desk.chat.branch_from(reply.id),
        desk.chat.delete_message(reply.id),
    ):
        with pytest.raises(Invalid, match="still answering"):
            await act
    diligent.gate.set()
    await desk.chat.wait(desk.session.id)
    assert len(await texts(desk)) == 4


# --- deletion --------------------------------------------------------------------------------


async def test_a_deleted_message_takes_its_answers_and_its_memory_along(all_layers: Desk) -> None:
    desk = all_layers
    for key, value in (("goal", "kyoto"), ("open", "hotel"), ("working_on", "flight")):
        await desk.say(order(key, value))
    middle = (await said(desk))[1]
    counts = await desk.chat.delete_message(middle.id)
    await desk.chat.wait(desk.session.id)
    assert (counts.messages, counts.episodes) == (2, 2)
    assert counts.revisions == 2
    assert counts.facts == 2
    assert await texts(desk) == [
        order("goal", "kyoto"), "It is noted.", order("working_on", "flight"), "It is noted.",
    ]  # fmt: skip
    memory = await remembered(desk)
    assert memory["state"] == {"goal": "kyoto", "working_on": "flight"}
    assert memory["unfolded"] == []
    assert memory["facts"] == [
        ("goal", order("goal", "kyoto")),
        ("working_on", order("working_on", "flight")),
    ]


async def test_what_follows_goes_too_when_it_is_meant(all_layers: Desk) -> None:
    desk = all_layers
    for value in ("one", "two", "three"):
        await desk.say(order("goal", value))
    second = (await said(desk))[1]
    counts = await desk.chat.delete_message(second.id, following=True)
    await desk.chat.wait(desk.session.id)
    assert counts.messages == 4
    assert (await remembered(desk))["state"] == {"goal": "one"}
    await desk.say(order("open", "hotel"))
    assert (await remembered(desk))["state"] == {"goal": "one", "open": "hotel"}


async def test_deleting_one_version_of_a_reply_shows_the_other(all_layers: Desk) -> None:
    desk = all_layers
    first = await desk.say(order("goal", "kyoto"))
    await desk.chat.answer_again(first.id)
    await desk.chat.wait(desk.session.id)
    second = (await desk.messages.branch(desk.session.id))[-1]
    await desk.chat.delete_message(second.id)
    await desk.chat.wait(desk.session.id)
    assert (await desk.messages.branch(desk.session.id))[-1].id == first.id
    assert await desk.messages.versions([first.id]) == {}
    assert (await remembered(desk))["state"] == {"goal": "kyoto"}


async def test_the_first_message_can_be_deleted(all_layers: Desk) -> None:
    desk = all_layers
    await desk.say(order("goal", "kyoto"))
    await desk.say(order("open", "hotel"))
    await desk.chat.delete_message((await said(desk))[0].id)
    await desk.chat.wait(desk.session.id)
    assert await texts(desk) == [order("open", "hotel"), "It is noted."]
    assert (await remembered(desk))["state"] == {"open": "hotel"}


async def test_the_only_message_can_be_deleted_and_the_chat_goes_on(all_layers: Desk) -> None:
    desk = all_layers
    await desk.say(order("goal", "kyoto"))
    await desk.chat.delete_message((await said(desk))[0].id)
    assert await texts(desk) == []
    await desk.say(order("open", "hotel"))
    assert (await remembered(desk))["state"] == {"open": "hotel"}


async def test_no_store_holds_a_deleted_message_or_what_was_made_of_it(
    all_layers: Desk, tmp_path: Path
) -> None:
    desk = all_layers
    await desk.say(order("goal", "kyoto"))
    await desk.say(order("open", "secretplace"))
    await desk.say("What is open?")
    await desk.chat.delete_message((await said(desk))[1].id)
    await desk.chat.wait(desk.session.id)

    def dump(connection: object) -> str:
        from chatty_desktop.storage import tables

        rows = [
            str(tuple(row))
            for table in tables.metadata.sorted_tables
            for row in connection.execute(table.select())  # type: ignore[attr-defined]
        ]
        return "\n".join(rows)

    everything = await desk.database.read(dump)
    assert "kyoto" in everything
    assert "secretplace" not in everything


# --- chats that were imported ----------------------------------------------------------------


async def test_memory_takes_in_a_chat_that_was_imported_from_its_beginning(
    all_layers: Desk,
) -> None:
    desk = all_layers
    parent: str | None = None
    for number in range(6):
        role: Role = "user" if number % 2 == 0 else "assistant"
        content = order(KEYS[number], f"v{number}") if role == "user" else "Noted."
        message = Message(
            f"{number:032x}", desk.session.id, parent, desk.agent.id, "", role, content, number
        )
        await desk.messages.append(message)
        parent = message.id
    await desk.memories.take_in(desk.scope)
    assert desk.chat.phase(desk.session.id) is not None
    await desk.chat.wait(desk.session.id)
    memory = await remembered(desk)
    assert memory["state"] == {"goal": "v0", "working_on": "v2", "key1": "v4"}
    assert memory["unfolded"] == []
    assert len(memory["facts"]) == 3  # type: ignore[arg-type]
    assert len(memory["episodes"]) == 3  # type: ignore[arg-type]
    await desk.say(order("open", "hotel"))
    assert (await remembered(desk))["state"] == {**memory["state"], "open": "hotel"}


# --- an hour of use --------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
async def test_after_any_acts_memory_is_that_of_the_same_branch_typed_straight_through(
    all_layers: Desk, diligent: Diligent, seed: int
) -> None:
    desk, chance = all_layers, random.Random(seed)
    await desk.say(order("goal", "v0"))
    for number in range(1, 18):
        branch = list(await desk.messages.branch(desk.session.id))
        mine = [message for message in branch if message.role == "user"]
        text = order(chance.choice(KEYS), f"v{number}")
        act = chance.choice(ACTS)
        if act == "edit" and mine:
            await desk.chat.edit(chance.choice(mine).id, text)
        elif act == "again" and branch:
            await desk.chat.answer_again(chance.choice(branch).id)
        elif act == "switch":
            versions = await desk.messages.versions([message.id for message in branch])
            for others in list(versions.values())[-1:]:
                await desk.chat.switch_to(chance.choice(others))
        elif act == "branch" and branch:
            await desk.chat.branch_from(chance.choice(branch).id)
        elif act == "delete" and branch:
            await desk.chat.delete_message(chance.choice(branch).id)
        elif act == "cut" and len(mine) > 2:
            await desk.chat.delete_message(mine[-1].id, following=True)
        else:
            await desk.chat.send(desk.session.id, desk.agent.id, text)
        await desk.chat.wait(desk.session.id)
    # What is queued by a deleted reply is taken in with the next run at the latest.
    await desk.say(order("open", "end"))
    with tempfile.TemporaryDirectory() as folder:
        straight = await Desk.open(Path(folder), OneModel(Diligent()), EVERYTHING)
        straight.embedders.embedder = BagOfWords()
        for message in await said(desk):
            await straight.say(message.content)
        found, wanted = await remembered(desk), await remembered(straight)
        await straight.close()
    assert len(found["episodes"]) == len(await said(desk))  # type: ignore[arg-type]
    for kind in ("state", "unfolded", "facts", "said"):
        assert found[kind] == wanted[kind], kind
