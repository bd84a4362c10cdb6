"""Vectors that are near when texts share words: enough of an embedding model for tests."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MARKS = frozenset(
    ("user", "assistant", "query", "passage", "search_query", "search_document")  # said of all
)


def bag_of_words(text: str, dimension: int) -> list[float]:
    """How often the words of each of `dimension` buckets occur, of length 1."""
    counts = [0.0] * dimension
    for word in re.findall(r"\w+", text.lower()):
        if word not in MARKS:
            counts[zlib.crc32(word.encode()) % dimension] += 1.0
    if not any(counts):
        counts[0] = 1.0
    length = sum(count * count for count in counts) ** 0.5
    return [count / length for count in counts]


class BagOfWords:
    """`ports.Embedder` over bags of words. `failure` is raised while it is set; `texts` and
    `queries` keep what was embedded, a list for each call."""

    def __init__(self, provider: str = "test", model: str = "bag", dimension: int = 64) -> None:
        self.provider = provider
        self.model = model
        self.dimension = dimension
        self.failure: Exception | None = None
        self.texts: list[list[str]] = []
        self.queries: list[list[str]] = []

    async def embed_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._embedded(self.texts, texts)

    async def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._embedded(self.queries, texts)

    def _embedded(self, kept: list[list[str]], texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        if self.failure is not None:
            raise self.failure
        kept.append(list(texts))
        return np.array([bag_of_words(text, self.dimension) for text in texts], np.float32)


class Chosen:
    """`ports.Embedders`: whichever a test puts here."""

    def __init__(self, embedder: BagOfWords | None = None) -> None:
        self.embedder = embedder

    def present(self) -> BagOfWords | None:
        return self.embedder
