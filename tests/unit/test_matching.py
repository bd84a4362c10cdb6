"""What was typed finds what was meant."""

from __future__ import annotations

import pytest

from chatty_desktop.domain.matching import distance, folded
from chatty_desktop.domain.text_size import stepped


def order(typed: str, *texts: str) -> list[str]:
    words = folded(typed).split()
    found = [(far, text) for text in texts if (far := distance(words, folded(text))) is not None]
    return [text for _far, text in sorted(found)]


def test_beginnings_come_before_middles_and_scattered_letters_last() -> None:
    found = order("new", "renew it", "a new chat", "new chat", "nice evening walk")
    assert found == ["new chat", "a new chat", "renew it"]


def test_first_letters_of_words_find_them() -> None:
    assert order("nc", "Once more", "New chat", "Night without an end, and cold") == [
        "Once more",
        "New chat",
    ]
    assert order("expt", "An expedition to Tibet", "Export chat") == [
        "Export chat",
        "An expedition to Tibet",
    ]


def test_case_and_accents_do_not_matter() -> None:
    assert order("LOSCHEN", "Chat löschen") == ["Chat löschen"]


def test_every_word_has_to_be_there() -> None:
    assert order("chat moon", "New chat") == []


def test_a_word_that_is_not_a_pattern_is_taken_as_it_is() -> None:
    assert order("(a", "see (a", "see a") == ["see (a"]
    assert order("[.*", "what") == []


@pytest.mark.parametrize(
    ("points", "by", "wanted"),
    [
        (10, 1, 11),
        (11, -1, None),
        (20, 1, 20),
        (8, -1, 8),
        (10.4, 1, 11),
        (9, 1, None),
        (30, 1, 30),
    ],
)
def test_letters_step_through_the_sizes_and_stay_at_the_ends(
    points: float, by: int, wanted: float | None
) -> None:
    assert stepped(points, 10, by) == wanted
