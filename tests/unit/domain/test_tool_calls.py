"""Calls of tools that stand in the text of an answer."""

from __future__ import annotations

import pytest

from chatty_desktop.domain.tool_calls import call_begins, calls_in


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "get_weather", "arguments": {"city": "Paris"}}',
        '```json\n{\n  "name": "get_weather",\n  "arguments": {\n    "city": "Paris"\n  }\n}\n```',
        '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>',
        '[{"name": "get_weather", "parameters": {"city": "Paris"}}]',
        '{"type": "function", "function": {"name": "get_weather",'
        ' "arguments": "{\\"city\\": \\"Paris\\"}"}}',
        '{"name": "get_weather", "arguments": {"city": "Paris"}',
        '```json\n{"name": "get_weather", "arguments": {"city": "Paris"}\n```',
        'I will look. {"name": "get_weather", "arguments": {"city": "Paris"}} {"broken": ',
    ],
)
def test_a_call_is_found_however_it_is_written(text: str) -> None:
    (call,) = calls_in(text, ["get_weather"])
    assert (call.name, call.arguments) == ("get_weather", '{"city": "Paris"}')


@pytest.mark.parametrize(
    "text",
    [
        "It is sunny in Paris.",
        '{"name": "Paris", "arguments": {}}',
        '{"name": "get_weather"}',
        "[1, 2, 3]",
        '{"name": ["get_weather"], "arguments": {}}',
        "",
        '{"name": "get_weather", "arguments": {"city": "Par',
        '{"name": "get_weather", "arguments": {"where": {"city": "Paris"}',
    ],
)
def test_what_is_no_call_of_a_tool_at_hand_is_none(text: str) -> None:
    assert calls_in(text, ["get_weather"]) == ()


@pytest.mark.parametrize("text", ["`", "``", "```", "```json\n", "It is `", "<tool_call>\n{"])
def test_the_fence_of_a_call_is_held_back_from_its_first_sign_on(text: str) -> None:
    assert call_begins(text) == len(text) - len(text.removeprefix("It is "))


WRITTEN = (
    'I will look. ```json\n{"name": "clock", "arguments": {}}\n```'
    ' That was `it`, [1, 2] and {"a": 3}.'
)


def test_an_answer_is_held_back_the_same_when_what_is_shown_is_not_searched_again() -> None:
    text = "One word and another. " * 20 + WRITTEN
    shown = 0
    for end in range(len(text) + 1):
        held = call_begins(text[:end], shown)
        assert max(held, shown) == max(call_begins(text[:end]), shown), text[:end]
        shown = max(held, shown)
    assert shown == text.index("```json")


def test_what_was_shown_long_ago_is_not_searched_for_calls() -> None:
    text = '{"name": "clock"}' + " and so on" * 20
    assert call_begins(text) == 0
    assert call_begins(text, shown=len(text) - 5) == len(text)
