"""Episodes and their vectors in SQLite: what the index is built from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from sqlalchemy import (
    BindParameter,
    Connection,
    Integer,
    Select,
    and_,
    bindparam,
    case,
    delete,
    func,
    or_,
    select,
    update,
)

from chatty_desktop.domain.embedding import EmbedderId
from chatty_desktop.domain.episodes import (
    EPISODIC,
    LONGEST_TEXT,
    Episode,
    EpisodeCounts,
    ToEmbed,
)
from chatty_desktop.domain.messages import Message, Scope
from chatty_desktop.storage import tables
from chatty_desktop.storage.attached_files import told_in
from chatty_desktop.storage.backend import adding, putting
from chatty_desktop.storage.embedder_rows import ensure_embedder, number_of

E, V, M = tables.episodes.c, tables.episode_vectors.c, tables.embedders.c

_AT_ONCE = 500
"""Ids in one statement."""

AWAY = select(tables.sessions.c.id).where(tables.sessions.c.deleted_at.is_not(None))
"""Chats that were deleted, for as long as that can be undone: they count for nothing."""


@dataclass(frozen=True, slots=True)
class VectorRow:
    """An embedded episode. `vector` is the bytes of its float32 numbers."""

    message_id: str
    scope: Scope
    before_id: str | None
    vector: bytes


_L = tables.ledger.c
_REMOVED = select(_L.through_message_id).where(
    _L.session_id == bindparam("session_id"),
    _L.agent_id == bindparam("agent_id"),
    _L.layer == EPISODIC,
)
_LAST = select(func.coalesce(func.max(E.seq), 0))
_WITHOUT_VECTOR = select(E.message_id, E.session_id, E.agent_id, E.before_id).where(
    E.message_id.in_(bindparam("message_ids", expanding=True)),
    ~select(V.seq)
    .where(
        V.message_id == E.message_id,
        V.embedder_id == bindparam("embedder_id"),
        V.vector.is_not(None),
    )
    .exists(),
)


def record(connection: Connection, messages: Sequence[tuple[Message, str | None]]) -> None:
    """Store episodes; those that are there stay as they are, and those that the person removed
    stay away."""
    removed = _removed(connection, [message for message, _before in messages])
    rows = [
        {
            "message_id": message.id,
            "session_id": message.session_id,
            "agent_id": message.agent_id,
            "before_id": before_id,
        }
        for message, before_id in messages
        if message.id not in removed
    ]
    if rows:
        connection.execute(adding(connection, tables.episodes), rows)


def _removed(connection: Connection, messages: Sequence[Message]) -> set[str]:
    """Which of the messages have a row of the ledger that says their episode was removed."""
    found: set[str] = set()
    for scope in {Scope(message.agent_id, message.session_id) for message in messages}:
        found.update(connection.scalars(_REMOVED, asdict(scope)))
    return found


def remove(connection: Connection, scope: Scope, message_id: str) -> bool:
    """Delete an episode; its vectors go with it, the next one follows the one before it, and what
    was recalled last no longer shows it."""
    episodes, recalls = tables.episodes, tables.recalls
    mine = and_(episodes.c.session_id == scope.session_id, episodes.c.agent_id == scope.agent_id)
    this = and_(mine, episodes.c.message_id == message_id)
    row = connection.execute(select(episodes.c.before_id).where(this)).first()
    if row is None:
        return False
    connection.execute(
        update(episodes)
        .where(mine, episodes.c.before_id == message_id)
        .values(before_id=row.before_id)
    )
    connection.execute(delete(episodes).where(this))
    connection.execute(
        delete(recalls).where(
            recalls.c.session_id == scope.session_id, recalls.c.agent_id == scope.agent_id
        )
    )
    return True


def unembedded(
    connection: Connection,
    provider: str,
    model: str,
    dimension: int | None,
    scope: Scope | None,
    limit: int,
    after: int,
) -> tuple[list[Episode], int]:
    """Episodes of a number above `after` for which there is neither a vector of the embedder nor
    its refusal; and the number up to which there is none."""
    last = connection.execute(_LAST).scalar_one()
    asked: dict[str, object] = {"after": after, "most": limit}
    asked |= {"provider": provider, "model": model, "dimension": dimension}
    if scope is not None:
        asked |= asdict(scope)
    query = _unembedded(scope is not None, dimension is not None)
    found = connection.execute(query, asked).all()
    episodes = [
        Episode(
            r.message_id,
            Scope(r.agent_id, r.session_id),
            r.role,
            told_in(r.content, r.attachments),
            r.at,
        )
        for r in found
    ]
    return episodes, found[0].seq - 1 if found else int(last)


@cache
def _unembedded(in_scope: bool, of_dimension: bool) -> Select[Any]:
    """The query of `unembedded`, made once: every turn asks it."""
    message = tables.messages.c
    dimension: BindParameter[Any] | None = bindparam("dimension") if of_dimension else None
    has_vector = _has_vector(bindparam("provider"), bindparam("model"), dimension)
    query = (
        select(
            E.seq, E.message_id, E.session_id, E.agent_id,
            message.role, message.content, message.at, message.attachments,
        )
        .join(tables.messages, message.id == E.message_id)
        .where(E.seq > bindparam("after"), ~has_vector)
        .order_by(E.seq)
        .limit(bindparam("most", type_=Integer))
    )  # fmt: skip
    if not in_scope:
        return query
    mine = (E.session_id == bindparam("session_id"), E.agent_id == bindparam("agent_id"))
    return query.where(*mine)


def count_unembedded(
    connection: Connection, provider: str, model: str, dimension: int | None
) -> int:
    """How many episodes `unembedded` finds in all scopes."""
    query = select(func.count()).where(E.seq.is_not(None), ~_has_vector(provider, model, dimension))
    return int(connection.execute(query).scalar_one())


def to_embed(connection: Connection, provider: str, model: str, dimension: int | None) -> ToEmbed:
    """What `count_unembedded` counts, with how much there is to read of it."""
    whole = func.length(tables.messages.c.content)
    length = case((whole < LONGEST_TEXT, whole), else_=LONGEST_TEXT)
    query = (
        select(func.count(), func.coalesce(func.sum(length), 0))
        .select_from(tables.episodes)
        .join(tables.messages, tables.messages.c.id == E.message_id)
        .where(~_has_vector(provider, model, dimension))
    )
    count, chars = connection.execute(query).one()
    return ToEmbed(int(count), int(chars))


def add_vectors(
    connection: Connection, embedder: EmbedderId, vectors: Sequence[tuple[str, bytes]]
) -> list[VectorRow]:
    """Keep vectors, in place of refusals. Returns those of episodes that are still there, without
    those that had a vector of this embedder."""
    embedder_id = ensure_embedder(connection, embedder)
    ids = [message_id for message_id, _vector in vectors]
    there = {
        row.message_id: row
        for part in _parts(ids)
        for row in connection.execute(
            _WITHOUT_VECTOR, {"message_ids": part, "embedder_id": embedder_id}
        )
    }
    kept = []
    for message_id, vector in vectors:
        row = there.pop(message_id, None)
        if row is not None:
            scope = Scope(row.agent_id, row.session_id)
            kept.append(VectorRow(message_id, scope, row.before_id, vector))
    if kept:
        key = ("embedder_id", "message_id")
        own = {"embedder_id": embedder_id, "refused": ""}
        connection.execute(
            putting(connection, tables.episode_vectors, "vector", "refused", key=key),
            [{"message_id": row.message_id, "vector": row.vector, **own} for row in kept],
        )
    return kept


def refuse(connection: Connection, embedder: EmbedderId, message_id: str, reason: str) -> None:
    """Note that the embedder refuses an episode."""
    embedder_id = ensure_embedder(connection, embedder)
    if connection.scalar(select(E.seq).where(E.message_id == message_id)) is None:
        return
    connection.execute(
        adding(connection, tables.episode_vectors),
        {"message_id": message_id, "embedder_id": embedder_id, "refused": reason or "refused"},
    )


def forget_refused(connection: Connection, provider: str, model: str) -> None:
    """Have what the embedder refused embedded again."""
    ids = select(M.id).where(M.provider == provider, M.model == model)
    connection.execute(
        delete(tables.episode_vectors).where(V.embedder_id.in_(ids), V.vector.is_(None))
    )


def count_vectors(connection: Connection, embedder: EmbedderId) -> int:
    query = select(func.count()).where(V.embedder_id == number_of(embedder), V.vector.is_not(None))
    return int(connection.execute(query).scalar_one())


def vector_ids(connection: Connection, embedder: EmbedderId) -> list[str]:
    """The message id of every vector of an embedder."""
    query = select(V.message_id).where(V.embedder_id == number_of(embedder), V.vector.is_not(None))
    return list(connection.execute(query).scalars())


def vector_rows(
    connection: Connection, embedder: EmbedderId, message_ids: Sequence[str]
) -> list[VectorRow]:
    """Vectors of an embedder, of these episodes."""
    rows = []
    for part in _parts(message_ids):
        query = (
            select(E.message_id, E.session_id, E.agent_id, E.before_id, V.vector)
            .join(tables.episode_vectors, V.message_id == E.message_id)
            .where(
                V.embedder_id == number_of(embedder),
                V.vector.is_not(None),
                E.message_id.in_(part),
            )
        )
        rows += [_vector_row(row) for row in connection.execute(query)]
    return rows


def scope_rows(connection: Connection, embedder: EmbedderId, scope: Scope) -> list[VectorRow]:
    """Every vector of an embedder in a scope, in the order the episodes were recorded."""
    query = (
        select(E.message_id, E.session_id, E.agent_id, E.before_id, V.vector)
        .join(tables.episode_vectors, V.message_id == E.message_id)
        .where(
            E.session_id == scope.session_id,
            E.agent_id == scope.agent_id,
            V.embedder_id == number_of(embedder),
            V.vector.is_not(None),
        )
        .order_by(E.seq)
    )
    return [_vector_row(row) for row in connection.execute(query)]


def session_rows(connection: Connection, embedder: EmbedderId, session_id: str) -> list[VectorRow]:
    """Every vector of the embedder in a session, whichever agent's, in the order recorded."""
    query = (
        select(E.message_id, E.session_id, E.agent_id, E.before_id, V.vector)
        .join(tables.episode_vectors, V.message_id == E.message_id)
        .where(
            E.session_id == session_id,
            V.embedder_id == number_of(embedder),
            V.vector.is_not(None),
        )
        .order_by(E.seq)
    )
    return [_vector_row(row) for row in connection.execute(query)]


def befores(connection: Connection, scope: Scope) -> dict[str, str | None]:
    """Of every episode of a scope, which stands before it; in the order they were recorded."""
    query = (
        select(E.message_id, E.before_id)
        .where(E.session_id == scope.session_id, E.agent_id == scope.agent_id)
        .order_by(E.seq)
    )
    return {row.message_id: row.before_id for row in connection.execute(query)}


def contents(connection: Connection, message_ids: Sequence[str]) -> dict[str, str]:
    """What messages say, by id."""
    message = tables.messages.c
    return {
        row.id: told_in(row.content, row.attachments)
        for part in _parts(message_ids)
        for row in connection.execute(
            select(message.id, message.content, message.attachments).where(message.id.in_(part))
        )
    }


def counts(connection: Connection, scope: Scope | None) -> EpisodeCounts:
    """Of one scope, or of all."""
    of_scope = (
        and_(E.session_id == scope.session_id, E.agent_id == scope.agent_id)
        if scope
        else E.session_id.not_in(AWAY)
    )
    total = connection.execute(
        select(func.count()).select_from(tables.episodes).where(of_scope)
    ).scalar_one()
    any_vector = select(V.seq).where(V.message_id == E.message_id, V.vector.is_not(None)).exists()
    without = connection.execute(
        select(func.count()).select_from(tables.episodes).where(of_scope, ~any_vector)
    ).scalar_one()
    embedded = connection.execute(
        select(M.provider, M.model, M.dimension, func.count())
        .select_from(tables.episode_vectors)
        .join(tables.embedders, M.id == V.embedder_id)
        .join(tables.episodes, E.message_id == V.message_id)
        .where(of_scope, V.vector.is_not(None))
        .group_by(M.id)
        .order_by(M.id)
    )
    return EpisodeCounts(
        total=int(total),
        embedded={EmbedderId(p, m, d): int(count) for p, m, d, count in embedded},
        without_vector=int(without),
    )


def _has_vector(
    provider: str | BindParameter[Any],
    model: str | BindParameter[Any],
    dimension: int | BindParameter[Any] | None,
) -> Any:
    ids = select(M.id).where(M.provider == provider, M.model == model)
    if dimension is not None:
        ids = ids.where(M.dimension == dimension)
    return (
        select(V.seq)
        .where(
            V.message_id == E.message_id,
            V.embedder_id.in_(ids),
            or_(V.vector.is_not(None), V.refused != ""),
        )
        .exists()
    )


def _vector_row(row: Any) -> VectorRow:
    scope = Scope(row.agent_id, row.session_id)
    return VectorRow(row.message_id, scope, row.before_id, row.vector)


def _parts(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), _AT_ONCE):
        yield ids[start : start + _AT_ONCE]
