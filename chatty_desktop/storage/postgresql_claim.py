"""The claim of one machine on a database of a server: one at a time works on it.

What an open app knows of chats, drafts and vectors is held in its memory, so two at once would
write over each other. The claim is an advisory lock of the very connection that writes: whoever
lost the connection lost the claim, and nothing written meanwhile can come after what another
machine wrote.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from sqlalchemy import Connection, Engine, Row, text
from sqlalchemy.exc import DBAPIError

from chatty_desktop.domain.errors import OpenElsewhere

_KEY = 0x43484154
"""Ours among the advisory locks of a database."""

_TAKING_OVER_SECONDS = 10.0

_TRY = text("SELECT pg_try_advisory_lock(:key, hashtext(current_schema()))")

_OWNER = text(
    "SELECT a.pid, a.application_name AS name, a.backend_start AS since"
    " FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid"
    " WHERE l.locktype = 'advisory' AND l.granted AND l.classid = :key"
    " AND l.objid::bigint = (hashtext(current_schema())::bigint & 4294967295)"
    " AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)


class Claim:
    """Taken once, then held by the connection of the writer. Called from one thread at a time."""

    def __init__(self, engine: Engine, place: str, *, take_over: bool) -> None:
        self._engine = engine
        self._place = place
        self._take_over = take_over
        self._connection: Connection | None = None
        self._generation: int | None = None

    def take(self) -> None:
        """Claim the database. Raises `OpenElsewhere` where another machine has it."""
        self._connection = self._locked()

    def note(self, connection: Connection) -> None:
        """Write down whose claim it is from now on."""
        connection.execute(text("DELETE FROM claims"))
        noted = text("INSERT INTO claims (machine, at) VALUES (:machine, :at) RETURNING generation")
        self._generation = connection.scalar(noted, {"machine": machine_name(), "at": time.time()})

    def check(self, connection: Connection) -> None:
        """Within a transaction of another connection: raises `OpenElsewhere` when the claim is
        another's by now, and keeps it from becoming so before the transaction ends."""
        row = connection.execute(text("SELECT * FROM claims FOR SHARE")).first()
        if row is None or row.generation != self._generation:
            raise self._lost(row)

    @contextmanager
    def transaction(self, *, synced: bool) -> Iterator[Connection]:
        """A transaction of the connection that holds the claim. One that was lost is made anew, as
        long as no other machine has been at the database."""
        connection = self._begun(synced=synced)
        try:
            yield connection
            connection.commit()
        except BaseException:
            if connection.invalidated or connection.closed:
                self._drop()
            else:
                connection.rollback()
            raise

    def release(self) -> None:
        self._drop()

    def _begun(self, *, synced: bool) -> Connection:
        # The first statement of a transaction; it fails where the connection was lost.
        level = text(f"SET LOCAL synchronous_commit TO {'on' if synced else 'off'}")
        if self._connection is not None:
            try:
                self._connection.execute(level)
                return self._connection
            except DBAPIError as error:
                if not error.connection_invalidated:
                    self._connection.rollback()
                    raise
                self._drop()
        connection = self._locked()
        try:
            if self._generation is not None:
                row = connection.execute(text("SELECT * FROM claims")).first()
                if row is None or row.generation != self._generation:
                    raise self._lost(row)
            connection.rollback()
            connection.execute(level)
        except BaseException:
            self._close(connection)
            raise
        self._connection = connection
        return connection

    def _locked(self) -> Connection:
        """A new connection that has the lock, in no transaction."""
        connection = self._engine.connect()
        try:
            deadline = time.monotonic() + _TAKING_OVER_SECONDS
            while not connection.scalar(_TRY, {"key": _KEY}):
                owner = connection.execute(_OWNER, {"key": _KEY}).first()
                if owner is not None and not self._take_over:
                    raise self._in_use(owner)
                if time.monotonic() > deadline:
                    raise OpenElsewhere(f"The claim on {self._place} cannot be had. Try again.")
                if owner is not None:
                    connection.execute(
                        text("SELECT pg_terminate_backend(:pid)"), {"pid": owner.pid}
                    )
                time.sleep(0.05)
            connection.commit()
        except BaseException:
            self._close(connection)
            raise
        # Once: later it would be taken back and forth.
        self._take_over = False
        return connection

    def _in_use(self, owner: Row[Any]) -> OpenElsewhere:
        machine = owner.name.removeprefix("chatty-desktop on ") or "another machine"
        since = owner.since.astimezone().strftime("%Y-%m-%d %H:%M")
        return OpenElsewhere(
            f"The chats at {self._place} are in use by Chatty Desktop on {machine} since {since},"
            " and only one machine at a time can work on them. Close it there, or take them over"
            " with: chatty-desktop --take-over.",
            machine,
        )

    def _lost(self, row: Row[Any] | None) -> OpenElsewhere:
        machine = row.machine if row is not None else "another machine"
        return OpenElsewhere(
            f"The chats at {self._place} were taken over by Chatty Desktop on {machine}. Nothing is"
            " saved from here any more; close it there, then close and open it here.",
            machine,
        )

    def _drop(self) -> None:
        if self._connection is not None:
            self._close(self._connection)
            self._connection = None

    def _close(self, connection: Connection) -> None:
        """For good: in the pool it would keep the lock."""
        with suppress(DBAPIError):
            connection.invalidate()
            connection.close()


def machine_name() -> str:
    """This machine, as the server and other machines are told."""
    return socket.gethostname().encode("ascii", "replace").decode() or "unnamed"
