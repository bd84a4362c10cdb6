"""The care of the index of words, whose rows triggers keep.

FTS5 keeps the words of deleted rows, unfindable, until the pieces it is made of are merged.
"""

from __future__ import annotations

import sqlite3

from sqlalchemy import Connection, text

_PAGES_AT_ONCE = 400
"""Of the index, merged in one write: some 20 ms."""


def drop_deleted(connection: sqlite3.Connection) -> None:
    """Leave no word of a deleted message in the index or in the pages it stood on."""
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'message_search'").fetchone():
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("INSERT INTO message_search(message_search) VALUES ('optimize')")


def forget_all(connection: Connection) -> None:
    """Empty the index at once, before all messages are deleted."""
    connection.execute(text("INSERT INTO message_search(message_search) VALUES ('delete-all')"))
    connection.execute(text("DELETE FROM search_rows"))


def merge(connection: Connection, *, begin: bool) -> bool:
    """Merge some pages of the index, or begin to merge all of it; whether there may be more."""
    before = connection.scalar(text("SELECT total_changes()")) or 0
    connection.execute(
        text("INSERT INTO message_search(message_search, rank) VALUES ('merge', :pages)"),
        {"pages": -_PAGES_AT_ONCE if begin else _PAGES_AT_ONCE},
    )
    after = connection.scalar(text("SELECT total_changes()")) or 0
    # What FTS5's documentation says of when to stop.
    return int(after) - int(before) >= 2
