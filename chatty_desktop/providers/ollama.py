"""Ollama, through its own SDK, so that the context length can be set on every call."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from chatty_desktop.domain.errors import Unreachable
from chatty_desktop.domain.models import ModelCard
from chatty_desktop.domain.requests import ChatRequest, Delta
from chatty_desktop.domain.settings import ProviderSettings
from chatty_desktop.providers.addresses import ollama_root
from chatty_desktop.providers.contract import ProvidedModel, ProviderKey
from chatty_desktop.providers.patience import Patience

if TYPE_CHECKING:
    from chatty_desktop.providers.ollama_connection import OllamaConnection

OLLAMA_URL = "http://127.0.0.1:11434"

DEFAULT_CONTEXT = 8192
"""Tokens asked for when the settings say nothing: left to itself, Ollama takes 2048 or 4096 and
cuts what is longer without a word."""


class OllamaProvider:
    """One Ollama of the settings."""

    def __init__(
        self, settings: ProviderSettings, key: ProviderKey, patience: Patience = Patience()
    ) -> None:
        """Raises `Invalid` when the address of the settings is none."""
        self.settings = settings
        self._url = ollama_root(settings.base_url or OLLAMA_URL)
        self._key = key
        self._patience = patience
        self._connecting = asyncio.Lock()
        self._connected: OllamaConnection | None = None
        self._refused: list[OllamaConnection] = []
        self._shown: dict[str, ModelCard] = {}

    def num_ctx(self, name: str) -> int:
        """The context asked for on every call of a model, in tokens."""
        own = self.settings.options_of(name).context_length
        return own or self.settings.context_length or DEFAULT_CONTEXT

    def chat_model(self, name: str) -> ProvidedModel:
        return ProvidedModel(self, name)

    async def prepare(self) -> None:
        """Import the SDK."""
        await self._connection()

    async def listed(self) -> list[str]:
        """The models pulled so far. Raises `Unreachable` or `Refused`."""
        return [card.name for card in await self.cards()]

    async def cards(self) -> list[ModelCard]:
        """The models pulled so far, with their size. Raises `Unreachable` or `Refused`."""
        async with self._speaking() as connection:
            return await connection.models()

    async def card(self, name: str) -> ModelCard:
        """What Ollama tells of a model; the context is what is asked for, or the model's own
        where that is shorter. Raises `Unreachable` or `Refused`."""
        async with self._speaking() as connection:
            shown = await connection.shown(name)
        asked = self.num_ctx(name)
        return replace(shown, context_length=min(asked, shown.longest_context or asked))

    def take(self, settings: ProviderSettings) -> bool:
        if settings.kind != self.settings.kind or settings.base_url != self.settings.base_url:
            return False
        self.settings = settings
        return True

    async def close(self) -> None:
        connections = [*self._refused, *([self._connected] if self._connected else [])]
        await asyncio.gather(*(connection.close() for connection in connections))

    async def context_length(self, name: str) -> int:
        """What is asked for, or the model's own context where that is shorter. Raises
        `Unreachable` or `Refused`."""
        asked = self.num_ctx(name)
        return min(asked, (await self._told(name)).longest_context or asked)

    async def sees_images(self, name: str) -> bool | None:
        """As Ollama tells. Raises `Unreachable` or `Refused`."""
        return (await self._told(name)).vision

    async def _told(self, name: str) -> ModelCard:
        """What Ollama tells of a model, asked for once."""
        if name not in self._shown:
            async with self._speaking() as connection:
                self._shown[name] = await connection.shown(name)
        return self._shown[name]

    async def stream(self, name: str, request: ChatRequest) -> AsyncIterator[Delta]:
        """One answer of one of its models; closing the iterator closes the connection, and Ollama
        stops. Raises `Unreachable` or `Refused`."""
        async with (
            self._speaking() as connection,
            aclosing(connection.stream(name, request, self.num_ctx(name))) as deltas,
        ):
            async for delta in deltas:
                yield delta

    async def embed(self, model: str, texts: Sequence[str]) -> list[list[float]]:
        """A vector for each text. Raises `Unreachable` or `Refused`."""
        async with self._speaking() as connection:
            own = self.settings.options_of(model).context_length
            return await connection.embed(model, texts, own)

    @asynccontextmanager
    async def _speaking(self) -> AsyncIterator[OllamaConnection]:
        """The connection; one whose key was refused is replaced, so that a mended key counts."""
        connection = await self._connection()
        try:
            yield connection
        except Unreachable as failure:
            if failure.cause == "authentication" and connection is self._connected:
                # Not closed yet: other answers may still come over it.
                self._refused.append(connection)
                self._connected = None
            raise

    async def _connection(self) -> OllamaConnection:
        async with self._connecting:
            if self._connected is None:
                key = await self._key(self.settings.id)
                self._connected = await asyncio.to_thread(self._connect, key)
            return self._connected

    def _connect(self, key: str | None) -> OllamaConnection:
        from chatty_desktop.providers.ollama_connection import OllamaConnection

        return OllamaConnection(self.settings.id, self._url, key, self._patience)
