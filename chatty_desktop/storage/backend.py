"""What the stores need of a database engine besides SQL that all engines understand.

There are two: a file of SQLite's (`sqlite`), and a server of PostgreSQL's (`postgresql`).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from sqlalchemy import Column, ColumnElement, Connection, Engine, Insert, Row, Table
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.selectable import TableValuedAlias

from chatty_desktop.domain.errors import StorageFailed
from chatty_desktop.domain.search import Query
from chatty_desktop.domain.work import Work
from chatty_desktop.storage.migrations import Step

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql


class Words(Protocol):
    """The index of words of messages, whose rows triggers keep."""

    def find(
        self, connection: Connection, query: Query, before: int | None, limit: int
    ) -> Sequence[Row[Any]]:
        """Messages that hold every term, newest first: number, session_id, id, role, content, at,
        title, archived, agent."""
        ...

    def holds(self, connection: Connection, term: str) -> bool:
        """Whether the index has a word, of a message that is there or of one that is not."""
        ...

    def merge(self, connection: Connection, *, begin: bool) -> bool:
        """A step of being rid of the words of deleted messages; whether there may be more."""
        ...


class Backend(Protocol):
    """One database, and what its engine does in a way of its own. Every call blocks.

    place: where it is, for the person; no password is in it. files: those of it in the data folder;
    a database on a server has none. beyond: where what was deleted may stay that no search here can
    see, for the person; "" nowhere.
    """

    @property
    def engine(self) -> Engine: ...

    @property
    def words(self) -> Words: ...

    @property
    def place(self) -> str: ...

    @property
    def files(self) -> Sequence[Path]: ...

    @property
    def beyond(self) -> str: ...

    def migrate(self, steps: Sequence[Step]) -> None:
        """Make the tables, or bring them up to date. Raises `StorageFailed`."""
        ...

    def writing(self, *, synced: bool) -> AbstractContextManager[Connection]:
        """A transaction of the one writer. When `synced` a commit waits for the disk; one that is
        not is never kept without those before it."""
        ...

    def failure(self, error: DBAPIError) -> StorageFailed:
        """What an error of the driver means."""
        ...

    def stoppable(self, connection: Connection, work: Work) -> AbstractContextManager[None]:
        """Let a statement be stopped while it runs."""
        ...

    def close(self) -> None: ...

    # --- the parts of queries ----------------------------------------------------------------

    def json_items(self, column: Column[str], name: str) -> TableValuedAlias:
        """The items of a JSON array in a text column, as rows of one column, `value`."""
        ...

    def json_text(self, item: ColumnElement[Any], key: str) -> ColumnElement[str]:
        """What such an item, an object, has under a key: a text without anything to escape."""
        ...

    def names(self, word: str, connection: Connection) -> bool:
        """Whether the word is one of the database's own in what it keeps on the disk."""
        ...

    # --- long work, the connection being in no transaction ------------------------------------

    def size(self, connection: Connection) -> int:
        """Bytes that the database holds."""
        ...

    def begin(self, connection: Connection) -> None:
        """Begin a transaction that sees one moment of the database."""
        ...

    def back_up(
        self, connection: Connection, settings: str | None, target: Path, work: Work
    ) -> None:
        """Write a backup with the text of the settings. Raises `StorageFailed`, `Stopped`."""
        ...

    def compact(self, connection: Connection, work: Work) -> None:
        """Give back the room of what was deleted. Raises `StorageFailed`, `Stopped`."""
        ...

    def blank(self, connection: Connection, work: Work) -> None:
        """Have nothing of what was deleted stay in the files of the database, as far as that is
        in the engine's hands. Raises `StorageFailed`, `Stopped`."""
        ...

    def erase(self, connection: Connection, kept: Sequence[Table]) -> None:
        """Delete every row but those of `kept`; all of it or nothing."""
        ...

    def scrub(self, connection: Connection) -> None:
        """Have nothing keep what was erased."""
        ...


def adding(connection: Connection, table: Table) -> Insert:
    """An insert of rows, of which those that are there already stay as they are."""
    return _adding(connection.dialect.name, table)


def putting(connection: Connection, table: Table, *changed: str, key: Sequence[str] = ()) -> Insert:
    """An insert of rows, each in place of the one with its `key`, the primary one if none is
    named: of that one, what is `changed` changes."""
    return _putting(connection.dialect.name, table, changed, tuple(key))


@cache
def _adding(dialect: str, table: Table) -> Insert:
    return _insert_into(dialect, table).on_conflict_do_nothing()


@cache
def _putting(dialect: str, table: Table, changed: tuple[str, ...], key: tuple[str, ...]) -> Insert:
    put = _insert_into(dialect, table)
    return put.on_conflict_do_update(
        index_elements=key or [column.name for column in table.primary_key],
        set_={name: put.excluded[name] for name in changed},
    )


def _insert_into(dialect: str, table: Table) -> sqlite.Insert | postgresql.Insert:
    if dialect == "sqlite":
        return sqlite.insert(table)
    from sqlalchemy.dialects import postgresql  # costs a start that uses no server 10 ms

    return postgresql.insert(table)
