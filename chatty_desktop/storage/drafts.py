"""Drafts in SQLite: what is written and not sent yet outlives the app, with its files."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Connection, delete, select

from chatty_desktop.domain.attachments import (
    AttachedFile,
    Attachment,
    read_attachments,
    write_attachments,
)
from chatty_desktop.domain.errors import StorageFailed
from chatty_desktop.domain.events import Notice
from chatty_desktop.engine.ports import Publish
from chatty_desktop.storage import tables
from chatty_desktop.storage.attached_files import add_files
from chatty_desktop.storage.backend import putting
from chatty_desktop.storage.database import Database

log = logging.getLogger(__name__)

WAITED_SECONDS = 0.5
"""What is typed meanwhile goes into the same write."""


@dataclass(frozen=True, slots=True)
class _Draft:
    text: str = ""
    files: tuple[Attachment, ...] = ()


_NOTHING = _Draft()


class StoredDrafts:
    """`ports.Drafts` over SQLite. All of them are in memory, so a chat is opened with its draft in
    it; they are written in the background, and what cannot be written is tried again with the next
    change. `close` it, so that the last letters are kept."""

    def __init__(
        self, database: Database, publish: Publish, stored: dict[str | None, _Draft]
    ) -> None:
        self._database = database
        self._publish = publish
        self._drafts = stored
        self._unsaved: set[str | None] = set()
        self._task: asyncio.Task[None] | None = None
        self._told = False

    @classmethod
    async def of(cls, database: Database, publish: Publish) -> StoredDrafts:
        """The drafts of a database. Raises `StorageFailed`."""
        rows = await database.rows(select(tables.drafts))
        stored: dict[str | None, _Draft] = {
            row.session_id: _Draft(row.content, read_attachments(row.attachments)) for row in rows
        }
        return cls(database, publish, stored)

    def text(self, session_id: str | None) -> str:
        return self._draft(session_id).text

    def files(self, session_id: str | None) -> tuple[Attachment, ...]:
        return self._draft(session_id).files

    def keep(self, session_id: str | None, text: str) -> None:
        self._set(session_id, replace(self._draft(session_id), text=text))

    def keep_files(self, session_id: str | None, files: Sequence[Attachment]) -> None:
        self._set(session_id, replace(self._draft(session_id), files=tuple(files)))

    async def attach(self, session_id: str | None, file: AttachedFile) -> None:
        draft = self._draft(session_id)
        if any(each.digest == file.about.digest for each in draft.files):
            return
        stored = replace(draft, files=(*draft.files, file.about))

        def work(connection: Connection) -> None:
            if _is_there(connection, session_id):  # else nobody would own the file
                add_files(connection, [file])
                _write(connection, {session_id: stored})

        await self._database.write(work)
        # What was written meanwhile stays.
        self._set(session_id, replace(self._draft(session_id), files=stored.files))

    async def close(self) -> None:
        """Write what is not written yet."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        await self._save()

    def _draft(self, session_id: str | None) -> _Draft:
        return self._drafts.get(session_id, _NOTHING)

    def _set(self, session_id: str | None, draft: _Draft) -> None:
        if draft == self._draft(session_id):
            return
        if draft == _NOTHING:
            del self._drafts[session_id]
        else:
            self._drafts[session_id] = draft
        self._unsaved.add(session_id)
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._save_soon())

    async def _save_soon(self) -> None:
        while self._unsaved:
            await asyncio.sleep(WAITED_SECONDS)
            if not await self._save():
                return

    async def _save(self) -> bool:
        """Write what changed; whether that went well."""
        places, self._unsaved = self._unsaved, set()
        changes = {place: self._draft(place) for place in places}
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


def _write(connection: Connection, changes: dict[str | None, _Draft]) -> None:
    c = tables.drafts.c
    # Those with files first: a file that moves from one draft to another always has an owner.
    for session_id, draft in sorted(changes.items(), key=lambda item: not item[1].files):
        place = session_id or ""
        if draft == _NOTHING or not _is_there(connection, session_id):
            connection.execute(delete(tables.drafts).where(c.place == place))
            continue
        # Changed in its place: with its row deleted first, its files would go.
        connection.execute(
            putting(connection, tables.drafts, "content", "attachments"),
            {
                "place": place,
                "session_id": session_id,
                "content": draft.text,
                "attachments": write_attachments(draft.files),
            },
        )


def _is_there(connection: Connection, session_id: str | None) -> bool:
    """Whether a chat was not deleted meanwhile."""
    if session_id is None:
        return True
    found = select(tables.sessions.c.id).where(tables.sessions.c.id == session_id)
    return connection.scalar(found) is not None
