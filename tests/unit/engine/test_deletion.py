"""Deleting chats so that it can be undone for a while."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import update

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.engine.deletion import Deletions
from chatty_desktop.storage import tables
from tests.helpers.desk import Desk
from tests.helpers.scripted import ScriptedModel
from tests.helpers.waiting import until


class Tidied:
    def __init__(self) -> None:
        self.times = 0

    async def __call__(self) -> None:
        self.times += 1


async def _put_away_at(desk: Desk, session_id: str, at: float) -> None:
    """Have it as if the clock had said that when the chat was put away."""
    change = update(tables.sessions).where(tables.sessions.c.id == session_id)
    await desk.database.write(lambda c: c.execute(change.values(deleted_at=at)))


async def test_a_deletion_counts_what_it_takes_along_and_is_undone_whole(desk: Desk) -> None:
    await desk.say("one")
    before = await desk.memories.inspect(desk.scope)
    deletions = Deletions(desk.chat, desk.sessions, Tidied())
    counts = await deletions.delete([desk.session.id])
    assert (counts.messages, counts.ledger_rows, counts.runs) == (2, 1, 1)
    assert await desk.sessions.list() == []
    await deletions.undo([desk.session.id])
    assert [s.id for s in await desk.sessions.list()] == [desk.session.id]
    assert await desk.memories.inspect(desk.scope) == before
    await deletions.close()


async def test_what_runs_in_a_deleted_chat_is_stopped(desk: Desk, model: ScriptedModel) -> None:
    model.gate.clear()
    await desk.chat.send(desk.session.id, desk.agent.id, "one")
    await until(lambda: model.requests)
    deletions = Deletions(desk.chat, desk.sessions, Tidied())
    await deletions.delete([desk.session.id])
    assert desk.chat.running() == []
    await deletions.close()


async def test_after_a_while_a_deletion_is_final(desk: Desk) -> None:
    await desk.say("one")
    tidied = Tidied()
    deletions = Deletions(desk.chat, desk.sessions, tidied, undo_seconds=0.02)
    await deletions.delete([desk.session.id])
    await until(lambda: tidied.times)
    assert await desk.sessions.away() == []
    with pytest.raises(Invalid, match="for good"):
        await deletions.undo([desk.session.id])
    await deletions.close()


async def test_the_next_start_makes_a_deletion_final_and_spares_newer_ones(desk: Desk) -> None:
    other = await desk.sessions.create("other")
    earlier = Deletions(desk.chat, desk.sessions, Tidied())
    await earlier.delete([desk.session.id])
    await earlier.close()
    assert await desk.sessions.away() == [desk.session.id]
    tidied = Tidied()
    deletions = Deletions(desk.chat, desk.sessions, tidied, start_seconds=0.05)
    deletions.begin()
    await deletions.delete([other.id])
    await until(lambda: tidied.times)
    assert await desk.sessions.away() == [other.id]
    await deletions.close()


async def test_the_clock_neither_ends_nor_prolongs_the_time_for_undoing(desk: Desk) -> None:
    new, old = await desk.sessions.create("new"), desk.session
    earlier = Deletions(desk.chat, desk.sessions, Tidied())
    await earlier.delete([old.id])
    await earlier.close()
    await _put_away_at(desk, old.id, 4e9)
    tidied = Tidied()
    deletions = Deletions(desk.chat, desk.sessions, tidied, start_seconds=0.05)
    deletions.begin()
    await deletions.delete([new.id])
    await _put_away_at(desk, new.id, 0.0)
    await until(lambda: tidied.times)
    assert await desk.sessions.away() == [new.id]
    await deletions.undo([new.id])
    await deletions.close()


async def test_closing_ends_the_wait_and_deletes_nothing(desk: Desk) -> None:
    deletions = Deletions(desk.chat, desk.sessions, Tidied(), undo_seconds=0.02)
    await deletions.delete([desk.session.id])
    await deletions.close()
    await asyncio.sleep(0.1)
    assert await desk.sessions.away() == [desk.session.id]


async def test_the_episodes_of_a_chat_put_away_do_not_count_until_it_is_back(desk: Desk) -> None:
    await desk.use({"kind": "episodic"})
    await desk.say("one")
    assert (await desk.episodes.counts()).total == 2
    deletions = Deletions(desk.chat, desk.sessions, Tidied())
    await deletions.delete([desk.session.id])
    assert (await desk.episodes.counts()).total == 0
    await deletions.undo([desk.session.id])
    assert (await desk.episodes.counts()).total == 2
    await deletions.close()
