"""What the registry asks of every kind of provider."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Protocol

from chatty_desktop.domain.models import ModelCard
from chatty_desktop.domain.requests import ChatRequest, Delta
from chatty_desktop.domain.settings import ProviderSettings
from chatty_desktop.engine.ports import ChatModel
from chatty_desktop.providers.mending import mended

ProviderKey = Callable[[str], Awaitable[str | None]]
"""The key of a provider by its id, None where there is none."""


class Provider(Protocol):
    """One source of models, as one entry of the settings names it."""

    @property
    def settings(self) -> ProviderSettings: ...

    def chat_model(self, name: str) -> ChatModel:
        """The model of that name, whether or not it is listed. Asks nobody."""
        ...

    async def context_length(self, name: str) -> int | None:
        """The context of a model as it is served, in tokens; None when not known."""
        ...

    async def sees_images(self, name: str) -> bool | None:
        """Whether a model looks at images; None when its server does not tell."""
        ...

    def stream(self, name: str, request: ChatRequest) -> AsyncIterator[Delta]:
        """One answer of the model of that name, as `ports.ChatModel` has it."""
        ...

    async def prepare(self) -> None:
        """Load the code that asking needs, which can take a second the first time. Asks nobody."""
        ...

    async def listed(self) -> list[str]:
        """The models it has at this moment, in its own order; empty when it cannot list them.

        Raises `Unreachable` or `Refused`. Starts and loads nothing.
        """
        ...

    async def cards(self) -> list[ModelCard]:
        """Those of `listed`, each with what the list tells of it. Raises the same."""
        ...

    async def card(self, name: str) -> ModelCard:
        """What can be told of one model, listed or not, without loading it. Raises
        `Unreachable` or `Refused`."""
        ...

    def take(self, settings: ProviderSettings) -> bool:
        """Go on under a changed entry of the same id, connections and loaded models kept; False
        when only a new provider will do."""
        ...

    async def embed(self, model: str, texts: Sequence[str]) -> list[list[float]]:
        """A vector for each text, by the model of that name. Raises `Unreachable`, `Refused`."""
        ...

    async def close(self) -> None:
        """Close connections, end processes. Streams that still run end."""
        ...


class ProvidedModel:
    """`ports.ChatModel`: one model of a provider, by its name there."""

    def __init__(self, provider: Provider, name: str) -> None:
        self._provider = provider
        self._name = name

    @property
    def reference(self) -> str:
        return f"{self._provider.settings.id}/{self._name}"

    async def context_length(self) -> int | None:
        return await self._provider.context_length(self._name)

    async def sees_images(self) -> bool | None:
        return await self._provider.sees_images(self._name)

    def stream(self, request: ChatRequest) -> AsyncIterator[Delta]:
        options = self._provider.settings.options_of(self._name)
        return mended(self._provider.stream(self._name, request.as_set(options)))
