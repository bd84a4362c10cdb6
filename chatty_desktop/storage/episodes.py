"""Episodes: SQLite is the truth for them and their vectors, LanceDB the index over the vectors.

A vector is committed to SQLite first and appended to the index after; `episode_tending` keeps the
two in step. The vectors of the scopes in use are held in memory.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from chatty_desktop.domain.data_folder import IndexOnDisk
from chatty_desktop.domain.embedding import EmbedderId
from chatty_desktop.domain.episodes import (
    Episode,
    EpisodeCounts,
    EpisodesFound,
    Recall,
    SeenScores,
    ToEmbed,
)
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.messages import Message, Scope
from chatty_desktop.domain.ranking import Scored
from chatty_desktop.domain.work import Work
from chatty_desktop.engine.ports import Publish
from chatty_desktop.storage import embedder_rows, recall_rows
from chatty_desktop.storage import episode_rows as rows
from chatty_desktop.storage.database import Database
from chatty_desktop.storage.episode_index import EpisodeIndex, IndexSize
from chatty_desktop.storage.episode_scopes import ScopesInUse, ScopeVectors
from chatty_desktop.storage.episode_search import search
from chatty_desktop.storage.episode_tending import (
    COLLECTED_SECONDS,
    IDLE_SECONDS,
    TendedIndex,
    columns,
)
from chatty_desktop.storage.index_away import AGAIN_SECONDS
from chatty_desktop.storage.index_places import IndexPlace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

T = TypeVar("T")

RECORDED_KNOWN = 10_000
"""Ids of recorded messages that are remembered, so that they are not written again."""

_Waiting = tuple[str, str, int | None, Scope | None]
"""Provider, model, dimension, scope."""


class StoredEpisodes:
    """`ports.EpisodeStore`.

    Its writes are not synced: an episode that a power cut takes back is recorded again with the
    next run. `close` before the database.
    """

    def __init__(
        self,
        database: Database,
        place: IndexPlace,
        publish: Publish,
        *,
        idle_seconds: float = IDLE_SECONDS,
        collected_seconds: float = COLLECTED_SECONDS,
        again_seconds: float = AGAIN_SECONDS,
    ) -> None:
        self._database = database
        self._index = TendedIndex(
            database,
            place,
            publish,
            idle_seconds=idle_seconds,
            collected_seconds=collected_seconds,
            again_seconds=again_seconds,
        )
        self._scoring_thread = ThreadPoolExecutor(1, thread_name_prefix="episode-scores")
        self._scopes = ScopesInUse()
        self._embedded_through: dict[_Waiting, int] = {}
        self._recorded: set[str] = set()

    @property
    def place(self) -> IndexPlace:
        """Where the index is."""
        return self._index.place

    # --- writing -----------------------------------------------------------------------------

    async def record(self, messages: Sequence[tuple[Message, str | None]]) -> None:
        # Each run records the last messages again, in case the app was killed in between.
        fresh = [each for each in messages if each[0].id not in self._recorded]
        if fresh:
            await self._database.write(lambda c: rows.record(c, fresh), synced=False)
            if len(self._recorded) > RECORDED_KNOWN:
                self._recorded.clear()
            self._recorded.update(message.id for message, _before in fresh)

    async def add_vectors(
        self, embedder: EmbedderId, message_ids: Sequence[str], vectors: Vectors
    ) -> None:
        _check(embedder, message_ids, vectors)
        pairs = [(each, vectors[i].tobytes()) for i, each in enumerate(message_ids)]

        async def adding() -> None:
            async with self._index.adding:
                kept = await self._database.write(
                    lambda c: rows.add_vectors(c, embedder, pairs), synced=False
                )
                if kept:
                    await self._hold(embedder, kept)
                    self._index.collect(embedder, kept)

        # Whole, also when the run is stopped meanwhile: what is held follows what is committed.
        await self._database.whole(adding())

    async def refuse(self, embedder: EmbedderId, message_id: str, reason: str) -> None:
        await self._database.write(
            lambda c: rows.refuse(c, embedder, message_id, reason), synced=False
        )

    async def retry_refused(self, provider: str, model: str) -> None:
        await self._database.write(lambda c: rows.forget_refused(c, provider, model), synced=False)
        self._embedded_through.clear()

    async def remove(self, scope: Scope, message_id: str) -> bool:
        removed = await self._database.write(lambda c: rows.remove(c, scope, message_id))
        if removed:
            self.forget_messages(scope.session_id, [message_id])
        return removed

    async def keep_recall(self, scope: Scope, layer: str, recall: Recall) -> None:
        await self._database.write(
            lambda c: recall_rows.keep_recall(c, scope, layer, recall), synced=False
        )

    async def copied(self, session_id: str) -> None:
        """Have the vectors of a chat that was copied in SQLite appended to the index."""
        async with self._index.adding:
            for embedder in await self._database.read(embedder_rows.all_embedders):
                added = await self._database.read(
                    partial(rows.session_rows, embedder=embedder, session_id=session_id)
                )
                if added:
                    self._index.collect(embedder, added)

    def forget(self, *, session_id: str | None = None, agent_id: str | None = None) -> None:
        """Drop what is held and indexed of a session or an agent that was deleted; the index
        follows in the background, and with the next start where that fails."""
        self._scopes.forget(session_id=session_id, agent_id=agent_id)
        self._recorded.clear()
        column, value = ("session_id", session_id) if session_id else ("agent_id", agent_id)
        if value:
            self._index.delete(column, [value])

    def forget_messages(self, session_id: str, message_ids: Sequence[str]) -> None:
        """Drop what is held and indexed of messages that were deleted, as `forget` does."""
        self._scopes.forget(session_id=session_id)
        self._recorded.clear()
        self._index.delete("message_id", message_ids)

    # --- reading -----------------------------------------------------------------------------

    async def unembedded(
        self,
        provider: str,
        model: str,
        dimension: int | None,
        *,
        scope: Scope | None = None,
        limit: int = 64,
    ) -> list[Episode]:
        # Looked for from where there was none the last time: in a long chat all but the newest
        # have a vector, and looking at each takes longer than the rest of a turn.
        key = (provider, model, dimension, scope)
        after = self._embedded_through.get(key, 0)
        found, none_through = await self._database.read(
            lambda c: rows.unembedded(c, provider, model, dimension, scope, limit, after)
        )
        self._embedded_through[key] = none_through
        return found

    async def count_unembedded(self, provider: str, model: str, dimension: int | None) -> int:
        return await self._database.read(
            lambda c: rows.count_unembedded(c, provider, model, dimension)
        )

    async def to_embed(self, provider: str, model: str, dimension: int | None) -> ToEmbed:
        """What an embedder has not embedded in all scopes, with how much there is to read."""
        return await self._database.read(lambda c: rows.to_embed(c, provider, model, dimension))

    async def score(
        self, embedder: EmbedderId, scope: Scope, vector: Vectors, words: str | None = None
    ) -> Scored:
        held = self._scopes.get((embedder, scope))
        if held is None or (words is not None and not held.knows_words):
            async with self._index.adding:
                held = await self._read_scope(embedder, scope, with_words=words is not None)
        return await self._scoring(lambda: held.score(vector, words))

    async def counts(self, scope: Scope | None = None) -> EpisodeCounts:
        return await self._database.read(lambda c: rows.counts(c, scope))

    async def search(
        self,
        scope: Scope,
        words: Sequence[str],
        embedder: tuple[str, str] | None,
        limit: int,
    ) -> EpisodesFound:
        return await self._database.read(lambda c: search(c, scope, words, embedder, limit))

    async def last_recall(self, scope: Scope, layer: str) -> Recall | None:
        return await self._database.read(lambda c: recall_rows.last_recall(c, scope, layer))

    async def seen_scores(self, agent_id: str, provider: str, model: str) -> SeenScores:
        return await self._database.read(
            lambda c: recall_rows.seen_scores(c, agent_id, provider, model)
        )

    async def sizes(self) -> list[IndexSize]:
        """What each table of the index that was used takes on the disk."""
        return await self._index.sizes()

    async def compact(self) -> None:
        """Compact every table that was used and has had appends since."""
        await self._index.compact()

    async def compact_all(self, work: Work) -> None:
        """Compact every table on the disk that has more files than it needs. Raises `Stopped`."""
        await self._index.compact_all(work)

    async def on_disk(self) -> IndexOnDisk:
        """What the index takes, used or not. Raises `StorageFailed`."""
        return await self._index.on_disk()

    async def erase(self) -> None:
        """Forget all: no rows are left in SQLite. Raises `OSError` or
        `StorageFailed` when the index stays."""
        self._scopes.clear()
        self._embedded_through.clear()
        self._recorded.clear()
        await self._index.erase()

    async def renew(self) -> None:
        """Build the whole index anew from SQLite, so that no file of it holds what was deleted.
        Raises `StorageFailed`."""
        await self._index.renew()

    async def indexed(self, message_ids: Sequence[str]) -> list[str]:
        """Which of these the index still has a row of. Raises `StorageFailed`."""
        return await self._index.indexed(message_ids)

    async def close(self) -> None:
        """Let what is being added get into the index; a compaction is not waited for."""
        await self._index.close()
        self._scoring_thread.shutdown(wait=False, cancel_futures=True)

    # --- scopes in memory --------------------------------------------------------------------

    async def _read_scope(
        self, embedder: EmbedderId, scope: Scope, *, with_words: bool
    ) -> ScopeVectors:
        """The scope in memory; read from the index, or from SQLite where the index fails."""
        held = self._scopes.get((embedder, scope))
        if held is None:
            held = await self._from_index(embedder, scope)
            if held is None:
                held = await self._from_database(embedder, scope)
            self._scopes.put((embedder, scope), held)
        if with_words and not held.knows_words:
            ids = tuple(held.ids)
            said = await self._database.read(lambda c: rows.contents(c, ids))
            await self._scoring(lambda: held.read_words(said.get(each, "") for each in ids))
        return held

    async def _from_index(self, embedder: EmbedderId, scope: Scope) -> ScopeVectors | None:
        before = await self._database.read(lambda c: rows.befores(c, scope))

        def read(index: EpisodeIndex) -> ScopeVectors:
            ids, vectors = index.of_scope(embedder, scope)
            place = {message_id: i for i, message_id in enumerate(ids)}
            # In the order they were recorded; what is deleted already is left out.
            order = [message_id for message_id in before if message_id in place]
            held = ScopeVectors(embedder.dimension)
            chosen = vectors[[place[message_id] for message_id in order]] if order else vectors[:0]
            held.add(order, [before[message_id] for message_id in order], chosen)
            return held

        return await self._index.read(embedder, read)

    async def _from_database(self, embedder: EmbedderId, scope: Scope) -> ScopeVectors:
        found = await self._database.read(lambda c: rows.scope_rows(c, embedder, scope))

        def build() -> ScopeVectors:
            held = ScopeVectors(embedder.dimension)
            held.add(*columns(embedder, found))
            return held

        return await self._scoring(build)

    async def _hold(self, embedder: EmbedderId, added: Sequence[rows.VectorRow]) -> None:
        """Add new vectors to the scopes that are in memory."""
        for scope in {row.scope for row in added}:
            held = self._scopes.get((embedder, scope))
            if held is None:
                continue
            new = [row for row in added if row.scope == scope and not held.has(row.message_id)]
            ids = [row.message_id for row in new]
            said = {}
            if held.knows_words:
                said = await self._database.read(partial(rows.contents, message_ids=ids))
            await self._scoring(partial(_extend, held, embedder, new, said))

    def _scoring(self, work: Callable[[], T]) -> asyncio.Future[T]:
        return asyncio.get_running_loop().run_in_executor(self._scoring_thread, work)


def _check(embedder: EmbedderId, message_ids: Sequence[str], vectors: Vectors) -> None:
    """Raises `Invalid` for vectors that do not fit the embedder: mixed in, they would make every
    search fail later."""
    import numpy as np

    if vectors.shape != (len(message_ids), embedder.dimension):
        raise Invalid(
            f"{embedder.name} gave vectors of {vectors.shape[-1]} numbers; {embedder.dimension}"
            f" are needed for each of {len(message_ids)} messages. Nothing was stored."
        )
    if vectors.dtype != np.float32 or not np.isfinite(vectors).all():
        raise Invalid(f"{embedder.name} gave vectors that are no numbers. Nothing was stored.")


def _extend(
    held: ScopeVectors,
    embedder: EmbedderId,
    new: Sequence[rows.VectorRow],
    said: Mapping[str, str],
) -> None:
    """Add new vectors to a scope, and what the episodes say where words are known."""
    held.add(*columns(embedder, new))
    if held.knows_words:
        held.read_words(said.get(row.message_id, "") for row in new)
