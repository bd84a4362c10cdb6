"""Both wires, so that what must hold for each is proved once."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

import pytest

from chatty_desktop.domain.requests import ChatMessage, ChatRequest, Delta, Usage
from chatty_desktop.domain.settings import ProviderSettings
from chatty_desktop.engine.ports import ChatModel
from chatty_desktop.providers.contract import Provider, ProviderKey
from chatty_desktop.providers.ollama import OllamaProvider
from chatty_desktop.providers.openai_compatible import OpenAIProvider
from chatty_desktop.providers.patience import Patience
from tests.helpers.servers import OllamaServer, OpenAIServer

QUICK = Patience(connect=10, read=30, question=10, waits=(0.0, 0.0), longest_wait=1.0)


async def no_key(provider_id: str) -> str | None:
    return None


@dataclass(frozen=True, slots=True)
class Answered:
    """A whole answer as it was streamed."""

    deltas: Sequence[Delta]

    @property
    def text(self) -> str:
        return "".join(delta.text for delta in self.deltas)

    @property
    def reasoning(self) -> str:
        return "".join(delta.reasoning for delta in self.deltas)

    @property
    def finish(self) -> str | None:
        return self.deltas[-1].finish if self.deltas else None

    @property
    def usage(self) -> Usage | None:
        return self.deltas[-1].usage if self.deltas else None


def asking(text: str = "Hello?") -> ChatRequest:
    return ChatRequest((ChatMessage("system", "Be brief."), ChatMessage("user", text)))


async def answered(model: ChatModel, request: ChatRequest | None = None) -> Answered:
    return Answered([delta async for delta in model.stream(request or asking())])


def provider_for(
    server: OpenAIServer | OllamaServer,
    patience: Patience = QUICK,
    key: ProviderKey = no_key,
    **settings: object,
) -> Provider:
    """A provider of the server's own kind, at its address unless another is given."""
    kind = "openai" if isinstance(server, OpenAIServer) else "ollama"
    named = ProviderSettings.model_validate(
        {"id": "lab", "kind": kind, "base_url": server.base_url, **settings}
    )
    made = OpenAIProvider if kind == "openai" else OllamaProvider
    return made(named, key, patience)


@pytest.fixture(params=["openai", "ollama"])
async def server(request: pytest.FixtureRequest) -> AsyncIterator[OpenAIServer | OllamaServer]:
    wire = OpenAIServer if request.param == "openai" else OllamaServer
    async with wire(models=("small",)) as running:
        yield running


@pytest.fixture
async def provider(server: OpenAIServer | OllamaServer) -> AsyncIterator[Provider]:
    made = provider_for(server)
    yield made
    await made.close()


@pytest.fixture
def model(provider: Provider) -> ChatModel:
    return provider.chat_model("small")
