"""What holds for both wires, through the real SDKs against a scripted server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import cast

import pytest

from chatty_desktop.domain.errors import Refused, Unreachable
from chatty_desktop.domain.messages import ToolCall
from chatty_desktop.domain.requests import ChatMessage, ChatRequest, Delta
from chatty_desktop.engine.ports import ChatModel
from chatty_desktop.providers.contract import Provider
from chatty_desktop.providers.patience import Patience
from tests.helpers.servers import Answer, Call, Fixed, FixedServer, OllamaServer, OpenAIServer
from tests.integration.providers.conftest import QUICK, answered, asking, provider_for

Server = OpenAIServer | OllamaServer


async def test_an_answer_is_streamed_in_pieces_with_its_end_and_usage(
    server: Server, model: ChatModel
) -> None:
    server.script(Answer(text=["One ", "two ", "three."], prompt_tokens=17, completion_tokens=3))
    reply = await answered(model)
    assert [delta.text for delta in reply.deltas if delta.text] == ["One ", "two ", "three."]
    assert reply.finish == "stop"
    assert reply.usage is not None
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (17, 3)
    sent = server.chats[0].body
    assert sent["model"] == "small" and sent["stream"] is True
    assert sent["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hello?"},
    ]


async def test_a_piece_is_passed_on_before_the_next_one_is_there(
    server: Server, model: ChatModel
) -> None:
    held = asyncio.Event()
    server.script(Answer(text=["first ", "second"], held=held, held_after=1))
    stream = model.stream(asking())
    assert (await anext(stream)).text == "first "
    held.set()
    assert "".join([delta.text async for delta in stream]) == "second"


async def test_what_was_not_asked_for_is_left_to_the_server(
    server: Server, model: ChatModel
) -> None:
    await answered(model)
    body = server.chats[0].body
    assert "temperature" not in {**body, **body.get("options", {})}
    assert not {"max_tokens", "response_format"} & body.keys() and not body.get("format")


async def test_tool_calls_of_earlier_messages_go_out_with_their_results(
    server: Server, model: ChatModel
) -> None:
    call = ToolCall("call_7", "clock", '{"zone": "UTC"}')
    await answered(
        model,
        ChatRequest(
            (
                ChatMessage("user", "What time is it?"),
                ChatMessage("assistant", "", (call,)),
                ChatMessage("tool", "12:00", tool_call_id="call_7"),
            )
        ),
    )
    _, called, result = server.chats[0].body["messages"]
    function = called["tool_calls"][0]["function"]
    assert function["name"] == "clock"
    assert function["arguments"] in ('{"zone": "UTC"}', {"zone": "UTC"})
    assert result["role"] == "tool" and result["content"] == "12:00"


async def test_an_answer_of_tool_calls_alone_is_finished(server: Server, model: ChatModel) -> None:
    server.script(Answer(tool_calls=(Call("clock"),)))
    reply = await answered(model)
    assert reply.text == "" and reply.finish is not None


async def test_thinking_in_a_field_of_its_own_is_reasoning(
    server: Server, model: ChatModel
) -> None:
    server.script(Answer(text="Four.", reasoning="Two and two."))
    reply = await answered(model)
    assert (reply.text, reply.reasoning) == ("Four.", "Two and two.")


@pytest.mark.parametrize(
    "pieces", [["<think>Two and", " two.</think>Four."], list("<think>Two and two.</think>\nFour.")]
)
async def test_thinking_in_tags_is_reasoning_even_when_a_tag_is_cut_in_two(
    server: Server, model: ChatModel, pieces: list[str]
) -> None:
    server.script(Answer(text=pieces))
    reply = await answered(model)
    assert (reply.text, reply.reasoning) == ("Four.", "Two and two.")


async def test_thinking_that_never_ends_leaves_no_text(server: Server, model: ChatModel) -> None:
    server.script("<think>round and round")
    reply = await answered(model)
    assert (reply.text, reply.reasoning, reply.finish) == ("", "round and round", "stop")


async def test_an_empty_answer_is_finished_and_empty(server: Server, model: ChatModel) -> None:
    server.script("")
    reply = await answered(model)
    assert (reply.text, reply.finish) == ("", "stop")


async def test_a_length_limit_shows_in_how_it_ended(server: Server, model: ChatModel) -> None:
    server.script(Answer(text="and so on", finish="length"))
    assert (await answered(model)).finish == "length"


async def test_a_stream_without_a_finish_reason_is_not_finished(
    server: Server, model: ChatModel
) -> None:
    server.script(Answer(text="half an answ", finish=None, done=False))
    reply = await answered(model)
    assert (reply.text, reply.finish) == ("half an answ", None)


async def test_a_connection_dropped_in_mid_answer_is_unreachable_after_what_came(
    server: Server, model: ChatModel
) -> None:
    server.script(Answer(text="One two three", drop_after=2))
    got: list[str] = []

    async def take() -> None:
        async for delta in model.stream(asking()):
            got.append(delta.text)

    with pytest.raises(Unreachable, match="broke off") as failure:
        await take()
    assert "".join(got) == "One two"
    assert failure.value.cause == "connection"


@pytest.mark.parametrize(
    ("status", "cause"),
    [
        (401, "authentication"),
        (403, "authentication"),
        (404, "missing"),
        (408, "timeout"),
        (500, "server"),
        (503, "server"),
    ],
)
async def test_a_server_that_does_not_serve_is_unreachable_with_the_cause_and_its_words(
    server: Server, model: ChatModel, status: int, cause: str
) -> None:
    server.default = Answer.fail(status, "model llama is on holiday")
    with pytest.raises(Unreachable, match="llama is on holiday") as failure:
        await answered(model)
    assert failure.value.cause == cause
    assert str(server.port) in str(failure.value), "the message names the server"


@pytest.mark.parametrize("status", [400, 413, 422])
async def test_a_request_that_is_refused_is_sent_once_and_says_why(
    server: Server, model: ChatModel, status: int
) -> None:
    server.default = Answer.fail(status, "the request exceeds the context size")
    with pytest.raises(Refused, match="exceeds the context size"):
        await answered(model)
    assert len(server.chats) == 1


async def test_a_busy_server_is_asked_again(server: Server, model: ChatModel) -> None:
    server.script(Answer.fail(429), Answer.fail(429), "At last.")
    assert (await answered(model)).text == "At last."


async def test_a_server_that_stays_busy_is_unreachable(server: Server, model: ChatModel) -> None:
    server.default = Answer.fail(429, "slow down")
    with pytest.raises(Unreachable, match="slow down") as failure:
        await answered(model)
    assert failure.value.cause == "rate_limit"
    assert len(server.chats) == 1 + len(QUICK.waits)


async def test_a_wait_the_server_asks_for_is_kept_to_and_a_long_one_is_told_and_not_waited_for(
    server: Server, model: ChatModel
) -> None:
    server.script(Answer.fail(429, retry_after=0.01), "Here.")
    assert (await answered(model)).text == "Here."
    server.script(Answer.fail(429, "come back tomorrow", retry_after=86400))
    with pytest.raises(Unreachable, match=r"come back tomorrow\)\. Try again in 24 h\."):
        await answered(model)
    assert len(server.chats) == 3


async def test_nothing_at_the_address_is_unreachable_and_says_what_to_do(
    server: Server, model: ChatModel
) -> None:
    await server.close()
    with pytest.raises(Unreachable, match="refused") as failure:
        await answered(model)
    assert failure.value.cause == "connection"
    assert "running" in str(failure.value)


async def test_a_server_that_comes_back_answers_the_next_request(
    server: Server, model: ChatModel
) -> None:
    await answered(model)
    await server.close()
    with pytest.raises(Unreachable):
        await answered(model)
    async with server:
        server.script("Back again.")
        assert (await answered(model)).text == "Back again."


async def test_a_server_that_says_nothing_runs_out_of_time(server: Server) -> None:
    provider = provider_for(server, Patience(read=0.2))
    server.script(Answer(text="never", held=asyncio.Event()))
    with pytest.raises(Unreachable) as failure:
        await answered(provider.chat_model("small"))
    assert failure.value.cause == "timeout"
    await provider.close()


async def test_garbage_in_place_of_an_answer_is_unreachable(
    server: Server, model: ChatModel
) -> None:
    server.script(Answer(raw=b'data: {"choices": [{"delta\n\n'))
    with pytest.raises(Unreachable, match="did not answer as such a server does"):
        await answered(model)


async def test_a_body_without_a_word_in_it_is_no_answer(server: Server, model: ChatModel) -> None:
    server.script(Answer(raw=b""))
    with pytest.raises(Unreachable, match="no part of a reply came") as failure:
        await answered(model)
    assert failure.value.cause == "server"


async def test_a_web_page_in_place_of_anything_is_told_as_one(server: Server) -> None:
    async with FixedServer(Fixed.page("Sign in")) as proxy:
        provider = provider_for(server, base_url=proxy.address)
        told = r"^lab .* did not answer as such a server does \(a web page\)"
        with pytest.raises(Unreachable, match=told):
            await answered(provider.chat_model("small"))
        with pytest.raises(Unreachable, match=told):
            await provider.listed()
        with pytest.raises(Unreachable, match=told):
            await provider.embed("small", ["a"])
        await provider.close()


async def test_an_error_in_mid_stream_carries_the_servers_words(
    server: Server, model: ChatModel
) -> None:
    line = b'{"error": "the model crashed"}\n'
    sse = b'data: {"error": {"message": "the model crashed", "code": 500}}\n\n'
    server.script(Answer(raw=sse if isinstance(server, OpenAIServer) else line))
    with pytest.raises(Unreachable, match="the model crashed") as failure:
        await answered(model)
    assert failure.value.cause == "server"


async def test_closing_the_stream_closes_the_connection(server: Server, model: ChatModel) -> None:
    server.script(Answer(text=["more "] * 1000, delay=0.01))
    stream = cast("AsyncGenerator[Delta, None]", model.stream(asking()))
    assert (await anext(stream)).text == "more "
    await stream.aclose()
    await server.chats[0].left.wait()


async def test_cancelling_while_the_server_thinks_closes_the_connection(
    server: Server, model: ChatModel
) -> None:
    server.script(Answer(text="late", held=asyncio.Event()))
    task = asyncio.create_task(answered(model))
    await server.received(chats=1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await server.chats[0].left.wait()


async def test_several_answers_at_once_are_not_mixed(server: Server, model: ChatModel) -> None:
    server.default = lambda received: Answer(
        text=f"echo {received.body['messages'][-1]['content']}", delay=0.005
    )
    replies = await asyncio.gather(*(answered(model, asking(f"n{i}")) for i in range(8)))
    assert [reply.text for reply in replies] == [f"echo n{i}" for i in range(8)]


async def test_a_json_schema_constrains_the_answer(server: Server, model: ChatModel) -> None:
    schema = {"type": "object", "properties": {"changes": {"type": "array"}}}
    server.script_folds([{"key": "goal", "value": "Kyoto"}])
    reply = await answered(
        model,
        ChatRequest(
            (ChatMessage("user", "fold"),), temperature=0.0, max_tokens=99, json_schema=schema
        ),
    )
    assert reply.text == '{"changes": [{"key": "goal", "value": "Kyoto"}]}'
    body = server.folds[0].body
    asked = body["format"] if "format" in body else body["response_format"]["json_schema"]["schema"]
    options = body.get("options", body)
    assert asked == schema
    assert options["temperature"] == 0.0
    assert 99 in (options.get("max_tokens"), options.get("num_predict"))


async def test_the_models_of_a_server_are_listed(server: Server, provider: Provider) -> None:
    server.models = ("small", "vendor/large:8b")
    assert await provider.listed() == ["small", "vendor/large:8b"]
    assert provider.chat_model("vendor/large:8b").reference == "lab/vendor/large:8b"


async def test_listing_a_server_that_is_down_is_unreachable(
    server: Server, provider: Provider
) -> None:
    await server.close()
    with pytest.raises(Unreachable) as failure:
        await provider.listed()
    assert failure.value.cause == "connection"


async def test_a_key_goes_out_and_a_refused_one_is_asked_for_anew(server: Server) -> None:
    server.key = "secret"
    keys = ["wrong", "secret"]

    async def key(provider_id: str) -> str | None:
        assert provider_id == "lab"
        return keys.pop(0)

    provider = provider_for(server, key=key)
    with pytest.raises(
        Unreachable, match="Check it in the settings or in CHATTY_KEY_LAB"
    ) as failure:
        await answered(provider.chat_model("small"))
    assert failure.value.cause == "authentication" and "wrong" not in str(failure.value)
    assert (await answered(provider.chat_model("small"))).finish == "stop"
    assert keys == []
    await provider.close()
