"""Models whose answers are no answers: what they say in a chat and what they say of memory is
damaged, of another kind or made to do harm, over the real wire and through the real SDK.

What must hold: the run ends with an answer or with a word of what is wrong, nothing but what is
documented is raised, memory stays valid, its ledger has a row for what was asked, and the next
ordinary run goes well.
"""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Callable
from dataclasses import asdict
from typing import Any

import pytest
import pytest_asyncio
from hypothesis import given, settings
from hypothesis import strategies as st

from chatty_desktop.domain.extracting import FACT_CHARS
from chatty_desktop.domain.memory import MemorySnapshot
from chatty_desktop.domain.messages import Message, Status
from chatty_desktop.domain.state import compact
from tests.faults.bench import Bench, Cell, Chat, benches
from tests.helpers.desk import STATE
from tests.helpers.servers import Answer, Received
from tests.helpers.spoiling import Good, spoiled_bytes, spoiled_json

pytestmark = pytest.mark.asyncio(loop_scope="module")

SUMMARIZED = {"kind": "summarized", "every": 2}
SEMANTIC = {"kind": "semantic"}
EPISODIC = {"kind": "episodic", "threshold": -1.0}
STRATEGIES: dict[str, dict[str, Any]] = {
    "state": STATE,
    "summarized": SUMMARIZED,
    "semantic": SEMANTIC,
    "episodic": EPISODIC,
    "composite": {"kind": "composite", "layers": [STATE, SUMMARIZED, SEMANTIC, EPISODIC]},
}
ASKED = {"state": "fold", "summarized": "summary", "semantic": "extraction"}
"""What a layer asks a model for, as the ledger calls it."""

FEW = settings(max_examples=10)

WORDS = "My goal is the harbour report and the invoice 4711 is open"

PATCH = {"changes": {"goal": "the harbour report", "open": ["the invoice 4711"]}}
FACTS = {"facts": [{"subject": "user", "fact": "has the goal of the harbour report"}]}
GOOD = Good((PATCH, {"changes": [{"key": "goal", "value": "the harbour report"}]}, FACTS))

WORST = {
    "empty": "",
    "spaces": " \n\t ",
    "lists without end": "[" * 100_000,
    "objects without end": '{"changes":' * 20_000,
    "deep and whole": '{"changes": {"goal": ' + "[" * 90 + '"harbour report"' + "]" * 90 + "}}",
    "a deep list of facts": '{"facts": [' + "[" * 95 + "]" * 95 + "]}",
    "infinite": '{"changes": {"goal": 1e999}}',
    "infinite under a key that is none": '{"changes": {"harbour": 1e999, "report": [-1e999]}}',
    "infinite fact": '{"facts": [{"subject": "user", "fact": 1e999}]}',
    "no number": '{"changes": {"goal": NaN, "open": -Infinity}}',
    "digits without end": '{"changes": {"goal": ' + "9" * 5_000 + "}}",
    "many digits": '{"changes": {"goal": ' + "9" * 4_000 + "}}",
    "half a character": '{"changes": {"goal": "harbour report \\ud800"}}',
    "half a character as a key": '{"changes": {"\\udfff": "harbour report"}}',
    "half a character in a fact": '{"facts": [{"subject": "\\ud800", "fact": "harbour \\udc00"}]}',
    "half a character as it is": "The harbour report \ud800 and \udfff.",
    "nothing at all in it": '{"changes": {"goal": "harbour\\u0000report"}}',
    "NUL": "The harbour\0report\0.",
    "NUL in a fact": '{"facts": [{"subject": "user\\u0000", "fact": "harbour report \\u0000"}]}',
    "one line of a megabyte": "harbour " * 125_000,
    "a megabyte as a value": json.dumps({"changes": {"goal": "harbour " * 125_000}}),
    "a megabyte as a fact": json.dumps({"facts": [{"subject": "u", "fact": "harbour " * 125_000}]}),
    "keys without end": json.dumps({"changes": {f"harbour{n}": "report" for n in range(5_000)}}),
    "a thousand facts": json.dumps(
        {"facts": [{"subject": f"u{n}", "fact": f"harbour report {n}"} for n in range(1_000)]}
    ),
    "terminal": "\x1b]0;gone\x07\x1b[2J\x1b[31mharbour\x9b report\x08\x08",
    "bidi": '{"changes": {"goal": "\u202eharbour\u2066 report\u200f"}}',
    "HTML": "<script>alert(1)</script><img src=x onerror=alert(1)> harbour report",
    "forbidden keys": '{"changes": {"__class__": "harbour", "state": {}, "goal": "harbour"}}',
    "a list as a patch": "[[[]]]",
    "nulls": '{"changes": null}{"facts": null}',
    "everything forgotten": '{"changes": {"goal": null, "open": null, "working_on": null}}',
    "doubled": '{"changes": {"goal": "harbour"}, "changes": {"goal": "report"}}',
    "thinks without end": "<think>" * 20_000,
}


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def bench(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Bench]:
    folders = [tmp_path_factory.mktemp("data") for _ in range(2)]
    async with benches("openai", folders) as made:
        yield made[0]


@pytest.fixture
def no_traceback(caplog: pytest.LogCaptureFixture) -> Callable[[], None]:
    caplog.set_level(logging.INFO)

    def look() -> None:
        raised = [each for each in caplog.records if each.exc_info or "Traceback" in each.msg]
        assert not raised, caplog.text

    return look


@pytest.mark.parametrize("hostile", WORST)
async def test_the_worst_answers_leave_memory_valid(
    bench: Bench, no_traceback: Callable[[], None], hostile: str
) -> None:
    await _survives(bench, "composite", _said(bench, WORST[hostile]))
    no_traceback()


@pytest.mark.parametrize("strategy", [each for each in STRATEGIES if each != "composite"])
@pytest.mark.parametrize("hostile", ["empty", "infinite", "half a character as it is", "NUL"])
async def test_each_memory_by_itself_stays_valid(
    bench: Bench, no_traceback: Callable[[], None], strategy: str, hostile: str
) -> None:
    await _survives(bench, strategy, _said(bench, WORST[hostile]))
    no_traceback()


@FEW
@given(text=spoiled_json(GOOD))
async def test_spoiled_answers_leave_memory_valid(
    bench: Bench, no_traceback: Callable[[], None], text: str
) -> None:
    await _survives(bench, "composite", _said(bench, text))
    no_traceback()


@FEW
@given(data=st.data())
async def test_a_spoiled_wire_leaves_memory_valid(
    bench: Bench, no_traceback: Callable[[], None], data: st.DataObject
) -> None:
    body = spoiled_bytes(data.draw, _said(bench, json.dumps(PATCH)).raw or b"")
    await _survives(bench, "composite", Answer(raw=body))
    no_traceback()


def _said(bench: Bench, text: str) -> Answer:
    """An answer in one piece, escaped as ASCII: so the wire takes what no UTF-8 holds."""
    server = bench.lab
    return Answer(raw=b"".join([server.line(server.part(text)), *server.end()]))


async def _survives(bench: Bench, strategy: str, hostile: Answer) -> None:
    """A run in which everything is answered so, then one in which all is well."""
    server = bench.lab
    chat = await Cell(bench, "").chat(STRATEGIES[strategy])
    server.default = server.default_fold = hostile
    reply = await chat.say(WORDS)
    _judge_reply(reply)
    await _judge_memory(chat, strategy)
    server.default, server.default_fold = _well, _well
    reply = await chat.say("And the invoice?")
    assert (reply.status, reply.content) == (Status.COMPLETE, "Well again."), reply.error
    snapshot = await _judge_memory(chat, strategy)
    for kind in _asked(strategy):
        newest = next(row for row in snapshot.ledger if row.kind == kind)
        assert newest.outcome in ("accepted", "nothing"), newest.reason


def _well(received: Received) -> Answer:
    asked = json.dumps(received.body.get("response_format", {}))
    if '"facts"' in asked:
        return Answer(text='{"facts": []}')
    return Answer(text='{"changes": {}}' if '"changes"' in asked else "Well again.")


def _judge_reply(reply: Message) -> None:
    assert reply.status in (Status.COMPLETE, Status.FAILED, Status.CUT)
    assert reply.status is Status.COMPLETE or reply.error
    assert len(reply.error) < 1_000


def _asked(strategy: str) -> list[str]:
    return [kind for layer, kind in ASKED.items() if strategy in (layer, "composite")]


async def _judge_memory(chat: Chat, strategy: str) -> MemorySnapshot:
    snapshot = await chat.app.memories.inspect(chat.scope)
    json.dumps(asdict(snapshot), ensure_ascii=False, allow_nan=False).encode()
    names = {field["name"] for field in STATE["fields"]}
    for layer in snapshot.layers:
        assert set(layer.state or {}) <= names
        assert len(compact(layer.state or {})) <= STATE["max_chars"]
        for fact in layer.facts or ():
            assert 0 < len(fact.fact) <= FACT_CHARS
            assert 0 < len(fact.subject) <= FACT_CHARS
        assert layer.summary is None or layer.summary.strip() or not layer.summaries
    kinds = [row.kind for row in snapshot.ledger]
    if (await chat.messages())[-1].status is Status.COMPLETE:
        assert set(_asked(strategy)) <= set(kinds), kinds
    for row in snapshot.ledger:
        assert row.outcome in ("accepted", "refused", "unreachable", "nothing")
        assert row.outcome in ("accepted", "nothing") or row.reason
        assert len(row.reason) < 5_000
    return snapshot
