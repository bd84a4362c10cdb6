"""The list of chats in SQLite."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection, Row, Table, delete, func, insert, select, update

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.events import SessionsChanged
from chatty_desktop.domain.ids import new_id
from chatty_desktop.domain.messages import DeletionCounts, Session
from chatty_desktop.engine.ports import Publish
from chatty_desktop.storage import tables
from chatty_desktop.storage.database import Database

_COLUMNS = tables.sessions.c


class StoredSessions:
    """`ports.Sessions` over SQLite; tells of every change. `deleted` is called with the id of a
    session that is gone."""

    def __init__(
        self, database: Database, publish: Publish, deleted: Callable[[str], None]
    ) -> None:
        self._database = database
        self._publish = publish
        self._deleted = deleted

    async def list(self, query: str = "") -> list[Session]:
        wanted = query.casefold().strip()
        rows = await self._database.rows(
            select(tables.sessions).order_by(_COLUMNS.updated_at.desc())
        )
        # Matched here, since SQLite folds the case of ASCII letters only.
        return [_session(row) for row in rows if wanted in row.title.casefold()]

    async def get(self, session_id: str) -> Session | None:
        rows = await self._database.rows(select(tables.sessions).where(_COLUMNS.id == session_id))
        return _session(rows[0]) if rows else None

    async def find(self, name: str) -> Session | None:
        found = await self.get(name)
        if found:
            return found
        rows = await self._database.rows(
            select(tables.sessions).where(_COLUMNS.title == name).limit(2)
        )
        same = [_session(row) for row in rows]
        if len(same) > 1:
            raise Invalid(
                f"Several sessions are called {name!r}; name one by its id, such as {same[0].id}."
            )
        return same[0] if same else None

    async def create(
        self, title: str = "", agent_id: str | None = None, session_id: str | None = None
    ) -> Session:
        now = time.time()
        session = Session(session_id or new_id(now), title, now, now, agent_id=agent_id)

        def work(connection: Connection) -> None:
            connection.execute(
                insert(tables.sessions).values(
                    id=session.id,
                    title=title,
                    created_at=now,
                    updated_at=now,
                    agent_id=agent_id,
                )
            )

        await self._database.write(work)
        self._publish(SessionsChanged(session.id))
        return session

    async def rename(self, session_id: str, title: str) -> None:
        await self._set(session_id, title=title.strip())

    async def set_agent(self, session_id: str, agent_id: str) -> None:
        await self._set(session_id, agent_id=agent_id)

    async def delete(self, session_id: str) -> DeletionCounts:
        def work(connection: Connection) -> DeletionCounts:
            def count(table: Table) -> int:
                return connection.scalar(  # type: ignore[return-value]  # COUNT is never null
                    select(func.count()).where(table.c.session_id == session_id)
                )

            counts = DeletionCounts(
                messages=count(tables.messages),
                revisions=count(tables.state_revisions),
                summaries=count(tables.summaries),
                facts=count(tables.facts),
                ledger_rows=count(tables.ledger),
                runs=count(tables.runs),
                episodes=count(tables.episodes),
            )
            connection.execute(delete(tables.sessions).where(_COLUMNS.id == session_id))
            return counts

        counts = await self._database.write(work)
        self._deleted(session_id)
        self._publish(SessionsChanged())
        return counts

    async def _set(self, session_id: str, **values: Any) -> None:
        def work(connection: Connection) -> None:
            connection.execute(
                update(tables.sessions).where(_COLUMNS.id == session_id).values(**values)
            )

        await self._database.write(work)
        self._publish(SessionsChanged(session_id))


def _session(row: Row[Any]) -> Session:
    return Session(row.id, row.title, row.created_at, row.updated_at, row.leaf_id, row.agent_id)
