"""What cannot be seen in a text and changes what it seems to be."""

from __future__ import annotations

import pytest

from chatty_desktop.domain.hidden import all_revealed, hides, revealed


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31m", "<U+001B>[31m"),
        ("a\x9bb", "a<U+009B>b"),
        ("photo\u202egpj.exe", "photo<U+202E>gpj.exe"),
        ("\u2066x\u2069", "<U+2066>x<U+2069>"),
        ("half \ud83d", "half <U+D83D>"),
        ("a\rb", "a<U+000D>b"),
    ],
)
def test_what_misleads_is_shown_by_its_number(text: str, shown: str) -> None:
    assert revealed(text) == all_revealed(text) == shown
    assert hides(text)


@pytest.mark.parametrize(
    "text",
    [
        "one\n\ttwo",
        "שלום\u200f!",
        "می\u200cخواهم",
        "👩\u200d👩\u200d👧",
        "❤\ufe0f",
        "e\u0301",
        "京都",
        "a\u00a0b",
    ],
)
def test_what_a_language_needs_stays(text: str) -> None:
    assert revealed(text) == text
    assert not hides(text)


def test_line_breaks_of_windows_are_plain_ones() -> None:
    assert revealed("a\r\nb") == "a\nb"
    assert not hides("a\r\nb")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("rm\u200b -rf", "rm<U+200B> -rf"),
        ("a\u200db", "a<U+200D>b"),
        ("pay\u00adpal", "pay<U+00AD>pal"),
        ("x\u3164 = 1", "x<U+3164> = 1"),
        ("\U000e0041\U000e0042", "<U+E0041><U+E0042>"),
        ("\ufeffls", "<U+FEFF>ls"),
    ],
)
def test_where_every_letter_counts_what_is_invisible_is_shown(text: str, shown: str) -> None:
    assert revealed(text) == text
    assert all_revealed(text) == shown


@pytest.mark.parametrize("text", ["می\u200cخواهم", "👩\u200d👧", "❤\ufe0f", "naïve 京都"])
def test_joiners_stay_where_they_join(text: str) -> None:
    assert all_revealed(text) == text
