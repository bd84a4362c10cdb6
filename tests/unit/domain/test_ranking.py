"""Which episodes come back."""

from __future__ import annotations

from typing import Literal

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from chatty_desktop.domain.episodes import Candidate, WhyLeftOut
from chatty_desktop.domain.lexical import Lexicon
from chatty_desktop.domain.ranking import (
    LEFT_OUT_KEPT,
    Lexical,
    Scored,
    by_vector,
    by_vector_and_words,
)

cosines = st.lists(st.floats(-1, 1, width=32), max_size=60)


def scored(values: list[float]) -> Scored:
    return Scored([str(i) for i in range(len(values))], np.array(values, np.float32))


def anything(_message_id: str) -> Literal[""]:
    return ""


def recalled(candidates: tuple[Candidate, ...]) -> list[str]:
    return [each.message_id for each in candidates if not each.left_out]


@given(cosines, st.integers(1, 10), st.floats(-1, 1, width=32), st.sets(st.integers(0, 59)))
def test_by_vector_the_best_allowed_over_the_threshold_come_back_and_no_others(
    values: list[float], top_k: int, threshold: float, forbidden: set[int]
) -> None:
    def allowed(message_id: str) -> WhyLeftOut | Literal[""]:
        return "other branch" if int(message_id) in forbidden else ""

    found = by_vector(scored(values), allowed, top_k=top_k, threshold=threshold)
    exact = np.array(values, np.float32)
    good = [i for i in range(len(values)) if exact[i] >= threshold and i not in forbidden]
    best = sorted(good, key=lambda i: (-exact[i], -i))[:top_k]
    assert recalled(found) == [str(i) for i in best]
    left_out = [each for each in found if each.left_out]
    assert len(left_out) == min(LEFT_OUT_KEPT, len(values) - len(best))
    for each in left_out:
        place = int(each.message_id)
        if each.left_out == "below threshold":
            assert exact[place] < threshold
        elif each.left_out == "not among the best":
            assert len(best) == top_k
        else:
            assert place in forbidden


@given(st.lists(st.floats(-1, 1, width=32), min_size=1, max_size=40), st.integers(1, 5))
def test_without_a_word_to_go_by_hybrid_lets_pass_what_vector_does(
    values: list[float], top_k: int
) -> None:
    nothing = np.zeros(len(values), np.float32)
    plain = scored(values)
    both = Scored(plain.ids, plain.cosine, plain.cosine, Lexical(nothing, nothing, 0.0))
    by_words = by_vector_and_words(both, anything, top_k=top_k, threshold=0.25)
    by_cosine = by_vector(plain, anything, top_k=top_k, threshold=0.25)
    score = {str(i): plain.cosine[i] for i in range(len(values))}
    assert sorted(score[i] for i in recalled(by_words)) == sorted(
        score[i] for i in recalled(by_cosine)
    )


def test_hybrid_puts_what_both_find_before_what_one_finds() -> None:
    plain = np.array([0.5, 0.5, 0.4, 0.1], np.float32)
    words = np.array([0.0, 5.0, 0.0, 0.0], np.float32)
    both = Scored(list("abcd"), plain, plain, Lexical(words, words, 5.0))
    assert recalled(by_vector_and_words(both, anything, top_k=2, threshold=0.3)) == ["b", "a"]


def test_hybrid_lets_pass_below_the_threshold_what_clearly_matches_by_words_alone() -> None:
    plain = np.full(30, 0.1, np.float32)
    words = np.zeros(30, np.float32)
    words[7], words[9] = 6.0, 0.4
    both = Scored([str(i) for i in range(30)], plain, plain, Lexical(words, words, 8.0))
    assert recalled(by_vector_and_words(both, anything, top_k=5, threshold=0.3)) == ["7"]


def test_words_match_stemmed_without_stop_words_and_rare_ones_weigh_more() -> None:
    lexicon = Lexicon()
    for text in ("The cats were sleeping", "a cat and a dog", "the of and", "Katzen schlafen"):
        lexicon.add(text)
    before = np.array([-1, 0, 1, 2])
    own, paired, whole = lexicon.score("Is the cat asleep? It sleeps!", before)
    assert own[0] > own[1] > 0 == own[2] == own[3]
    assert paired[1] > own[1]
    assert whole > 0
    assert lexicon.score("Katzen", before)[0][3] > 0
    assert lexicon.words("the of and") == []


def test_nothing_in_scope_is_nothing_found() -> None:
    none = np.zeros(0, np.float32)
    empty = Scored([], none, none, Lexical(none, none, 0.0))
    assert by_vector_and_words(empty, anything, top_k=3, threshold=0.0) == ()
    assert by_vector(empty, anything, top_k=3, threshold=0.0) == ()
    assert Lexicon().score("words", np.zeros(0, np.int64))[0].shape == (0,)
