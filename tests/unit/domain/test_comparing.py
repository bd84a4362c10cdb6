"""What can be left out of a request, and the request without it."""

from __future__ import annotations

from chatty_desktop.domain.comparing import Omission, omissions, without
from chatty_desktop.domain.runs import Section

PARTS = (
    Section("system", text="You are Ada."),
    Section("spec", text="Keep what is open."),
    Section("state", text='Known so far: {"goal":"Kyoto","open":{"a":[1]}}\n\nIt is up to date.'),
    Section("facts", text="What you know:\n- Ada: likes tea\n- It rains\nRely on it."),
    Section("new", "user"),
)


def test_parts_keys_and_facts_can_be_left_out_but_never_the_new_message() -> None:
    assert omissions(PARTS) == [
        Omission("part", "system"),
        Omission("part", "spec"),
        Omission("part", "state"),
        Omission("part", "facts"),
        Omission("key", "goal"),
        Omission("key", "open"),
        Omission("fact", "- Ada: likes tea"),
        Omission("fact", "- It rains"),
    ]


def test_only_what_is_left_out_is_missing() -> None:
    for omission, text in (
        (Omission("key", "goal"), 'Known so far: {"open":{"a":[1]}}\n\nIt is up to date.'),
        (Omission("fact", "- It rains"), "What you know:\n- Ada: likes tea\nRely on it."),
    ):
        left = without(PARTS, omission)
        changed = [now.text for now, was in zip(left, PARTS, strict=True) if now != was]
        assert changed == [text]
    assert [s.origin for s in without(PARTS, Omission("part", "state"))] == [
        "system",
        "spec",
        "facts",
        "new",
    ]


def test_the_last_fact_takes_its_part_along() -> None:
    one = (Section("facts", text="What you know:\n- It rains\nRely on it."),)
    assert without(one, Omission("fact", "- It rains")) == ()
