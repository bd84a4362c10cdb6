"""The index of words on a PostgreSQL server: a tsvector for each message, kept by triggers.

A word, the beginning of one, and a phrase are found as in SQLite's index (`word_index`). What
differs: only the first 200,000 characters of a message are indexed, and phrases are found among its
first 16,383 words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, text

from chatty_desktop.domain.search import Query
from chatty_desktop.storage.word_index import SELECT, escaped


class ServerWords:
    """`backend.Words` over a tsvector with a GIN index."""

    def find(
        self, connection: Connection, query: Query, before: int | None, limit: int
    ) -> Sequence[Row[Any]]:
        values: dict[str, Any] = {"limit": limit}
        conditions = ["s.deleted_at IS NULL"]
        for place, term in enumerate(query.words):
            conditions.append(
                f"r.words @@ chatty_query(CAST(:word{place} AS text), {str(term.phrase).lower()})"
            )
            values[f"word{place}"] = term.text
        for place, term in enumerate(query.runs):
            # As in SQLite, where LIKE makes no difference of A and a, and of no other letters.
            conditions.append(f"m.content ILIKE CAST(:run{place} AS text) ESCAPE '\\'")
            values[f"run{place}"] = f"%{escaped(term.text)}%"
        if before is not None:
            conditions.append("r.number < :before")
            values["before"] = before
        statement = SELECT.format(
            source="search_rows r", conditions=" AND ".join(conditions), number="r.number"
        )
        return connection.execute(text(statement), values).all()

    def holds(self, connection: Connection, term: str) -> bool:
        asked = text(
            "SELECT 1 FROM search_rows WHERE words @@ chatty_query(CAST(:term AS text), true)"
        )
        return connection.scalar(asked, {"term": term}) is not None

    def merge(self, connection: Connection, *, begin: bool) -> bool:
        """The row of a deleted message goes with it."""
        return False
