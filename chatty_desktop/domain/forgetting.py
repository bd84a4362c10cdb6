"""Forgetting with proof: what goes, what is looked for afterwards, and what was found."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from chatty_desktop.domain.search import folded_text

TargetKind = Literal["message", "following", "session", "fact"]

DerivedKind = Literal[
    "message",
    "title",
    "draft",
    "file",
    "state",
    "summary",
    "fact",
    "episode",
    "ledger",
    "waiting",
    "measurement",
    "request",
    "log",
]

TraceKind = Literal["message", "row", "words", "database", "index", "backup", "log", "file"]

MOST_WORDS = 12
"""Words looked for; a person can name more."""

_WORD = re.compile(r"\w{5,}")


@dataclass(frozen=True, slots=True)
class ForgetTarget:
    """What is to be forgotten: a message with what belongs to it, it and all that follows, a chat,
    or a fact; `id` is its id."""

    kind: TargetKind
    session_id: str
    id: str


@dataclass(frozen=True, slots=True)
class DerivedItem:
    """Something that goes, and how it reads."""

    kind: DerivedKind
    text: str


@dataclass(frozen=True, slots=True)
class Needles:
    """What is looked for: words that nothing says that stays, ids, and the beginnings of vectors as
    their bytes."""

    words: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    vectors: tuple[bytes, ...] = ()

    def with_words(self, typed: str) -> Needles:
        """The same, with the words of a person in place of those found; commas part them."""
        words = tuple(each for part in typed.split(",") if (each := part.strip()))
        return Needles(words, self.ids, self.vectors)

    def in_bytes(self) -> tuple[bytes, ...]:
        """What a file is searched for, its ASCII letters in lower case: each word as it is, without
        accents, and as JSON writes it in ASCII."""
        found: dict[bytes, None] = {}
        for word in self.words:
            for form in (word, word.lower(), folded_text(word), json.dumps(word)[1:-1]):
                found[form.encode().lower()] = None
        return tuple(found)


@dataclass(frozen=True, slots=True)
class ForgetPlan:
    """All that goes with a target. `runs` are those of which what was sent goes. `sources` are
    messages that stay and say the same: of a fact, those it was taken from. `beyond` says where
    more of it may stay that cannot be looked through, "" nowhere."""

    target: ForgetTarget
    items: tuple[DerivedItem, ...]
    needles: Needles
    runs: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    beyond: str = ""

    def count(self, kind: DerivedKind) -> int:
        return sum(item.kind == kind for item in self.items)


@dataclass(frozen=True, slots=True)
class Trace:
    """A place where something was still found. `where` is a file or a table, `found` what of the
    needles stands there. `message_id` names a message that says it, of `session_id`."""

    kind: TraceKind
    where: str
    found: tuple[str, ...]
    session_id: str = ""
    message_id: str = ""


@dataclass(frozen=True, slots=True)
class Proof:
    """What a search of every store came to. `unread` are files that could not be read; `beyond` is
    as in the plan."""

    needles: Needles
    traces: tuple[Trace, ...]
    files: int
    bytes: int
    tables: int
    unread: tuple[str, ...] = ()
    beyond: str = ""

    @property
    def clean(self) -> bool:
        """Whether every store was read and nothing is left anywhere."""
        return not self.traces and not self.unread


def candidates(texts: Iterable[str]) -> list[str]:
    """Words that tell the texts from others, the most telling first: long ones, and such with
    digits or capitals within a sentence."""
    seen: dict[str, str] = {}
    for text in texts:
        for word in _WORD.findall(text):
            seen.setdefault(folded_text(word), word)
    return sorted(seen.values(), key=_telling, reverse=True)


def _telling(word: str) -> tuple[bool, bool, int]:
    return any(map(str.isdigit, word)), word[:1].isupper(), len(word)
