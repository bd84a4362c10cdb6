"""A file of each older version, opened by this one."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import text

from chatty_desktop.domain.messages import Scope
from chatty_desktop.domain.search import parse_query
from chatty_desktop.storage import migrations
from chatty_desktop.storage.database import Database
from chatty_desktop.storage.drafts import StoredDrafts
from chatty_desktop.storage.folders import StoredFolders
from chatty_desktop.storage.memory import StoredMemory
from chatty_desktop.storage.search import StoredSearch
from chatty_desktop.storage.sessions import StoredSessions

CHATS = (
    "INSERT INTO sessions (id, title, created_at, updated_at) VALUES ('s', 'Trip', 1, 1)",
    "INSERT INTO sessions (id, title, created_at, updated_at) VALUES ('t', '', 2, 2)",
    "INSERT INTO messages (id, session_id, agent_id, role, content, at, status)"
    " VALUES ('m2', 's', 'a', 'user', 'Kyoto in May', 2, 'complete')",
    "INSERT INTO messages (id, session_id, agent_id, role, content, at, status)"
    " VALUES ('m1', 's', 'a', 'user', 'Kyoto in April', 1, 'complete')",
    "INSERT INTO messages (id, session_id, agent_id, role, content, at, status)"
    " VALUES ('m3', 's', 'a', 'assistant', 'Kyoto failed', 3, 'failed')",
)


@pytest.mark.parametrize("version", range(1, len(migrations.STEPS) + 1))
async def test_a_file_of_every_version_keeps_its_chats_and_can_be_searched(
    tmp_path: Path, version: int
) -> None:
    file, backups = tmp_path / "chatty.db", tmp_path / "backups"
    older = await Database.open(file, backups, migrations.STEPS[:version])
    for statement in CHATS:
        await older.write(lambda c, s=statement: c.execute(text(s)))  # type: ignore[misc]
    await older.close()

    database = await Database.open(file, backups)
    try:
        sessions = StoredSessions(database, lambda _event: None, lambda _id: None)
        assert [session.title for session in await sessions.list()] == ["", "Trip"]
        hits = (await StoredSearch(database).messages(parse_query("kyoto"))).hits
        assert {hit.message_id for hit in hits} == {"m1", "m2"}
        folders = StoredFolders(database, lambda _event: None)
        folder = await folders.create("Travel")
        await sessions.move(["s"], folder.id)
        trip = await sessions.get("s")
        assert trip is not None
        assert trip.folder_id == folder.id
        drafts = await StoredDrafts.of(database, lambda _event: None)
        drafts.keep("s", "Kyoto in June?")
        await drafts.close()
        again = await StoredDrafts.of(database, lambda _event: None)
        assert again.text("s") == "Kyoto in June?"
    finally:
        await database.close()


async def test_messages_of_an_older_file_are_found_newest_first(tmp_path: Path) -> None:
    file, backups = tmp_path / "chatty.db", tmp_path / "backups"
    older = await Database.open(file, backups, migrations.STEPS[:3])
    for statement in CHATS:
        await older.write(lambda c, s=statement: c.execute(text(s)))  # type: ignore[misc]
    await older.close()
    database = await Database.open(file, backups)
    hits = (await StoredSearch(database).messages(parse_query("kyoto"))).hits
    await database.close()
    assert [hit.message_id for hit in hits] == ["m2", "m1"]


async def test_a_title_of_an_older_file_counts_as_the_persons_own(tmp_path: Path) -> None:
    file, backups = tmp_path / "chatty.db", tmp_path / "backups"
    older = await Database.open(file, backups, migrations.STEPS[:4])
    for statement in CHATS:
        await older.write(lambda c, s=statement: c.execute(text(s)))  # type: ignore[misc]
    await older.close()
    database = await Database.open(file, backups)
    sessions = StoredSessions(database, lambda _event: None, lambda _id: None)
    by = {session.id: session.titled_by for session in await sessions.list()}
    await database.close()
    assert by == {"s": "person", "t": "words"}


MADE = (
    "INSERT INTO state_revisions (id, session_id, agent_id, layer, after_message_id, state, patch,"
    " at) VALUES ('r', 's', 'a', 'state', 'm1', '{\"goal\": \"Kyoto\"}', '{}', 1)",
    "INSERT INTO summaries (id, session_id, agent_id, layer, after_message_id, text, at)"
    " VALUES ('z', 's', 'a', 'summarized', 'm1', 'A trip.', 1)",
    "INSERT INTO facts (id, session_id, agent_id, layer, after_message_id, subject, fact, at)"
    " VALUES ('f', 's', 'a', 'semantic', 'm1', 'Leo', 'Leo is seven.', 1)",
)


async def test_memory_of_an_older_file_is_not_pinned_not_corrected_and_waits_for_nothing(
    tmp_path: Path,
) -> None:
    file, backups = tmp_path / "chatty.db", tmp_path / "backups"
    before = migrations.STEPS.index(migrations.memory_by_hand)
    older = await Database.open(file, backups, migrations.STEPS[:before])
    for statement in (*CHATS, *MADE):
        # A colon in the text would be a parameter.
        await older.write(lambda c, s=statement: c.exec_driver_sql(s))  # type: ignore[misc]
    await older.close()
    database = await Database.open(file, backups)
    memory, scope = StoredMemory(database), Scope("a", "s")
    (revision,) = await memory.revisions(scope, "state")
    (summary,) = await memory.summaries(scope, "summarized")
    (fact,) = await memory.facts(scope, "semantic")
    waiting = await memory.waiting(scope, "state")
    await database.close()
    assert (revision.state, revision.pins) == ({"goal": "Kyoto"}, ())
    assert summary.known_after_id == "m1"
    assert (fact.fact, fact.replaces, fact.forgotten) == ("Leo is seven.", "", False)
    assert waiting == []
