"""Calls of tools: those that a model writes into the text of its answer, as many small ones do
whose chat template, or whose server, knows no other way; and when calls repeat themselves."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

from chatty_desktop.domain.answers import Unreadable, json_in
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.json_text import NotJson, read_json
from chatty_desktop.domain.messages import ToolCall

MOST_IN_A_ROW = 2
"""A call is not run a third time in a row with the same arguments: it would give the same."""


def calls_in(text: str, tools: Collection[str]) -> tuple[ToolCall, ...]:
    """The calls of these tools in an answer less its reasoning: objects with the name of a tool
    and "arguments", or "parameters", alone, in a list, in a code block or between tags."""
    calls: list[ToolCall] = []
    try:
        for value in json_in(_closed(text)):
            for each in value if isinstance(value, list) else [value]:
                # OpenAI's own form puts both below "function".
                inner = each.get("function") if isinstance(each, dict) else None
                said = inner if isinstance(inner, dict) else each
                if not isinstance(said, dict) or said.get("name") not in tools:
                    continue
                arguments = said.get("arguments", said.get("parameters"))
                if arguments is None:
                    continue
                written = arguments if isinstance(arguments, str) else json.dumps(arguments)
                calls.append(ToolCall(f"call_{len(calls)}", said["name"], written))
    except Unreadable:
        pass  # what came before it stands
    return tuple(calls)


def _closed(text: str) -> str:
    """The text with the last brace of a call that a small model forgot. No more than one: then the
    arguments themselves are whole."""
    begins = text.find("{")
    whole = text.strip().removesuffix("```").rstrip() + "}"
    if begins < 0:
        return text
    try:
        read_json(whole[whole.find("{") :])
    except NotJson:
        return text
    return whole


_AROUND = r"(?:<[\w|]*>?\s*|```\w*\s*|\[\w+\]\s*)?"
_OBJECT = r"[\[{]\s*(?:\{\s*)?"
_CALL = re.compile(_AROUND + _OBJECT + r'"(?:name|function|type|id|arguments|parameters)"')
_MAY_BECOME_ONE = re.compile(
    r'(?:<[\w|]*>?\s*|`{1,2}|```\w*\s*|\[\w*\]?\s*)?(?:[\[{]\s*){0,2}(?:"\w*)?\Z'
)
_LONGEST_BEGINNING = 60
"""Characters within which it shows whether something is a call."""


def call_begins(text: str, shown: int = 0) -> int:
    """Where in an answer being written a call begins, or may begin; the length of the text where
    none does. What stands before is the answer, the rest is better not shown yet. `shown`
    characters are shown already: they are not searched again, so that a long answer costs no more
    with each word."""
    if found := _CALL.search(text, max(0, shown - _LONGEST_BEGINNING)):
        return found.start()
    for start in range(max(0, len(text) - _LONGEST_BEGINNING), len(text)):
        if text[start] in "<[{`" and _MAY_BECOME_ONE.match(text, start):
            return start
    return len(text)


def read_arguments(call: ToolCall) -> dict[str, Any]:
    """The arguments of a call. Raises `Invalid` when they are no JSON object."""
    try:
        value = read_json(call.arguments or "{}")
        if isinstance(value, str):  # JSON in JSON, as some models write it
            value = read_json(value or "{}")
    except NotJson as error:
        raise Invalid(f"The arguments are not JSON: {error}") from error
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise Invalid("The arguments are not a JSON object.")
    return value


class Repeats:
    """Counts, over the steps of a run, how often each call was made in a row."""

    def __init__(self) -> None:
        self._in_a_row: Counter[tuple[str, str]] = Counter()

    def once_too_often(self, calls: Sequence[ToolCall]) -> ToolCall | None:
        """The first call of the next step that is made a third time in a row, or None."""
        before, self._in_a_row = self._in_a_row, Counter()
        for call in calls:
            same = same_call(call)
            self._in_a_row[same] = (self._in_a_row[same] or before[same]) + 1
            if self._in_a_row[same] > MOST_IN_A_ROW:
                return call
        return None


def same_call(call: ToolCall) -> tuple[str, str]:
    """What is equal for calls that ask for the same, however their JSON is written."""
    try:
        return call.name, json.dumps(read_arguments(call), sort_keys=True)
    except Invalid:
        return call.name, call.arguments.strip()
