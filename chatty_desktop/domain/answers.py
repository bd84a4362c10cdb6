"""Reading what a model answers: less its reasoning, and the JSON in it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from chatty_desktop.domain.errors import Refused
from chatty_desktop.domain.json_text import NotJson, check_depth, finite, whole, whole_number


class Unreadable(Refused):
    """An answer that holds JSON which cannot be read. The text is the reason."""


def without_reasoning(text: str) -> str:
    """`text` less what the model thought aloud in <think> tags, closed or not.

    A closing tag without an opening one ends reasoning too: some chat templates open it in the
    prompt. Text that is JSON as a whole is an answer, whatever tags its strings hold.
    """
    if _is_json(text):
        return text
    text = re.sub(r"<(think|thinking|reasoning)>.*?(</\1>|\Z)", "", text, flags=re.DOTALL | re.I)
    return re.split(r"</(?:think|thinking|reasoning)>", text, flags=re.I)[-1]


_JSON_START = re.compile(r'\{\s*["}]|\[\s*[{\]]')


def json_in(text: str) -> Iterator[Any]:
    """Every outermost JSON object, or list of objects, in `text`.

    A brace not followed by a quote is prose. Raises `Unreadable` where JSON begins but cannot
    be read to its end.
    """
    position = 0
    while match := _JSON_START.search(text, position):
        try:
            value, position = _DECODER.raw_decode(text, match.start())
            check_depth(value)
            value = whole(value)
        except (RecursionError, NotJson):
            raise Unreadable("The JSON in the answer is nested too deeply.") from None
        except ValueError as error:
            raise Unreadable(f"The JSON in the answer cannot be read: {error}.") from None
        yield value


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object from its pairs. Python would silently keep the last of two values."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found and found[key] != value:
            raise ValueError(f'"{key}" is there twice, with different values')
        found[key] = value
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_without_doubles,
    parse_float=finite,
    parse_int=whole_number,
    parse_constant=_no_constant,
)
