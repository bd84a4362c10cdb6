"""Finding a text in one chat: every place of it, in order, whatever its case and accents."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate

from chatty_desktop.domain.messages import Message
from chatty_desktop.domain.search import folded_text

LONGEST = 200
"""Characters of what was typed that are looked for."""

_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
# Between two words there may be marks of Markdown, which are not on the screen.
_BETWEEN = r"[\s*_~`]+"


def pattern_of(typed: str) -> re.Pattern[str] | None:
    """What finds a typed text in folded ones, also within words; None where nothing was typed."""
    words = folded_text(typed[:LONGEST]).split()
    return re.compile(_BETWEEN.join(map(re.escape, words))) if words else None


@dataclass(frozen=True, slots=True)
class Places:
    """Where something was found: in these messages, so often in each. Places are counted from 0
    over all of them. `nearest` is the first that is not before where the reader was."""

    message_ids: tuple[str, ...] = ()
    counts: tuple[int, ...] = ()
    nearest: int = 0

    @property
    def total(self) -> int:
        return sum(self.counts)

    def place(self, number: int) -> tuple[str, int]:
        """The message of a place, and which of the places in it that is, from 0."""
        ends = list(accumulate(self.counts))
        at = bisect_right(ends, number)
        return self.message_ids[at], number - (ends[at - 1] if at else 0)


class FoldedTexts:
    """Texts of messages without case and accents, kept while they are looked through again and
    again."""

    def __init__(self) -> None:
        self._folded: dict[str, tuple[str, str]] = {}

    def find(
        self, messages: Iterable[Message], pattern: re.Pattern[str], near: str | None = None
    ) -> Places:
        """Look through messages. `near` is the one that the reader is at."""
        ids: list[str] = []
        counts: list[int] = []
        nearest: int | None = None
        for message in messages:
            if message.id == near:
                nearest = sum(counts)
            count = sum(1 for _ in pattern.finditer(self._text(message)))
            if count:
                ids.append(message.id)
                counts.append(count)
        total = sum(counts)
        return Places(tuple(ids), tuple(counts), (nearest or 0) % total if total else 0)

    def _text(self, message: Message) -> str:
        known = self._folded.get(message.id)
        if known is None or known[0] is not message.content:
            text = _NOT_ASCII.sub(lambda run: folded_text(run[0]), message.content).lower()
            known = self._folded[message.id] = (message.content, text)
        return known[1]
