"""Measuring models over real HTTP, against a server that answers right, wrong, or not at all."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.measurement import Measurement, totals, verdict
from chatty_desktop.domain.measuring import read_script
from chatty_desktop.engine.measuring import Source
from tests.helpers.folder import Room, settings_for
from tests.helpers.servers import Answer, OpenAIServer

TURNS: list[tuple[str, dict[str, list[str] | None]]] = [
    ("I want to sell my house.", {"goal": ["house"]}),
    ("Still unresolved: who pays the agent.", {"open": ["agent"]}),
    ("What is a mortgage?", {}),
    ("My goal is to sell the boat now.", {"goal": ["boat"]}),
    ("The agent is paid, nothing is unresolved.", {"open": None}),
    ("Thank you!", {}),
]
SCRIPT = read_script(
    json.dumps(
        {
            "title": "A house",
            "fields": [
                {"name": "goal", "description": "what they are trying to achieve"},
                {"name": "open", "description": "what is still unresolved"},
            ],
            "turns": [{"user": user, "assistant": "Fine.", "want": w} for user, w in TURNS],
        }
    )
)
SOURCE = Source("A house", SCRIPT)
RIGHT: list[list[dict[str, Any]]] = [
    [{"key": "goal", "value": "sell my house"}],
    [{"key": "open", "value": "who pays the agent"}],
    [],
    [{"key": "goal", "value": "sell the boat"}],
    [{"key": "open", "forget": True}],
    [],
]


@pytest.fixture
async def server() -> AsyncIterator[OpenAIServer]:
    async with OpenAIServer(models=("small", "large"), context_length=8192) as server:
        yield server


@pytest.fixture
async def room(tmp_path: Path, server: OpenAIServer) -> AsyncIterator[Room]:
    settings_for(tmp_path, server.base_url)
    room = await Room.open(tmp_path)
    yield room
    await room.close()


async def measure(room: Room, source: Source = SOURCE) -> Measurement:
    (made,) = await room.app.measuring.run(room.agent, source, ["lab/small"])
    return made


async def test_right_answers_are_good_enough_to_rely_on(room: Room, server: OpenAIServer) -> None:
    server.script_folds(*RIGHT)
    made = await measure(room)
    assert (made.ended, made.problem, made.judged) == ("done", "", ("goal", "open"))
    sums = totals(made.folds)
    assert (sums.folds, sums.first_time, sums.good, sums.right, sums.wanted) == (6, 6, 6, 4, 4)
    assert sums.prompt_tokens > 0 and sums.completion_tokens > 0
    assert verdict(made) == "rely"
    assert made.folds[-1].after == {"goal": "sell the boat"}


async def test_wrong_answers_are_told_apart(room: Room, server: OpenAIServer) -> None:
    server.script_folds(
        RIGHT[0],
        RIGHT[1],
        [{"key": "goal", "value": "a mortgage"}],  # touched
        [],  # missed
        [{"key": "goal", "forget": True}],  # forgotten, and "open" missed
        [],
    )
    made = await measure(room)
    assert [each.judged and each.judged.touched for each in made.folds][2] == ("goal",)
    sums = totals(made.folds)
    assert (sums.right, sums.missed, sums.touched, sums.forgotten) == (2, 2, 1, 1)
    assert verdict(made) == "larger"


async def test_prose_is_asked_for_again_and_counts_as_refused_or_as_a_retry(
    room: Room, server: OpenAIServer
) -> None:
    server.script_folds("I would say: a house!", RIGHT[0], "No idea.", "Still no idea.")
    made = await measure(room)
    assert [each.attempts for each in made.folds[:2]] == [2, 2]
    assert [each.outcome for each in made.folds[:2]] == ["accepted", "refused"]
    assert [each.parsed for each in made.folds[:2]] == [True, False]
    assert made.folds[1].reply == "Still no idea."
    sums = totals(made.folds)
    assert (sums.after_retry, sums.refused) == (1, 1)


async def test_a_model_that_says_nothing_or_only_prose_is_not_for_state(
    room: Room, server: OpenAIServer
) -> None:
    server.default_fold = ""
    made = await measure(room)
    assert totals(made.folds).refused == 6
    assert verdict(made) == "summarized"


async def test_a_key_that_does_not_exist_can_be_read_and_is_refused(
    room: Room, server: OpenAIServer
) -> None:
    server.default_fold = Answer.fold([{"key": "mood", "value": "fine"}])
    made = await measure(room)
    assert totals(made.folds).parsed == 6 and totals(made.folds).accepted == 0
    assert made.folds[0].patch == {"mood": "fine"}


async def test_to_replace_all_that_was_known_is_counted(room: Room, server: OpenAIServer) -> None:
    server.script_folds(
        RIGHT[0],
        RIGHT[1],
        [{"key": "goal", "value": "a mortgage"}, {"key": "open", "value": "what a mortgage is"}],
    )
    made = await measure(room)
    assert [each.overwrote for each in made.folds[:3]] == [False, False, True]


async def test_a_server_that_dies_ends_it_with_what_was_measured_so_far(
    room: Room, server: OpenAIServer
) -> None:
    server.script_folds(*RIGHT[:2])
    server.default_fold = Answer(text="{", drop_after=0)
    made = await measure(room)
    assert made.ended == "failed" and "broke off" in made.problem
    assert totals(made.folds).folds == 2
    (kept,) = await room.app.measurements.of_agent(room.agent.id)
    assert kept == made


async def test_a_server_that_refuses_the_question_is_not_asked_to_the_end(
    room: Room, server: OpenAIServer
) -> None:
    server.default_fold = Answer.fail(400, "no such parameter")
    made = await measure(room)
    assert made.ended == "failed" and "no such parameter" in made.problem
    assert len(made.folds) == 2


async def test_one_model_that_is_not_there_does_not_keep_the_next_from_being_measured(
    room: Room, server: OpenAIServer
) -> None:
    server.default_fold = lambda asked: (
        Answer.fail(404, "model not found") if asked.body["model"] == "gone" else Answer.fold([])
    )
    made = await room.app.measuring.run(room.agent, SOURCE, ["lab/gone", "lab/large", "lab/gone"])
    assert [(each.model, each.ended) for each in made] == [
        ("lab/gone", "failed"),
        ("lab/large", "done"),
    ]


async def test_stopping_keeps_what_was_measured_so_far(room: Room, server: OpenAIServer) -> None:
    held = asyncio.Event()
    server.script_folds(RIGHT[0], Answer(text='{"changes": []}', held=held))
    running = asyncio.ensure_future(
        room.app.measuring.run(room.agent, SOURCE, ["lab/small", "lab/large"])
    )
    await server.received(chats=0, folds=2)
    with pytest.raises(Invalid, match="already"):
        await measure(room)
    room.app.measuring.stop()
    held.set()
    (made,) = await running
    assert (made.ended, len(made.folds)) == ("stopped", 2)
    assert not room.app.measuring.running


async def test_what_was_measured_is_kept_when_the_task_is_cancelled(
    room: Room, server: OpenAIServer
) -> None:
    server.script_folds(RIGHT[0], Answer(text="", held=asyncio.Event()))
    running = asyncio.ensure_future(measure(room))
    await server.received(chats=0, folds=2)
    running.cancel()
    await asyncio.wait([running])
    (kept,) = await room.app.measurements.of_agent(room.agent.id)
    assert (kept.ended, len(kept.folds)) == ("stopped", 1)
    assert not room.app.measuring.running


async def test_an_agent_without_state_and_a_model_of_nobody_are_refused(room: Room) -> None:
    with pytest.raises(Invalid, match="nowhere"):
        await room.app.measuring.run(room.agent, SOURCE, ["nowhere/small"])
    agent = await room.app.agents.by_name("Small talk")
    assert agent is not None
    with pytest.raises(Invalid, match="keeps no state"):
        await room.app.measuring.run(agent, SOURCE, ["lab/small"])
    with pytest.raises(Invalid, match="Name a model"):
        await room.app.measuring.run(room.agent, SOURCE, [])


# --- the person's own chat -------------------------------------------------------------------


async def _chat(room: Room, server: OpenAIServer) -> Source:
    for user, _want in TURNS:
        await room.say(user)
    session = await room.app.sessions.get(room.session_id)
    assert session is not None
    return await room.app.measuring.chat(room.agent, session)


async def test_an_own_chat_is_measured_by_its_form_with_the_same_questions_as_in_the_chat(
    room: Room, server: OpenAIServer
) -> None:
    server.default = "Fine."
    server.script_folds(*RIGHT)
    source = await _chat(room, server)
    asked = [received.body for received in server.folds]
    server.script_folds(*RIGHT)
    made = await measure(room, source)
    assert [received.body for received in server.folds[len(asked) :]] == asked
    assert made.judged == () and all(each.judged is None for each in made.folds)
    assert (made.source, made.session_id, totals(made.folds).accepted) == (
        "Talk",
        room.session_id,
        6,
    )
    assert verdict(made) == "right_form"


def _rows(folder: Path) -> dict[str, list[Any]]:
    """Every row of every table but that of the measurements."""
    with closing(sqlite3.connect(folder / "chatty.db")) as database:
        tables = [
            row[0]
            for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        return {
            table: database.execute(f"SELECT * FROM {table}").fetchall()
            for table in tables
            if not table.startswith(("measurements", "message_search", "sqlite_"))
        }


async def test_nothing_of_the_persons_data_changes(
    tmp_path: Path, room: Room, server: OpenAIServer
) -> None:
    server.script_folds(*RIGHT)
    source = await _chat(room, server)
    before = await asyncio.to_thread(_rows, tmp_path)
    settings = await asyncio.to_thread((tmp_path / "settings.json").read_bytes)
    server.script_folds(*([{"key": "goal", "value": "sell my house"}] for _ in range(12)))
    await measure(room, source)
    await measure(room)
    assert await asyncio.to_thread(_rows, tmp_path) == before
    assert await asyncio.to_thread((tmp_path / "settings.json").read_bytes) == settings


async def test_a_measurement_goes_with_its_agent(room: Room, server: OpenAIServer) -> None:
    await measure(room)
    await room.app.agents.delete(room.agent.id)
    assert await room.app.measurements.of_agent(room.agent.id) == []
    made = await measure(room)  # the editor may still hold the agent
    assert made.ended == "done"
    assert await room.app.measurements.of_agent(room.agent.id) == []


async def test_a_measurement_of_a_chat_goes_with_any_message_of_it_and_does_not_come_back(
    tmp_path: Path, room: Room, server: OpenAIServer
) -> None:
    source = await _chat(room, server)
    made = await measure(room, source)
    assert len(await room.app.measurements.of_agent(room.agent.id)) == 1
    await room.app.messages.delete(room.session_id, source.messages[0].id, following=False)
    assert await room.app.measurements.of_agent(room.agent.id) == []
    await room.app.measurements.keep(made)
    assert await room.app.measurements.of_agent(room.agent.id) == []


async def test_measurements_are_listed_newest_first_and_can_be_deleted(
    room: Room, server: OpenAIServer
) -> None:
    first, second = await measure(room), await measure(room)
    kept = await room.app.measurements.of_agent(room.agent.id)
    assert [each.id for each in kept] == [second.id, first.id]
    await room.app.measurements.forget(second.id)
    assert await room.app.measurements.of_agent(room.agent.id) == [first]


async def test_closing_the_app_stops_it(tmp_path: Path, server: OpenAIServer) -> None:
    settings_for(tmp_path, server.base_url)
    room = await Room.open(tmp_path)
    held = asyncio.Event()
    server.script_folds(RIGHT[0], Answer(text='{"changes": []}', held=held))
    running = asyncio.ensure_future(measure(room))
    await server.received(chats=0, folds=2)
    await room.close()
    held.set()
    await asyncio.wait([running])
    running.exception()
    assert len(server.folds) == 2
