"""The embedders that have ever embedded here, in SQLite."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select

from chatty_desktop.domain.embedding import EmbedderId
from chatty_desktop.storage import tables

M = tables.embedders.c


_NUMBER = select(M.id).where(
    *(M[name] == bindparam(name) for name in ("provider", "model", "dimension"))
)


def ensure_embedder(connection: Connection, embedder: EmbedderId) -> int:
    """The number of an embedder, given when it is new."""
    values = asdict(embedder)
    found = connection.scalar(_NUMBER, values)
    if found is None:
        added = connection.execute(insert(tables.embedders), values)
        found = added.inserted_primary_key[0]  # type: ignore[index]  # it has a primary key
    return int(found)


def all_embedders(connection: Connection) -> list[EmbedderId]:
    """Every embedder that has ever embedded here."""
    rows = connection.execute(select(M.provider, M.model, M.dimension).order_by(M.id))
    return [EmbedderId(row.provider, row.model, row.dimension) for row in rows]


def number_of(embedder: EmbedderId) -> Any:
    """The same as a part of a query; nothing for one that never embedded."""
    return (
        select(M.id)
        .where(
            M.provider == embedder.provider,
            M.model == embedder.model,
            M.dimension == embedder.dimension,
        )
        .scalar_subquery()
    )
