"""Matching by words: BM25 over texts, stop words dropped, the rest stemmed.

The stemmer and the stop words are English ones. Words of other languages pass through nearly
unchanged and match as they are written; what is common in a chat weighs little by itself.
"""

from __future__ import annotations

import re
from array import array
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float32]
    Places = NDArray[np.int64]

SATURATION = 1.2
LENGTH_SHARE = 0.75
"""BM25's k1 and b, at the values everybody uses."""

_WORD = re.compile(r"\w+")

STOP_WORDS = frozenset(
    _WORD.findall(
        """a about after again all also am an and any are as at be because been before being but by
    can could did do does doing don down during each few for from further had has have having he
    her here hers him his how i if in into is it its just let ll m me more most my no nor not now
    of off on once only or other our out over own re really s same she should so some such t than
    that the their them then there these they this those through to too under until up us ve very
    was we were what when where which while who whom why will with would you your yours"""
    )
)


class Lexicon:
    """The words of numbered texts; it grows at its end."""

    def __init__(self) -> None:
        self._postings: dict[str, tuple[array[int], array[int]]] = {}
        self._lengths = array("I")
        self._stems: dict[str, str] = {}
        self._stem = _stemmer()

    def __len__(self) -> int:
        return len(self._lengths)

    def add(self, text: str) -> None:
        """Take in the next text."""
        place = len(self._lengths)
        counts: dict[str, int] = {}
        for word in self.words(text):
            counts[word] = counts.get(word, 0) + 1
        for word, count in counts.items():
            places, how_often = self._postings.setdefault(word, (array("I"), array("I")))
            places.append(place)
            how_often.append(count)
        self._lengths.append(sum(counts.values()))

    def words(self, text: str) -> list[str]:
        """The words of a text that count, stemmed."""
        found = []
        for word in _WORD.findall(text.casefold()):
            if word in STOP_WORDS:
                continue
            stem = self._stems.get(word)
            if stem is None:
                stem = self._stems[word] = self._stem.stemWord(word)
            found.append(stem)
        return found

    def score(self, text: str, before: Places) -> tuple[Numbers, Numbers, float]:
        """BM25 of every text, of every text taken together with the one before it, and what one
        of the mean length comes to that has each of the words once.

        `before` holds for each text the place of the one before it, -1 for none.
        """
        import numpy as np

        count = len(self._lengths)
        own, paired = np.zeros(count, np.float32), np.zeros(count, np.float32)
        lengths = np.array(self._lengths, np.float32)
        norms, paired_norms = _norms(lengths), _norms(_with_before(lengths, before))
        most = 0.0
        for word in dict.fromkeys(self.words(text)):
            often = np.zeros(count, np.float32)
            if word in self._postings:
                places, how_often = self._postings[word]
                often[np.array(places, np.int64)] = np.array(how_often, np.float32)
            both = _with_before(often, before)
            weight, paired_weight = _weight(often), _weight(both)
            own += weight * often / (often + norms)
            paired += paired_weight * both / (both + paired_norms)
            most += weight / (1 + SATURATION)
        return own, paired, most


def _with_before(values: Numbers, before: Places) -> Numbers:
    """Each value and that of the text before it."""
    import numpy as np

    return values + np.where(before >= 0, values[before], np.float32(0))


def _norms(lengths: Numbers) -> Numbers:
    mean = max(float(lengths.mean()), 1.0) if len(lengths) else 1.0
    return SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * lengths / mean)


def _weight(often: Numbers) -> float:
    """How rare a word is: its inverse document frequency, never negative."""
    import numpy as np

    holding = int(np.count_nonzero(often))
    return float(np.log1p((len(often) - holding + 0.5) / (holding + 0.5)))


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...


def _stemmer() -> _Stemmer:
    import snowballstemmer  # 0.1 s

    stemmer: _Stemmer = snowballstemmer.stemmer("english")
    return stemmer
