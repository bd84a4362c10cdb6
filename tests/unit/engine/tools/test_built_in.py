"""The tools that come with the app: the clock, the calculator, memory, and what all have."""

from __future__ import annotations

import math
from contextlib import suppress
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given as for_any
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.messages import ToolCall
from chatty_desktop.engine.tools.arguments import checked_arguments
from chatty_desktop.engine.tools.built_in import BuiltInTools
from chatty_desktop.engine.tools.calculator import Calculator, worked_out
from chatty_desktop.engine.tools.clock import told
from tests.helpers.bag_of_words import BagOfWords
from tests.helpers.desk import Desk
from tests.helpers.scripted import ScriptedModel
from tests.unit.engine.tools.conftest import Use


async def test_the_harmless_are_those_that_reach_nothing_outside_the_chat(
    box: BuiltInTools,
) -> None:
    policies = {spec.name: spec.policy for spec in await box.tools()}
    assert policies == {
        "clock": "allow",
        "calculator": "allow",
        "search_memory": "allow",
        "read_state": "allow",
        "read_file": "ask",
        "list_files": "ask",
        "search_files": "ask",
        "write_file": "ask",
        "fetch_page": "ask",
    }


async def test_every_tool_says_in_short_what_it_is_for_and_has_a_valid_schema(
    box: BuiltInTools,
) -> None:
    for spec in await box.tools():
        Draft202012Validator.check_schema(spec.parameters)
        assert spec.parameters["additionalProperties"] is False
        assert 30 < len(spec.description) < 200
        assert all("description" in each for each in spec.parameters["properties"].values())


# --- clock -----------------------------------------------------------------------------------


async def test_the_clock_knows_here_and_elsewhere(use: Use) -> None:
    assert str(datetime.now().astimezone().year) in (await use("clock")).text
    assert "Asia/Tokyo (UTC+09:00)" in (await use("clock", timezone="Asia/Tokyo")).text
    assert "America/New_York" in (await use("clock", timezone="new york")).text


def test_a_moment_is_told_with_its_weekday_and_zone() -> None:
    moment = datetime(2026, 12, 2, 14, 5, 9, tzinfo=ZoneInfo("Europe/Berlin"))
    assert told(moment, "Europe/Berlin") == (
        "2026-12-02 14:05:09, Wednesday, week 49, Europe/Berlin (UTC+01:00)"
    )


@pytest.mark.parametrize("zone", ["Atlantis", "../../etc/passwd", "/etc/localtime", "Europe/Berln"])
async def test_a_zone_that_is_none_is_told_with_what_may_be_meant(use: Use, zone: str) -> None:
    with pytest.raises(Invalid, match="There is no time zone"):
        await use("clock", timezone=zone)


# --- calculator ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("17 * 23", "391"),
        ("(17.5 + 2.5) / 4", "5"),
        ("0.1 + 0.2", "0.3"),
        ("2^10", "1024"),
        ("-2 ** 2", "-4"),
        ("7 // 2 + 7 % 4", "6"),
        ("15% * 80", "12"),
        ("12 × 12 ÷ 6 − 4 =", "20"),
        ("sqrt(2)", "1.41421356237"),
        ("round(2.567, 2)", "2.57"),
        ("factorial(20)", str(math.factorial(20))),
        ("2 ** 200", str(2**200)),
        ("max(3, 5) - min(3, 5)", "2"),
        ("sin(pi / 6)", "0.5"),
        ("1 / 3", "0.333333333333"),
    ],
)
def test_an_expression_is_worked_out(expression: str, value: str) -> None:
    assert worked_out(expression) == value


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "1 / 0",
        "9 ** 9 ** 9",
        "2 ** 100000",
        "factorial(100000)",
        "round(5, -1000000000)" + " + x",
        "'a' * 1000",
        "'a' + 'b'",
        "(-8) ** 0.5",
        "1e308 * 10",
        "pi.real",
        "().__class__.__bases__[0].__subclasses__()",
        "__import__('os').system('true')",
        "open('x')",
        "[n for n in range(9)]",
        "lambda: 1",
        "x = 5",
        "1 if True else 2",
        "True + True",
        "1_000 and 2",
        "(" * 200 + "1" + ")" * 200,
        "1,000 + 1",
        "1" * 501,
        "import os",
    ],
)
def test_what_is_no_sum_or_too_large_a_one_is_refused_in_words(expression: str) -> None:
    try:
        value = worked_out(expression)
    except Invalid:
        return
    assert (expression, value) in [("1e308 * 10", "inf"), ("(" * 200 + "1" + ")" * 200, "1")]


@for_any(st.integers(-(10**9), 10**9), st.integers(-(10**9), 10**9), st.sampled_from("+-*"))
def test_whole_numbers_are_worked_out_exactly(one: int, other: int, sign: str) -> None:
    exact = {"+": one + other, "-": one - other, "*": one * other}[sign]
    assert worked_out(f"({one}) {sign} ({other})") == str(exact)


@for_any(st.text("0123456789.+-*/%^() ,e", max_size=60))
def test_whatever_is_written_ends_soon_in_a_number_or_in_words(expression: str) -> None:
    with suppress(Invalid):
        assert worked_out(expression)


# --- memory ----------------------------------------------------------------------------------


async def test_read_state_reads_what_was_folded(desk: Desk, model: ScriptedModel, use: Use) -> None:
    assert "Nothing is noted" in (await use("read_state")).text
    model.folds.append([{"key": "goal", "value": "a trip to Kyoto"}])
    await desk.say("I want to make a trip to Kyoto.")
    assert '"goal": "a trip to Kyoto"' in (await use("read_state")).text


async def test_search_memory_finds_by_words_on_this_branch_alone(
    desk: Desk, model: ScriptedModel, use: Use
) -> None:
    model.answers.extend(["The ryokan is booked.", "Noted."])
    await desk.say("Book the ryokan in Kyoto.")
    other = await desk.say("My cat is called Miso.")
    found = (await use("search_memory", query="Ryokan")).text
    assert "User: Book the ryokan in Kyoto." in found
    assert "Assistant: The ryokan is booked." in found
    assert "Miso" not in found
    assert "Nothing" in (await use("search_memory", query="Miso")).text  # it is said just now
    await desk.say("And now?")
    assert "Miso" in (await use("search_memory", query="miso", limit=1)).text
    await desk.chat.edit(str(other.parent_id), "My dog is called Rex.")
    await desk.chat.wait(desk.session.id)
    await desk.say("And now?")
    assert "Miso" not in (await use("search_memory", query="miso")).text


async def test_search_memory_finds_by_meaning_where_there_is_an_embedder(
    desk: Desk, model: ScriptedModel, use: Use
) -> None:
    desk.embedders.embedder = BagOfWords()
    await desk.use({"kind": "episodic"})
    await desk.say("Tea is best drunk warm.")
    await desk.say("Trains run late.")
    await desk.say("Something else.")
    lines = (await use("search_memory", query="warm tea please", limit=1)).text.splitlines()
    assert len(lines) == 1
    assert "Tea is best drunk warm." in lines[0]


async def test_fetch_page_tells_title_address_and_text(use: Use) -> None:
    page = (await use("fetch_page", url="https://example.org/")).text
    assert page == "Title: A page\nAddress: https://example.org/\n\nIts text."


def test_what_a_model_copies_from_the_schema_into_a_call_does_not_spoil_it() -> None:
    written = '{"expression": "1 + 1", "required": ["expression"], "additionalProperties": false}'
    call = ToolCall("c0", "calculator", written)
    assert checked_arguments(call, Calculator.spec) == {"expression": "1 + 1"}
    other = ToolCall("c0", "calculator", '{"expression": "1 / 3", "digits": 2}')
    with pytest.raises(Invalid, match="'digits' was unexpected"):
        checked_arguments(other, Calculator.spec)
