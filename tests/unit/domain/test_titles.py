"""What a chat is called before a person names it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatty_desktop.domain.titles import LONGEST, title_in, title_question
from chatty_desktop.paths import resources_folder


@pytest.mark.parametrize(
    ("answer", "title"),
    [
        ("Trip to Kyoto", "Trip to Kyoto"),
        ("  \n\n**Trip to Kyoto**.\n\nIt is about a trip.", "Trip to Kyoto"),
        ('Title: "Trip to Kyoto"', "Trip to Kyoto"),
        ('"Title: Trip to Kyoto"', "Trip to Kyoto"),
        ("Chat title - Trip to Kyoto", "Trip to Kyoto"),
        ("# Trip to Kyoto", "Trip to Kyoto"),
        ("Titel: „Fahrrad“", "Fahrrad"),
        ("标题:「日语入门」", "日语入门"),
        ("`C++ or Rust?`", "C++ or Rust?"),
        ("Titles of nobility", "Titles of nobility"),
        ("", ""),
        ("\n \n", ""),
        ('"…"', ""),
        ("Title:", ""),
    ],
)
def test_what_surrounds_a_title_is_cut_off(answer: str, title: str) -> None:
    assert title_in(answer) == title


def test_a_long_title_is_cut_between_words() -> None:
    cut = title_in("word " * 40)
    assert len(cut) <= LONGEST
    assert cut.endswith("word…")


@given(st.text(max_size=400))
def test_a_title_is_one_short_line_whatever_the_answer(answer: str) -> None:
    title = title_in(answer)
    assert len(title) <= LONGEST
    assert len(title.splitlines()) <= 1
    assert title == title.strip()


def test_the_question_shows_no_more_than_the_beginning() -> None:
    prompts = {"title": (resources_folder() / "prompts" / "title.md").read_text("utf-8")}
    turns = title_question(prompts, "x\n" * 10_000, "y" * 10_000)
    assert [turn.role for turn in turns] == ["system", "user"]
    assert turns[1].content.startswith("Person: x x x")
    assert turns[1].content.endswith("Title of this chat:")
    assert len(turns[1].content) < 1_100
