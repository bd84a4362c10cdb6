"""Finding words in the messages of all chats: an index of words holds what counts, in the engine's
own way. Scripts without spaces between words are looked for in the text itself."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from sqlalchemy import Row

from chatty_desktop.domain.search import MessageHit, MessageHits, Query, excerpt
from chatty_desktop.storage.database import Database


class StoredSearch:
    """`ports.MessageSearch` over the database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._words = database.backend.words

    async def messages(
        self, query: Query, before: int | None = None, limit: int = 30
    ) -> MessageHits:
        if not query.terms:
            return MessageHits()
        return await self._database.read(
            lambda c: _page(self._words.find(c, query, before, limit + 1), query, limit)
        )

    async def tidy(self) -> None:
        """Be rid of the words of deleted messages, which the index keeps, unfindable, until its
        pieces are merged; in small steps, between which others write."""
        begin = True
        while await self._database.write(partial(self._words.merge, begin=begin), synced=False):
            begin = False


def _page(rows: Sequence[Row[Any]], query: Query, limit: int) -> MessageHits:
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
