"""Whether a database that came from elsewhere has the tables, columns and JSON of one of ours."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from sqlalchemy import create_engine
from sqlalchemy.pool import StaticPool

from chatty_desktop.storage import migrations

_JSON = (
    ("agents", "definition"),
    ("graphs", "definition"),
    ("messages", "tool_calls"),
    ("messages", "attachments"),
    ("runs", "strategy"),
    ("state_revisions", "state"),
    ("ledger", "message_ids"),
)
"""Without which an agent, a chat or its memory cannot be opened."""


def foreign_part(connection: sqlite3.Connection, steps: int) -> str:
    """What is not as `steps` migrations make it, "" when all is. Reads each row once at most.
    Raises `sqlite3.Error`."""
    expected = _columns_after(steps)
    for table, columns in expected.items():
        if missing := columns - _columns(connection, table):
            return f"{table}.{min(missing)} is missing"
    for table, column in _JSON:
        if column in expected.get(table, ()):
            # The names are ours.
            sql = f"SELECT 1 FROM {table} WHERE NOT json_valid({column}) LIMIT 1"  # noqa: S608
            if connection.execute(sql).fetchone():
                return f"{table}.{column} is no JSON"
    return ""


def _columns_after(steps: int) -> dict[str, set[str]]:
    with closing(sqlite3.connect(":memory:", check_same_thread=False)) as empty:
        engine = create_engine("sqlite://", creator=lambda: empty, poolclass=StaticPool)
        with engine.connect() as connection:
            for step in migrations.STEPS[:steps]:
                step(connection)
            names = connection.exec_driver_sql(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
            ).scalars()
            return {name: _columns(empty, name) for name in names.all()}


def _columns(connection: sqlite3.Connection, table: str) -> set[str]:
    return {row[0] for row in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))}
