"""What is set for a model reaches the server in its own words, and nothing else does."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from chatty_desktop.domain.errors import Refused
from chatty_desktop.domain.requests import ChatMessage, ChatRequest, ToolOffer
from chatty_desktop.domain.settings import Settings
from chatty_desktop.paths import Paths
from chatty_desktop.providers.registry import ProviderRegistry
from tests.helpers.servers import Answer, Call, OllamaServer, OpenAIServer, Received
from tests.integration.providers.conftest import QUICK, answered, asking, no_key, provider_for

Server = OpenAIServer | OllamaServer

ALL = {
    "temperature": 0.7,
    "top_p": 0.9,
    "top_k": 40,
    "min_p": 0.05,
    "repeat_penalty": 1.1,
    "presence_penalty": 0.5,
    "frequency_penalty": -0.5,
    "seed": 7,
    "max_tokens": 300,
}
CHAT = ChatRequest((ChatMessage("user", "Hello?"),), chat=True)
FOLD = ChatRequest((ChatMessage("user", "fold"),), temperature=0.0, max_tokens=64)
CLOCK = ToolOffer("clock", "Tells the time.", {"type": "object", "properties": {}})


async def sent(server: Server, request: ChatRequest, **options: Any) -> dict[str, Any]:
    """The body that the server gets for a request of a model with these options."""
    provider = provider_for(server, model_options={"small": options})
    try:
        await answered(provider.chat_model("small"), request)
    finally:
        await provider.close()
    body: dict[str, Any] = server.chats[-1].body
    return body


async def test_an_openai_server_gets_every_option_that_is_set() -> None:
    async with OpenAIServer() as server:
        body = await sent(server, CHAT, **ALL)
    assert {name: body[name] for name in ALL} == ALL
    assert body["repetition_penalty"] == 1.1, "as vLLM calls it"


async def test_ollama_gets_every_option_that_is_set_by_its_own_names() -> None:
    async with OllamaServer() as server:
        body = await sent(server, CHAT, **ALL, context_length=2048)
    expected = {**ALL, "num_predict": 300, "num_ctx": 2048}
    del expected["max_tokens"]
    assert body["options"] == expected


async def test_what_is_not_set_is_not_sent(server: Server) -> None:
    body = await sent(server, CHAT, seed=1)
    told = {**body, **body.get("options", {})}
    unset = (ALL.keys() | {"num_predict", "repetition_penalty"}) - {"seed"}
    assert told["seed"] == 1
    assert not unset & told.keys()


async def test_sampling_options_do_not_touch_what_memory_asks(server: Server) -> None:
    body = await sent(server, FOLD, **{**ALL, "context_length": 4096})
    told = {**body, **body.get("options", {})}
    limit = told["num_predict"] if "num_predict" in told else told["max_tokens"]
    assert (told["temperature"], limit) == (0.0, 64)
    assert not (ALL.keys() - {"temperature", "max_tokens"}) & told.keys()
    if isinstance(server, OllamaServer):
        assert told["num_ctx"] == 4096, "the context is the model's, whoever asks"


async def test_the_context_set_for_a_model_comes_before_that_of_its_provider(
    server: Server,
) -> None:
    provider = provider_for(
        server, context_length=4096, model_options={"small": {"context_length": 2048}}
    )
    assert await provider.chat_model("small").context_length() == 2048
    assert (await provider.card("small")).context_length == 2048
    await provider.close()


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("Unsupported parameter: top_k", "top_k"),
        ("repetition_penalty must be positive", "repeat_penalty"),
        ("num_predict is too large", "max_tokens"),
    ],
)
async def test_a_server_that_refuses_an_option_is_quoted_and_the_option_named(
    server: Server, words: str, named: str
) -> None:
    server.script(*[Answer.fail(400, words)] * 3)
    with pytest.raises(Refused, match=rf"does not take {named} as set for small") as refused:
        await sent(server, CHAT, **ALL)
    assert words in str(refused.value)


async def test_a_refusal_that_names_no_option_tells_which_are_set(server: Server) -> None:
    server.script(Answer.fail(400, "bad request"))
    with pytest.raises(Refused, match=r"\(temperature, seed\), reset"):
        await sent(server, CHAT, temperature=0.3, seed=4)


async def test_a_refusal_says_nothing_of_options_where_none_is_set(server: Server) -> None:
    server.script(Answer.fail(400, "bad request"))
    with pytest.raises(Refused) as refused:
        await sent(server, CHAT)
    assert "set" not in str(refused.value)


async def test_a_server_that_calls_the_limit_otherwise_gets_it_by_its_own_name() -> None:
    def picky(received: Any) -> Answer:
        if "max_tokens" in received.body:
            return Answer.fail(400, "Unsupported parameter: use 'max_completion_tokens' instead.")
        return Answer(text="Hello.")

    async with OpenAIServer() as server:
        server.script(picky, picky)
        body = await sent(server, CHAT, max_tokens=50)
    assert body["max_completion_tokens"] == 50
    assert "max_tokens" not in body


async def test_a_server_that_knows_one_name_of_the_repeat_penalty_gets_that_alone() -> None:
    async with OpenAIServer(refuses=["repeat_penalty"]) as server:
        body = await sent(server, CHAT, repeat_penalty=1.2)
    assert body["repetition_penalty"] == 1.2
    assert "repeat_penalty" not in body


async def test_a_model_that_takes_no_temperature_can_make_memory_all_the_same() -> None:
    def picky(received: Received) -> Answer:
        if received.body["model"] == "small" and "temperature" in received.body:
            return Answer.fail(400, "Unsupported value: 'temperature' does not support 0 here.")
        return Answer(text="Hello.")

    async with OpenAIServer(models=("small", "large")) as server:
        server.script(*[picky] * 5)
        provider = provider_for(server, model_options={"large": {"temperature": 0}})
        for model in ("small", "small", "large"):
            await answered(provider.chat_model(model), FOLD)
        await answered(provider.chat_model("large"), CHAT)
        await provider.close()
    sent = [(chat.body["model"], chat.body.get("temperature")) for chat in server.chats]
    assert sent == [("small", 0), ("small", None), ("small", None), ("large", 0), ("large", 0)]


async def test_a_temperature_that_a_person_set_is_not_left_out_in_silence() -> None:
    async with OpenAIServer(refuses=["temperature"]) as server:
        provider = provider_for(server, model_options={"small": {"temperature": 0}})
        await answered(provider.chat_model("small"), FOLD)
        with pytest.raises(Refused, match="does not take temperature as set for small"):
            await answered(provider.chat_model("small"), CHAT)
        await provider.close()


async def test_tools_are_offered_and_their_calls_come_whole(server: Server) -> None:
    call = Call("clock", '{"zone": "UTC"}', id="call_0")
    server.script(Answer(text="Let me see.", tool_calls=(call,)))
    provider = provider_for(server)
    request = ChatRequest((ChatMessage("user", "What time is it?"),), tools=(CLOCK,))
    reply = await answered(provider.chat_model("small"), request)
    await provider.close()
    function = server.chats[-1].body["tools"][0]["function"]
    assert (function["name"], function["description"]) == ("clock", "Tells the time.")
    assert reply.text == "Let me see."
    (made,) = reply.deltas[-1].tool_calls
    assert (made.id, made.name, made.arguments) == ("call_0", "clock", '{"zone": "UTC"}')


@pytest.mark.parametrize(
    "parts",
    [
        [{"id": "a", "function": {"name": "clock", "arguments": {"zone": "UTC"}}}],
        [
            {"id": "a", "function": {"name": "clock", "arguments": '{"zone"'}},
            {"function": {"arguments": ': "UTC"}'}},
        ],
        [{"index": 0, "id": "a", "function": {"name": "clock", "arguments": '{"zone": "UTC"}'}}],
    ],
)
async def test_calls_are_understood_however_a_server_sends_them(parts: list[Any]) -> None:
    deltas = [{"delta": {"tool_calls": [part]}, "index": 0} for part in parts]
    end = {"delta": {}, "index": 0, "finish_reason": "tool_calls"}
    lines = [f"data: {json.dumps({'choices': [each]})}" for each in (*deltas, end)]
    raw = "\n\n".join([*lines, "data: [DONE]", ""]).encode()
    async with OpenAIServer() as server:
        server.script(Answer(raw=raw))
        provider = provider_for(server)
        reply = await answered(provider.chat_model("small"))
        await provider.close()
    (call,) = reply.deltas[-1].tool_calls
    assert (call.id, call.name, call.arguments) == ("a", "clock", '{"zone": "UTC"}')


async def test_changed_options_hold_for_the_next_answer_and_leave_this_one_alone(
    tmp_path: Path, server: Server
) -> None:
    registry = ProviderRegistry(Paths(tmp_path), no_key, lambda event: None, patience=QUICK)
    kind = "openai" if isinstance(server, OpenAIServer) else "ollama"
    entry: dict[str, Any] = {"id": "lab", "kind": kind, "base_url": server.base_url}

    def settings(**more: Any) -> Settings:
        return Settings.model_validate({"providers": [{**entry, **more}]})

    held = asyncio.Event()
    server.script(Answer(text=["one ", "two"], held=held, held_after=1))
    registry.apply(settings())
    provider = registry.provider("lab")
    stream = registry.chat_model("lab/small").stream(asking())
    assert (await anext(stream)).text == "one "
    registry.apply(settings(models=["by-hand"], model_options={"small": {"temperature": 0.2}}))
    assert registry.provider("lab") is provider
    held.set()
    assert "".join([delta.text async for delta in stream]) == "two"
    await answered(registry.chat_model("lab/small"), CHAT)
    body = server.chats[-1].body
    assert body.get("options", body)["temperature"] == 0.2
    registry.apply(settings(base_url=f"{server.base_url}/"))
    assert registry.provider("lab") is not provider, "another address, another connection"
    await registry.close()
