"""Finding words in the messages of all chats.

An index of words (FTS5, kept by the triggers of the migration that made it) holds what counts. In
100,000 messages of 67 MB it takes 34 MB more and finds anything in 80 ms at most. Scripts without
spaces between words are looked for in the text itself: 150 ms where nothing is found. An index of
trigrams for them took 157 MB and 25 s to build, and finds no word of two characters.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from sqlalchemy import Connection, text

from chatty_desktop.domain.search import MessageHit, MessageHits, Query, Term, excerpt
from chatty_desktop.storage import word_index
from chatty_desktop.storage.database import Database

_SELECT = """
SELECT r.number, m.session_id, m.id, m.role, m.content, m.at, s.title, s.archived,
  coalesce(a.name, '') AS agent
FROM {source}
JOIN messages m ON m.id = r.message_id
JOIN sessions s ON s.id = m.session_id
LEFT JOIN agents a ON a.id = m.agent_id
WHERE {conditions}
ORDER BY r.number DESC LIMIT :limit
"""


class StoredSearch:
    """`ports.MessageSearch` over SQLite."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def messages(
        self, query: Query, before: int | None = None, limit: int = 30
    ) -> MessageHits:
        return await self._database.read(lambda c: _messages(c, query, before, limit))

    async def tidy(self) -> None:
        """Be rid of the words of deleted messages, which the index keeps, unfindable, until its
        pieces are merged; in small steps, between which others write."""
        begin = True
        while await self._database.write(partial(word_index.merge, begin=begin), synced=False):
            begin = False


def _messages(connection: Connection, query: Query, before: int | None, limit: int) -> MessageHits:
    if not query.terms:
        return MessageHits()
    values: dict[str, Any] = {"limit": limit + 1}
    conditions = ["s.deleted_at IS NULL"]
    source = "search_rows r"
    if query.words:
        source = "message_search f JOIN search_rows r ON r.number = f.rowid"
        conditions.append("message_search MATCH :words")
        values["words"] = " AND ".join(map(_matching, query.words))
    for number, term in enumerate(query.runs):
        conditions.append(f"m.content LIKE :run{number} ESCAPE '\\'")
        values[f"run{number}"] = f"%{_escaped(term.text)}%"
    if before is not None:
        conditions.append("r.number < :before" if not query.words else "f.rowid < :before")
        values["before"] = before
    statement = _SELECT.format(source=source, conditions=" AND ".join(conditions))
    if query.words:
        statement = statement.replace("ORDER BY r.number", "ORDER BY f.rowid")
    rows = connection.execute(text(statement), values).all()
    hits = tuple(
        MessageHit(
            number=row.number,
            session_id=row.session_id,
            message_id=row.id,
            title=row.title,
            role=row.role,
            agent=row.agent,
            at=row.at,
            archived=bool(row.archived),
            excerpt=excerpt(row.content, query),
        )
        for row in rows[:limit]
    )
    return MessageHits(hits, more=len(rows) > limit)


def _matching(term: Term) -> str:
    """A term as FTS5 understands it: in quotes nothing has a meaning of its own."""
    quoted = '"' + term.text.replace('"', " ") + '"'
    return quoted if term.phrase else f"{quoted} *"


def _escaped(run: str) -> str:
    return run.replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")
