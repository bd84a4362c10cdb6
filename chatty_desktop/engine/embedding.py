"""Embedding: queries within a time a person waits for, and the episodes that wait for vectors."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from chatty_desktop.domain.embedding import EmbedderId
from chatty_desktop.domain.episodes import LONGEST_TEXT, Episode, stored_text
from chatty_desktop.domain.errors import Refused, Unreachable
from chatty_desktop.engine.ports import Embedder, EpisodeStore

if TYPE_CHECKING:
    from chatty_desktop.engine.ports.models import Vectors

QUERY_SECONDS = 20.0
"""A reply waits for recall no longer than this; a model that is loaded first takes some of it."""

PLAIN_WORDS = "Hello"


async def embed_query(
    embedder: Embedder, text: str, seconds: float = QUERY_SECONDS
) -> tuple[EmbedderId, Vectors]:
    """Who embedded a query, and its vector of one row. Raises `Unreachable` or `Refused`."""
    try:
        async with asyncio.timeout(seconds):
            vectors = await embedder.embed_queries([text[:LONGEST_TEXT]])
    except TimeoutError:
        raise Unreachable(
            f"The embedder {embedder.provider}/{embedder.model} did not answer within"
            f" {seconds:g} s. It may be busy or loading its model.",
            cause="timeout",
        ) from None
    return _identity(embedder, vectors), vectors


async def embed_episodes(
    embedder: Embedder, store: EpisodeStore, episodes: Sequence[Episode]
) -> EmbedderId:
    """Embed episodes and store their vectors, all in one batch. Where the batch is refused, each
    is tried alone, and one that is refused still is noted as such.

    Raises `Unreachable`, `StorageFailed`, or `Refused` when the embedder refuses plain words too.
    """
    texts = [stored_text(each.role, each.content) for each in episodes]
    try:
        vectors = await embedder.embed_texts(texts)
    except Refused as refusal:
        if len(episodes) == 1:
            # Whether it is the text, or the embedder does not embed at all.
            identity = _identity(embedder, await embedder.embed_texts([PLAIN_WORDS]))
            await store.refuse(identity, episodes[0].message_id, str(refusal))
            return identity
        alone = [await embed_episodes(embedder, store, [episode]) for episode in episodes]
        return alone[-1]
    identity = _identity(embedder, vectors)
    await store.add_vectors(identity, [each.message_id for each in episodes], vectors)
    return identity


def _identity(embedder: Embedder, vectors: Vectors) -> EmbedderId:
    return EmbedderId(embedder.provider, embedder.model, int(vectors.shape[1]))
