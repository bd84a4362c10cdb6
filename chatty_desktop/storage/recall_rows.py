"""The last recalls of agents, in SQLite: what was near, and how near."""

from __future__ import annotations

import json
from dataclasses import asdict

from sqlalchemy import Connection, select

from chatty_desktop.domain.embedding import EmbedderId
from chatty_desktop.domain.episodes import (
    Candidate,
    Recall,
    SeenScores,
)
from chatty_desktop.domain.messages import Scope
from chatty_desktop.storage import tables
from chatty_desktop.storage.backend import putting
from chatty_desktop.storage.embedder_rows import ensure_embedder
from chatty_desktop.storage.episode_rows import AWAY

M = tables.embedders.c

_RECALLS_SEEN = 20
"""Of an agent's chats, the last ones."""


def keep_recall(connection: Connection, scope: Scope, layer: str, recall: Recall) -> None:
    """Keep a recall in place of the one before."""
    values = {
        "query_id": recall.query_id,
        "embedder_id": ensure_embedder(connection, recall.embedder),
        "candidates": json.dumps([asdict(each) for each in recall.candidates]),
        "at": recall.at,
    }
    connection.execute(
        putting(connection, tables.recalls, *values), {**asdict(scope), "layer": layer, **values}
    )


def last_recall(connection: Connection, scope: Scope, layer: str) -> Recall | None:
    c = tables.recalls.c
    row = connection.execute(
        select(c.query_id, c.candidates, c.at, M.provider, M.model, M.dimension)
        .join(tables.embedders, M.id == c.embedder_id)
        .where(c.session_id == scope.session_id, c.agent_id == scope.agent_id, c.layer == layer)
    ).first()
    if row is None:
        return None
    candidates = tuple(Candidate(**each) for each in json.loads(row.candidates))
    embedder = EmbedderId(row.provider, row.model, row.dimension)
    return Recall(row.query_id, embedder, candidates, row.at)


def seen_scores(connection: Connection, agent_id: str, provider: str, model: str) -> SeenScores:
    """The cosines of an agent's last recalls in all sessions. What could not have been recalled
    whatever its score is left out."""
    c = tables.recalls.c
    kept = connection.execute(
        select(c.candidates)
        .join(tables.embedders, M.id == c.embedder_id)
        .where(
            c.agent_id == agent_id,
            c.session_id.not_in(AWAY),
            M.provider == provider,
            M.model == model,
        )
        .order_by(c.at.desc())
        .limit(_RECALLS_SEEN)
    ).scalars()
    candidates = [Candidate(**each) for text in kept for each in json.loads(text)]
    near = [
        each for each in candidates if each.left_out in ("below threshold", "not among the best")
    ]
    return SeenScores(
        tuple(each.cosine for each in candidates if not each.left_out),
        tuple(each.cosine for each in near),
    )
