"""Exports of other programs are read: branches, times, models, and what could not be taken."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.imports.chats import ImportedChat, ImportedChats, seconds
from chatty_desktop.domain.imports.reading import read_chats

EXPORTS = Path(__file__).parents[2] / "helpers" / "exports"


def read(name: str) -> ImportedChats:
    return read_chats(json.loads((EXPORTS / name).read_text("utf-8")))


def branch(chat: ImportedChat) -> list[str]:
    """What was said on the branch that was open."""
    by_id = {message.id: message for message in chat.messages}
    found, at = [], chat.leaf_id
    while at is not None:
        found.append(by_id[at].content)
        at = by_id[at].parent_id
    return found[::-1]


def test_a_chat_of_chatgpt_has_its_branches_its_models_and_its_end() -> None:
    found = read("chatgpt.json")
    assert found.program == "ChatGPT"
    trip = found.chats[0]
    assert (trip.title, trip.created_at) == ("Nara trip", 1730000000.0)
    assert branch(trip) == [
        "How far is Nara from Kyoto?",
        "About **45 km**.",
        "What is on this picture?",
        "A deer.\n\n```python\nprint(1)\n```",
    ]
    other = next(m for m in trip.messages if m.id == "a1b")
    assert (other.parent_id, other.model) == ("u1", "gpt-4o-mini")
    assert trip.left_out == {"image": 1, "tool call": 1, "tool result": 1, "reasoning": 1}
    assert "Porto" not in json.dumps([m.content for m in trip.messages])


def test_odd_chats_of_chatgpt_are_read_as_far_as_they_go() -> None:
    found = read("chatgpt.json")
    assert [branch(chat) for chat in found.chats[1:]] == [["No parent, no time"], ["still here"]]
    assert found.unreadable == (
        "Broken: no chat of ChatGPT",
        "number 6: no chat of ChatGPT",
    )


def test_a_chat_of_claude_has_its_attachments_its_thoughts_and_its_branches() -> None:
    found = read("claude.json")
    assert found.program == "Claude"
    letter = found.chats[0]
    assert branch(letter)[0].startswith("Write a letter\n\nlease.txt:\n\n```\nTwo months' notice.")
    assert branch(letter)[1:] == ["To whom it may concern,", "Shorter"]
    answer = next(m for m in letter.messages if m.id == "m2")
    assert (answer.content, answer.reasoning) == ("Dear Sir,\n\nYours", "Be polite.")
    assert letter.left_out == {"attachment": 1, "tool call": 1, "tool result": 1}
    assert letter.created_at == pytest.approx(1730538611.123456)


def test_an_old_chat_of_claude_is_one_branch_in_the_order_of_its_messages() -> None:
    chats = read("claude.json").chats
    assert len(chats) == 2, "a chat with nothing in it is left out"
    assert branch(chats[1]) == ["Old export", "No id"]
    assert chats[1].messages[0].at == 0.0
    assert chats[1].left_out == {"message of another kind": 1}


def test_a_chat_of_open_webui_has_its_branches_its_models_and_its_thoughts() -> None:
    found = read("open-webui.json")
    assert found.program == "Open WebUI"
    bread = found.chats[0]
    assert branch(bread) == ["It will not rise", "Wait longer.", "How long?"]
    thought = next(m for m in bread.messages if m.id == "h2")
    assert (thought.content, thought.reasoning) == ("Is it warm?", "> yeast?")
    assert thought.model == "llama3.2:3b"
    assert bread.left_out == {"image": 2, "attachment": 1}


def test_odd_chats_of_open_webui_are_read_as_far_as_they_go() -> None:
    early, odd = read("open-webui.json").chats[1:]
    assert branch(early) == ["Hi", "Hello"]
    assert early.created_at == 1700000000
    assert early.left_out == {"tool result": 1}
    assert branch(odd) == ["After nothing"]


def test_other_files_are_refused_with_what_can_be_read() -> None:
    for value in ([], {}, [1, 2], {"chat": 3}, "text", None):
        with pytest.raises(Invalid, match="ChatGPT"):
            read_chats(value)


def test_a_long_chat_is_read_without_recursion() -> None:
    mapping: dict[str, Any] = {}
    for number in range(20_000):
        mapping[f"n{number}"] = {
            "parent": f"n{number - 1}" if number else None,
            "message": {
                "author": {"role": "user" if number % 2 == 0 else "assistant"},
                "content": {"content_type": "text", "parts": [str(number)]},
            },
        }
    (chat,) = read_chats([{"mapping": mapping, "current_node": "n19999"}]).chats
    assert len(branch(chat)) == 20_000


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (1730000000, 1730000000.0),
        (1730000000123, 1730000000.123),
        (1730000000123456789, 1730000000.123456789),
        ("2024-11-02T09:10:11Z", 1730538611.0),
        ("2024-11-02T09:10:11", 1730538611.0),
        ("yesterday", 0.0), (None, 0.0), (True, 0.0), (-5, 0.0), (float("nan"), 0.0),
        (10**400, 0.0),
    ],
)  # fmt: skip
def test_times_are_seconds_whatever_they_are_written_in(value: Any, wanted: float) -> None:
    assert seconds(value) == pytest.approx(wanted)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ["mapping", "message", "parent", "content", "parts", "author", "role", "chat",
             "history", "messages", "chat_messages", "sender", "text", "parentId", "files"]
        ),
        inner,
        max_size=4,
    ),
    max_leaves=25,
)  # fmt: skip


@given(st.lists(JSON, max_size=4), st.sampled_from(["mapping", "chat_messages", "chat"]), JSON)
def test_whatever_a_file_holds_it_is_read_or_refused(
    values: list[Any], name: str, inner: Any
) -> None:
    try:
        found = read_chats([*values, {name: inner}])
    except Invalid:
        return
    for chat in found.chats:
        known: set[str | None] = {None}
        for message in chat.messages:
            assert message.parent_id in known, "parents come first"
            known.add(message.id)
        assert chat.leaf_id in known
