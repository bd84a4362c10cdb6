"""What a person types, and how what is found is marked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from chatty_desktop.domain.search import Term, excerpt, parse_query


def marked(text: str, typed: str) -> list[str]:
    """What an excerpt marks."""
    found = excerpt(text, parse_query(typed))
    return [found.text[start:end] for start, end in found.marks]


def test_words_and_quoted_phrases_are_told_apart() -> None:
    assert parse_query(' Kyoto  "night train" ').terms == (
        Term("Kyoto"),
        Term("night train", phrase=True),
    )
    assert parse_query("„night train“ x").terms[0] == Term("night train", phrase=True)


def test_a_quote_that_is_still_open_is_a_phrase_already() -> None:
    assert parse_query('a "night tr').terms == (Term("a"), Term("night tr", phrase=True))
    assert parse_query('"').terms == ()
    assert parse_query('""  "').terms == ()


def test_scripts_without_spaces_and_signs_are_looked_for_anywhere() -> None:
    assert parse_query("東京 ++ word").runs == (Term("東京"), Term("++"))
    assert parse_query("東京 ++ word").words == (Term("word"),)


def test_case_and_accents_make_no_difference_to_what_is_marked() -> None:
    assert marked("Die ÜBUNGEN im Café", "übung cafe") == ["ÜBUNGEN", "Café"]
    assert marked("cafe\u0301 noir", "café") == ["cafe\u0301"]


def test_a_word_is_marked_from_its_beginning_only_and_a_phrase_to_its_end() -> None:
    assert marked("art, party, artist", "art") == ["art", "artist"]
    assert marked("the night trains, the night train", '"night train"') == ["night train"]


def test_a_run_is_marked_in_the_middle_of_a_sentence() -> None:
    assert marked("我明天去東京出差", "東京") == ["東京"]


def test_an_excerpt_stands_around_what_was_found_and_says_that_it_is_cut() -> None:
    found = excerpt("x " * 500 + "needle " + "y " * 500, parse_query("needle"))
    assert found.text.startswith("… x")
    assert found.text.endswith("y …")
    assert len(found.text) < 200
    assert "needle" in found.text


def test_an_excerpt_is_on_one_line() -> None:
    assert excerpt("one\n\n  two\tthree", parse_query("two")).text == "one two three"


def test_an_excerpt_shows_words_and_no_markdown() -> None:
    text = "## Plan\n\n**Day 1:** see `Gion`\n```python\nprint(#1)\n```"
    assert excerpt(text, parse_query("day")).text == "Plan Day 1: see `Gion` print(#1)"


@given(st.text(max_size=300), st.text(max_size=60))
def test_marks_lie_inside_the_excerpt_in_order(text: str, typed: str) -> None:
    found = excerpt(text, parse_query(typed))
    last = 0
    for start, end in found.marks:
        assert last <= start < end <= len(found.text)
        last = end
