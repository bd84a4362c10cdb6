"""How a summary is asked for, and when an answer is one."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatty_desktop.domain.errors import Refused
from chatty_desktop.domain.messages import Message
from chatty_desktop.domain.summarizing import (
    FREE_CHARS,
    read_summary,
    shrunk,
    summary_prompt,
    without_examples,
)

RESOURCES = Path(__file__).parents[3] / "resources" / "prompts"
PROMPTS = {path.stem: path.read_text(encoding="utf-8") for path in RESOURCES.glob("*.md")}
SAID = [Message("m", "s", None, "a", "r", "user", "A room for $80, please.", 0.0)]


def test_the_question_shows_the_summary_so_far_and_the_messages_after_it() -> None:
    asked = summary_prompt(PROMPTS, instruction=None, summary="A trip to Kyoto.", messages=SAID)
    assert "Summary so far: A trip to Kyoto." in asked[-1][1]
    assert "user: A room for $80, please." in asked[-1][1]
    first = summary_prompt(PROMPTS, instruction=None, summary="", messages=SAID)
    assert "Summary so far: (none yet)" in first[-1][1]


def test_an_own_instruction_takes_the_place_of_the_examples_too() -> None:
    asked = summary_prompt(PROMPTS, instruction=" Only $. ", summary="", messages=SAID)
    assert [role for role, _text in asked] == ["system", "user"]
    assert asked[0][1] == "Only $."


@pytest.mark.parametrize("reply", ["", "  \n", "<think>A trip.", "<think>x</think>", "(none yet)"])
def test_an_answer_without_a_summary_is_refused(reply: str) -> None:
    with pytest.raises(Refused):
        read_summary(reply, "stop", "a trip")


def test_half_a_summary_is_refused() -> None:
    with pytest.raises(Refused, match="cut off"):
        read_summary("A trip to", "length", "a trip")


def test_reasoning_is_cut() -> None:
    assert read_summary("They plan.</think> A trip.", "stop", "a trip") == "A trip."


def test_what_comes_from_the_worked_example_is_left_out_and_told() -> None:
    asked = summary_prompt(PROMPTS, instruction=None, summary="", messages=SAID)
    text = "The user wants a room for $80. The assistant has a recipe without nuts."
    kept, dropped = without_examples(text, asked, "A room for $80, please.")
    assert kept == "The user wants a room for $80."
    assert [each["value"] for each in dropped] == ["The assistant has a recipe without nuts."]


def test_what_the_chat_itself_says_is_kept_though_an_example_says_it_too() -> None:
    asked = summary_prompt(PROMPTS, instruction=None, summary="", messages=SAID)
    text = "The assistant has a recipe without nuts."
    assert without_examples(text, asked, "I have a recipe without nuts.") == (text, [])


def test_a_summary_in_another_language_is_kept() -> None:
    asked = summary_prompt(PROMPTS, instruction=None, summary="", messages=SAID)
    text = "Der Nutzer sucht ein Zimmer. Es darf achtzig Dollar kosten."
    assert without_examples(text, asked, "A room for $80, please.") == (text, [])


def test_only_a_shorter_summary_is_remarked_on() -> None:
    assert shrunk("", "new") == ""
    assert shrunk("old", "longer") == ""
    assert "3 characters instead of 6" in shrunk("longer", "new")


def test_a_summary_that_makes_more_of_what_it_sums_up_is_none() -> None:
    long = "harbour " * (FREE_CHARS // 8)
    assert read_summary(long, "stop", "a trip") == long.strip()
    with pytest.raises(Refused, match="longer, 4007 characters, than what it sums up, 6"):
        read_summary(long + "harbour", "stop", "a trip")
    assert read_summary(long + "harbour", "stop", long * 2)
