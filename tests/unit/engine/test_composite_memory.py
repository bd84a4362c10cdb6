"""Composite memory through the chat service, over real stores."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatty_desktop.domain.branch import Branch
from chatty_desktop.domain.errors import Invalid, Unreachable
from chatty_desktop.domain.messages import Message
from chatty_desktop.domain.runs import Section
from chatty_desktop.domain.strategies import layer_keys
from chatty_desktop.engine.memory.composite import once
from tests.helpers.bag_of_words import BagOfWords
from tests.helpers.desk import STATE, Desk, system, wire
from tests.helpers.scripted import ScriptedModel

WINDOW: dict[str, Any] = {"kind": "window", "max_messages": 4}
SEMANTIC: dict[str, Any] = {"kind": "semantic"}
SUMMARIZED: dict[str, Any] = {"kind": "summarized", "every": 4}
FACTS = json.dumps({"facts": [{"subject": "Leo", "fact": "Leo is seven."}]})
GOAL = [{"key": "goal", "value": "Kyoto"}]


def layers(*strategies: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "composite", "layers": list(strategies)}


async def test_the_sections_of_each_layer_come_in_order(desk: Desk, model: ScriptedModel) -> None:
    await desk.use(layers(STATE, SEMANTIC, WINDOW))
    model.folds.extend([GOAL, FACTS])
    await desk.say("To Kyoto! Leo is seven.")
    await desk.say("Hello again!")
    request = await desk.memories.last_request(desk.scope)
    assert request is not None
    assert [s.origin for s in request.sections] == [
        "system",
        "spec",
        "state",
        "last_exchange",
        "last_exchange",
        "facts",
        "new",
    ]
    assert '{"goal":"Kyoto"}' in system(model.chats[-1])
    assert "Leo is seven." in system(model.chats[-1])


async def test_a_message_that_one_layer_shows_no_other_shows_again(
    desk: Desk, model: ScriptedModel
) -> None:
    await desk.use(layers(STATE, WINDOW, {"kind": "full_transcript"}))
    for text in ("one", "two", "three", "four"):
        await desk.say(text)
    assert [text for _role, text in wire(model.chats[-1])] == [
        "one",
        "OK.",
        "two",
        "OK.",
        "three",
        "OK.",
        "four",
    ]


async def test_layers_are_written_in_order_with_the_calls_each_has_alone(
    desk: Desk, model: ScriptedModel
) -> None:
    await desk.use(layers(SEMANTIC, SUMMARIZED, STATE))
    model.folds.extend([FACTS, GOAL, json.dumps({"facts": []}), "A summary.", []])
    await desk.say("To Kyoto! Leo is seven.")
    await desk.say("Hello!")
    kinds = [(row.kind, row.layer, row.outcome) for row in await desk.ledger()]
    assert kinds == [
        ("extraction", "semantic", "accepted"),
        ("fold", "state", "accepted"),
        ("extraction", "semantic", "nothing"),
        ("summary", "summarized", "accepted"),
        ("fold", "state", "nothing"),
    ]
    snapshot = await desk.memories.inspect(desk.scope)
    assert [layer.kind for layer in snapshot.layers] == ["semantic", "summarized", "state"]
    assert snapshot.layers[1].summary == "A summary."
    assert snapshot.layers[2].state == {"goal": "Kyoto"}


async def test_the_failure_of_one_layer_leaves_the_others_working(
    desk: Desk, model: ScriptedModel
) -> None:
    unknown = {**SEMANTIC, "model": "nowhere/small"}
    await desk.use(layers(unknown, STATE, WINDOW))
    model.folds.append(GOAL)
    await desk.say("To Kyoto!")
    await desk.say("Hello!")
    snapshot = await desk.memories.inspect(desk.scope)
    assert snapshot.layers[1].state == {"goal": "Kyoto"}
    assert len(snapshot.layers[0].pending or ()) == 4
    lines = [line for line in await desk.log_lines() if "Semantic layer" in line]
    assert len(lines) == 2
    assert "nowhere/small" in lines[0]


async def test_an_unreachable_model_keeps_the_queue_of_its_layer_alone(
    desk: Desk, model: ScriptedModel
) -> None:
    await desk.use(layers(SEMANTIC, STATE))
    model.folds.extend([Unreachable("down"), GOAL])
    await desk.say("To Kyoto! Leo is seven.")
    snapshot = await desk.memories.inspect(desk.scope)
    assert [len(layer.pending or ()) for layer in snapshot.layers] == [2, 0]


async def test_memory_stays_with_its_layer_when_others_come_go_or_change_places(
    desk: Desk, model: ScriptedModel
) -> None:
    model.folds.append(GOAL)
    await desk.use(STATE)
    await desk.say("To Kyoto!")
    for strategy in (
        layers(STATE, WINDOW),
        layers(WINDOW, SEMANTIC, STATE),
        layers(STATE, {**STATE, "spec": "Another."}),
    ):
        await desk.use(strategy)
        snapshot = await desk.memories.inspect(desk.scope)
        states = [layer.state for layer in snapshot.layers if layer.kind == "state"]
        assert states[0] == {"goal": "Kyoto"}
    await desk.say("Hello!")
    snapshot = await desk.memories.inspect(desk.scope)
    assert [layer.state for layer in snapshot.layers] == [{"goal": "Kyoto"}, {}]
    assert {row.layer for row in await desk.ledger()} == {"state", "state:2"}


async def test_two_layers_of_a_kind_take_the_chat_in_each_for_itself(
    desk: Desk, model: ScriptedModel
) -> None:
    await desk.use(layers(STATE, {**STATE, "spec": "Another."}))
    model.folds.extend([GOAL, [{"key": "open", "value": "hotel"}]])
    await desk.say("To Kyoto, to a hotel!")
    snapshot = await desk.memories.inspect(desk.scope)
    assert [layer.state for layer in snapshot.layers] == [{"goal": "Kyoto"}, {"open": "hotel"}]


async def test_a_refused_row_is_folded_again_by_the_layer_it_is_of(
    desk: Desk, model: ScriptedModel
) -> None:
    await desk.use(layers(STATE, SEMANTIC))
    model.folds.extend([[], "prose", "prose", FACTS])
    await desk.say("Leo is seven.")
    row = (await desk.ledger())[-1]
    assert (row.layer, row.outcome) == ("semantic", "refused")
    await desk.memories.fold_again(row.id)
    await desk.chat.wait(desk.session.id)
    snapshot = await desk.memories.inspect(desk.scope)
    assert [fact.fact for fact in snapshot.layers[1].facts or ()] == ["Leo is seven."]

    await desk.use(layers(STATE, WINDOW))
    with pytest.raises(Invalid, match="no longer has the layer"):
        await desk.memories.fold_again(row.id)


async def test_the_chat_goes_on_with_no_layer_at_all(desk: Desk, model: ScriptedModel) -> None:
    await desk.use(layers())
    await desk.say("one")
    await desk.say("two")
    assert wire(model.chats[-1]) == [("user", "two")]
    assert (await desk.memories.inspect(desk.scope)).layers == ()


def test_layers_of_a_kind_are_told_apart_by_their_number() -> None:
    kinds = ["state", "window", "state", "state"]
    assert layer_keys(kinds) == ["state", "window", "state:2", "state:3"]


RANGES = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=5)


@given(ranges=RANGES, others=st.sets(st.integers(0, 9)))
def test_what_layers_show_together_is_shown_once_in_time_order_and_gapless(
    ranges: list[tuple[int, int]], others: set[int]
) -> None:
    messages = [
        Message(
            id=f"m{n}",
            session_id="s",
            parent_id=f"m{n - 1}" if n else None,
            agent_id="bo" if n in others else "ada",
            run_id="r",
            role="user",
            content=f"{n}",
            at=0.0,
        )
        for n in range(10)
    ]
    branch = Branch(messages)
    sections = [
        Section("window", messages=tuple(branch.of_agent("ada", min(pair), max(pair) + 1)))
        for pair in ranges
    ]
    sections = [section for section in sections if section.messages]
    shown = once([Section("facts", text="facts"), *sections], branch, "ada")

    assert shown[0].text == "facts"
    ids = [message.id for section in shown for message in section.messages]
    wanted = {message.id for section in sections for message in section.messages}
    assert ids == sorted(wanted)
    for section in shown[1:]:
        places = [branch.place(message.id) or 0 for message in section.messages]
        whole = branch.of_agent("ada", places[0], places[-1] + 1)
        assert list(section.messages) == whole


async def test_what_a_window_shows_is_not_recalled_and_the_next_best_takes_its_place(
    desk: Desk, model: ScriptedModel
) -> None:
    desk.embedders.embedder = BagOfWords(dimension=256)
    episodic = {"kind": "episodic", "top_k": 1, "threshold": 0.3}
    window = {"kind": "window", "max_messages": 2}
    await desk.use({"kind": "composite", "layers": [episodic, window]})
    await desk.say("my cat is called Mio")
    await desk.say("my cat Mio is called a lot")
    await desk.say("my cat is called Mio")
    await desk.say("what is my cat called")
    request = await desk.memories.last_request(desk.scope)
    assert request is not None
    origins = dict.fromkeys(section.origin for section in request.sections)
    assert list(origins) == ["system", "episodic", "window", "new"]
    assert "User: my cat is called Mio" in request.sections[1].content
    layer = (await desk.memories.inspect(desk.scope)).layers[0]
    assert layer.episodes is not None and layer.recalled is not None
    first = (await desk.messages.branch(desk.session.id))[0]
    assert [row["id"] for row in layer.recalled] == [first.id]
    assert "shown already" in [row["left_out"] for row in layer.episodes["left_out"]]


async def test_recall_in_trouble_leaves_the_other_layers_working(
    desk: Desk, model: ScriptedModel
) -> None:
    bag = desk.embedders.embedder = BagOfWords()
    bag.failure = Unreachable("The embedding server is down.")
    await desk.use({"kind": "composite", "layers": [{"kind": "episodic"}, {"kind": "window"}]})
    await desk.say("one")
    await desk.say("two")
    assert wire(model.chats[-1]) == [("user", "one"), ("assistant", "OK."), ("user", "two")]
    assert any("Episodic layer" in line and "is down" in line for line in await desk.log_lines())
