"""How a piece of memory became what it is: every change of it, with what it came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chatty_desktop.domain.grounding import telling
from chatty_desktop.domain.memory import LedgerEntry, MemorySnapshot
from chatty_desktop.domain.messages import Message
from chatty_desktop.domain.state import compact


@dataclass(frozen=True, slots=True)
class Change:
    """One change of a key of Σ, a fact or a summary.

    `value` is what it was made, None where it was forgotten; `before` what it was before, None
    where there was nothing. `revision_id` names the change. `row` is the row of the ledger it came
    from, None where that is gone. `sources` are the messages that went in, those that say most of
    the value first; none for what a person wrote.
    """

    revision_id: str
    value: Any
    before: Any
    at: float
    after_message_id: str
    row: LedgerEntry | None
    sources: tuple[Message, ...] = ()

    @property
    def by_hand(self) -> bool:
        return self.row is not None and self.row.kind == "by_hand"


@dataclass(frozen=True, slots=True)
class KeyDifference:
    """What a key of Σ, or the summary, was at one point and is at another; None: nothing."""

    key: str
    before: Any
    after: Any


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[KeyDifference]:
    """What is not the same, in the order of the keys; those that came later last."""
    keys = [*before, *(key for key in after if key not in before)]
    return [
        KeyDifference(key, before.get(key), after.get(key))
        for key in keys
        if before.get(key) != after.get(key)
    ]


@dataclass(frozen=True, slots=True)
class LayerDifference:
    """What of one layer is not the same at two points."""

    kind: str
    changes: tuple[KeyDifference, ...]


def layer_differences(before: MemorySnapshot, after: MemorySnapshot) -> list[LayerDifference]:
    """What is not the same in each layer: keys of Σ, the summary, facts by their subjects."""
    found = []
    for old, new in zip(before.layers, after.layers, strict=False):
        changes = differences(old.state or {}, new.state or {})
        if old.summary != new.summary:
            changes.append(KeyDifference("", old.summary, new.summary))
        was = [(fact.subject, fact.fact) for fact in old.facts or ()]
        is_ = [(fact.subject, fact.fact) for fact in new.facts or ()]
        changes += [KeyDifference(s, fact, None) for s, fact in was if (s, fact) not in is_]
        changes += [KeyDifference(s, None, fact) for s, fact in is_ if (s, fact) not in was]
        found.append(LayerDifference(new.kind, tuple(changes)))
    return found


def best_first(value: Any, messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages that share telling words with a value, those that share most first, of as much
    the later one; all of them, latest first, where none does."""
    wanted = telling(value if isinstance(value, str) else compact(value))
    shared = [(len(wanted & telling(message.content)), message) for message in messages]
    found = [(count, message) for count, message in shared if count] or shared
    order = sorted(enumerate(found), key=lambda each: (-each[1][0], -each[0]))
    return tuple(message for _place, (_count, message) in order)


def sentences(text: str) -> list[str]:
    """A text as its sentences and lines, in order, without blanks at their ends."""
    found: list[str] = []
    for line in text.splitlines():
        begin = 0
        for place, letter in enumerate(line):
            following = line[place + 1 : place + 2]
            if letter in ".!?。！？" and (not following or following.isspace()):
                found.append(line[begin : place + 1].strip())
                begin = place + 1
        found.append(line[begin:].strip())
    return [each for each in found if each]
