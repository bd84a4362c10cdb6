"""The line on which a value of a JSON text stands."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatty_desktop.domain.json_places import line_of

TEXT = """{
  "first": {"a": 1,
    "b": [10, {"deep": true},
          "}]\\" not the end"]},
  "second":
    2,
  "second": 3
}
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ((), 1),
        (("first",), 2),
        (("first", "a"), 2),
        (("first", "b"), 3),
        (("first", "b", 1, "deep"), 3),
        (("first", "b", 2), 4),
        (("second",), 7),
        (("first", "nothing of the kind", 3), 2),
        (("first", "b", 9), 3),
        (("second", "below a number"), 7),
    ],
)
def test_a_path_leads_to_the_line_of_its_value(path: tuple[str | int, ...], line: int) -> None:
    assert line_of(TEXT, path) == line


_VALUES = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def paths(value: Any) -> list[tuple[str | int, ...]]:
    """Every path in a value."""
    if isinstance(value, dict):
        inside: list[tuple[str | int, Any]] = list(value.items())
    else:
        inside = list(enumerate(value)) if isinstance(value, list) else []
    below = [(key, *rest) for key, part in inside for rest in paths(part)]
    return [(), *below]


@given(_VALUES)
def test_whatever_the_value_the_lines_are_those_json_writes_it_on(value: Any) -> None:
    """Marked by putting something else in the place, and looking where the text differs first."""
    text = json.dumps(value, indent=1, ensure_ascii=False)
    for path in paths(value):
        other = json.dumps(_with_mark(value, path), indent=1, ensure_ascii=False)
        at = next(
            (i for i, (a, b) in enumerate(zip(text, other, strict=False)) if a != b), len(text)
        )
        assert line_of(text, path) == text.count("\n", 0, at) + 1


def _with_mark(value: Any, path: tuple[str | int, ...]) -> Any:
    if not path:
        # Begins like no JSON value does.
        return float("inf")
    copy = value.copy()
    copy[path[0]] = _with_mark(value[path[0]], path[1:])
    return copy
