"""A chat replayed under other kinds of memory shows what would have been sent, and touches
nothing."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.messages import Scope
from chatty_desktop.domain.replaying import Marks, Replayed, ReplaySetup, shown
from chatty_desktop.domain.strategies import parse_strategy
from chatty_desktop.engine.models import ModelChooser
from chatty_desktop.engine.replay import Replay
from chatty_desktop.storage.throwaway import throwaway_stores
from tests.helpers.bag_of_words import BagOfWords
from tests.helpers.desk import STATE, Desk
from tests.helpers.diligent import Diligent, OneModel, order

TURNS = 8


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    """Ada with a window memory, who was told eight things."""
    made = await Desk.open(tmp_path, OneModel(Diligent()), {"kind": "window", "max_messages": 4})
    made.embedders.embedder = BagOfWords()
    await made.say(order("goal", "Kyoto"))
    for number in range(1, TURNS):
        await made.say(order("open", f"hotel{number}"))
    yield made
    await made.close()


def replay_of(desk: Desk) -> Replay:
    prompts = desk.memories._prompts
    return Replay(
        messages=desk.messages,
        models=ModelChooser(OneModel(Diligent()), lambda: desk.settings),
        embedders=desk.embedders,
        prompts=prompts,
        stores=throwaway_stores,
    )


async def replayed(desk: Desk, value: dict[str, Any], model: str | None = None) -> Replayed:
    replay = replay_of(desk)
    chat = await replay.chat(desk.agent, desk.scope)
    setup = ReplaySetup(value["kind"], parse_strategy(value))
    found = Replayed(setup)
    async for turn in replay.run(chat, setup, model):
        found.turns.append(turn)
    return found


@pytest.mark.parametrize(
    "value",
    [
        {"kind": "none"},
        {"kind": "window", "max_messages": 4},
        {"kind": "full_transcript"},
        {"kind": "episodic", "threshold": 0.0},
    ],
    ids=lambda value: str(value["kind"]),
)
async def test_what_would_have_been_sent_is_what_was_sent_where_that_was_the_memory(
    tmp_path: Path, value: dict[str, Any]
) -> None:
    desk = await Desk.open(tmp_path, OneModel(Diligent()), value)
    desk.embedders.embedder = BagOfWords()
    try:
        sent = []
        for number in range(5):
            await desk.say(order("open", f"hotel{number}"))
            request = await desk.memories.last_request(desk.scope)
            assert request is not None
            sent.append(request)
        found = await replayed(desk, value)
        chat = await replay_of(desk).chat(desk.agent, desk.scope)
        assert found.calls() == 0
        assert [turn.tokens for turn in found.turns] == [r.estimated_tokens for r in sent]
        for turn, request in zip(found.turns, sent, strict=True):
            assert [(s.origin, s.content) for s in shown(turn, chat.messages)] == [
                (s.origin, s.content) for s in request.sections
            ]
    finally:
        await desk.close()


async def test_curves_differ_as_the_kinds_of_memory_do(desk: Desk) -> None:
    none, whole = [await replayed(desk, {"kind": k}) for k in ("none", "full_transcript")]
    window = await replayed(desk, {"kind": "window", "max_messages": 2})
    assert len({turn.tokens for turn in none.turns[1:]}) == 1
    assert [t.tokens for t in whole.turns] == sorted({t.tokens for t in whole.turns})
    assert window.turns[-1].tokens < whole.turns[-1].tokens
    assert window.turns[-1].tokens == window.turns[-2].tokens


async def test_which_marked_facts_are_in_the_request_is_told_turn_by_turn(desk: Desk) -> None:
    chat = await replay_of(desk).chat(desk.agent, desk.scope)
    marks = Marks(["KYOTO", "  hotel1. ", "never said"], chat.messages)
    assert marks.first_said(0) == 0
    assert marks.first_said(2) is None
    window = await replayed(desk, {"kind": "window", "max_messages": 4})
    assert [0 in marks.sent(turn) for turn in window.turns[:4]] == [True, True, True, False]
    state = await replayed(desk, STATE, "test/small")
    assert all(0 in marks.sent(turn) for turn in state.turns)
    assert all(2 not in marks.sent(turn) for turn in state.turns)


async def test_memory_that_asks_a_model_is_counted_and_needs_one_named(desk: Desk) -> None:
    with pytest.raises(Invalid, match="choose one"):
        await replayed(desk, STATE)
    found = await replayed(desk, STATE, "test/small")
    assert found.calls() == TURNS
    assert all(turn.call_tokens == 18 for turn in found.turns)


async def test_a_replay_leaves_the_persons_data_and_no_folder_behind(desk: Desk) -> None:
    before = await everything(desk)
    folders = left_over()
    events = len(desk.events)
    await replayed(desk, STATE, "test/small")
    await replayed(desk, {"kind": "episodic"})
    assert await everything(desk) == before
    assert len(desk.events) == events
    assert left_over() == folders


async def test_a_replay_that_is_left_early_stops_and_clears_up(desk: Desk) -> None:
    replay = replay_of(desk)
    chat = await replay.chat(desk.agent, desk.scope)
    folders = left_over()
    setup = ReplaySetup("whole", parse_strategy({"kind": "full_transcript"}))
    turns = replay.run(chat, setup)
    assert (await anext(turns)).place == 0
    await turns.aclose()
    assert left_over() == folders


async def test_a_chat_of_nothing_cannot_be_replayed(desk: Desk) -> None:
    with pytest.raises(Invalid, match="nothing to replay"):
        await replay_of(desk).chat(desk.agent, Scope(desk.agent.id, "elsewhere"))


def left_over() -> set[Path]:
    """Folders of replays."""
    return set(Path(tempfile.gettempdir()).glob("chatty-replay-*"))


async def everything(desk: Desk) -> list[object]:
    from chatty_desktop.storage import tables

    return await desk.database.read(
        lambda connection: [
            list(map(tuple, connection.execute(table.select())))
            for table in tables.metadata.sorted_tables
        ]
    )
