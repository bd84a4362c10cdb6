"""How facts are asked for, read, held against the messages, and cut to their room."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatty_desktop.domain.errors import Refused
from chatty_desktop.domain.extracting import (
    fact_line,
    facts_prompt,
    facts_schema,
    known_lines,
    read_facts,
)
from chatty_desktop.domain.memory import Fact
from chatty_desktop.domain.messages import Message, Role

RESOURCES = Path(__file__).parents[3] / "resources" / "prompts"
PROMPTS = {path.stem: path.read_text(encoding="utf-8") for path in RESOURCES.glob("*.md")}


def message(content: str, message_id: str = "m", role: Role = "user") -> Message:
    return Message(message_id, "s", None, "a", "r", role, content, 0.0)


def fact(text: str, subject: str = "user") -> Fact:
    return Fact("f", "a", "s", "semantic", "m", subject, text, ("m",), "l", 0.0)


def kept(reply: Any, *said: str) -> list[str]:
    text = reply if isinstance(reply, str) else json.dumps(reply)
    found, _dropped = read_facts(text, [message(each, f"m{i}") for i, each in enumerate(said)])
    return [each.fact for each in found]


ONE = {"subject": "Leo", "fact": "Leo is seven."}


@pytest.mark.parametrize(
    "reply",
    [
        {"facts": [ONE]},
        [ONE],
        ONE,
        f"Here they are:\n```json\n{json.dumps([ONE])}\n```\nThat is all.",
        "<think>Leo is ten?</think>" + json.dumps({"facts": [ONE]}),
        {"facts": [ONE, ONE]},
    ],
)
def test_the_list_is_read_in_every_form_in_which_it_comes(reply: Any) -> None:
    assert kept(reply, "Leo is seven now.") == ["Leo is seven."]


@pytest.mark.parametrize("reply", [{"facts": []}, [], "There are none: []"])
def test_an_empty_list_is_an_answer(reply: Any) -> None:
    assert kept(reply, "Hello!") == []


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "<think>Leo",
        "There are no new facts.",
        "{}",
        {"facts": "Leo is seven."},
        {"facts": ["Leo is seven."]},
        {"facts": [{"subject": "Leo", "fact": 7}]},
        '{"facts": [{"subject": "Leo", "fact": "Leo is se',
    ],
)
def test_what_is_no_list_of_facts_is_refused(reply: Any) -> None:
    with pytest.raises(Refused):
        kept(reply, "Leo is seven.")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The user is allergic to peanuts.", "I have a peanut allergy, by the way."),
        ("Leo is the user's son.", "My son Leo starts school."),
        ("The budget is 1,200 euros.", "We have 1200 euros to spend."),
        ("用户住在东京。", "我住在东京,做老师。"),
        ("Der Nutzer wohnt in Köln.", "Ich wohne seit Mai in Köln."),
        ("It is 42.", "42"),
    ],
)
def test_a_fact_that_the_messages_tell_is_kept(text: str, said: str) -> None:
    assert kept([{"subject": "user", "fact": text}], said) == [text]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The user is called Marta.", "What is the capital of Peru?"),
        ("Leo starts school in Porto on 3 September.", "My dog starts to limp."),
        ("The user eats no red meat.", "Thanks, that was helpful!"),
        ("", "Hello"),
        ("word " * 200, "word"),
    ],
)
def test_a_fact_that_no_message_tells_is_left_out_with_a_reason(text: str, said: str) -> None:
    reply = json.dumps([{"subject": "user", "fact": text}])
    found, dropped = read_facts(reply, [message(said)])
    assert found == []
    assert dropped[0]["key"] == "user"
    assert dropped[0]["reason"]


def test_the_sources_of_a_fact_are_the_messages_that_share_most_with_it() -> None:
    messages = [
        message("I live in Porto with my son.", "m1"),
        message("Porto is lovely.", "m2", "assistant"),
        message("His name is Leo.", "m3"),
    ]
    reply = json.dumps([{"subject": "user", "fact": "The user lives in Porto with a son."}])
    (found,), _dropped = read_facts(reply, messages)
    assert found.source_ids == ("m1",)


def test_the_question_shows_the_messages_and_the_form_in_words_where_it_must() -> None:
    said = [message("It costs $5."), message("Noted.", role="assistant")]
    turns = facts_prompt(PROMPTS, instruction=None, messages=said)
    assert turns[-1][1].startswith("user: It costs $5.\nassistant: Noted.")
    assert "one JSON object" not in turns[-1][1]
    worded = facts_prompt(PROMPTS, instruction=None, messages=said, constrained=False)
    assert "one JSON object" in worded[-1][1]
    assert len(worded) == len(turns) == 10


def test_an_own_prompt_takes_the_place_of_the_built_in_one_and_its_examples() -> None:
    turns = facts_prompt(PROMPTS, instruction=" Only prices in $. ", messages=[message("Hi")])
    assert [role for role, _text in turns] == ["system", "user"]
    assert turns[0][1] == "Only prices in $."
    assert '{"facts": [' in turns[1][1]


def test_the_schema_is_closed() -> None:
    schema = facts_schema()
    assert schema["required"] == ["facts"]
    assert schema["properties"]["facts"]["items"]["additionalProperties"] is False


def test_a_line_names_the_subject_where_the_fact_does_not() -> None:
    assert fact_line(fact("The user is 40.")) == "- The user is 40."
    assert fact_line(fact("is seven", "Leo")) == "- Leo: is seven"


@given(st.lists(st.text(min_size=1, max_size=60), max_size=20), st.integers(100, 400))
def test_the_newest_facts_are_sent_and_never_more_than_fits(
    texts: list[str], max_chars: int
) -> None:
    newest_first = [fact(text) for text in texts]
    lines = known_lines(newest_first, max_chars)
    assert len("\n".join(lines)) <= max_chars
    assert lines == [fact_line(each) for each in newest_first[: len(lines)]][::-1]
    if len(lines) < len(newest_first):
        more = [fact_line(each) for each in newest_first[: len(lines) + 1]]
        assert len("\n".join(more)) > max_chars
