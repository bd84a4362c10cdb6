"""A request less one thing: a layer of memory, a key of Σ, or a fact."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from chatty_desktop.domain.runs import Section
from chatty_desktop.domain.state import compact

OmissionKind = Literal["part", "key", "fact"]

_ALWAYS_SENT = ("new", "steps", "begun", "tools")


@dataclass(frozen=True, slots=True)
class Omission:
    """What is left out: a part by its origin, a key of Σ by its name, a fact by its line."""

    kind: OmissionKind
    name: str


def omissions(parts: Sequence[Section]) -> list[Omission]:
    """All that can be left out of a request, parts first."""
    found: list[Omission] = []
    for part in parts:
        omission = Omission("part", part.origin)
        if part.origin not in _ALWAYS_SENT and omission not in found:
            found.append(omission)
    for part in parts:
        if part.origin == "state":
            found += [Omission("key", key) for key in _state_in(part.text)[0]]
        elif part.origin == "facts":
            found += [Omission("fact", line) for line in _facts_in(part.text)]
    return found


def without(parts: Sequence[Section], omission: Omission) -> tuple[Section, ...]:
    """The parts less what is left out; a part of which nothing is left goes too."""
    kept: list[Section] = []
    for part in parts:
        if omission.kind == "part" and part.origin == omission.name:
            continue
        text = part.text
        if omission.kind == "key" and part.origin == "state":
            text = _without_key(text, omission.name)
        elif omission.kind == "fact" and part.origin == "facts":
            if _facts_in(text) == [omission.name]:
                continue
            text = "\n".join(line for line in text.split("\n") if line != omission.name)
        kept.append(part if text == part.text else replace(part, text=text))
    return tuple(kept)


def _facts_in(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.startswith("- ")]


def _state_in(text: str) -> tuple[dict[str, Any], int, int]:
    """Σ in the text that shows it, and where it stands; empty where there is none."""
    begin = text.find("{")
    if begin < 0:
        return {}, 0, 0
    try:
        value, end = json.JSONDecoder().raw_decode(text, begin)
    except ValueError:
        return {}, 0, 0
    return (value, begin, end) if isinstance(value, dict) else ({}, 0, 0)


def _without_key(text: str, key: str) -> str:
    state, begin, end = _state_in(text)
    if key not in state:
        return text
    rest = {name: value for name, value in state.items() if name != key}
    return text[:begin] + compact(rest) + text[end:]
