"""Good files made bad: single values taken away, doubled, swapped or of another kind, and bytes
changed, for readers to be tried on."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy


class Good(tuple[Any, ...]):
    """JSON values that are well; told in a word, since a failure shows them."""

    def __repr__(self) -> str:
        return f"<{len(self)} good>"


def nested(levels: int) -> list[Any]:
    """Lists within each other."""
    value: list[Any] = []
    for _ in range(levels - 1):
        value = [value]
    return value


ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 7, 2**31, 2**63, -(2**64), 10**200, 1.5, -1e300, 1e308,
    "", " ", "\0", "a\0b", "\n", "\ud800", "\udfff x", "\u202egnp", "../../x", "/dev/zero",
    "x" * 3_000, "${env:HOME}", "local/starter", [], [None], [[1]], {}, {"": {}}, {"kind": "state"},
    {"a": {"b": [1, {"c": None}]}}, nested(90), nested(150),
)  # fmt: skip
"""What stands where something else is expected."""


@st.composite
def spoiled(draw: st.DrawFn, good: Good) -> Any:
    """One of some good JSON values, with up to four places of it spoiled."""
    value = [copy.deepcopy(draw(st.sampled_from(good)))]
    for _ in range(draw(st.integers(1, 4))):
        place, key = draw(st.sampled_from(places(value)))
        match draw(st.sampled_from(("odd", "odd", "gone", "twice", "renamed", "swapped", "text"))):
            case "odd":
                place[key] = copy.deepcopy(draw(st.sampled_from(ODD)))
            case "gone" if place is not value:
                del place[key]
            case "twice" if isinstance(place, list):
                place.append(place[key])
            case "renamed" if isinstance(place, dict):
                place[draw(st.sampled_from(("", "\ud83d", "kind", "x" * 500)))] = place.pop(key)
            case "swapped":
                other, its = draw(st.sampled_from(places(value)))
                place[key] = copy.deepcopy(other[its])
            case "text":
                place[key] = str(place[key])[:5_000]
    return value[0] if value else None


@st.composite
def spoiled_json(draw: st.DrawFn, good: Good) -> str:
    """The same as text, of which now and then a piece is lost, doubled or changed."""
    text = json.dumps(draw(spoiled(good)))
    if draw(st.integers(0, 3)):
        return text
    return spoiled_bytes(draw, text.encode()).decode("utf-8", "replace")


def spoiled_bytes(draw: Callable[[SearchStrategy[Any]], Any], data: bytes) -> bytes:
    """Bytes with up to five places changed, cut out, doubled or written over."""
    for _ in range(draw(st.integers(1, 5))):
        at = draw(st.integers(0, max(0, len(data) - 1)))
        piece = draw(st.binary(max_size=8) | st.sampled_from(_PIECES))
        length = draw(st.sampled_from((0, 1, len(piece), 100)))
        data = data[:at] + piece + data[at + length :]
    return data


_PIECES = (
    b"[" * 3_000, b'{"a":' * 3_000, b"1e999", b"NaN", b"-Infinity", b"9" * 5_000, b'"\\ud800"',
    b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b'"', b"}", b"]", b",", b":",
)  # fmt: skip


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every place in a value: what holds it, and under which key."""
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        holder = waiting.pop()
        for key in list(holder) if isinstance(holder, dict) else range(len(holder)):
            found.append((holder, key))
            if isinstance(holder[key], dict | list) and len(found) < 3_000:
                waiting.append(holder[key])
    return found
