"""Copies of chats, with all that agents remember in them."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence

from sqlalchemy import Connection, Table, insert, select

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.events import SessionsChanged
from chatty_desktop.domain.messages import Session
from chatty_desktop.engine.ports import Publish
from chatty_desktop.storage import tables
from chatty_desktop.storage.database import Database
from chatty_desktop.storage.order import as_written
from chatty_desktop.storage.renaming import PARTS, Renaming
from chatty_desktop.storage.sessions import session_of

_AT_ONCE = 1_000
"""Rows read and written at a time."""

COPIED = (*PARTS, tables.recalls)
"""Every table with rows of a chat, those that others name first."""


class StoredDuplicates:
    """Copies a chat: every branch, the memory of every agent in it, its runs and their log. From
    then on the two have nothing to do with each other. `copied` is called with the id of a copy,
    once it is stored."""

    def __init__(
        self,
        database: Database,
        publish: Publish,
        copied: Callable[[str], Awaitable[None]],
    ) -> None:
        self._database = database
        self._publish = publish
        self._copied = copied

    async def duplicate(self, session_id: str, title: str) -> Session:
        """The copy, called `title`. A reply that is being written in the original is a cut one in
        the copy. Raises `Invalid` when the chat is gone, `StorageFailed`."""
        copy = await self._database.write(lambda c: _Copy(c, session_id).make(title))
        await self._copied(copy.id)
        self._publish(SessionsChanged(copy.id))
        return copy


class _Copy:
    """One copying, in one transaction."""

    def __init__(self, connection: Connection, session_id: str) -> None:
        self._connection = connection
        self._old = session_id
        self._renaming = Renaming(
            self._ids(tables.messages), self._ids(tables.runs), self._ids(tables.ledger)
        )

    def make(self, title: str) -> Session:
        sessions = tables.sessions
        row = self._connection.execute(
            select(sessions).where(sessions.c.id == self._old, sessions.c.deleted_at.is_(None))
        ).first()
        if row is None:
            raise Invalid("That chat is no longer there.")
        now = time.time()
        values = dict(row._mapping) | {
            "id": self._renaming.session_id,
            "title": title,
            "created_at": now,
            "updated_at": now,
            "leaf_id": self._renaming.messages.get(row.leaf_id or ""),
            "pinned": False,
            "archived": False,
            "titled_by": "person",
        }
        self._connection.execute(insert(sessions).values(**values))
        for table in COPIED:
            self._copy(table)
        self._copy_vectors()
        made = self._connection.execute(
            select(sessions).where(sessions.c.id == self._renaming.session_id)
        ).one()
        return session_of(made)

    def _ids(self, table: Table) -> Sequence[str]:
        of_session = select(table.c.id).where(table.c.session_id == self._old)
        return self._connection.scalars(of_session).all()

    def _copy(self, table: Table) -> None:
        found = self._connection.execute(
            select(table).where(table.c.session_id == self._old).order_by(*as_written(table))
        )
        for part in found.partitions(_AT_ONCE):
            rows = [self._renaming.row(table, row._asdict()) for row in part]
            self._connection.execute(insert(table), rows)

    def _copy_vectors(self) -> None:
        vectors = tables.episode_vectors
        query = (
            select(vectors)
            .join(tables.episodes, tables.episodes.c.message_id == vectors.c.message_id)
            .where(tables.episodes.c.session_id == self._old)
            .order_by(vectors.c.seq)
        )
        for part in self._connection.execute(query).partitions(_AT_ONCE):
            rows = [self._renaming.row(vectors, row._asdict()) for row in part]
            self._connection.execute(insert(vectors), rows)
