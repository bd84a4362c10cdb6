"""Which episodes come back: by vector, to the letter of the table of strategies, or by vector and
words together.

Both take the scores of every episode of a scope and give the candidates best first: those that
are recalled, and the nearest of those that are not, each with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from chatty_desktop.domain.episodes import Candidate, WhyLeftOut

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float32]
    Flags = NDArray[np.bool_]
    Places = NDArray[np.int64]

LEFT_OUT_KEPT = 12
"""Of the candidates that are not recalled, so many are kept for the inspector."""

PAIRED_COSINE = 0.6
OWN_WORDS = 0.3
PAIRED_WORDS = 0.8
"""What three of the rankings weigh beside the cosine of the message itself, which weighs 1; the
two by words less, the less of the message they match at best.

Evidence of LoCoMo's questions found among the first ten, with the built-in embedder: cosine alone
0.521, the four as equals 0.701, weighed so 0.715. With six turns put into one long message (760
questions): cosine alone 0.798, weighed so 0.869.
"""

CLEARLY_ABOVE = 3.0
"""Standard deviations above the mean from which on words alone let an episode pass."""

MATCHED_SHARE = 0.5
"""And as much as a text comes to that has half of the message's words, by their weight."""

Allowed = Callable[[str], WhyLeftOut | Literal[""]]
"""Why an episode may not be recalled whatever its score, "" when it may."""


@dataclass(frozen=True, slots=True)
class Lexical:
    """BM25 of each episode, of each together with the message before it, and what a text comes to
    that has all the words."""

    own: Numbers
    paired: Numbers
    whole: float


@dataclass(frozen=True, slots=True)
class Scored:
    """The episodes of a scope, in the order they were embedded, and how near each is.

    `cosine` is that of the message, `paired` that of it together with the message before it;
    `paired` and `lexical` are None when words are not looked at.
    """

    ids: Sequence[str]
    cosine: Numbers
    paired: Numbers | None = None
    lexical: Lexical | None = None


def by_vector(
    scored: Scored, allowed: Allowed, *, top_k: int, threshold: float
) -> tuple[Candidate, ...]:
    """Up to `top_k` episodes whose cosine is at or over the threshold, the nearest of them."""
    passes = scored.cosine >= threshold
    return _choose(scored, scored.cosine, passes, None, allowed, top_k)


def by_vector_and_words(
    scored: Scored, allowed: Allowed, *, top_k: int, threshold: float
) -> tuple[Candidate, ...]:
    """Up to `top_k` episodes by four rankings fused: cosine and BM25, each of the message and of
    it together with the one before. One passes by its cosine, or by words clearly above the rest.
    """
    if scored.lexical is None or scored.paired is None:
        return by_vector(scored, allowed, top_k=top_k, threshold=threshold)
    fused, passes = fuse(scored, threshold)
    return _choose(scored, fused, passes, _share(scored.lexical), allowed, top_k)


def fuse(scored: Scored, threshold: float) -> tuple[Numbers, Flags]:
    """One score of the four rankings for each episode, and which of them may be recalled."""
    import numpy as np

    assert scored.lexical is not None and scored.paired is not None
    lexical = scored.lexical
    own, paired = _standard(lexical.own), _standard(lexical.paired)
    fused = (
        _standard(scored.cosine)
        + PAIRED_COSINE * _standard(scored.paired)
        + OWN_WORDS * _say(lexical.own, lexical.whole) * own
        + PAIRED_WORDS * _say(lexical.paired, lexical.whole) * paired
    )
    clear = (np.maximum(own, paired) >= CLEARLY_ABOVE) & (_share(scored.lexical) >= MATCHED_SHARE)
    return fused, (scored.cosine >= threshold) | clear


def _choose(
    scored: Scored,
    ranked_by: Numbers,
    passes: Flags,
    share: Numbers | None,
    allowed: Allowed,
    top_k: int,
) -> tuple[Candidate, ...]:
    """The best of those that pass and are allowed, then what came close to them."""
    import numpy as np

    def candidate(place: int, left_out: WhyLeftOut | Literal[""]) -> Candidate:
        words = None if share is None else round(float(share[place]), 4)
        return Candidate(scored.ids[place], round(float(scored.cosine[place]), 4), words, left_out)

    found: list[Candidate] = []
    taken = left = 0
    first = top_k + LEFT_OUT_KEPT
    for place in _best_first(ranked_by, np.flatnonzero(passes), first):
        reason = allowed(scored.ids[place]) or ("not among the best" if taken == top_k else "")
        if not reason:
            taken += 1
        elif left < LEFT_OUT_KEPT:
            left += 1
        elif taken == top_k:
            break
        else:
            continue
        found.append(candidate(place, reason))
    for place in _best_first(ranked_by, np.flatnonzero(~passes), first):
        if left == LEFT_OUT_KEPT:
            break
        left += 1
        found.append(candidate(place, allowed(scored.ids[place]) or "below threshold"))
    return tuple(found)


def _best_first(scores: Numbers, places: Places, first: int) -> Iterator[int]:
    """Places in falling order of score, of equal ones the newest first. Only `first` of them are
    sorted before the rest is asked for."""
    import numpy as np

    head, rest = places, places[:0]
    if len(places) > first:
        least = np.partition(scores[places], len(places) - first)[len(places) - first]
        near = scores[places] >= least
        head, rest = places[near], places[~near]
    for part in (head, rest):
        yield from part[np.lexsort((-part, -scores[part]))].tolist()


def _standard(scores: Numbers) -> Numbers:
    """Scores by how far they stand from their mean; all 0 where they do not differ."""
    import numpy as np

    spread = float(scores.std()) if len(scores) else 0.0
    if spread <= 1e-9:
        return np.zeros_like(scores)
    standard: Numbers = ((scores - scores.mean()) / spread).astype(np.float32)
    return standard


def _say(words: Numbers, whole: float) -> np.float32:
    """How much a ranking by words has to say, 0 to 1: by the best match it has."""
    import numpy as np

    best = float(words.max()) if len(words) else 0.0
    return np.float32(min(best / max(whole, 1e-9), 1.0) ** 0.5)


def _share(lexical: Lexical) -> Numbers:
    """How much each episode matches of the words of the message, 0 to 1."""
    import numpy as np

    best = np.maximum(lexical.own, lexical.paired)
    return np.minimum(best / max(lexical.whole, 1e-9), 1).astype(np.float32)
