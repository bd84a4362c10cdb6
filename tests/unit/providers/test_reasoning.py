"""Reasoning inside answers is told apart, however it is cut into pieces."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as some

from chatty_desktop.providers.reasoning import ReasoningSplitter


def split(*pieces: str) -> tuple[str, str]:
    """(text, reasoning) of an answer that came in these pieces."""
    splitter = ReasoningSplitter()
    deltas = [delta for piece in pieces for delta in splitter.feed(piece)]
    deltas += splitter.finish()
    return "".join(d.text for d in deltas), "".join(d.reasoning for d in deltas)


@pytest.mark.parametrize(
    ("answer", "text", "reasoning"),
    [
        ("Hello.", "Hello.", ""),
        ("<think>Let me see.</think>\n\nHello.", "Hello.", "Let me see."),
        ("\n<think>\nhm\n</think>Hi", "Hi", "\nhm\n"),
        ("<think>never closed", "", "never closed"),
        ("First. <think>more</think>Then.", "First. Then.", "more"),
        ("<think>a</think>x<think>b</think>y", "xy", "ab"),
        ("<thinking>a <think> b</thinking>c", "c", "a <think> b"),
        ("a < b and <thin air>", "a < b and <thin air>", ""),
        ("ends in <thi", "ends in <thi", ""),
        ("<think>ends in </thi", "", "ends in </thi"),
        ("Write `<think>` first.", "Write `<think>` first.", ""),
        ("```\n<think>\n```\nso", "```\n<think>\n```\nso", ""),
        ("```\ncode\n```\n<think>x</think>so", "```\ncode\n```\nso", "x"),
        ("<think></think>Hi", "Hi", ""),
        ("", "", ""),
    ],
)
def test_reasoning_is_told_apart_from_the_answer(answer: str, text: str, reasoning: str) -> None:
    assert split(answer) == (text, reasoning)
    assert split(*answer) == (text, reasoning), "one character at a time"


@given(some.text("<think/> `\nab", max_size=60), some.lists(some.integers(0, 60), max_size=6))
def test_where_the_pieces_are_cut_makes_no_difference(answer: str, cuts: list[int]) -> None:
    edges = [0, *sorted(min(cut, len(answer)) for cut in cuts), len(answer)]
    pieces = [answer[a:b] for a, b in itertools.pairwise(edges)]
    assert split(*pieces) == split(answer)


def test_text_that_cannot_become_a_tag_is_passed_on_at_once() -> None:
    splitter = ReasoningSplitter()
    assert [d.text for d in splitter.feed("Hello <")] == ["Hello "]
    assert [d.text for d in splitter.feed("3")] == ["<3"]


def test_space_at_the_beginning_goes_but_where_an_answer_goes_on() -> None:
    begun = ReasoningSplitter()
    assert [d.text for d in (*begun.feed("  Five"), *begun.finish())] == ["Five"]
    going_on = ReasoningSplitter(goes_on=True)
    assert [d.text for d in (*going_on.feed(" six"), *going_on.finish())] == [" six"]
