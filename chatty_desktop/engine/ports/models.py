"""Chat models and embedding models."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Protocol

from chatty_desktop.domain.requests import ChatRequest, Delta, ModelChoice

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
    """Row after row of float32."""


class ChatModel(Protocol):
    """One chat model of one provider."""

    @property
    def reference(self) -> str:
        """`provider_id/model`."""
        ...

    async def context_length(self) -> int | None:
        """Tokens that fit the model's context as it is served; None when not known."""
        ...

    async def sees_images(self) -> bool | None:
        """Whether it looks at images, as its server tells; None when it does not tell. Raises
        `Unreachable` or `Refused`."""
        ...

    def stream(self, request: ChatRequest) -> AsyncIterator[Delta]:
        """Stream one answer. Closing the iterator closes the connection.

        Raises `Unreachable` (connection, time-out, 5xx, 429 after back-off, authentication,
        missing model) or `Refused` (any other 4xx).
        """
        ...


class Models(Protocol):
    """The models of all providers in the settings."""

    def chat_model(self, reference: str) -> ChatModel:
        """The model by its reference. Raises `Invalid` when no provider has that id."""
        ...

    def registered(self, reference: str) -> bool:
        """Whether the reference names a provider of the settings."""
        ...

    async def first_available(self) -> str | None:
        """The default model of the first provider that answers, None without one."""
        ...

    async def choices(self) -> tuple[list[ModelChoice], list[str]]:
        """All models that can be picked, and a line for each provider that could not be asked."""
        ...


class Embedder(Protocol):
    """One embedding model. Its vectors have length 1, so that their product is the cosine; their
    dimension is learnt from the first of them."""

    @property
    def provider(self) -> str:
        """The provider's id."""
        ...

    @property
    def model(self) -> str: ...

    async def embed_texts(self, texts: Sequence[str]) -> Vectors:
        """A row for each text to store. Raises `Unreachable` or `Refused`."""
        ...

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """A row for each text that is looked for. Raises `Unreachable` or `Refused`."""
        ...


class Embedders(Protocol):
    """The system's embedding model, as the settings name it at the moment of asking."""

    def present(self) -> Embedder | None:
        """None where none is configured. Asks nobody. Raises `Invalid` when the settings name
        one that there is not."""
        ...
