"""The message tree in SQLite, with the branches in use kept in memory."""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import CTE, Connection, Row, bindparam, func, insert, literal, select, update

from chatty_desktop.domain.attachments import AttachedFile, read_attachments, write_attachments
from chatty_desktop.domain.branch import Branch
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.messages import DeletionCounts, Message, Scope, Status, ToolCall
from chatty_desktop.storage import tables
from chatty_desktop.storage.attached_files import add_files, read_contents, read_files
from chatty_desktop.storage.database import Database
from chatty_desktop.storage.message_deletion import Deleted, delete_messages
from chatty_desktop.storage.order import AsWritten

_KEPT_BRANCHES = 4
_AT_ONCE = 500
"""Ids in one statement."""
_COLUMNS = tables.messages.c


_ADD = insert(tables.messages)
_CHANGE = update(tables.messages).where(_COLUMNS.id == bindparam("message"))
_FOLLOW = update(tables.sessions).where(tables.sessions.c.id == bindparam("session"))


class StoredMessages:
    """`ports.MessageLog` over SQLite.

    The current branch of the last few sessions read whole is kept in memory and follows each
    write, so that a turn in a chat of 10,000 messages does not read them again.
    """

    def __init__(
        self,
        database: Database,
        deleted: Callable[[str, Sequence[str]], None] = lambda _session, _ids: None,
    ) -> None:
        """`deleted` is called with a session's id and the ids of messages of it that are gone."""
        self._database = database
        self._deleted = deleted
        self._branches: OrderedDict[str, Branch] = OrderedDict()
        # Held while a branch is read or written, so that what is kept never misses a write.
        self._lock = asyncio.Lock()

    async def append(self, message: Message, files: Sequence[AttachedFile] = ()) -> None:
        # Nodes of a graph run take turns in one log: theirs come under the leaf there is.
        placed = [message]

        def work(connection: Connection) -> None:
            add_files(connection, files)
            if message.node:
                parent = select(tables.sessions.c.leaf_id).where(
                    tables.sessions.c.id == message.session_id
                )
                placed[0] = replace(message, parent_id=connection.scalar(parent))
            connection.execute(_ADD, _values(placed[0]))
            leaf = {"leaf_id": message.id, "updated_at": message.at}
            connection.execute(_FOLLOW, {**leaf, "session": message.session_id})

        def follow() -> None:
            branch = self._branches.get(message.session_id)
            if branch is not None and not branch.append(placed[0]):
                del self._branches[message.session_id]

        # The first words of a reply are shown once they are here; within a second its checkpoint
        # takes them to the disk.
        await self._commit(work, follow, synced=message.status is not Status.STREAMING)

    async def update(self, message: Message) -> None:
        def work(connection: Connection) -> None:
            values = _values(message)
            del values["parent_id"]
            values["message"] = values.pop("id")
            connection.execute(_CHANGE, values)

        def follow() -> None:
            branch = self._branches.get(message.session_id)
            if branch is not None and (place := branch.place(message.id)) is not None:
                branch.replace(replace(message, parent_id=branch[place].parent_id))

        await self._commit(work, follow)

    async def get(self, message_id: str) -> Message | None:
        rows = await self._database.rows(select(tables.messages).where(_COLUMNS.id == message_id))
        return message_of(rows[0]) if rows else None

    async def contents(self, digests: Collection[str]) -> dict[str, bytes | str]:
        return await self._database.read(lambda connection: read_contents(connection, digests))

    async def file_bytes(self, digest: str) -> bytes | None:
        found = await self._database.read(lambda connection: read_files(connection, [digest]))
        return found[digest][0] if digest in found else None

    async def branch(self, session_id: str) -> Branch:
        async with self._lock:
            branch = self._branches.get(session_id)
            if branch is None:
                branch = await self._read_branch(session_id)
                self._branches[session_id] = branch
                while len(self._branches) > _KEPT_BRANCHES:
                    self._branches.popitem(last=False)
            self._branches.move_to_end(session_id)
        return branch

    async def page(
        self, session_id: str, before: str | None = None, limit: int = 60
    ) -> list[Message]:
        def work(connection: Connection) -> list[Message]:
            if before is None:
                end = select(tables.sessions.c.leaf_id).where(tables.sessions.c.id == session_id)
            else:
                end = select(_COLUMNS.parent_id).where(_COLUMNS.id == before)
            last = connection.scalar(end)
            return _ancestors(connection, last, limit) if last else []

        return await self._database.read(work)

    async def range(self, first_id: str, last_id: str) -> list[Message]:
        """The messages from `first_id` down to `last_id`, which descends from it; in order."""
        return await self._database.read(
            lambda connection: _ancestors(connection, last_id, None, stop=first_id)
        )

    async def set_leaf(self, session_id: str, message_id: str | None) -> None:
        def work(connection: Connection) -> None:
            if message_id is not None:
                owner = connection.scalar(
                    select(_COLUMNS.session_id).where(_COLUMNS.id == message_id)
                )
                if owner != session_id:
                    raise Invalid("That message is not part of this chat.")
            connection.execute(
                update(tables.sessions)
                .where(tables.sessions.c.id == session_id)
                .values(leaf_id=message_id)
            )

        await self._commit(work, lambda: self._branches.pop(session_id, None))

    async def versions(self, message_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        return await self._database.read(lambda connection: _versions(connection, message_ids))

    async def newest_below(self, message_id: str) -> str:
        def work(connection: Connection) -> str:
            end = message_id
            while below := connection.scalar(
                select(func.max(_COLUMNS.id)).where(_COLUMNS.parent_id == end)
            ):
                end = below
            return end

        return await self._database.read(work)

    async def delete(
        self, session_id: str, message_id: str, *, following: bool
    ) -> tuple[tuple[Scope, ...], DeletionCounts]:
        found: list[Deleted] = []

        def work(connection: Connection) -> None:
            found.append(delete_messages(connection, session_id, message_id, following=following))

        await self._commit(work, lambda: self._branches.pop(session_id, None))
        (deleted,) = found
        self._deleted(session_id, deleted.message_ids)
        return deleted.scopes, deleted.counts

    def forget_all(self) -> None:
        """Drop what is kept in memory: every session was deleted."""
        self._branches.clear()

    def forget(self, session_id: str) -> None:
        """Drop what is kept in memory of a session that was deleted."""
        self._branches.pop(session_id, None)

    async def close_interrupted(self) -> int:
        """Mark replies that a killed process left half-written as cut; returns how many."""

        def work(connection: Connection) -> int:
            done = connection.execute(
                update(tables.messages)
                .where(_COLUMNS.status == Status.STREAMING.value)
                .values(
                    status=Status.CUT.value,
                    error="Chatty Desktop was closed while this was being written.",
                )
            )
            connection.execute(
                update(tables.runs)
                .where(tables.runs.c.status == "running")
                .values(status="stopped")
            )
            return int(done.rowcount)

        return await self._database.write(work)

    async def _commit(
        self,
        work: Callable[[Connection], None],
        follow: Callable[[], object],
        *,
        synced: bool = True,
    ) -> None:
        """Write, and let what is kept in memory follow: one step, that Stop cannot come between."""

        async def both() -> None:
            async with self._lock:
                await self._database.write(work, synced=synced)
                follow()

        await self._database.whole(both())

    async def _read_branch(self, session_id: str) -> Branch:
        def work(connection: Connection) -> Branch:
            leaf = connection.scalar(
                select(tables.sessions.c.leaf_id).where(tables.sessions.c.id == session_id)
            )
            if leaf is None:
                return Branch()
            rows = connection.execute(
                select(tables.messages).where(_COLUMNS.session_id == session_id)
            )
            return _walk({row.id: row for row in rows}, leaf)

        return await self._database.read(work)


def _versions(connection: Connection, message_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
    this, other = tables.messages.alias(), tables.messages.alias()
    found: dict[str, list[str]] = {}
    for start in range(0, len(message_ids), _AT_ONCE):
        query = (
            select(this.c.id, other.c.id)
            .where(
                this.c.id.in_(message_ids[start : start + _AT_ONCE]),
                other.c.session_id == this.c.session_id,
                other.c.parent_id.is_not_distinct_from(this.c.parent_id),
            )
            .order_by(AsWritten(other.c.id))
        )
        for message_id, version in connection.execute(query):
            found.setdefault(message_id, []).append(version)
    return {each: tuple(versions) for each, versions in found.items() if len(versions) > 1}


def _ancestors(
    connection: Connection, last_id: str, limit: int | None, stop: str | None = None
) -> list[Message]:
    """The chain of parents that ends at `last_id`, in order."""
    chain: CTE = (
        select(_COLUMNS.id, _COLUMNS.parent_id, literal(0).label("depth"))
        .where(_COLUMNS.id == last_id)
        .cte("chain", recursive=True)
    )
    parents = select(_COLUMNS.id, _COLUMNS.parent_id, (chain.c.depth + 1).label("depth")).where(
        _COLUMNS.id == chain.c.parent_id
    )
    if limit is not None:
        parents = parents.where(chain.c.depth + 1 < limit)
    if stop is not None:
        parents = parents.where(chain.c.id != stop)
    chain = chain.union_all(parents)
    rows = connection.execute(
        select(tables.messages)
        .join(chain, chain.c.id == _COLUMNS.id)
        .order_by(chain.c.depth.desc())
    )
    return [message_of(row) for row in rows]


def _walk(by_id: dict[str, Row[Any]], leaf: str) -> Branch:
    found: list[Message] = []
    current: str | None = leaf
    while current is not None and current in by_id:
        message = message_of(by_id[current])
        found.append(message)
        current = message.parent_id
    return Branch(reversed(found))


def _values(message: Message) -> dict[str, Any]:
    return {
        "id": message.id,
        "session_id": message.session_id,
        "parent_id": message.parent_id,
        "agent_id": message.agent_id,
        "run_id": message.run_id,
        "role": message.role,
        "content": message.content,
        "at": message.at,
        "status": message.status.value,
        "model": message.model,
        "reasoning": message.reasoning,
        "error": message.error,
        "seconds": message.seconds,
        "tool_calls": json.dumps(
            [{"id": c.id, "name": c.name, "arguments": c.arguments} for c in message.tool_calls]
        ),
        "tool_call_id": message.tool_call_id,
        "thought_seconds": message.thought_seconds,
        "attachments": write_attachments(message.attachments),
        "node": message.node,
    }


def message_of(row: Row[Any]) -> Message:
    """The message of a row of `tables.messages`."""
    calls = row.tool_calls
    return Message(
        id=row.id,
        session_id=row.session_id,
        parent_id=row.parent_id,
        agent_id=row.agent_id,
        run_id=row.run_id,
        role=row.role,
        content=row.content,
        at=row.at,
        status=Status(row.status),
        model=row.model,
        reasoning=row.reasoning,
        error=row.error,
        seconds=row.seconds,
        tool_calls=() if calls == "[]" else tuple(ToolCall(**c) for c in json.loads(calls)),
        tool_call_id=row.tool_call_id,
        thought_seconds=row.thought_seconds,
        attachments=read_attachments(row.attachments),
        node=row.node,
    )
