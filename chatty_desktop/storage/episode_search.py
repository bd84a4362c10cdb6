"""Episodes by the words that are said in them, read from SQLite."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from sqlalchemy import Connection, and_, select

from chatty_desktop.domain.episodes import Episode, EpisodesFound, FoundEpisode, says
from chatty_desktop.domain.messages import Scope
from chatty_desktop.storage import tables
from chatty_desktop.storage.attached_files import told_in

_READ_AT_ONCE = 500
"""Messages in memory at a time."""


def search(
    connection: Connection,
    scope: Scope,
    words: Sequence[str],
    embedder: tuple[str, str] | None,
    limit: int,
) -> EpisodesFound:
    """The newest episodes that say every word, and how many do. `embedder` is (provider, model);
    `limit` is at most some hundreds, since each has a place in one statement."""
    e, message = tables.episodes.c, tables.messages.c
    of_scope = (
        select(message.at, message.id, message.content, message.attachments)
        .join(tables.episodes, e.message_id == message.id)
        .where(e.session_id == scope.session_id, e.agent_id == scope.agent_id)
        .execution_options(yield_per=_READ_AT_ONCE)
    )
    # Matched here, since SQLite folds the case of ASCII letters only.
    holding = [
        (row.at, row.id)
        for row in connection.execute(of_scope)
        if says(told_in(row.content, row.attachments), words)
    ]
    shown = [id_ for _at, id_ in heapq.nlargest(limit, holding)]
    embedded = _embedded(connection, scope, embedder, shown)
    read = select(message.id, message.role, message.content, message.at, message.attachments).where(
        message.id.in_(shown)
    )
    episodes = {
        row.id: Episode(row.id, scope, row.role, told_in(row.content, row.attachments), row.at)
        for row in connection.execute(read)
    }
    found = tuple(FoundEpisode(episodes[id_], id_ in embedded) for id_ in shown if id_ in episodes)
    return EpisodesFound(found, len(holding))


def _embedded(
    connection: Connection,
    scope: Scope,
    embedder: tuple[str, str] | None,
    message_ids: Sequence[str],
) -> set[str]:
    """Those of the messages that have a vector of the embedder.

    Of which dimension its vectors are is known from the scope's last recall; before the first,
    all of its vectors count.
    """
    if embedder is None:
        return set()
    m, v, recall = tables.embedders.c, tables.episode_vectors.c, tables.recalls.c
    known = connection.execute(
        select(m.id, recall.at)
        .outerjoin(
            tables.recalls,
            and_(
                recall.embedder_id == m.id,
                recall.session_id == scope.session_id,
                recall.agent_id == scope.agent_id,
            ),
        )
        .where(m.provider == embedder[0], m.model == embedder[1])
        .order_by(recall.at.desc().nulls_last())
    ).all()
    recalled_with = [row.id for row in known if row.at is not None][:1]
    query = select(v.message_id).where(
        v.embedder_id.in_(recalled_with or [row.id for row in known]),
        v.message_id.in_(message_ids),
        v.vector.is_not(None),
    )
    return set(connection.execute(query).scalars())
