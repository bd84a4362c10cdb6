"""The index of words in SQLite (FTS5), whose rows triggers keep.

In 100,000 messages of 67 MB it takes 34 MB more and finds anything in 80 ms at most. Scripts
without spaces between words are looked for in the text itself: 150 ms where nothing is found. An
index of trigrams for them took 157 MB and 25 s to build, and finds no word of two characters.

FTS5 keeps the words of deleted rows, unfindable, until the pieces it is made of are merged.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, text

from chatty_desktop.domain.search import Query, Term

_PAGES_AT_ONCE = 400
"""Of the index, merged in one write: some 20 ms."""

SELECT = """
SELECT r.number, m.session_id, m.id, m.role, m.content, m.at, s.title, s.archived,
  coalesce(a.name, '') AS agent
FROM {source}
JOIN messages m ON m.id = r.message_id
JOIN sessions s ON s.id = m.session_id
LEFT JOIN agents a ON a.id = m.agent_id
WHERE {conditions}
ORDER BY {number} DESC LIMIT :limit
"""
"""What `backend.Words.find` gives, of any engine."""


class WordIndex:
    """`backend.Words` over FTS5."""

    def find(
        self, connection: Connection, query: Query, before: int | None, limit: int
    ) -> Sequence[Row[Any]]:
        values: dict[str, Any] = {"limit": limit}
        conditions = ["s.deleted_at IS NULL"]
        source, number = "search_rows r", "r.number"
        if query.words:
            source = "message_search f JOIN search_rows r ON r.number = f.rowid"
            number = "f.rowid"
            conditions.append("message_search MATCH :words")
            values["words"] = " AND ".join(map(_matching, query.words))
        for place, term in enumerate(query.runs):
            conditions.append(f"m.content LIKE :run{place} ESCAPE '\\'")
            values[f"run{place}"] = f"%{escaped(term.text)}%"
        if before is not None:
            conditions.append(f"{number} < :before")
            values["before"] = before
        statement = SELECT.format(source=source, conditions=" AND ".join(conditions), number=number)
        return connection.execute(text(statement), values).all()

    def holds(self, connection: Connection, term: str) -> bool:
        connection.exec_driver_sql(
            "CREATE VIRTUAL TABLE IF NOT EXISTS"
            " temp.said USING fts5vocab(main, message_search, row)"
        )
        asked = text("SELECT 1 FROM temp.said WHERE term = :term")
        found = connection.scalar(asked, {"term": term})
        connection.exec_driver_sql("DROP TABLE temp.said")
        return found is not None

    def merge(self, connection: Connection, *, begin: bool) -> bool:
        """Merge some pages of the index, or begin to merge all of it."""
        before = connection.scalar(text("SELECT total_changes()")) or 0
        connection.execute(
            text("INSERT INTO message_search(message_search, rank) VALUES ('merge', :pages)"),
            {"pages": -_PAGES_AT_ONCE if begin else _PAGES_AT_ONCE},
        )
        after = connection.scalar(text("SELECT total_changes()")) or 0
        # What FTS5's documentation says of when to stop.
        return int(after) - int(before) >= 2


def drop_deleted(connection: sqlite3.Connection) -> None:
    """Leave no word of a deleted message in the index or in the pages it stood on."""
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'message_search'").fetchone():
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("INSERT INTO message_search(message_search) VALUES ('optimize')")


def forget_all(connection: Connection) -> None:
    """Empty the index at once, before all messages are deleted."""
    connection.execute(text("INSERT INTO message_search(message_search) VALUES ('delete-all')"))
    connection.execute(text("DELETE FROM search_rows"))


def build_again(connection: sqlite3.Connection) -> None:
    """Build the index from the messages, in a database that has it."""
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'search_rows'").fetchone():
        return
    connection.execute("BEGIN")
    connection.execute("INSERT INTO message_search(message_search) VALUES ('delete-all')")
    connection.execute("DELETE FROM search_rows")
    connection.execute(
        "INSERT INTO search_rows (message_id) SELECT id FROM messages"
        " WHERE content <> '' AND status NOT IN ('failed', 'streaming') ORDER BY at, id"
    )
    connection.execute(
        "INSERT INTO message_search (rowid, content)"
        " SELECT number, content FROM search_rows JOIN messages ON messages.id = message_id"
        " ORDER BY number"
    )
    connection.execute("COMMIT")


def escaped(run: str) -> str:
    """A text to be found as it stands by LIKE, with a backslash to escape."""
    return run.replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")


def _matching(term: Term) -> str:
    """A term as FTS5 understands it: in quotes nothing has a meaning of its own."""
    quoted = '"' + term.text.replace('"', " ") + '"'
    return quoted if term.phrase else f"{quoted} *"
