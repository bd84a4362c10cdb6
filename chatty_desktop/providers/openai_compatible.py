"""OpenAI-compatible servers: llama.cpp, vLLM, LM Studio, OpenRouter, OpenAI itself and others."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from chatty_desktop.domain.model_files import counted
from chatty_desktop.domain.models import ModelCard
from chatty_desktop.domain.requests import ChatRequest, Delta
from chatty_desktop.domain.settings import ProviderSettings
from chatty_desktop.providers.addresses import openai_roots
from chatty_desktop.providers.contract import ProvidedModel, ProviderKey
from chatty_desktop.providers.patience import Patience

if TYPE_CHECKING:
    from chatty_desktop.providers.openai_connection import Card, OpenAIConnection

OPENAI_URL = "https://api.openai.com/v1"

_CONTEXT_FIELDS = ("max_model_len", "context_length", "max_context_length", "context_window")
"""What servers call a model's context in their list: vLLM, OpenRouter, LM Studio, Groq."""

_CONTEXT_KEPT_SECONDS = 300.0


class OpenAIProvider:
    """One OpenAI-compatible server of the settings."""

    def __init__(
        self, settings: ProviderSettings, key: ProviderKey, patience: Patience = Patience()
    ) -> None:
        """Raises `Invalid` when the address of the settings is none."""
        self.settings = settings
        self._url = settings.base_url or OPENAI_URL
        openai_roots(self._url)
        self._key = key
        self._patience = patience
        self._connecting = asyncio.Lock()
        self._connected: OpenAIConnection | None = None
        self._contexts: dict[str, tuple[float, int | None]] = {}
        self._seeing: dict[str, tuple[float, bool | None]] = {}

    def chat_model(self, name: str) -> ProvidedModel:
        return ProvidedModel(self, name)

    async def prepare(self) -> None:
        """Import the SDK and read the key, which may have to wait for the keyring."""
        await (await self._connection()).prepare()

    async def listed(self) -> list[str]:
        """The models the server lists. Raises `Unreachable` or `Refused`."""
        return [str(card["id"]) for card in await self._listed_cards()]

    async def cards(self) -> list[ModelCard]:
        """The models the server lists, with what it tells of them. Raises the same."""
        return [_card_of(card) for card in await self._listed_cards()]

    async def card(self, name: str) -> ModelCard:
        """What the server tells of one model. Raises `Unreachable` or `Refused`."""
        cards = await self._listed_cards()
        told = next((_card_of(card) for card in cards if card["id"] == name), ModelCard(name))
        served = told.context_length or await self._context_in_properties()
        own = self.settings.options_of(name).context_length or self.settings.context_length
        return replace(told, context_length=own or served)

    def take(self, settings: ProviderSettings) -> bool:
        if settings.kind != self.settings.kind or settings.base_url != self.settings.base_url:
            return False
        self.settings = settings
        return True

    async def close(self) -> None:
        if self._connected is not None:
            await self._connected.close()

    async def context_length(self, name: str) -> int | None:
        """The context of one of its models in tokens, None when it does not tell; asked for at
        most every five minutes. Raises `Unreachable` or `Refused`."""
        own = self.settings.options_of(name).context_length or self.settings.context_length
        if own:
            return own
        at, known = self._contexts.get(name, (0.0, None))
        if not at or time.monotonic() - at > _CONTEXT_KEPT_SECONDS:
            known = await self._ask_context(name)
            self._contexts[name] = (time.monotonic(), known)
        return known

    async def sees_images(self, name: str) -> bool | None:
        """Whether the server says that a model looks at images, None when it says nothing; asked
        for at most every five minutes. Raises `Unreachable` or `Refused`."""
        at, known = self._seeing.get(name, (0.0, None))
        if not at or time.monotonic() - at > _CONTEXT_KEPT_SECONDS:
            cards = await self._listed_cards()
            known = next((_sees_images(card) for card in cards if card["id"] == name), None)
            self._seeing[name] = (time.monotonic(), known)
        return known

    async def stream(self, name: str, request: ChatRequest) -> AsyncIterator[Delta]:
        """One answer of one of its models; closing the iterator closes the connection, and the
        server stops. Raises `Unreachable` or `Refused`."""
        connection = await self._connection()
        async with aclosing(connection.stream(name, request)) as deltas:
            async for delta in deltas:
                yield delta

    async def embed(self, model: str, texts: Sequence[str]) -> list[list[float]]:
        """A vector for each text. Raises `Unreachable` or `Refused`."""
        return await (await self._connection()).embed(model, texts)

    async def _connection(self) -> OpenAIConnection:
        async with self._connecting:
            if self._connected is None:
                self._connected = await asyncio.to_thread(self._connect)
            return self._connected

    def _connect(self) -> OpenAIConnection:
        from chatty_desktop.providers.openai_connection import OpenAIConnection

        return OpenAIConnection(
            self.settings.id, self._url, lambda: self._key(self.settings.id), self._patience
        )

    async def _ask_context(self, name: str) -> int | None:
        for card in await self._listed_cards():
            if card["id"] == name and (told := _context_in(card)):
                return told
        return await self._context_in_properties()

    async def _listed_cards(self) -> list[Card]:
        return await (await self._connection()).models()

    async def _context_in_properties(self) -> int | None:
        """The context that a llama.cpp server serves its one model with."""
        properties = await (await self._connection()).properties()
        served = properties.get("default_generation_settings")
        return _positive(served.get("n_ctx")) if isinstance(served, dict) else None


def _card_of(card: Card) -> ModelCard:
    """What a server tells of a model in its list, as llama.cpp, OpenRouter and Mistral do."""
    meta = _part(card, "meta")
    parameters = _positive(meta.get("n_params"))
    calls = _part(card, "capabilities").get("function_calling")
    constrains = None
    if isinstance(takes := card.get("supported_parameters"), list):
        calls = "tools" in takes
        # Servers that do constrain do not all say so.
        constrains = True if "structured_outputs" in takes else None
    return ModelCard(
        str(card["id"]),
        context_length=_context_in(card),
        longest_context=_positive(meta.get("n_ctx_train")),
        size=_positive(meta.get("size")),
        parameters=counted(parameters) if parameters else "",
        tools=calls if isinstance(calls, bool) else None,
        json_schema=constrains,
        vision=_sees_images(card),
    )


def _sees_images(card: Card) -> bool | None:
    """As OpenRouter, llama.cpp and Mistral tell it."""
    takes = _part(card, "architecture").get("input_modalities")
    if isinstance(takes, list):
        return "image" in takes
    can = card.get("capabilities")
    if isinstance(can, list):
        return "multimodal" in can or "vision" in can
    told = can.get("vision") if isinstance(can, dict) else None
    return told if isinstance(told, bool) else None


def _part(card: Card, name: str) -> dict[str, Any]:
    value = card.get(name)
    return value if isinstance(value, dict) else {}


def _context_in(card: Card) -> int | None:
    told = [_part(card, "meta").get("n_ctx"), *(card.get(name) for name in _CONTEXT_FIELDS)]
    return next((length for length in map(_positive, told) if length), None)


def _positive(value: Any) -> int | None:
    return value if isinstance(value, int) and value > 0 else None
