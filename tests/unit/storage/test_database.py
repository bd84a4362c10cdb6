"""Opening, migrating, and failing without loss."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import Connection, create_engine, select, text

from chatty_desktop.domain.errors import StorageFailed
from chatty_desktop.storage import migrations, tables
from chatty_desktop.storage.database import Database

SESSION = "INSERT INTO sessions (id, created_at, updated_at) VALUES ('{}', 1, 1)"


def schema(file: Path) -> dict[str, list[tuple[object, ...]]]:
    """Columns, foreign keys and indexes of every table in a file."""
    with sqlite3.connect(file) as connection:
        names = [
            row[0]
            for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            if not row[0].startswith("sqlite_")
        ]
        found: dict[str, list[tuple[object, ...]]] = {}
        for name in names:
            # A column that came later stands last in a migrated file.
            columns = sorted(
                (c[1], c[2].removesuffix(" PRECISION"), bool(c[3]) or bool(c[5]), bool(c[5]))
                for c in connection.execute(f"PRAGMA table_info({name})")
            )
            keys = sorted(
                (k[2], k[3], k[4], k[6])
                for k in connection.execute(f"PRAGMA foreign_key_list({name})")
            )
            indexes = sorted(
                (bool(i[2]), *(c[2] for c in connection.execute(f"PRAGMA index_info('{i[1]}')")))
                for i in connection.execute(f"PRAGMA index_list({name})")
            )
            found[name] = [*columns, *keys, *indexes]
    connection.close()
    return found


async def test_migrations_make_the_tables_that_the_stores_use(tmp_path: Path) -> None:
    database = await Database.open(tmp_path / "migrated.db", tmp_path / "backups")
    await database.close()

    engine = create_engine(f"sqlite:///{tmp_path / 'declared.db'}")
    tables.metadata.create_all(engine)
    engine.dispose()
    migrated, declared = schema(tmp_path / "migrated.db"), schema(tmp_path / "declared.db")
    for table, shape in declared.items():
        assert migrated[table] == shape, table


async def test_opening_again_changes_nothing_and_makes_no_backup(tmp_path: Path) -> None:
    for _ in range(2):
        database = await Database.open(tmp_path / "chatty.db", tmp_path / "backups")
        await database.close()
    assert not (tmp_path / "backups").exists()


async def test_an_older_file_is_backed_up_before_it_is_changed(tmp_path: Path) -> None:
    file = tmp_path / "chatty.db"
    await (await Database.open(file, tmp_path / "backups")).close()
    with sqlite3.connect(file) as connection:
        connection.execute("INSERT INTO sessions (id, created_at, updated_at) VALUES ('s', 1, 1)")
    connection.close()

    def second(connection: Connection) -> None:
        """A migration that a later version might bring."""
        connection.execute(text("ALTER TABLE sessions ADD COLUMN colour TEXT"))

    await (await Database.open(file, tmp_path / "backups", [*migrations.STEPS, second])).close()
    (backup,) = (tmp_path / "backups").iterdir()
    assert [c[0] for c in schema(backup)["sessions"] if c[0] == "colour"] == []
    assert [c[0] for c in schema(file)["sessions"] if c[0] == "colour"] == ["colour"]
    with sqlite3.connect(backup) as connection:
        assert connection.execute("SELECT id FROM sessions").fetchall() == [("s",)]
    connection.close()

    with pytest.raises(StorageFailed, match="newer version"):
        await Database.open(file, tmp_path / "backups")


async def test_a_failed_migration_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "chatty.db"
    await (await Database.open(file, tmp_path / "backups")).close()
    before = schema(file)

    def broken(connection: Connection) -> None:
        """Fails half-way."""
        connection.execute(text("ALTER TABLE sessions ADD COLUMN colour TEXT"))
        connection.execute(text("ALTER TABLE nowhere ADD COLUMN colour TEXT"))

    with pytest.raises(StorageFailed):
        await Database.open(file, tmp_path / "backups", [*migrations.STEPS, broken])
    assert schema(file) == before
    await (await Database.open(file, tmp_path / "backups")).close()


async def test_a_file_that_is_no_database_is_told_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "chatty.db"
    file.write_bytes(b"this is not a database, not at all" * 100)
    with pytest.raises(StorageFailed, match="damaged"):
        await Database.open(file, tmp_path / "backups")
    assert file.read_bytes().startswith(b"this is not")


async def test_a_full_disk_is_told_and_what_was_saved_stays(sqlite_database: Database) -> None:
    def limit(connection: Connection) -> None:
        pages = connection.scalar(text("PRAGMA page_count"))
        connection.execute(text(f"PRAGMA max_page_count = {pages + 2}"))

    def put(size: int) -> Callable[[Connection], None]:
        def work(connection: Connection) -> None:
            title = "x" * size
            connection.execute(
                text(
                    "INSERT INTO sessions (id, title, created_at, updated_at)"
                    f" VALUES ('{size}', '{title}', 1, 1)"
                )
            )

        return work

    await sqlite_database.write(put(10))
    await sqlite_database.write(limit)
    with pytest.raises(StorageFailed, match="disk is full"):
        await sqlite_database.write(put(1_000_000))
    assert await ids(sqlite_database) == ["10"]


async def test_a_write_whose_caller_is_cancelled_is_whole_or_not_there(
    database: Database,
) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def work(connection: Connection) -> None:
        connection.execute(text(SESSION.format("a")))
        begun.set()
        go_on.wait(20)
        connection.execute(text(SESSION.format("b")))

    task = asyncio.create_task(database.write(work))
    await asyncio.to_thread(begun.wait)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await ids(database) == []
    go_on.set()
    await database.write(lambda _connection: None)  # writes go one at a time
    assert await ids(database) == ["a", "b"]


async def test_a_write_that_fails_leaves_nothing_of_it(database: Database) -> None:
    def work(connection: Connection) -> None:
        connection.execute(text(SESSION.format("a")))
        connection.execute(text("INSERT INTO nowhere VALUES (1)"))

    with pytest.raises(StorageFailed, match="nowhere"):
        await database.write(work)
    assert await ids(database) == []


async def test_foreign_keys_are_on_and_the_journal_is_write_ahead(
    sqlite_database: Database,
) -> None:
    async def pragma(name: str) -> object:
        return await sqlite_database.read(
            lambda connection: connection.scalar(text(f"PRAGMA {name}"))
        )

    assert await pragma("foreign_keys") == 1
    assert await pragma("journal_mode") == "wal"


async def ids(database: Database) -> list[str]:
    rows = await database.rows(select(tables.sessions.c.id).order_by(tables.sessions.c.id))
    return [row.id for row in rows]
