"""Drafts are there after a restart, and gone with their chat."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import select

from chatty_desktop.domain.events import Event, Notice
from chatty_desktop.storage import tables
from chatty_desktop.storage.database import Database
from chatty_desktop.storage.drafts import StoredDrafts
from chatty_desktop.storage.sessions import StoredSessions
from tests.unit.storage.conftest import Place


def silent(_event: Event) -> None:
    """For what is not looked at."""


async def opened(
    place: Place, heard: Callable[[Event], None] = silent
) -> tuple[Database, StoredSessions, StoredDrafts]:
    database = await place.open()
    sessions = StoredSessions(database, silent, lambda _id: None)
    return database, sessions, await StoredDrafts.of(database, heard)


async def test_drafts_are_there_after_a_restart_until_they_are_emptied(place: Place) -> None:
    database, sessions, drafts = await opened(place)
    session = await sessions.create("Talk")
    drafts.keep(session.id, "half a sen")
    drafts.keep(session.id, "half a sentence")
    drafts.keep(None, "a new one")
    assert drafts.text(session.id) == "half a sentence"
    await drafts.close()
    await database.close()

    database, _sessions, drafts = await opened(place)
    assert drafts.text(session.id) == "half a sentence"
    assert drafts.text(None) == "a new one"
    drafts.keep(session.id, "")
    await drafts.close()
    await database.close()

    database, _sessions, drafts = await opened(place)
    assert drafts.text(session.id) == ""
    assert drafts.text(None) == "a new one"
    await database.close()


async def test_a_draft_is_stored_without_being_asked_to(place: Place) -> None:
    database, sessions, drafts = await opened(place)
    session = await sessions.create("Talk")
    drafts.keep(session.id, "words")
    for _ in range(500):
        if await database.rows(select(tables.drafts)):
            break
        await asyncio.sleep(0.02)
    assert [row.content for row in await database.rows(select(tables.drafts))] == ["words"]
    await database.close()


async def test_a_chat_that_is_deleted_takes_its_draft_along(place: Place) -> None:
    database, sessions, drafts = await opened(place)
    kept, gone = await sessions.create("Kept"), await sessions.create("Gone")
    for session in (kept, gone):
        drafts.keep(session.id, session.title)
    await drafts.close()
    await sessions.delete(gone.id)
    drafts.keep(gone.id, "written a moment after")
    await drafts.close()
    assert [row.content for row in await database.rows(select(tables.drafts))] == ["Kept"]
    await database.close()


async def test_a_draft_that_cannot_be_stored_is_told_of_once_and_stored_later(
    tmp_path: Path,
) -> None:
    told: list[Event] = []
    database, _sessions, drafts = await opened(Place(tmp_path), told.append)
    pages = await database.read(lambda c: c.exec_driver_sql("PRAGMA page_count").scalar_one())
    # As on a full disk: no page more than there are.
    await database.write(lambda c: c.exec_driver_sql(f"PRAGMA max_page_count={pages}"))
    for text in ("a" * 500_000, "b" * 500_000):
        drafts.keep(None, text)
        await drafts.close()
    assert drafts.text(None) == "b" * 500_000
    (notice,) = told
    assert isinstance(notice, Notice)
    assert "disk is full" in notice.text
    await database.write(lambda c: c.exec_driver_sql("PRAGMA max_page_count=1000000"))
    await drafts.close()
    assert [row.content for row in await database.rows(select(tables.drafts))] == ["b" * 500_000]
    await database.close()
