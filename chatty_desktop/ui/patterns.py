"""Finds the texts of a catalogue in what was already put together from them.

Below the ui, texts are plain English: they go into logs, files and headless output too. What such
a text was made from is found again in the catalogue, where `{0}`, `{1}` stand for what was put in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import Formatter

_LEAST_LETTERS = 5
"""What has less text of its own beside its places would be found in anything."""

_SENTENCE_END = re.compile(r"(?<=[.?!…])\s+")

_TOGETHER = 4
"""Sentences in one text of the catalogue, at most."""

_DEEPEST = 3
"""Texts in the places of texts."""

MOST_LETTERS = 4_000
"""What is longer was not said by the app."""


class Patterns:
    """`texts`: those of the catalogue with places and without, and each in the language."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        found = []
        for text, shown in texts.items():
            parts = list(Formatter().parse(text))
            own = sum(map(str.isalpha, "".join(part[0] for part in parts)))
            places = [part[1] for part in parts if part[1] is not None]
            # Named places are the window's own texts', which are never put together below it.
            if places and all(map(str.isdecimal, places)) and own >= _LEAST_LETTERS:
                found.append((own, re.compile(_pattern(text), re.DOTALL), shown))
        # The one with most text of its own first: others may be part of it.
        self._patterns = sorted(found, key=lambda each: -each[0])

    def translated(self, text: str) -> str | None:
        """A text in the language, None where nothing of it is known. Sentences that follow each
        other, and what was put into the places of a text, are looked up in turn."""
        return self._translated(text, 0) if len(text) <= MOST_LETTERS else None

    def _translated(self, text: str, depth: int) -> str | None:
        whole = self._whole(text, depth)
        if whole is not None:
            return whole
        sentences = _SENTENCE_END.split(text)
        found: list[str] = []
        known = False
        at = 0
        while at < len(sentences):
            for end in range(min(at + _TOGETHER, len(sentences)), at, -1):
                part = self._whole(" ".join(sentences[at:end]), depth)
                if part is not None:
                    break
            else:
                end, part = at + 1, None
            found.append(sentences[at] if part is None else part)
            known = known or part is not None
            at = end
        return " ".join(found) if known else None

    def _whole(self, text: str, depth: int) -> str | None:
        """The text as one of the catalogue's."""
        if not text or depth > _DEEPEST:
            return None
        if text in self._texts:
            return self._texts[text]
        for _own, pattern, shown in self._patterns:
            if match := pattern.fullmatch(text):
                return shown.format(*(self._placed(each, depth + 1) for each in match.groups()))
        return None

    def _placed(self, text: str, depth: int) -> str:
        """What was put into a place, with the space around it."""
        own = text.strip()
        found = self._translated(own, depth)
        return text if found is None else text.replace(own, found)


def _pattern(text: str) -> str:
    """What the text looks like with its places filled. They come in the order of their numbers."""
    return "".join(
        re.escape(own) + ("" if place is None else "(.*?)")
        for own, place, _format, _conversion in Formatter().parse(text)
    )
