"""OpenAI-compatible servers in their many forms."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from chatty_desktop.domain.errors import Refused, Unreachable
from chatty_desktop.domain.requests import ChatMessage, ChatRequest
from tests.helpers.servers import Answer, Fixed, FixedServer, OpenAIServer
from tests.integration.providers.conftest import answered, provider_for


@pytest.fixture
async def server() -> AsyncIterator[OpenAIServer]:
    async with OpenAIServer() as running:
        yield running


@pytest.mark.parametrize("prefix", ["/v1", "", "/api/v1"])
@pytest.mark.parametrize("written", ["{base}", "{base}/", "{bare}", "{bare}/"])
async def test_the_address_works_with_and_without_v1_wherever_the_api_lies(
    prefix: str, written: str
) -> None:
    async with OpenAIServer(prefix=prefix) as server:
        bare = server.base_url.removesuffix("/v1")
        url = written.format(base=server.base_url, bare=bare)
        provider = provider_for(server, base_url=url)
        assert (await answered(provider.chat_model("small"))).finish == "stop"
        assert await provider.listed() == ["small"]
        asked_before = len(server.requests)
        await answered(provider.chat_model("small"))
        assert len(server.requests) == asked_before + 1, "where the API lies is remembered"
        await provider.close()


async def test_a_server_that_refuses_to_count_tokens_is_asked_without(
    server: OpenAIServer,
) -> None:
    server.refuses = ("stream_options",)
    provider = provider_for(server)
    reply = await answered(provider.chat_model("small"))
    assert (reply.finish, reply.usage) == ("stop", None)
    posts = len(server.requests)
    await answered(provider.chat_model("small"))
    assert len(server.requests) == posts + 1, "the second time it is not asked for"
    await provider.close()


async def test_a_schema_the_server_cannot_hold_to_is_refused(server: OpenAIServer) -> None:
    server.refuses = ("response_format",)
    provider = provider_for(server)
    request = ChatRequest((ChatMessage("user", "fold"),), json_schema={"type": "object"})
    with pytest.raises(Refused, match="response_format"):
        await answered(provider.chat_model("small"), request)
    await provider.close()


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_both_names_of_the_reasoning_field_are_read(server: OpenAIServer, field: str) -> None:
    server.reasoning_field = field
    server.script(Answer(text="Yes.", reasoning="Hm."))
    provider = provider_for(server)
    reply = await answered(provider.chat_model("small"))
    assert (reply.text, reply.reasoning) == ("Yes.", "Hm.")
    await provider.close()


async def test_the_persons_openai_key_never_goes_to_another_server(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-private")
    provider = provider_for(server)
    await answered(provider.chat_model("small"))
    assert all("sk-private" not in str(received.headers) for received in server.requests)
    await provider.close()


async def test_a_proxy_does_not_come_between_this_computer_and_itself(
    server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    provider = provider_for(server)
    assert (await answered(provider.chat_model("small"))).finish == "stop"
    await provider.close()


@pytest.mark.parametrize("told_in", ["props", "models"])
async def test_the_context_length_is_taken_from_where_the_server_tells_it(told_in: str) -> None:
    async with OpenAIServer(context_length=4096, context_in=told_in) as server:
        provider = provider_for(server)
        assert await provider.chat_model("small").context_length() == 4096
        asked = len(server.requests)
        assert await provider.chat_model("small").context_length() == 4096
        assert len(server.requests) == asked, "it is not asked for before every answer"
        await provider.close()


async def test_a_server_that_does_not_tell_its_context_leaves_it_open(
    server: OpenAIServer,
) -> None:
    provider = provider_for(server)
    assert await provider.chat_model("small").context_length() is None
    await provider.close()


async def test_a_server_without_a_list_has_the_models_named_by_hand_alone() -> None:
    async with OpenAIServer(lists_models=False) as server:
        provider = provider_for(server, models=["by-hand"])
        assert await provider.listed() == []
        assert (await answered(provider.chat_model("by-hand"))).finish == "stop"
        await provider.close()


async def test_an_error_under_a_good_status_is_told_where_a_list_or_vectors_were_to_be(
    server: OpenAIServer,
) -> None:
    async with FixedServer(Fixed(200, '{"error": {"message": "out of memory"}}')) as wrong:
        provider = provider_for(server, base_url=wrong.address)
        told = r"^lab .* did not answer as such a server does \(out of memory\)"
        with pytest.raises(Unreachable, match=told):
            await provider.listed()
        with pytest.raises(Unreachable, match=told):
            await provider.embed("small", ["a"])
        await provider.close()


async def test_a_web_page_in_place_of_an_answer_is_told_as_a_wrong_address(
    server: OpenAIServer,
) -> None:
    server.default = Answer(raw=b"<!doctype html><title>Welcome</title>")
    provider = provider_for(server)
    with pytest.raises(Unreachable, match="Is the address in the settings right"):
        await answered(provider.chat_model("small"))
    await provider.close()
