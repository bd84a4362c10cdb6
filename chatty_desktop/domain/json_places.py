"""Where in a JSON text something stands, so that a fault can be named by its line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from json import JSONDecoder

from pydantic import ValidationError

from chatty_desktop.domain.strategies import MOST_FAULTS, problems

_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = JSONDecoder()


def line_of(text: str, path: Sequence[str | int]) -> int:
    """The line, counted from 1, of the value at a path of keys and indexes in a JSON text that
    is known to be one. Of what is not there: the line of the innermost value that would hold it.
    """
    at = _past_space(text, 0)
    for step in path:
        found = [place for key, place in _members(text, at) if key == step]
        if not found:
            break
        # Of a key written twice, the last one counts.
        at = found[-1]
    return text.count("\n", 0, at) + 1


def described_by_line(text: str, error: ValidationError) -> str:
    """What is wrong with what a JSON text says, the first faults of it, each with its line."""
    faults = zip(error.errors(include_url=False), problems(error), strict=True)
    said = [
        f"line {line_of(text, fault['loc'])}: {f'{where}: ' if where else ''}{what}"
        for fault, (where, what) in islice(faults, MOST_FAULTS)
    ]
    more = error.error_count() - len(said)
    return "; ".join([*said, f"and {more} more"] if more else said)


def _members(text: str, at: int) -> Iterator[tuple[str | int, int]]:
    """Key or index, and place, of each value in the object or list that begins at a place."""
    opening, index = text[at], 0
    at = _past_space(text, at + 1)
    while opening in "{[" and text[at] not in "}]":
        key: str | int = index
        if opening == "{":
            key, at = _DECODER.raw_decode(text, at)
            at = _past_space(text, _past_space(text, at) + 1)
        yield key, at
        _value, at = _DECODER.raw_decode(text, at)
        at = _past_space(text, at)
        if text[at] == ",":
            at = _past_space(text, at + 1)
        index += 1


def _past_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
