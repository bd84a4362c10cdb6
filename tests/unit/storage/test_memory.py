"""Summaries and facts in SQLite, and what goes when a session or an agent goes."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

from chatty_desktop.domain.agents import AgentDefinition
from chatty_desktop.domain.memory import Fact, LedgerEntry, SummaryRevision
from chatty_desktop.domain.messages import Scope
from chatty_desktop.storage import migrations
from chatty_desktop.storage.agents import StoredAgents
from chatty_desktop.storage.database import Database
from chatty_desktop.storage.memory import StoredMemory
from chatty_desktop.storage.sessions import StoredSessions

ENTRY = LedgerEntry(
    id="",
    run_id="run",
    agent_id="ada",
    session_id="talk",
    layer="summarized",
    kind="summary",
    outcome="accepted",
    reason="",
    attempts=1,
    model="test/small",
    message_ids=("m1", "m2"),
    patch=None,
    dropped=(),
    reply="",
    consumed=True,
    started_at=1.0,
    finished_at=2.0,
)
TALK = Scope("ada", "talk")


def summary(number: int) -> SummaryRevision:
    return SummaryRevision(
        f"s{number}", "ada", "talk", "summarized", f"m{number}", f"text {number}", "l", 1.0
    )


def fact(number: int, subject: str = "Ada") -> Fact:
    sources = (f"m{number}", "m0")
    return Fact(
        f"f{number}", "ada", "talk", "semantic", "m9", subject, f"fact {number}", sources, "l", 1.0
    )


async def kept(database: Database, agent_id: str = "ada") -> StoredMemory:
    """A memory with three summaries and three facts in one scope."""
    sessions = StoredSessions(database, lambda _event: None, lambda _id: None)
    await sessions.create("Talk", session_id="talk")
    memory = StoredMemory(database)
    for number in (1, 2, 3):
        row = replace(ENTRY, id=f"l{number}", agent_id=agent_id)
        await memory.settle_summary(row, replace(summary(number), agent_id=agent_id))
    facts = [replace(fact(n, s), agent_id=agent_id) for n, s in ((1, "Ada"), (2, "Bo"), (3, "Ada"))]
    await memory.settle_extraction(replace(ENTRY, id="l4", agent_id=agent_id), facts)
    await memory.settle_extraction(replace(ENTRY, id="l5", agent_id=agent_id), [])
    return memory


async def test_summaries_come_newest_first_and_page_by_page(database: Database) -> None:
    memory = await kept(database)
    assert [s.text for s in await memory.summaries(TALK, "summarized")] == [
        "text 3",
        "text 2",
        "text 1",
    ]
    assert await memory.summaries(TALK, "summarized", 1, skip=1) == [summary(2)]
    assert await memory.summaries(TALK, "summarized:2") == []
    assert await memory.summaries(Scope("bo", "talk"), "summarized") == []


async def test_facts_come_back_as_they_were_kept_and_by_subject(database: Database) -> None:
    memory = await kept(database)
    assert await memory.facts(TALK, "semantic", 1) == [fact(3)]
    about = await memory.facts_about(TALK, "semantic", ["Ada", "nobody"])
    assert about == [fact(3), fact(1)]
    assert len(await memory.ledger(TALK)) == 5


async def test_deleting_a_session_takes_summaries_and_facts_and_counts_them(
    database: Database,
) -> None:
    memory = await kept(database)
    sessions = StoredSessions(database, lambda _event: None, lambda _id: None)
    counts = await sessions.delete("talk")
    assert (counts.summaries, counts.facts, counts.ledger_rows) == (3, 3, 5)
    assert await memory.summaries(TALK, "summarized") == []
    assert await memory.facts(TALK, "semantic") == []


async def test_deleting_an_agent_takes_its_summaries_and_facts_and_counts_them(
    database: Database,
) -> None:
    agents = StoredAgents(database, lambda _event: None, lambda _id: None)
    ada = await agents.save(AgentDefinition(name="Ada"))
    memory = await kept(database, ada.id)
    counts = await agents.delete(ada.id)
    assert (counts.summaries, counts.facts, counts.ledger_rows) == (3, 3, 5)
    assert await memory.facts(Scope(ada.id, "talk"), "semantic") == []


async def test_a_file_of_the_first_release_gets_room_for_summaries_and_keeps_its_own(
    tmp_path: Path,
) -> None:
    file = tmp_path / "chatty.db"
    first = await Database.open(file, tmp_path / "backups", [migrations.first_release])
    await first.close()
    with sqlite3.connect(file) as connection:
        connection.execute("INSERT INTO sessions (id, created_at, updated_at) VALUES ('s', 1, 1)")
    connection.close()
    database = await Database.open(file, tmp_path / "backups")
    memory = await kept(database)
    assert len(await memory.summaries(TALK, "summarized")) == 3
    sessions = StoredSessions(database, lambda _event: None, lambda _id: None)
    assert {s.id for s in await sessions.list()} == {"s", "talk"}
    await database.close()
