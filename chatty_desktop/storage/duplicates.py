"""Copies of chats, with all that agents remember in them."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from sqlalchemy import Connection, Table, insert, select

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.events import SessionsChanged
from chatty_desktop.domain.ids import new_id
from chatty_desktop.domain.messages import Session, Status
from chatty_desktop.engine.ports import Publish
from chatty_desktop.storage import tables
from chatty_desktop.storage.database import Database
from chatty_desktop.storage.sessions import session_of

_AT_ONCE = 1_000
"""Rows read and written at a time."""

_MESSAGE_IDS = ("id", "parent_id", "message_id", "after_message_id", "through_message_id",
                "before_id", "query_id")  # fmt: skip
"""Columns that name a message (`id`: of the table of messages alone)."""

# In this order, since later ones name what earlier ones hold.
_COPIED = (
    tables.messages,
    tables.runs,
    tables.run_log,
    tables.requests,
    tables.ledger,
    tables.state_revisions,
    tables.layer_starts,
    tables.summaries,
    tables.facts,
    tables.episodes,
    tables.recalls,
)


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
    """One copying, in one transaction; knows the new id of every old one."""

    def __init__(self, connection: Connection, session_id: str) -> None:
        self._connection = connection
        self._old = session_id
        self._new = new_id()
        self._messages: dict[str, str] = {}
        self._runs: dict[str, str] = {}
        self._entries: dict[str, str] = {}

    def make(self, title: str) -> Session:
        sessions = tables.sessions
        row = self._connection.execute(
            select(sessions).where(sessions.c.id == self._old, sessions.c.deleted_at.is_(None))
        ).first()
        if row is None:
            raise Invalid("That chat is no longer there.")
        for table, ids in (
            (tables.messages, self._messages),
            (tables.runs, self._runs),
            (tables.ledger, self._entries),
        ):
            of_session = select(table.c.id).where(table.c.session_id == self._old)
            ids.update((old, _like(old)) for old in self._connection.scalars(of_session))
        now = time.time()
        values = dict(row._mapping) | {
            "id": self._new,
            "title": title,
            "created_at": now,
            "updated_at": now,
            "leaf_id": self._messages.get(row.leaf_id or ""),
            "pinned": False,
            "archived": False,
            "titled_by": "person",
        }
        self._connection.execute(insert(sessions).values(**values))
        for table in _COPIED:
            self._copy(table)
        self._copy_vectors()
        made = self._connection.execute(select(sessions).where(sessions.c.id == self._new)).one()
        return session_of(made)

    def _copy(self, table: Table) -> None:
        order = table.c.get("seq", table.c.get("at"))
        query = select(table).where(table.c.session_id == self._old)
        if order is not None:
            query = query.order_by(order)
        found = self._connection.execute(query)
        for part in found.partitions(_AT_ONCE):
            rows = [self._row(table, row._asdict()) for row in part]
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
            rows = [self._row(vectors, row._asdict()) for row in part]
            self._connection.execute(insert(vectors), rows)

    def _row(self, table: Table, row: Mapping[str, Any]) -> dict[str, Any]:
        """A row of the copy. What is named in it and is not there any more stays as it is: it
        names nothing in either."""
        values = {name: value for name, value in row.items() if name != "seq"}
        if "session_id" in values:
            values["session_id"] = self._new
        for name in _MESSAGE_IDS:
            if name in values and (name != "id" or table is tables.messages):
                values[name] = self._messages.get(values[name], values[name])
        if values.get("run_id"):
            values["run_id"] = self._runs.get(values["run_id"], values["run_id"])
        if values.get("ledger_id"):
            values["ledger_id"] = self._entries.get(values["ledger_id"], "")
        if table is tables.messages and values["status"] == Status.STREAMING.value:
            values["status"] = Status.CUT.value
        elif table is tables.runs:
            values["id"] = self._runs[row["id"]]
            if values["status"] == "running":
                values["status"] = "stopped"
        elif table is tables.ledger:
            values["id"] = self._entries[row["id"]]
            values["message_ids"] = self._ids(row["message_ids"])
        elif table in (tables.state_revisions, tables.summaries, tables.facts):
            values["id"] = new_id(row["at"])
        if table is tables.facts:
            values["source_ids"] = self._ids(row["source_ids"])
        elif table is tables.requests:
            values["sections"] = self._within(row["sections"], "first", "last")
        elif table is tables.recalls:
            values["candidates"] = self._within(row["candidates"], "message_id")
        return values

    def _ids(self, text: str) -> str:
        return json.dumps([self._messages.get(each, each) for each in json.loads(text)])

    def _within(self, text: str, *names: str) -> str:
        """A list of objects as JSON, the messages that these fields name being those of the
        copy."""
        found = json.loads(text)
        for each in found:
            for name in names:
                if name in each:
                    each[name] = self._messages.get(each[name], each[name])
        return json.dumps(found, ensure_ascii=False)


def _like(old: str) -> str:
    """A new id that sorts where the old one does, to the millisecond."""
    try:
        int(old[:12], 16)
    except ValueError:
        return new_id()
    return f"{old[:12]}{os.urandom(10).hex()}" if len(old) == 32 else new_id()
