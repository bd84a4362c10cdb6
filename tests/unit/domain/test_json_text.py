"""JSON that somebody else wrote."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.json_text import MOST_LEVELS, NotJson, read_json

_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)  # fmt: skip


@given(_VALUES, st.sampled_from(("utf-8", "utf-8-sig", "utf-16", "utf-32")))
def test_what_is_json_is_read_as_it_is_in_every_coding(value: Any, coding: str) -> None:
    text = json.dumps(value, ensure_ascii=False)
    assert read_json(text) == value
    assert read_json(text.encode(coding)) == value
    assert read_json(json.dumps(value)) == value


@pytest.mark.parametrize(
    ("text", "reason", "line"),
    [
        ("[" * 100_000, "nested more than 100 levels", 0),
        ('{"a":' * 100_000, "nested more than 100 levels", 0),
        ("[" * 100_000 + "]" * 100_000, "nested more than 100 levels", 0),
        ("[" * 101 + "]" * 101, "nested more than 100 levels", 0),
        ('{"a": "1e999",\n "b": 1e999}', "the number 1e999 is too large: line 2 column 7", 2),
        ("[-1e999]", "the number -1e999 is too large", 1),
        ('["NaN\\"NaN",\nNaN]', "NaN is no number that JSON knows: line 2 column 1", 2),
        ("[Infinity]", "Infinity is no number", 1),
        ("9" * 5_000, "the number 99999999999999999999… is too large", 1),
        ("", "Expecting value: line 1 column 1", 1),
        ('{"a": 1,\n}', "line 2 column 1", 2),
        (b'"\xff"', "not UTF-8", 0),
        (b'"\xed\xa0\x80"', "not UTF-8", 0),
    ],
)
def test_what_cannot_be_worked_with_is_refused_with_the_reason_and_its_place(
    text: str | bytes, reason: str, line: int
) -> None:
    with pytest.raises(NotJson) as caught:
        read_json(text)
    assert reason in str(caught.value)
    assert caught.value.line == line
    assert isinstance(caught.value, Invalid)
    assert isinstance(caught.value, ValueError)


def test_as_many_levels_as_allowed_are_read() -> None:
    value = read_json("[" * MOST_LEVELS + "]" * MOST_LEVELS)
    for _ in range(MOST_LEVELS - 1):
        (value,) = value
    assert value == []


def test_more_values_than_allowed_are_refused() -> None:
    assert read_json('{"a": [1, 2]}', 3) == {"a": [1, 2]}
    with pytest.raises(NotJson, match="more than 2 values"):
        read_json('{"a": [1, 2]}', 2)


def test_half_a_character_becomes_the_mark_of_what_cannot_be_read() -> None:
    value = read_json('{"\\ud83d": ["a\\udc00b", "\\ud83d\\ude00", "\\\\ud800", {"x": "\ud800"}]}')
    assert value == {"\ufffd": ["a\ufffdb", "😀", "\\ud800", {"x": "\ufffd"}]}
    json.dumps(value, ensure_ascii=False).encode()


def test_of_a_key_written_twice_the_last_one_counts() -> None:
    assert read_json('{"a": 1, "a": 2}') == {"a": 2}
