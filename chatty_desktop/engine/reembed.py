"""Embedding again, by the present embedder, what others embedded or nobody did: all scopes, with
progress, and it can be stopped at any time, as it does when the settings name another embedder.
What is done is done; the rest waits."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.events import EmbeddingProgress, MemoryChanged
from chatty_desktop.domain.messages import Scope
from chatty_desktop.engine.embedding import embed_episodes
from chatty_desktop.engine.ports import Embedder, Embedders, EpisodeStore, Publish

BATCH = 16
"""Episodes at a time: a second or so of work, after which it can be stopped."""


@dataclass(frozen=True, slots=True)
class Reembedded:
    """What came of it: how many were embedded now, and how many still wait."""

    done: int
    left: int


class Reembedding:
    """Embeds again; one at a time. `running` says whether it is at it."""

    def __init__(self, store: EpisodeStore, embedders: Embedders, publish: Publish) -> None:
        self._store = store
        self._embedders = embedders
        self._publish = publish
        self._stopping = False
        self.running = False
        self._ended = asyncio.Event()
        self._ended.set()

    async def ended(self) -> None:
        """Return once it is at nothing."""
        await self._ended.wait()

    def stop(self) -> None:
        """Stop after the batch that is being embedded."""
        self._stopping = True

    async def run(self, stop_after: int | None = None) -> Reembedded:
        """Embed every episode that the present embedder has not, or `stop_after` of them.

        Raises `Invalid` when no embedder is configured, or it is at it already; `Unreachable`,
        `Refused`, `StorageFailed` when it cannot go on: what is done by then is kept.
        """
        embedder = self._embedders.present()
        if embedder is None:
            raise Invalid("No embedder is configured. Name one in settings.json, then try again.")
        if self.running:
            raise Invalid("Episodes are being embedded already.")
        self.running, self._stopping = True, False
        self._ended.clear()
        try:
            return await self._run(embedder, stop_after)
        finally:
            self.running = False
            self._ended.set()
            self._publish(EmbeddingProgress(0, 0))

    async def _run(self, embedder: Embedder, stop_after: int | None) -> Reembedded:
        await self._store.retry_refused(embedder.provider, embedder.model)
        dimension: int | None = None
        done = 0
        touched: set[Scope] = set()
        left = await self._left(embedder, dimension)
        total = left if stop_after is None else min(left, stop_after)
        try:
            while done < total and not self._stopping and self._is_present(embedder):
                waiting = await self._store.unembedded(
                    embedder.provider,
                    embedder.model,
                    dimension,
                    limit=min(BATCH, total - done),
                )
                if not waiting:
                    break
                self._publish(EmbeddingProgress(done, total))
                identity = await embed_episodes(embedder, self._store, waiting)
                touched |= {episode.scope for episode in waiting}
                done += len(waiting)
                if dimension is None:
                    # Vectors of another dimension under the same name count as none.
                    dimension = identity.dimension
                    left = done + await self._left(embedder, dimension)
                    total = left if stop_after is None else min(left, stop_after)
            self._publish(EmbeddingProgress(done, total))
        finally:
            for scope in touched:
                self._publish(MemoryChanged(scope))
        return Reembedded(done, await self._left(embedder, dimension))

    def _is_present(self, embedder: Embedder) -> bool:
        """Whether the settings still name it: vectors of another are not searched."""
        try:
            return self._embedders.present() is embedder
        except Invalid:
            return False

    async def _left(self, embedder: Embedder, dimension: int | None) -> int:
        return await self._store.count_unembedded(embedder.provider, embedder.model, dimension)
