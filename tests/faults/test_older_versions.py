"""A data folder of every older version, with rows in all its tables, opened by this one."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from chatty_desktop.app import App
from chatty_desktop.domain.search import parse_query
from chatty_desktop.storage.database import Database
from chatty_desktop.storage.migrations import STEPS
from tests.helpers.filled import fill, filled, is_whole

Rows = dict[str, set[tuple[Any, ...]]]

KEPT_BY_TRIGGERS = ("search_rows", "message_search", "files", "attached")

THE_REST = (
    "UPDATE present.runs SET status = 'done'",
    "INSERT INTO present.folders (id, name, created_at) VALUES ('f', 'Travel', 1)",
    "INSERT INTO present.drafts (place, content) VALUES ('new', 'And then')",
    "INSERT INTO present.waiting_patches SELECT * FROM present.ledger",
    "INSERT INTO present.measurements (id, agent_id, model, content, at)"
    " SELECT 'm', id, 'lab/small', '{}', 1 FROM present.agents LIMIT 1",
)


def put_into(older: Path, present: Path) -> Rows:
    """Put all that the present version's database holds into an older one, as far as that has
    places for it; what it holds by then."""
    with closing(sqlite3.connect(older)) as connection, connection:
        connection.execute("ATTACH ? AS present", (str(present),))
        for statement in THE_REST:
            connection.execute(statement)
        for table, names in columns(connection).items():
            chosen = ", ".join(names)
            connection.execute(
                f"INSERT INTO main.{table} ({chosen}) SELECT {chosen} FROM present.{table}"
            )
        return rows(connection, columns(connection))


def columns(connection: sqlite3.Connection) -> dict[str, list[str]]:
    """The tables of a database and their columns."""
    tables = connection.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'")
    return {
        table: [row[1] for row in connection.execute(f"PRAGMA main.table_info({table})")]
        for (table,) in tables.fetchall()
        if table != "migrations" and not table.startswith(("sqlite_", *KEPT_BY_TRIGGERS))
    }


def rows(connection: sqlite3.Connection, of: dict[str, list[str]]) -> Rows:
    """What is in those columns of those tables."""
    return {
        table: set(connection.execute(f"SELECT {', '.join(names)} FROM main.{table}"))
        for table, names in of.items()
    }


@pytest.mark.parametrize("version", range(1, len(STEPS)))
async def test_a_folder_of_an_older_version_opens_with_all_that_was_in_it(
    data_dir: Path, tmp_path: Path, version: int
) -> None:
    await filled(tmp_path / "present", "word")
    database = data_dir / "chatty.db"
    await asyncio.to_thread(data_dir.mkdir)
    await (await Database.open(database, data_dir / "backups", STEPS[:version])).close()
    before = await asyncio.to_thread(put_into, database, tmp_path / "present" / "chatty.db")
    with closing(sqlite3.connect(database)) as connection:
        older = columns(connection)
    assert all(before.values()), [table for table, found in before.items() if not found]

    app = await App.open(data_dir)
    assert app.settings.notices == []
    assert len(await app.sessions.list()) == 2
    assert len((await app.search.messages(parse_query("word"))).hits) == 8
    with closing(sqlite3.connect(database)) as connection:
        assert rows(connection, older) == before
    kinds = [backup.kind for backup in await app.data.backups()]
    assert kinds == ["before_update"] * (len(STEPS) - version)
    await fill(app, "later", chats=1)
    await app.close()
    assert is_whole(database)
