"""What is Ollama's own."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from chatty_desktop.domain.errors import Unreachable
from chatty_desktop.domain.requests import ChatMessage, ChatRequest
from tests.helpers.servers import OllamaServer
from tests.integration.providers.conftest import answered, provider_for


@pytest.fixture
async def server() -> AsyncIterator[OllamaServer]:
    async with OllamaServer(models=("small",), context_length=32768) as running:
        yield running


@pytest.mark.parametrize(("set_to", "asked_for"), [(None, 8192), (16384, 16384)])
async def test_the_context_is_set_on_every_call(
    server: OllamaServer, set_to: int | None, asked_for: int
) -> None:
    provider = provider_for(server, context_length=set_to)
    for _ in range(2):
        await answered(provider.chat_model("small"))
    assert [chat.body["options"]["num_ctx"] for chat in server.chats] == [asked_for, asked_for]
    assert await provider.chat_model("small").context_length() == asked_for
    await provider.close()


async def test_a_model_with_a_shorter_context_than_asked_for_says_so(
    server: OllamaServer,
) -> None:
    server.context_length = 2048
    provider = provider_for(server)
    assert await provider.chat_model("small").context_length() == 2048
    await provider.close()


async def test_a_model_that_is_not_pulled_is_missing_with_the_command_that_gets_it(
    server: OllamaServer,
) -> None:
    provider = provider_for(server)
    with pytest.raises(Unreachable, match="ollama pull large") as failure:
        await answered(provider.chat_model("large"))
    assert failure.value.cause == "missing"
    await provider.close()


async def test_a_constrained_answer_is_asked_for_without_thinking(server: OllamaServer) -> None:
    provider = provider_for(server)
    request = ChatRequest((ChatMessage("user", "fold"),), json_schema={"type": "object"})
    await answered(provider.chat_model("small"), request)
    await answered(provider.chat_model("small"))
    assert server.folds[0].body["think"] is False
    assert "think" not in server.chats[0].body
    await provider.close()


@pytest.mark.parametrize("written", ["{url}", "{url}/", "{url}/v1", "{url}/api/"])
async def test_the_address_works_in_every_form(server: OllamaServer, written: str) -> None:
    provider = provider_for(server, base_url=written.format(url=server.base_url))
    assert await provider.listed() == ["small"]
    await provider.close()
