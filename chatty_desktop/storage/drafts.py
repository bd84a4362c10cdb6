"""Drafts in SQLite: what is written and not sent yet outlives the app."""

from __future__ import annotations

import asyncio
import logging

from sqlalchemy import Connection, delete, insert, literal, select

from chatty_desktop.domain.errors import StorageFailed
from chatty_desktop.domain.events import Notice
from chatty_desktop.engine.ports import Publish
from chatty_desktop.storage import tables
from chatty_desktop.storage.database import Database

log = logging.getLogger(__name__)

WAITED_SECONDS = 0.5
"""What is typed meanwhile goes into the same write."""


class StoredDrafts:
    """`ports.Drafts` over SQLite. All of them are in memory, so a chat is opened with its draft in
    it; they are written in the background, and what cannot be written is tried again with the next
    change. `close` it, so that the last letters are kept."""

    def __init__(self, database: Database, publish: Publish, stored: dict[str | None, str]) -> None:
        self._database = database
        self._publish = publish
        self._texts = stored
        self._unsaved: set[str | None] = set()
        self._task: asyncio.Task[None] | None = None
        self._told = False

    @classmethod
    async def of(cls, database: Database, publish: Publish) -> StoredDrafts:
        """The drafts of a database. Raises `StorageFailed`."""
        rows = await database.rows(select(tables.drafts))
        return cls(database, publish, {row.session_id: row.content for row in rows})

    def text(self, session_id: str | None) -> str:
        return self._texts.get(session_id, "")

    def keep(self, session_id: str | None, text: str) -> None:
        if text == self._texts.get(session_id, ""):
            return
        if text:
            self._texts[session_id] = text
        else:
            del self._texts[session_id]
        self._unsaved.add(session_id)
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._save_soon())

    async def close(self) -> None:
        """Write what is not written yet."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        await self._save()

    async def _save_soon(self) -> None:
        while self._unsaved:
            await asyncio.sleep(WAITED_SECONDS)
            if not await self._save():
                return

    async def _save(self) -> bool:
        """Write what changed; whether that went well."""
        places, self._unsaved = self._unsaved, set()
        changes = {place: self._texts.get(place, "") for place in places}
        if not changes:
            return True
        try:
            # Not synced: of a draft a power cut may take the last words.
            await self._database.write(lambda c: _write(c, changes), synced=False)
        except StorageFailed as problem:
            self._unsaved |= places
            log.info("Drafts could not be written: %s", problem)
            if not self._told:
                self._told = True
                self._publish(
                    Notice("warning", f"What you are writing is not stored yet. {problem}")
                )
            return False
        self._told = False
        return True


def _write(connection: Connection, changes: dict[str | None, str]) -> None:
    for session_id, text in changes.items():
        place = session_id or ""
        connection.execute(delete(tables.drafts).where(tables.drafts.c.place == place))
        if not text:
            continue
        row = select(literal(place), literal(session_id), literal(text))
        if session_id is not None:  # it may have been deleted meanwhile
            row = row.where(select(1).where(tables.sessions.c.id == session_id).exists())
        connection.execute(
            insert(tables.drafts).from_select(["place", "session_id", "content"], row)
        )
