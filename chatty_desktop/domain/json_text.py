"""JSON that somebody else wrote, read so that whatever comes of it can be worked with.

Python's own reader takes what nothing behind it can: values nested until each walk through them
runs out of stack, infinite numbers, halves of characters that no file or database holds.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

from chatty_desktop.domain.characters import whole_text
from chatty_desktop.domain.errors import Invalid

WRITTEN_BY_HAND = 200_000
"""Values in a file that people write or edit, and many more: a graph with as many nodes and edges
as there may be has a quarter of them. Every one that is wrong is a fault to be told."""

MOST_LEVELS = 100
"""Lists and objects within each other; what people write nests five or ten."""

_DIGITS = 300
"""Of a whole number: a floating one takes no more, and what goes on is no count of anything."""

_HALF_WRITTEN = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")


class NotJson(Invalid, ValueError):
    """A text that is no JSON, or such as cannot be worked with. `reason` says why, and `line` and
    `column` where, counted from 1; 0 where it is no matter of a place."""

    def __init__(self, reason: str, line: int = 0, column: int = 0) -> None:
        super().__init__(f"{reason}: line {line} column {column}" if line else reason)
        self.reason = reason
        self.line = line
        self.column = column

    @property
    def by_line(self) -> str:
        """The same with the place first, for a text that a person has before them."""
        place = f"line {self.line}, column {self.column}: " if self.line else ""
        return f"{place}not JSON ({self.reason})"


class _NoNumber(ValueError):
    """What stands where a number should, and why it is none to work with."""

    def __init__(self, token: str, reason: str) -> None:
        super().__init__(reason)
        self.token = token


def read_json(text: str | bytes, most_values: float = math.inf) -> Any:
    """The value of a JSON text; bytes are UTF-8, -16 or -32, as they begin. Of a key that is there
    twice the last one counts; half a character becomes "\ufffd".

    Raises `NotJson`, also when there are more than `most_values` values within the outermost.
    """
    try:
        if isinstance(text, bytes):
            text = text.decode(json.detect_encoding(text))
        value = _DECODER.decode(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        raise NotJson(error.msg, error.lineno, error.colno) from error
    except UnicodeDecodeError as error:
        raise NotJson("it is not UTF-8 text") from error
    except _NoNumber as error:
        raise NotJson(str(error), *_place_of(error.token, str(text))) from error
    except RecursionError:
        raise _too_deep() from None
    check_depth(value, most_values)
    return whole(value) if _HALF_WRITTEN.search(text) else value


def _too_deep() -> NotJson:
    return NotJson(f"it is nested more than {MOST_LEVELS} levels deep")


def check_depth(value: Any, most_values: float = math.inf) -> None:
    """Raise `NotJson` for a value that nests too deeply to be walked through, or holds too many."""
    level = [value] if isinstance(value, dict | list) else []
    left = most_values
    # Level by level: a walk down is what runs out of stack.
    for _ in range(MOST_LEVELS):
        left -= sum(map(len, level))
        if left < 0:
            raise NotJson(f"it holds more than {most_values} values")
        level = [
            inner
            for each in level
            for inner in (each.values() if isinstance(each, dict) else each)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return
    raise _too_deep()


def whole(value: Any) -> Any:
    """A JSON value with its halves of characters mended."""
    if isinstance(value, str):
        return whole_text(value)
    if isinstance(value, list):
        return [whole(each) for each in value]
    if isinstance(value, dict):
        return {whole(key): whole(each) for key, each in value.items()}
    return value


def _place_of(token: str, text: str) -> tuple[int, int]:
    """Line and column of a number, passing over strings."""
    for found in re.finditer(r'"(?:[^"\\]|\\.)*"|' + re.escape(token), text, re.DOTALL):
        if found[0] == token:
            before = text[: found.start()]
            return before.count("\n") + 1, len(before) - before.rfind("\n")
    return 0, 0


def finite(text: str) -> float:
    """A floating number as a decoder's `parse_float`. Raises `ValueError` for what is infinite:
    no JSON that is written of it could be read again."""
    number = float(text)
    if math.isinf(number):
        raise _NoNumber(text, f"the number {_short(text)} is too large")
    return number


def whole_number(text: str) -> int:
    """A whole number as a decoder's `parse_int`. Raises `ValueError` for one that goes on."""
    if len(text) > _DIGITS:
        raise _NoNumber(text, f"the number {_short(text)} is too large")
    return int(text)


def _no_constant(name: str) -> Any:
    raise _NoNumber(name, f"{name} is no number that JSON knows")


def _short(text: str) -> str:
    return text if len(text) <= 20 else f"{text[:20]}…"


_DECODER = json.JSONDecoder(parse_float=finite, parse_int=whole_number, parse_constant=_no_constant)
