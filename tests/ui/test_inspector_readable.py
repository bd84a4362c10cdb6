"""Values of Σ, and moments, as people read them."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatty_desktop.ui.readable import readable, readable_drop, readable_patch, shortened, when

_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("see Kyoto", "see Kyoto"),
        ("two\nlines", "two\nlines"),
        ("", ""),
        (3, "3"),
        (2.5, "2.5"),
        (True, "yes"),
        (False, "no"),
        (None, "nothing"),
        ([], "none"),
        ({}, "none"),
        (["hotel", "flight"], "• hotel\n• flight"),
        ([["a", "b"], "c"], "• • a\n  • b\n• c"),
        ({"city": "Kyoto", "days": 3}, "city: Kyoto\ndays: 3"),
        ({"open": ["hotel"]}, "open:\n  • hotel"),
        ([{"id": 7, "state": "open"}], "• id: 7\n  state: open"),
        ({"a": {"b": {"c": 1}}}, "a: b: c: 1"),
    ],
)
def test_values_are_plain_lines_not_json(value: Any, text: str) -> None:
    assert readable(value) == text


@given(_json)
def test_every_json_value_can_be_read(value: Any) -> None:
    assert isinstance(readable(value), str)


def test_what_nests_deeply_ends_as_json_and_in_few_lines() -> None:
    deep: Any = "end"
    for _ in range(200):
        deep = {"in": deep}
    assert readable(deep).endswith("}") and readable(deep).count("\n") < 10


def test_a_forgotten_key_is_said_to_be() -> None:
    assert readable_patch({"goal": "rest", "open": None}) == [
        ("goal", "rest"),
        ("open", "forgotten"),
    ]


def test_a_change_that_was_left_out_is_read_whole() -> None:
    assert readable_drop({"key": "goal", "value": ["a"], "reason": "Not said."}) == (
        "goal",
        "• a",
        "Not said.",
    )
    assert readable_drop({"key": "goal", "forget": True, "reason": "Not there."})[1] == "forget"


@given(st.text(max_size=200), st.integers(1, 50), st.integers(1, 5))
def test_what_is_shortened_is_a_beginning_and_says_when_there_is_more(
    text: str, characters: int, lines: int
) -> None:
    short = shortened(text, characters, lines)
    if short == text:
        return
    assert short.endswith(" …")
    kept = short.removesuffix(" …")
    assert text.startswith(kept)
    assert len(kept) <= characters
    assert kept.count("\n") < lines


def test_a_moment_of_today_is_a_time_and_one_of_another_day_has_its_date() -> None:
    now = dt.datetime(2026, 3, 9, 15, 30).astimezone()
    earlier = now.replace(hour=9, minute=5)
    assert when(earlier.timestamp(), now.timestamp()) in ("09:05", "9:05", "9:05 AM")
    last_week = when((now - dt.timedelta(days=7)).timestamp(), now.timestamp())
    assert last_week.startswith("2 ") and "2026" not in last_week
    assert "2024" in when(now.replace(year=2024).timestamp(), now.timestamp())
