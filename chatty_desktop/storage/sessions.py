"""The list of chats in SQLite."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import (
    Connection,
    Row,
    Select,
    Table,
    bindparam,
    delete,
    func,
    insert,
    select,
    update,
)

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.events import SessionsChanged
from chatty_desktop.domain.ids import new_id
from chatty_desktop.domain.messages import DeletionCounts, Session, SessionKind, TitledBy
from chatty_desktop.domain.search import parse_query
from chatty_desktop.engine.ports import Publish
from chatty_desktop.storage import tables
from chatty_desktop.storage.database import Database

_COLUMNS = tables.sessions.c


class StoredSessions:
    """`ports.Sessions` over SQLite; tells of every change. `deleted` is called with the id of a
    session that is gone for good."""

    def __init__(
        self, database: Database, publish: Publish, deleted: Callable[[str], None]
    ) -> None:
        self._database = database
        self._publish = publish
        self._deleted = deleted

    # --- reading -----------------------------------------------------------------------------

    async def list(self, query: str = "") -> list[Session]:
        wanted = parse_query(query)

        def work(connection: Connection) -> list[Session]:
            rows = connection.execute(_present().order_by(_COLUMNS.updated_at.desc()))
            # Matched here, since SQLite folds the case of ASCII letters only.
            return [session_of(row) for row in rows if wanted.in_title(row.title)]

        return await self._database.read(work)

    async def get(self, session_id: str) -> Session | None:
        rows = await self._database.rows(_ONE, session=session_id)
        return session_of(rows[0]) if rows else None

    async def find(self, name: str) -> Session | None:
        found = await self.get(name)
        if found:
            return found
        rows = await self._database.rows(_present().where(_COLUMNS.title == name).limit(2))
        same = [session_of(row) for row in rows]
        if len(same) > 1:
            raise Invalid(
                f"Several sessions are called {name!r}; name one by its id, such as {same[0].id}."
            )
        return same[0] if same else None

    async def away(self) -> Sequence[str]:
        rows = await self._database.rows(
            select(_COLUMNS.id).where(_COLUMNS.deleted_at.is_not(None))
        )
        return [row.id for row in rows]

    # --- writing -----------------------------------------------------------------------------

    async def create(
        self,
        title: str = "",
        agent_id: str | None = None,
        session_id: str | None = None,
        titled_by: TitledBy = "words",
        kind: SessionKind = "chat",
    ) -> Session:
        now = time.time()
        session = Session(
            session_id or new_id(now),
            title,
            now,
            now,
            agent_id=agent_id,
            titled_by=titled_by,
            kind=kind,
        )

        def work(connection: Connection) -> None:
            connection.execute(
                insert(tables.sessions).values(
                    id=session.id,
                    title=title,
                    created_at=now,
                    updated_at=now,
                    agent_id=agent_id,
                    titled_by=titled_by,
                    kind=kind,
                )
            )

        await self._database.write(work)
        self._publish(SessionsChanged(session.id))
        return session

    async def rename(
        self, session_id: str, title: str, by: TitledBy = "person", instead_of: str | None = None
    ) -> None:
        which = [_COLUMNS.id == session_id]
        if instead_of is not None:
            which += [_COLUMNS.title == instead_of, _COLUMNS.titled_by != "person"]
        change = update(tables.sessions).where(*which)
        await self._database.write(
            lambda c: c.execute(change.values(title=title.strip(), titled_by=by))
        )
        self._publish(SessionsChanged(session_id))

    async def set_agent(self, session_id: str, agent_id: str) -> None:
        await self._set([session_id], agent_id=agent_id)

    async def pin(self, session_ids: Sequence[str], pinned: bool) -> None:
        await self._set(session_ids, pinned=pinned)

    async def archive(self, session_ids: Sequence[str], archived: bool) -> None:
        if archived:
            await self._set(session_ids, archived=True, pinned=False)
        else:
            await self._set(session_ids, archived=False)

    async def move(self, session_ids: Sequence[str], folder_id: str | None) -> None:
        def there(connection: Connection) -> None:
            known = select(tables.folders.c.id).where(tables.folders.c.id == folder_id)
            if folder_id is not None and connection.scalar(known) is None:
                raise Invalid("That folder is no longer there; choose another one.")

        await self._set(session_ids, first=there, folder_id=folder_id)

    async def put_away(self, session_ids: Sequence[str]) -> DeletionCounts:
        def work(connection: Connection) -> DeletionCounts:
            counts = DeletionCounts()
            for session_id in session_ids:
                counts += _counts(connection, session_id)
                connection.execute(
                    update(tables.sessions)
                    .where(_COLUMNS.id == session_id, _COLUMNS.deleted_at.is_(None))
                    .values(deleted_at=time.time())
                )
            return counts

        counts = await self._database.write(work)
        self._publish(SessionsChanged())
        return counts

    async def restore(self, session_ids: Sequence[str]) -> None:
        def work(connection: Connection) -> None:
            there = connection.scalars(select(_COLUMNS.id).where(_COLUMNS.id.in_(session_ids)))
            if len(there.all()) < len(session_ids):
                raise Invalid("That chat is deleted for good and cannot be brought back.")

        await self._set(session_ids, first=work, deleted_at=None)

    async def delete(self, session_id: str) -> DeletionCounts:
        def work(connection: Connection) -> DeletionCounts:
            counts = _counts(connection, session_id)
            connection.execute(delete(tables.sessions).where(_COLUMNS.id == session_id))
            return counts

        counts = await self._database.write(work)
        self._deleted(session_id)
        self._publish(SessionsChanged())
        return counts

    async def _set(
        self,
        session_ids: Sequence[str],
        *,
        first: Callable[[Connection], None] | None = None,
        **values: Any,
    ) -> None:
        def work(connection: Connection) -> None:
            if first is not None:
                first(connection)
            connection.execute(
                update(tables.sessions).where(_COLUMNS.id.in_(session_ids)).values(**values)
            )

        await self._database.write(work)
        self._publish(SessionsChanged(session_ids[0] if len(session_ids) == 1 else None))


def _present() -> Select[Any]:
    return select(tables.sessions).where(_COLUMNS.deleted_at.is_(None))


_ONE = _present().where(_COLUMNS.id == bindparam("session"))


def _counts(connection: Connection, session_id: str) -> DeletionCounts:
    def count(table: Table) -> int:
        return connection.scalar(  # type: ignore[return-value]  # COUNT is never null
            select(func.count()).where(table.c.session_id == session_id)
        )

    return DeletionCounts(
        messages=count(tables.messages),
        revisions=count(tables.state_revisions),
        summaries=count(tables.summaries),
        facts=count(tables.facts),
        ledger_rows=count(tables.ledger),
        runs=count(tables.runs),
        episodes=count(tables.episodes),
    )


def session_of(row: Row[Any]) -> Session:
    """A session from its row."""
    return Session(
        id=row.id,
        title=row.title,
        created_at=row.created_at,
        updated_at=row.updated_at,
        leaf_id=row.leaf_id,
        agent_id=row.agent_id,
        pinned=row.pinned,
        archived=row.archived,
        folder_id=row.folder_id,
        titled_by=row.titled_by,
        kind=row.kind,
    )
