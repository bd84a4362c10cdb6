"""How near a text comes to what a person typed to find it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from unicodedata import combining, normalize

_WORD_STARTS = re.compile(r"\b\w")
_WIDEST = 3
"""How many times its own length the letters of a word may lie apart in the text."""


def folded(text: str) -> str:
    """A text as it is compared: without case and accents."""
    return "".join(c for c in normalize("NFKD", text.casefold()) if not combining(c))


def distance(words: Sequence[str], text: str) -> float | None:
    """How far a text is from the words; 0 is nearest, None is not meant. Both are `folded`.

    Every word has to be there: best as what the text begins with, then as the beginning of a word,
    then within one; else its letters in their order from the beginning of a word on, not far
    apart: "nc" finds "new chat".
    """
    far = 0.0
    for word in words:
        found = _distance(word, text)
        if found is None:
            return None
        far += found
    return far


def _distance(word: str, text: str) -> float | None:
    at = text.find(word)
    if at == 0:
        return 0.0
    if at > 0:
        if not text[at - 1].isalnum() or re.search(rf"\b{re.escape(word)}", text):
            return 1.0
        return 2.0
    spans = [
        span
        for start in _WORD_STARTS.finditer(text)
        if start.group() == word[0] and (span := _span(word, text, start.start()))
    ]
    if not spans or min(spans) > _WIDEST * len(word):
        return None
    return 3.0 + min(spans) / len(word)


def _span(word: str, text: str, start: int) -> int:
    """How many letters of the text it takes to come by all of the word from a place on; 0 when
    the text ends before."""
    at = start
    for letter in word[1:]:
        at = text.find(letter, at + 1)
        if at < 0:
            return 0
    return at - start + 1
