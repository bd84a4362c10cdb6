"""The index over the vectors of episodes, kept in step with SQLite.

What lies between a commit to SQLite and its append to the index when the app is killed is found
by counting, the next time the index is opened; an index that is missing or broken is built again
from SQLite, for which no model is asked.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from chatty_desktop.domain.data_folder import IndexOnDisk
from chatty_desktop.domain.embedding import EmbedderId
from chatty_desktop.domain.errors import Invalid, StorageFailed
from chatty_desktop.domain.events import Notice
from chatty_desktop.domain.work import Work
from chatty_desktop.engine.ports import Publish
from chatty_desktop.storage import embedder_rows
from chatty_desktop.storage import episode_rows as rows
from chatty_desktop.storage.database import Database
from chatty_desktop.storage.episode_index import EpisodeIndex, IndexSize
from chatty_desktop.storage.index_away import AGAIN_SECONDS, ServerAway
from chatty_desktop.storage.index_places import IndexPlace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

log = logging.getLogger(__name__)

T = TypeVar("T")

IDLE_SECONDS = 20.0
"""Without an append, after which tables with a few appends are compacted too."""

COMPACT_WHEN_IDLE_AFTER = 8
"""Appends."""

COLLECTED_SECONDS = 0.5
"""How long new vectors are collected before they go into the index, all in one append."""

REBUILT_AT_ONCE = 4_000
"""Vectors read and appended at a time when an index is built."""


class TendedIndex:
    """`EpisodeIndex` in a thread of its own: appended to, checked, compacted and built again.

    `adding` is held by whoever adds vectors to SQLite, so that none is missed while the index is
    built again or read. `close` before the database.
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
        self._publish = publish
        self._idle_seconds = idle_seconds
        self._collected_seconds = collected_seconds
        self.place = place
        self._away = ServerAway(place, publish, self._ask_again, again_seconds)
        self._index = EpisodeIndex(place)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="episode-index")
        self.adding = asyncio.Lock()
        self._checked: set[EmbedderId] = set()
        self._broken: set[EmbedderId] = set()
        self._rebuilt: set[EmbedderId] = set()
        self._collected: dict[EmbedderId, list[rows.VectorRow]] = {}
        self._collecting: asyncio.TimerHandle | None = None
        self._appends: set[asyncio.Task[None]] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._idle: asyncio.TimerHandle | None = None
        self._closed = False

    async def read(self, embedder: EmbedderId, work: Callable[[EpisodeIndex], T]) -> T | None:
        """What `work` reads from the index, in its thread; None where the index fails."""
        await self._check(embedder)
        if embedder in self._broken:
            return None
        return await self._try(embedder, lambda: work(self._index))

    def delete(self, column: str, values: Sequence[str]) -> None:
        """Delete rows by what is in a column, in the background; with the next start where that
        fails."""
        if not self._closed:
            self._start(self._delete(column, values))

    async def sizes(self) -> list[IndexSize]:
        """What each table of the index that was used takes on the disk."""
        return await self._indexing(self._index.sizes)

    async def compact(self) -> None:
        """Compact every table that was used and has had appends since."""
        for embedder in self._index.in_use():
            await self._compact(embedder, after=1)

    async def compact_all(self, work: Work) -> None:
        """Compact every table that has more files than it needs. Raises `Stopped` between two of
        them."""
        embedders = await self._database.read(embedder_rows.all_embedders)
        there = [embedder for embedder in embedders if await self._exists(embedder)]
        work.begin("Compacting the index of episodes", len(there))
        for embedder in there:
            await self._check(embedder)
            await self._try(embedder, partial(self._index.count, embedder))  # opens it
            await self._compact(embedder, after=1)
            work.step(1)

    async def on_disk(self) -> IndexOnDisk:
        """What all tables take, used or not. Raises `StorageFailed` where a server does not
        answer."""
        return await self._asked(self._index.on_disk)

    async def fill(self, work: Work) -> None:
        """Have the tables hold what the database does, at a place where there may be none yet.
        Raises `Invalid` where there are those of other chats, `StorageFailed`, `Stopped`."""
        embedders = await self._database.read(embedder_rows.all_embedders)
        await self._asked(self._index.on_disk)  # whether it can be had at all
        work.begin("Building the index of episodes", len(embedders))
        for embedder in embedders:
            wanted = await self._database.read(partial(rows.vector_ids, embedder=embedder))
            found = await self._asked(partial(self._index.exists, embedder))
            if found and wanted:
                kept = await self._asked(partial(self._index.ids, embedder))
                if kept and set(kept).isdisjoint(wanted):
                    raise Invalid(
                        f"There is an index of other chats at {self.place.shown}. Name another"
                        " address; each database needs one of its own."
                    )
            async with self.adding:
                await self._check(embedder)
            if embedder in self._broken:
                raise StorageFailed(
                    self._away.trouble(embedder)
                    or f"The index of episodes cannot be kept at {self.place.shown}."
                )
            work.step(1)

    async def renew(self) -> None:
        """Build every table anew. LanceDB itself keeps deleted rows in its files: compaction
        rewrites only those of which a tenth and more is deleted. Raises `StorageFailed`."""
        for embedder in await self._database.read(embedder_rows.all_embedders):
            if not await self._asked(partial(self._index.exists, embedder)):
                continue
            await self._rebuild(embedder)
            if embedder in self._broken:
                raise StorageFailed(
                    f"The index of episodes by {embedder.name} could not be built anew. What was"
                    " deleted may still be in its files; it is tried again with the next start."
                )

    async def indexed(self, message_ids: Sequence[str]) -> list[str]:
        """Which of these are in a table. Raises `StorageFailed` where a server does not answer."""
        found: set[str] = set()
        for embedder in await self._database.read(embedder_rows.all_embedders):
            if await self._asked(partial(self._index.exists, embedder)):
                ids = partial(self._index.ids, embedder)
                there = await (self._asked(ids) if self.place.away else self._try(embedder, ids))
                found |= set(message_ids).intersection(there or ())
        return sorted(found)

    async def erase(self) -> None:
        """Remove the whole index. Raises `OSError`, `StorageFailed` where a server does not
        answer."""
        async with self.adding:
            self._collected.clear()
            await self._asked(self._index.drop_all)
            for known in (self._checked, self._broken, self._rebuilt):
                known.clear()

    async def close(self) -> None:
        """Let what is being added get into the index; a compaction is not waited for."""
        self._closed = True
        self._away.close()
        if self._idle is not None:
            self._idle.cancel()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        async with self.adding:
            self._flush()
        while self._appends:
            await asyncio.wait(tuple(self._appends))
        self._thread.shutdown(wait=False, cancel_futures=True)

    def collect(self, embedder: EmbedderId, added: Sequence[rows.VectorRow]) -> None:
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
            appending = asyncio.get_running_loop().run_in_executor(self._thread, work)
            task = asyncio.get_running_loop().create_task(self._appended(embedder, appending))
            self._appends.add(task)
            task.add_done_callback(self._appends.discard)

    async def _appended(self, embedder: EmbedderId, appending: asyncio.Future[None]) -> None:
        await self._try(embedder, appending)
        self._tend(embedder)

    def _append(self, embedder: EmbedderId, added: Sequence[rows.VectorRow]) -> None:
        if embedder not in self._broken:
            ids, _befores, vectors = columns(embedder, added)
            self._index.append(embedder, ids, [row.scope for row in added], vectors)

    async def _check(self, embedder: EmbedderId) -> None:
        """Once while the app runs: have the index hold what SQLite does. One that is missing, or
        cannot be read, is built again."""
        if embedder in self._checked:
            return
        wanted = await self._database.read(lambda c: rows.count_vectors(c, embedder))
        there = await self._exists(embedder)
        if there is None:
            return
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
            await self._try(
                embedder, partial(self._index.delete_where, embedder, "message_id", surplus)
            )
        await self._fill(embedder, [each for each in wanted if each not in there])

    async def _rebuild(self, embedder: EmbedderId) -> None:
        """The table anew, from the vectors in SQLite."""
        async with self.adding:
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

    async def _delete(self, column: str, values: Sequence[str]) -> None:
        async with self.adding:
            for embedder in await self._database.read(embedder_rows.all_embedders):
                if await self._exists(embedder):
                    await self._try(
                        embedder, partial(self._index.delete_where, embedder, column, values)
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
        if self._closed:
            return
        if self._away.keeps_back(embedder, error):
            self._checked.discard(embedder)
            return
        if embedder in self._rebuilt:
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

    def _ask_again(self) -> None:
        if not self._closed:
            self._start(self._use_again())

    async def _use_again(self) -> None:
        async with self.adding:
            for embedder in self._away.waiting():
                self._broken.discard(embedder)
                await self._check(embedder)
                if embedder not in self._broken:
                    self._away.answered(embedder)

    async def _exists(self, embedder: EmbedderId) -> bool | None:
        """Whether there is a table; None where that cannot be told."""
        return await self._try(embedder, partial(self._index.exists, embedder))

    async def _asked(self, work: Callable[[], T]) -> T:
        """What the index gives. Raises `StorageFailed` where it is on a server that does not give
        it."""
        try:
            return await self._indexing(work)
        except Exception as error:
            if not self.place.away:
                raise
            raise self._away.failure(error) from error

    def _indexing(self, work: Callable[[], T]) -> asyncio.Future[T]:
        self._flush()
        return asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (problem := task.exception()):
            log.error("The index of episodes was not tended", exc_info=problem)


def columns(
    embedder: EmbedderId, found: Sequence[rows.VectorRow]
) -> tuple[list[str], list[str | None], Vectors]:
    """Ids, the ids before them, and the vectors as a matrix of float32."""
    import numpy as np

    flat = np.frombuffer(b"".join(row.vector for row in found), np.dtype("<f4"))
    matrix = flat.reshape(len(found), embedder.dimension).astype(np.float32)
    return [row.message_id for row in found], [row.before_id for row in found], matrix
