"""The system's embedding model: the built-in one, or a model of a provider."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from chatty_desktop.domain.embedder_choice import is_built_in
from chatty_desktop.domain.embedding import Prefixes, prefixes_of
from chatty_desktop.domain.errors import ChattyError, Invalid, Refused
from chatty_desktop.domain.settings import EmbedderSettings, Settings
from chatty_desktop.providers.built_in_embedder import BuiltInEmbedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

Embed = Callable[[str, Sequence[str]], Awaitable[list[list[float]]]]
"""Vectors of texts by a provider's model of that name."""

BATCH = 64
"""Texts in one request."""

SHORTEST_CUT = 256
"""Characters below which a text that is refused as too long is not cut any further."""

_TOO_LONG = ("too large", "too long", "maximum context", "context length", "exceed")


class SystemEmbedder:
    """Implements `engine.ports.Embedders`: follows the settings as they are.

    `embedding_of` gives the way to embed with a provider, by its id; it raises `Invalid` when
    there is no such provider, or it does not embed.
    """

    def __init__(
        self, settings: Callable[[], Settings], embedding_of: Callable[[str], Embed]
    ) -> None:
        self._settings = settings
        self._embedding_of = embedding_of
        self._made: tuple[EmbedderSettings, BuiltInEmbedder | ProviderEmbedder] | None = None
        self._tried: tuple[EmbedderSettings, BuiltInEmbedder | ProviderEmbedder] | None = None

    def present(self) -> BuiltInEmbedder | ProviderEmbedder | None:
        """The embedder of the settings, None where they name none. Raises `Invalid`."""
        wanted = self._settings().embedder
        if wanted is None:
            return None
        if self._made is None or self._made[0] != wanted:
            self._made = (wanted, self.of(wanted))
        return self._made[1]

    def of(self, wanted: EmbedderSettings) -> BuiltInEmbedder | ProviderEmbedder:
        """The embedder of a name, be it the present one or one to try. Raises `Invalid`."""
        for made in (self._made, self._tried):
            if made is not None and made[0] == wanted:
                return made[1]
        # Kept, so that one that was tried and is then chosen need not load its model again.
        self._tried = (wanted, self._make(wanted))
        return self._tried[1]

    def _make(self, wanted: EmbedderSettings) -> BuiltInEmbedder | ProviderEmbedder:
        if is_built_in(self._settings(), wanted):
            return BuiltInEmbedder(wanted.provider)
        self._embedding_of(wanted.provider)
        known = prefixes_of(wanted.model)
        prefixes = Prefixes(
            query=known.query if wanted.query_prefix is None else wanted.query_prefix,
            text=known.text if wanted.text_prefix is None else wanted.text_prefix,
        )
        return ProviderEmbedder(wanted, prefixes, self._embedding_of)


class ProviderEmbedder:
    """An embedding model of a provider. A text that it refuses as too long is cut until it fits."""

    def __init__(
        self,
        settings: EmbedderSettings,
        prefixes: Prefixes,
        embedding_of: Callable[[str], Embed],
    ) -> None:
        self._settings = settings
        self._prefixes = prefixes
        self._embedding_of = embedding_of

    @property
    def provider(self) -> str:
        return self._settings.provider

    @property
    def model(self) -> str:
        return self._settings.model

    async def embed_texts(self, texts: Sequence[str]) -> Vectors:
        return await self._vectors(self._prefixes.text, texts)

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return await self._vectors(self._prefixes.query, texts)

    async def _vectors(self, prefix: str, texts: Sequence[str]) -> Vectors:
        rows: list[list[float]] = []
        for start in range(0, len(texts), BATCH):
            rows += await self._batch(prefix, texts[start : start + BATCH])
        return await asyncio.to_thread(_normalised, rows, f"{self.provider}/{self.model}")

    async def _batch(self, prefix: str, texts: Sequence[str]) -> list[list[float]]:
        try:
            # Asked for at each call: a provider whose settings change is another object.
            embed = self._embedding_of(self.provider)
            rows = await embed(self.model, [prefix + text for text in texts])
        except ChattyError as refusal:
            if not _says_too_long(refusal):
                raise
            if len(texts) > 1:
                return [row for text in texts for row in await self._batch(prefix, [text])]
            if len(texts[0]) <= SHORTEST_CUT:
                raise Refused(str(refusal)) from refusal
            return await self._batch(prefix, [texts[0][: len(texts[0]) // 2]])
        if len(rows) != len(texts):
            raise Refused(
                f"{self.provider}/{self.model} gave {len(rows)} vectors for {len(texts)} texts."
                " Is it an embedding model? Choose another one."
            )
        return rows


def _says_too_long(failure: ChattyError) -> bool:
    """Whether a server refuses a text for its length; llama.cpp answers 500 for that."""
    return any(words in str(failure).lower() for words in _TOO_LONG)


def _normalised(rows: list[list[float]], name: str) -> Vectors:
    """The rows as a matrix of length 1 each. Raises `Refused` when they are no vectors."""
    import numpy as np

    lengths = {len(row) for row in rows}
    if len(lengths) > 1 or 0 in lengths:
        raise Refused(
            f"{name} gave vectors of different lengths ({', '.join(map(str, sorted(lengths)))})."
            " Is it an embedding model? Choose another one."
        )
    try:
        matrix = np.asarray(rows, np.float32)
    except (TypeError, ValueError) as error:
        raise Refused(f"{name} gave something that is no vector: {error}.") from error
    norms = np.linalg.norm(matrix, axis=1, keepdims=True) if len(rows) else np.ones((0, 1))
    if not np.isfinite(matrix).all() or (norms == 0).any():
        raise Refused(f"{name} gave a vector of no direction. Choose another embedding model.")
    return (matrix / norms).astype(np.float32)


def no_embedding(provider_id: str) -> Invalid:
    """What to raise for an embedder of a provider that is not in the settings."""
    return Invalid(
        f"There is no provider {provider_id!r} for the embedder in the settings. Choose another"
        " embedder, or add the provider."
    )
