"""Episodes: SQLite is the truth for them and their vectors, LanceDB the index over the vectors.

A vector is committed to SQLite first and appended to the index after. What lies between the two
when the app is killed is found by counting, the next time the index is opened; an index that is
missing or broken is built again from SQLite, for which no model is asked.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from chatty_desktop.domain.embedding import EmbedderId
from chatty_desktop.domain.episodes import (
    Episode,
    EpisodeCounts,
    EpisodesFound,
    Recall,
    SeenScores,
)
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.events import Notice
from chatty_desktop.domain.messages import Message, Scope
from chatty_desktop.domain.ranking import Scored
from chatty_desktop.engine.ports import Publish
from chatty_desktop.storage import episode_rows as rows
from chatty_desktop.storage.database import Database
from chatty_desktop.storage.episode_index import EpisodeIndex, IndexSize
from chatty_desktop.storage.episode_scopes import ScopesInUse, ScopeVectors
from chatty_desktop.storage.episode_search import search

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

log = logging.getLogger(__name__)

T = TypeVar("T")

_Waiting = tuple[str, str, int | None, Scope | None]
"""Provider, model, dimension, scope."""

IDLE_SECONDS = 20.0
"""Without an append, after which tables with a few appends are compacted too."""

COMPACT_WHEN_IDLE_AFTER = 8
"""Appends."""

COLLECTED_SECONDS = 0.5
"""How long new vectors are collected before they go into the index, all in one append."""

REBUILT_AT_ONCE = 4_000
"""Vectors read and appended at a time when an index is built."""


class StoredEpisodes:
    """`ports.EpisodeStore`.

    Its writes are not synced: an episode that a power cut takes back is recorded again with the
    next run. `close` before the database.
    """

    def __init__(
        self,
        database: Database,
        folder: Path,
        publish: Publish,
        *,
        idle_seconds: float = IDLE_SECONDS,
        collected_seconds: float = COLLECTED_SECONDS,
    ) -> None:
        self._database = database
        self._publish = publish
        self._idle_seconds = idle_seconds
        self._collected_seconds = collected_seconds
        self._index = EpisodeIndex(folder)
        self._index_thread = ThreadPoolExecutor(1, thread_name_prefix="episode-index")
        self._scoring_thread = ThreadPoolExecutor(1, thread_name_prefix="episode-scores")
        self._scopes = ScopesInUse()
        # Held while vectors are added or a scope is read, so that what is held misses none.
        self._adding = asyncio.Lock()
        self._checked: set[EmbedderId] = set()
        self._broken: set[EmbedderId] = set()
        self._rebuilt: set[EmbedderId] = set()
        self._collected: dict[EmbedderId, list[rows.VectorRow]] = {}
        self._collecting: asyncio.TimerHandle | None = None
        self._appends: set[asyncio.Task[None]] = set()
        self._embedded_through: dict[_Waiting, int] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._idle: asyncio.TimerHandle | None = None
        self._closed = False

    # --- writing -----------------------------------------------------------------------------

    async def record(self, messages: Sequence[tuple[Message, str | None]]) -> None:
        if messages:
            await self._database.write(lambda c: rows.record(c, messages), synced=False)

    async def add_vectors(
        self, embedder: EmbedderId, message_ids: Sequence[str], vectors: Vectors
    ) -> None:
        _check(embedder, message_ids, vectors)
        pairs = [(each, vectors[i].tobytes()) for i, each in enumerate(message_ids)]

        async def adding() -> None:
            async with self._adding:
                kept = await self._database.write(
                    lambda c: rows.add_vectors(c, embedder, pairs), synced=False
                )
                if kept:
                    await self._hold(embedder, kept)
                    self._collect(embedder, kept)

        # Whole, also when the run is stopped meanwhile: what is held follows what is committed.
        await self._database.whole(adding())

    async def refuse(self, embedder: EmbedderId, message_id: str, reason: str) -> None:
        await self._database.write(
            lambda c: rows.refuse(c, embedder, message_id, reason), synced=False
        )

    async def retry_refused(self, provider: str, model: str) -> None:
        await self._database.write(lambda c: rows.forget_refused(c, provider, model), synced=False)
        self._embedded_through.clear()

    async def keep_recall(self, scope: Scope, layer: str, recall: Recall) -> None:
        await self._database.write(
            lambda c: rows.keep_recall(c, scope, layer, recall), synced=False
        )

    def forget(self, *, session_id: str | None = None, agent_id: str | None = None) -> None:
        """Drop what is held and indexed of a session or an agent that was deleted; the index
        follows in the background, and with the next start where that fails."""
        self._scopes.forget(session_id=session_id, agent_id=agent_id)
        column, value = ("session_id", session_id) if session_id else ("agent_id", agent_id)
        if value and not self._closed:
            self._start(self._delete_from_index(column, value))

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

    async def score(
        self, embedder: EmbedderId, scope: Scope, vector: Vectors, words: str | None = None
    ) -> Scored:
        held = self._scopes.get((embedder, scope))
        if held is None or (words is not None and not held.knows_words):
            async with self._adding:
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
        return await self._database.read(lambda c: rows.last_recall(c, scope, layer))

    async def seen_scores(self, agent_id: str, provider: str, model: str) -> SeenScores:
        return await self._database.read(lambda c: rows.seen_scores(c, agent_id, provider, model))

    async def sizes(self) -> list[IndexSize]:
        """What each table of the index that was used takes on the disk."""
        return await self._indexing(self._index.sizes)

    async def compact(self) -> None:
        """Compact every table that was used and has had appends since."""
        for embedder in self._index.in_use():
            await self._compact(embedder, after=1)

    async def close(self) -> None:
        """Let what is being added get into the index; a compaction is not waited for."""
        self._closed = True
        if self._idle is not None:
            self._idle.cancel()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        async with self._adding:
            self._flush()
        while self._appends:
            await asyncio.wait(tuple(self._appends))
        self._scoring_thread.shutdown(wait=False, cancel_futures=True)
        self._index_thread.shutdown(wait=False, cancel_futures=True)

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

        def read() -> ScopeVectors:
            ids, vectors = self._index.of_scope(embedder, scope)
            place = {message_id: i for i, message_id in enumerate(ids)}
            # In the order they were recorded; what is deleted already is left out.
            order = [message_id for message_id in before if message_id in place]
            held = ScopeVectors(embedder.dimension)
            chosen = vectors[[place[message_id] for message_id in order]] if order else vectors[:0]
            held.add(order, [before[message_id] for message_id in order], chosen)
            return held

        await self._check_index(embedder)
        if embedder in self._broken:
            return None
        return await self._try(embedder, read)

    async def _from_database(self, embedder: EmbedderId, scope: Scope) -> ScopeVectors:
        found = await self._database.read(lambda c: rows.scope_rows(c, embedder, scope))

        def build() -> ScopeVectors:
            held = ScopeVectors(embedder.dimension)
            held.add(*_columns(embedder, found))
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

    # --- the index ---------------------------------------------------------------------------

    def _collect(self, embedder: EmbedderId, added: Sequence[rows.VectorRow]) -> None:
        """Have new vectors appended to the index soon: an append takes some 10 ms, which neither
        the run nor the next one is to feel. What is read from the index comes after them."""
        self._collected.setdefault(embedder, []).extend(added)
        if self._collecting is None:
            loop = asyncio.get_running_loop()
            self._collecting = loop.call_later(self._collected_seconds, self._flush)

    def _flush(self) -> None:
        """Give what was collected to the thread of the index, before anything given to it later."""
        if self._collecting is not None:
            self._collecting.cancel()
            self._collecting = None
        collected, self._collected = self._collected, {}
        for embedder, added in collected.items():
            work = partial(self._append, embedder, added)
            appending = asyncio.get_running_loop().run_in_executor(self._index_thread, work)
            task = asyncio.get_running_loop().create_task(self._appended(embedder, appending))
            self._appends.add(task)
            task.add_done_callback(self._appends.discard)

    async def _appended(self, embedder: EmbedderId, appending: asyncio.Future[None]) -> None:
        await self._try(embedder, appending)
        self._tend(embedder)

    def _append(self, embedder: EmbedderId, added: Sequence[rows.VectorRow]) -> None:
        if embedder not in self._broken:
            ids, _befores, vectors = _columns(embedder, added)
            self._index.append(embedder, ids, [row.scope for row in added], vectors)

    async def _check_index(self, embedder: EmbedderId) -> None:
        """Once while the app runs: have the index hold what SQLite does. One that is missing, or
        cannot be read, is built again."""
        if embedder in self._checked:
            return
        wanted = await self._database.read(lambda c: rows.count_vectors(c, embedder))
        there = await self._indexing(partial(self._index.exists, embedder))
        counted = await self._try(embedder, partial(self._index.count, embedder)) if there else 0
        if counted is not None and counted != wanted:
            await self._reconcile(embedder)
        if counted or wanted:
            self._checked.add(embedder)

    async def _reconcile(self, embedder: EmbedderId) -> None:
        """Append what the index lacks, delete what it has too much."""
        wanted = await self._database.read(lambda c: rows.vector_ids(c, embedder))
        there = await self._try(embedder, lambda: set(self._index.ids(embedder)))
        if there is None:
            return
        surplus = sorted(there - set(wanted))
        if surplus:
            await self._try(embedder, partial(self._index.delete_ids, embedder, surplus))
        await self._fill(embedder, [each for each in wanted if each not in there])

    async def _rebuild(self, embedder: EmbedderId) -> None:
        """The table anew, from the vectors in SQLite."""
        async with self._adding:
            self._broken.discard(embedder)
            if await self._try(embedder, partial(self._index.drop, embedder)):
                wanted = await self._database.read(lambda c: rows.vector_ids(c, embedder))
                await self._fill(embedder, wanted)
                self._checked.add(embedder)

    async def _fill(self, embedder: EmbedderId, message_ids: Sequence[str]) -> None:
        for start in range(0, len(message_ids), REBUILT_AT_ONCE):
            part = message_ids[start : start + REBUILT_AT_ONCE]
            found = await self._database.read(
                partial(rows.vector_rows, embedder=embedder, message_ids=part)
            )
            await self._try(embedder, partial(self._append, embedder, found))
        if len(message_ids) > REBUILT_AT_ONCE:
            await self._try(embedder, partial(self._index.compact, embedder))

    async def _delete_from_index(self, column: str, value: str) -> None:
        async with self._adding:
            for embedder in await self._database.read(rows.all_embedders):
                if await self._indexing(partial(self._index.exists, embedder)):
                    await self._try(
                        embedder, partial(self._index.delete_where, embedder, column, value)
                    )

    def _tend(self, embedder: EmbedderId) -> None:
        """Compact a table that has had many appends; one that has had a few, when idle."""
        if self._closed:
            return
        if self._index.due(embedder):
            self._start(self._compact(embedder))
        if self._idle is not None:
            self._idle.cancel()
        loop = asyncio.get_running_loop()
        self._idle = loop.call_later(self._idle_seconds, self._rest, embedder)

    def _rest(self, embedder: EmbedderId) -> None:
        if not self._closed:
            self._start(self._compact(embedder, after=COMPACT_WHEN_IDLE_AFTER))

    async def _compact(self, embedder: EmbedderId, after: int | None = None) -> None:
        def compact() -> None:
            # Asked again here: several may have been waiting.
            due = self._index.due(embedder) if after is None else self._index.due(embedder, after)
            if due:
                self._index.compact(embedder)

        await self._try(embedder, compact)

    async def _try(
        self, embedder: EmbedderId, work: Callable[[], T] | asyncio.Future[T]
    ) -> T | None:
        """Work of the index, under way or not; None when it failed, and then the table is built
        again."""
        try:
            return await (work if isinstance(work, asyncio.Future) else self._indexing(work))
        except Exception as error:  # whatever the index raises, SQLite has everything
            self._fail(embedder, error)
            return None

    def _fail(self, embedder: EmbedderId, error: Exception) -> None:
        """Go on without the table, and build it again; once, since a disk that is full or
        read-only would fail again."""
        log.info("The index of episodes by %s failed: %s", embedder.name, error)
        self._broken.add(embedder)
        if embedder in self._rebuilt or self._closed:
            return
        self._rebuilt.add(embedder)
        self._publish(
            Notice(
                "warning",
                f"The index of episodes by {embedder.name} could not be used. It is built again"
                " from the database, where everything is.",
            )
        )
        self._start(self._rebuild(embedder))

    def _indexing(self, work: Callable[[], T]) -> asyncio.Future[T]:
        self._flush()
        return asyncio.get_running_loop().run_in_executor(self._index_thread, work)

    def _scoring(self, work: Callable[[], T]) -> asyncio.Future[T]:
        return asyncio.get_running_loop().run_in_executor(self._scoring_thread, work)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (problem := task.exception()):
            log.error("The index of episodes was not tended", exc_info=problem)


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


def _columns(
    embedder: EmbedderId, found: Sequence[rows.VectorRow]
) -> tuple[list[str], list[str | None], Vectors]:
    """Ids, the ids before them, and the vectors as a matrix."""
    import numpy as np

    flat = np.frombuffer(b"".join(row.vector for row in found), np.dtype("<f4"))
    matrix = flat.reshape(len(found), embedder.dimension).astype(np.float32)
    return [row.message_id for row in found], [row.before_id for row in found], matrix


def _extend(
    held: ScopeVectors,
    embedder: EmbedderId,
    new: Sequence[rows.VectorRow],
    said: Mapping[str, str],
) -> None:
    """Add new vectors to a scope, and what the episodes say where words are known."""
    held.add(*_columns(embedder, new))
    if held.knows_words:
        held.read_words(said.get(row.message_id, "") for row in new)
