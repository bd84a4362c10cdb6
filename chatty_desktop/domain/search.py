"""What a person looks for in all chats, and how what is found is shown.

A search is words and phrases, all of which have to be there. A word may be the beginning of a
longer one, since it is found while it is being typed; a phrase in quotes is meant to the letter.
Case and accents make no difference.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from chatty_desktop.domain.messages import Role

LONGEST_QUERY = 300
"""Characters of what was typed that are looked at."""

MOST_TERMS = 12

EXCERPT_CHARS = 160
"""Characters of a message that are shown around what was found in it."""

_BEFORE = 20
"""Characters of an excerpt before the first word that was found."""

_SEARCHED_CHARS = 200_000
"""Characters of a message in which words are looked for to be marked."""

_TERMS = re.compile(r'["“”„«»]([^"“”„«»]*)(?:["“”„«»]|$)|([^\s"“”„«»]+)')

_MARKUP = re.compile(r"\*\*|```\w*|(?<!\S)#{1,6}\s")
"""Markdown that says nothing in a line of an excerpt."""

# Scripts written without spaces between words: an index of words holds whole sentences of them.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\uff66-\uff9f\U00020000-\U0003ffff]"
)


@dataclass(frozen=True, slots=True)
class Term:
    """One thing looked for. `phrase`: it was quoted, so it ends where it ends. `anywhere`: an
    index of words does not hold it; it is looked for in the middle of words too."""

    text: str
    phrase: bool = False

    @property
    def anywhere(self) -> bool:
        return bool(_UNSPACED.search(self.text)) or not any(c.isalnum() for c in self.text)


@dataclass(frozen=True)
class Query:
    """What was typed, taken apart. Nothing in it can be wrong: what has no meaning is looked for
    as it stands."""

    terms: tuple[Term, ...]

    @property
    def words(self) -> tuple[Term, ...]:
        """The terms that an index of words can find."""
        return tuple(term for term in self.terms if not term.anywhere)

    @property
    def runs(self) -> tuple[Term, ...]:
        """The terms that are looked for in the text itself."""
        return tuple(term for term in self.terms if term.anywhere)

    def in_title(self, title: str) -> bool:
        """Whether a title holds every term, also within a word."""
        folded = folded_text(title)
        return all(folded_text(term.text) in folded for term in self.terms)

    @cached_property
    def pattern(self) -> re.Pattern[str] | None:
        """Finds any term in a folded text; None where there are none."""
        parts = [part for term in self.terms if (part := _pattern(term))]
        return re.compile("|".join(sorted(parts, key=len, reverse=True))) if parts else None


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A piece of a text on one line; `marks` are (start, end) of what was found in it."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class MessageHit:
    """A message that holds what was looked for. `number` says where it stands among all hits:
    the newer, the higher. `agent` is the name of the agent, "" when it is gone."""

    number: int
    session_id: str
    message_id: str
    title: str
    role: Role
    agent: str
    at: float
    archived: bool
    excerpt: Excerpt


@dataclass(frozen=True, slots=True)
class MessageHits:
    """A page of hits, newest first; `more`: there are older ones."""

    hits: tuple[MessageHit, ...] = ()
    more: bool = False


def parse_query(typed: str) -> Query:
    """Take apart what was typed."""
    # Half of a surrogate pair, which a database refuses, may come from the clipboard.
    text = typed.replace("\0", " ")[:LONGEST_QUERY].encode("utf-8", "ignore").decode()
    found: list[Term] = []
    for quoted, word in _TERMS.findall(text):
        term = Term(" ".join((quoted or word).split()), phrase=bool(quoted))
        if term.text and term not in found:
            found.append(term)
    return Query(tuple(found[:MOST_TERMS]))


def folded_text(text: str) -> str:
    """Without case and accents. Of another length than the text, where that is not ASCII."""
    if text.isascii():
        return text.lower()
    return "".join(_folded(char) for char in text)


def excerpt(text: str, query: Query, chars: int = EXCERPT_CHARS) -> Excerpt:
    """The piece of a text around the first of what was found, or its beginning."""
    first = next(_found(text[:_SEARCHED_CHARS], query), (0, 0))[0]
    start = max(0, first - _BEFORE)
    if start:
        # From the beginning of a word on, unless it is a long one.
        space = text.find(" ", start, first)
        start = space + 1 if space >= 0 else start
    window = text[start : start + 2 * chars]
    piece = " ".join(_MARKUP.sub("", window).split())
    cut = len(piece) > chars or start + len(window) < len(text.rstrip())
    shown = f"{'… ' if start else ''}{piece[:chars].rstrip()}{' …' if cut else ''}"
    return Excerpt(shown, tuple(_found(shown, query)))


def _found(text: str, query: Query) -> Iterator[tuple[int, int]]:
    """Where in a text terms stand, in order."""
    return spans(text, query.pattern) if query.pattern is not None else iter(())


def spans(text: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Where in a text a pattern finds something, when it is looked for without case and accents."""
    if text.isascii():
        for match in pattern.finditer(text.lower()):
            yield match.span()
        return
    places: list[int] = []
    parts: list[str] = []
    for place, char in enumerate(text):
        folded = _folded(char)
        parts.append(folded)
        places.extend([place] * len(folded))
    places.append(len(text))
    for match in pattern.finditer("".join(parts)):
        if match.start() == match.end():
            continue
        start, end = places[match.start()], places[match.end() - 1] + 1
        # Accents that are characters of their own belong to the letter before.
        while end < len(text) and unicodedata.combining(text[end]):
            end += 1
        yield start, end


def _pattern(term: Term) -> str:
    folded = folded_text(term.text)
    if term.anywhere:
        return re.escape(folded)
    words = [re.escape(word) for word in re.findall(r"[^\W_]+", folded)]
    end = r"(?![^\W_])" if term.phrase else r"[^\W_]*"
    return r"(?<![^\W_])" + r"[\W_]+".join(words) + end if words else ""


def _folded(char: str) -> str:
    if char.isascii():
        return char.lower()
    apart = unicodedata.normalize("NFD", char)
    if _UNSPACED.match(char):
        return char  # there, marks tell one letter from another
    return "".join(c for c in apart if not unicodedata.combining(c)).casefold()
