"""Grounding: which of the changes a model proposes are borne out by the new messages.

Small models fill keys from the worked examples, from descriptions, or from nothing. What is kept
must show in what was said; what is not is left out, with the reason, and the ledger shows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chatty_desktop.domain.messages import Message

Dropped = dict[str, Any]
"""A change that was left out: {"key", "value" or "forget", "reason"}."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One change of Σ: `key` is set to `value`, any JSON but null, or forgotten."""

    key: str
    value: Any = None
    forget: bool = False


FEW_WORDS = 3
"""A person who says no more than this agrees or nods: what was said to them counts as well."""

BORNE_OUT = 1 / 4
"""Share of a value's new words that must have been said; the rest may be the model's own."""


_SHORTEST = 3
"""Letters a word must have to tell something."""

_SAYS_NOTHING = frozenset(
    # As a set of fifty texts it would fill a page.
    "user assistant person the and for are was has had his her him she you your not but its who"  # noqa: SIM905
    " can did all any our out how why this that these those with from have been they them their"
    " there will would which what when where about into than then also very some".split()
)
"""Words every chat and every fact is full of; to share them with a message is no evidence."""


def ground(
    operations: Sequence[Operation], messages: Sequence[Message], state: Mapping[str, Any]
) -> tuple[list[Operation], list[Dropped]]:
    """(what is kept, what is dropped and why), each in the order it was said.

    Dropped are: all but the last change of a key; forgetting what Σ does not hold; and a value of
    whose new words too few were said by the person or a tool. true and false share words with
    nothing and are kept. To repeat what Σ holds is no change: it is neither kept nor told as
    dropped.
    """
    said = _said(messages)
    last = {operation.key: operation for operation in operations}
    kept: list[Operation] = []
    dropped: list[Dropped] = []
    for operation in operations:
        if operation.key in state and _same(state[operation.key], operation.value):
            continue
        if last[operation.key] is not operation:
            reason = "a later change of the same key replaces it"
        else:
            reason = _objection(operation, said, state)
        if not reason:
            kept.append(operation)
        elif operation.forget:
            dropped.append({"key": operation.key, "forget": True, "reason": reason})
        else:
            dropped.append({"key": operation.key, "value": operation.value, "reason": reason})
    return kept, dropped


def telling(text: str) -> set[str]:
    """What of a text can bear something out: the stems of its words and its numbers, less the
    shortest words and those every text has."""
    return {
        _stem(word)
        for word in words(text)
        if (len(word) >= _SHORTEST or not word.isascii() or word.isdigit())
        and word not in _SAYS_NOTHING
    }


def evidence(messages: Sequence[Message]) -> Sequence[Message]:
    """The messages that can bear something out. What the model said itself is left out where the
    person said anything of substance: small models file their own advice as the person's facts."""
    by_others = [message for message in messages if message.role != "assistant"]
    said = {_stem(word) for message in by_others for word in words(message.told)}
    return by_others if len(said) > FEW_WORDS else messages


def _said(messages: Sequence[Message]) -> set[str]:
    """The words that bear a value out."""
    return {_stem(word) for message in evidence(messages) for word in words(message.told)}


def _objection(operation: Operation, said: set[str], state: Mapping[str, Any]) -> str:
    """Why an operation is not kept, or ""."""
    held = operation.key in state
    if operation.forget:
        return "" if held else "there is nothing to forget"
    known = _stems(state[operation.key]) if held else set()
    new = _stems(operation.value) - known
    if not new:
        return ""
    borne_out = len(new & said)
    if not borne_out:
        return "no word of it is in the new messages"
    if borne_out < BORNE_OUT * len(new):
        return "too little of it is in the new messages"
    return ""


def _stems(value: Any) -> set[str]:
    return {_stem(word) for text in _texts(value) for word in words(text)}


def _stem(word: str) -> str:
    """The beginning of a word, so that "leaks" and "leaking" are one."""
    return word[:5]


def words(text: str) -> Iterator[str]:
    """The words of `text`, comparable: case-folded; numbers without thousands separators; pairs
    of characters where a script has no spaces."""
    text = re.sub(r"(?<=\d)[,.'’](?=\d{3}(?!\d))", "", text.casefold())
    for word in re.findall(r"\w+", text):
        if word.isascii() or not _NO_SPACES.search(word):
            yield word
        else:
            yield from (word[i : i + 2] for i in range(max(1, len(word) - 1)))


_NO_SPACES = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")


def _texts(value: Any) -> Iterator[str]:
    """Everything in a JSON value that could have been said: texts and numbers, not true/false."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def _same(old: Any, new: Any) -> bool:
    """Equal, but true is not 1."""
    return type(old) is type(new) and bool(old == new)
