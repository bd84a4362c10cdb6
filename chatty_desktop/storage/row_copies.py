"""Copying every row of one database into another, whichever engines they are of."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Integer, Table, func, select
from sqlalchemy.exc import DBAPIError

from chatty_desktop.domain.errors import StorageFailed
from chatty_desktop.domain.work import Work
from chatty_desktop.storage import migrations, tables
from chatty_desktop.storage.backup_file import pack_backup
from chatty_desktop.storage.disk import require_room, scratch_file
from chatty_desktop.storage.order import as_written
from chatty_desktop.storage.sqlite_file import SqliteFile

if TYPE_CHECKING:
    from chatty_desktop.storage.backend import Backend

_AT_ONCE = 500
"""Rows in one statement; files, which are large, go one by one."""


def copy_rows(backend: Backend, source: Connection, target: Connection, work: Work) -> int:
    """Copy every row of a backend's database into tables that are empty, in the caller's
    transactions; how many. The triggers of the target make its index of words. Raises
    `StorageFailed` when not all could be read or arrived, `Stopped`."""
    # Files before those who name them; who does is written by triggers.
    order = [tables.files, *(t for t in tables.metadata.sorted_tables if t is not tables.files)]
    order.remove(tables.attached)
    counts = {table.name: _count(source, table) for table in order}
    work.begin("Copying the database", sum(counts.values()))
    for table in order:
        for part in _read(backend, source, table):
            target.execute(table.insert(), part)
            work.step(len(part))
        if _count(target, table) != counts[table.name]:
            raise StorageFailed(f"Not every row of {table.name} was copied. Nothing was changed.")
    if target.dialect.name == "postgresql":
        _continue_numbers(target, order)
    return sum(counts.values())


def write_copied_backup(
    backend: Backend, connection: Connection, settings: str | None, target: Path, work: Work
) -> None:
    """Write a backup of a database on a server: as one of a file is, with a file of SQLite's in it.
    The connection is in no transaction. Raises as `write_backup` does."""
    require_room(target.parent, 2 * backend.size(connection), "The backup")
    with scratch_file(target) as copy:
        copy.unlink(missing_ok=True)
        with closing(SqliteFile(copy, copy.parent)) as file:
            file.migrate(migrations.STEPS)
            with file.engine.begin() as into:
                into.exec_driver_sql("PRAGMA synchronous=OFF")
                backend.begin(connection)
                try:
                    copy_rows(backend, connection, into, work)
                finally:
                    connection.exec_driver_sql("ROLLBACK")
            with file.engine.connect() as alone:
                alone.exec_driver_sql("PRAGMA journal_mode=DELETE")
        pack_backup(copy, settings, target, work)


def _read(backend: Backend, source: Connection, table: Table) -> Iterator[list[dict[str, Any]]]:
    query = select(table).order_by(*as_written(table))
    at_once = 1 if table is tables.files else _AT_ONCE
    try:
        rows = source.execute(query, execution_options={"yield_per": at_once})
        for part in rows.mappings().partitions():
            yield [dict(row) for row in part]
    except DBAPIError as error:
        # Told as what it is: the caller takes errors for those of the target.
        raise backend.failure(error) from error


def _count(connection: Connection, table: Table) -> int:
    return connection.scalar(select(func.count()).select_from(table)) or 0


def _continue_numbers(connection: Connection, copied: list[Table]) -> None:
    """Have numbers that the server gives go on after those that came along."""
    for table in copied:
        for column in table.primary_key:
            if isinstance(column.type, Integer) and not column.foreign_keys:
                connection.execute(
                    select(
                        func.setval(
                            func.pg_get_serial_sequence(table.name, column.name),
                            func.coalesce(func.max(column), 0) + 1,
                            False,
                        )
                    )
                )
