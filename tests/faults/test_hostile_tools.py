"""MCP servers whose answers to a call are damaged, of another kind or made to do harm, over both
wires and through the real SDK.

What must hold: a call ends in time with a result that can be stored and sent, or with what is
documented, and the next ordinary call goes well.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from hypothesis import given, settings

from chatty_desktop.domain.errors import ChattyError
from chatty_desktop.domain.tools import ToolResult
from chatty_desktop.providers.mcp.results import MOST_LETTERS
from tests.helpers.mcp_bench import Bench
from tests.helpers.mcp_servers import entry
from tests.helpers.mcp_servers.echo import answered
from tests.helpers.servers import Fixed, FixedServer, Received
from tests.helpers.spoiling import Good, spoiled_json

pytestmark = pytest.mark.asyncio(loop_scope="module")

CALL_SECONDS = 1
"""How long a call may take here; the time-out of the servers is in whole seconds."""

FEW = settings(max_examples=15)


def result(**value: Any) -> str:
    """A result as it goes over the wire, ID in the place of the call's number."""
    return json.dumps({"jsonrpc": "2.0", "id": "?", "result": value}).replace('"?"', "ID", 1)


def text(said: str) -> str:
    return result(content=[{"type": "text", "text": said}])


GOOD = Good(
    {"jsonrpc": "2.0", "id": "ID", "result": {"content": content, **more}}
    for content, more in (
        ([{"type": "text", "text": "The harbour is open"}], {"isError": False}),
        ([{"type": "image", "data": "aGFyYm91cg==", "mimeType": "image/png"}], {}),
        ([{"type": "resource_link", "uri": "file:///a", "name": "a"}], {"isError": True}),
        ([{"type": "resource", "resource": {"uri": "notes://a", "text": "open"}}], {}),
        ([], {"structuredContent": {"open": True, "ships": [1, 2.5, None]}}),
    )
)

WORST = {
    "half a character": '{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text",'
    '"text":"harbour \\ud800"}]}}',
    "half a character, structured": '{"jsonrpc":"2.0","id":ID,"result":{"content":[],'
    '"structuredContent":{"\\udfff":"harbour \\ud800"}}}',
    "NUL": text("harbour\0open"),
    "infinite, structured": '{"jsonrpc":"2.0","id":ID,"result":{"content":[],'
    '"structuredContent":{"a":1e999,"b":-1e999}}}',
    "no number": '{"jsonrpc":"2.0","id":ID,"result":{"content":[],"structuredContent":{"a":NaN}}}',
    "many digits": '{"jsonrpc":"2.0","id":ID,"result":{"content":[],"structuredContent":{"a":'
    + "9" * 5_000
    + "}}}",
    "deep, structured": '{"jsonrpc":"2.0","id":ID,"result":{"content":[],"structuredContent":{"a":'
    + "[" * 150
    + "]" * 150
    + "}}}",
    "deep without end": '{"jsonrpc":"2.0","id":ID,"result":' + "[" * 100_000,
    "a line of ten megabytes": text("harbour " * 1_250_000),
    "ten thousand parts": result(content=[{"type": "text", "text": "x"}] * 10_000),
    "a kind that is none": result(content=[{"type": "hologram", "text": "harbour"}]),
    "no content": result(),
    "text that is a list": result(content=[{"type": "text", "text": ["harbour"]}]),
    "no result": '{"jsonrpc":"2.0","id":ID}',
    "result and error": '{"jsonrpc":"2.0","id":ID,"result":{"content":[]},'
    '"error":{"code":1,"message":"no"}}',
    "an error of half characters": '{"jsonrpc":"2.0","id":ID,"error":{"code":1,'
    '"message":"\\ud800 harbour \\u0000"}}',
    "an error without a code": '{"jsonrpc":"2.0","id":ID,"error":"harbour"}',
    "an error of a megabyte": json.dumps(
        {"jsonrpc": "2.0", "id": "?", "error": {"code": 1, "message": "harbour " * 125_000}}
    ).replace('"?"', "ID", 1),
    "the number of another call": text("harbour").replace("ID", "4711"),
    "a number that is a list": text("harbour").replace("ID", "[1]"),
    "a question": '{"jsonrpc":"2.0","id":ID,"method":"sampling/createMessage","params":{}}',
    "an old version": text("harbour").replace('"2.0"', '"1.0"'),
    "words": "Harbour? What harbour?",
    "nothing": "",
    "terminal codes": text("\x1b[31mharbour\x1b]8;;http://a\x07\x1b[2J"),
    "turned around": text("\u202eruobrah\u2066 \u200b"),
}


class Asked(Bench):
    """A server that says what it is asked to, under the name `s`."""

    async def check(self, answer: str) -> ToolResult | None:
        """Have it answer so; the result, None where the call was refused in words."""
        began = time.monotonic()
        found: ToolResult | None = None
        refused = ""
        try:
            found = await self.call("say", answer=answer)
        except ChattyError as error:
            refused = str(error)
        said = refused or (found.text if found else "")
        said.encode()
        assert said
        assert len(said) < (2_000 if refused else MOST_LETTERS + 100)
        assert time.monotonic() - began < CALL_SECONDS + 5
        for _ in range(50):
            try:
                assert (await self.call("well")).text == "well"
                break
            except ChattyError:  # its process is just being started again
                await asyncio.sleep(0.1)
        else:
            raise AssertionError("No call went well any more.")
        return found


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=["program", "address"])
async def bench(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Asked]:
    made = Asked(tmp_path_factory.mktemp("logs"), back_off=(0.02,) * 500)
    server: dict[str, Any] = entry("echo")

    def rule(received: Received) -> Fixed:
        answer = answered(received.body) if received.method == "POST" else None
        return Fixed(200, answer) if answer is not None else Fixed(202)

    async with FixedServer(rule) as loopback:
        if request.param == "address":
            server = {"url": f"{loopback.address}/mcp"}
        made.configure(s={**server, "timeout_seconds": CALL_SECONDS})
        yield made
        await made.servers.close()


# The SDK's own words over HTTP, with what it was given.
SAID_BY_THE_SDK = pytest.mark.expected_log("Error parsing JSON response")


@SAID_BY_THE_SDK
@pytest.mark.parametrize("what", WORST)
async def test_a_call_ends_well_or_in_words(bench: Asked, what: str) -> None:
    await bench.check(WORST[what])


@SAID_BY_THE_SDK
@FEW
@given(answer=spoiled_json(GOOD))
async def test_a_call_ends_well_or_in_words_whatever_comes(bench: Asked, answer: str) -> None:
    await bench.check(answer.replace('"ID"', "ID").replace("\n", " "))


async def test_what_is_well_comes_through(bench: Asked) -> None:
    found = await bench.check(text("The harbour is open \U0001f6a2"))
    assert found == ToolResult("The harbour is open \U0001f6a2")
