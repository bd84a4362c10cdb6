"""What the registry asks of every kind of provider."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from chatty_desktop.domain.settings import ProviderSettings
from chatty_desktop.engine.ports import ChatModel

ProviderKey = Callable[[str], Awaitable[str | None]]
"""The key of a provider by its id, None where there is none."""


class Provider(Protocol):
    """One source of models, as one entry of the settings names it."""

    @property
    def settings(self) -> ProviderSettings: ...

    def chat_model(self, name: str) -> ChatModel:
        """The model of that name, whether or not it is listed. Asks nobody."""
        ...

    async def prepare(self) -> None:
        """Load the code that asking needs, which can take a second the first time. Asks nobody."""
        ...

    async def listed(self) -> list[str]:
        """The models it has at this moment, in its own order; empty when it cannot list them.

        Raises `Unreachable` or `Refused`. Starts and loads nothing.
        """
        ...

    async def embed(self, model: str, texts: Sequence[str]) -> list[list[float]]:
        """A vector for each text, by the model of that name. Raises `Unreachable`, `Refused`."""
        ...

    async def close(self) -> None:
        """Close connections, end processes. Streams that still run end."""
        ...
