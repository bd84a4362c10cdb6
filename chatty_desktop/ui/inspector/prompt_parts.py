"""The parts that a request is made of, by where they come from: name, icon and colour of each, and
how much of the request each is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from chatty_desktop.domain.runs import SentSection
from chatty_desktop.ui.language import N_
from chatty_desktop.ui.tokens import Tone


class Part(NamedTuple):
    """A colour never tells alone: each part has an icon and a name."""

    name: str
    icon: str
    tone: Tone


SYSTEM: Final = Part(N_("System prompt"), "terminal", "part_system")
TOOLS: Final = Part(N_("Tools on offer"), "wrench", "part_tools")
SPEC: Final = Part(N_("What is kept"), "notebook", "part_spec")
STATE: Final = Part(N_("Σ, what is known"), "brain", "part_state")
SUMMARY: Final = Part(N_("Summary"), "article", "part_summary")
FACTS: Final = Part(N_("Known facts"), "push-pin", "part_facts")
RECALLED: Final = Part(N_("Recalled messages"), "clock-counter-clockwise", "part_recalled")
WINDOW: Final = Part(N_("Messages word for word"), "chats", "part_window")
RESULTS: Final = Part(N_("Tools used and their results"), "gear", "part_results")
NEW: Final = Part(N_("New message"), "chat-circle-dots", "part_new")

_PARTS: Final = {
    "system": SYSTEM,
    "tools": TOOLS,
    "spec": SPEC,
    "state": STATE,
    "summary": SUMMARY,
    "facts": FACTS,
    "episodic": RECALLED,
    "steps": RESULTS,
    "begun": NEW,
    "new": NEW,
}


def part_of(section: SentSection) -> Part:
    """The part that a section belongs to; what no other names is a message word for word."""
    return RESULTS if section.role == "tool" else _PARTS.get(section.origin, WINDOW)


def shares(sections: Iterable[SentSection]) -> list[tuple[Part, int]]:
    """The estimated tokens of each part that there is, in the order of the request."""
    found: dict[Part, int] = {}
    for section in sections:
        part = part_of(section)
        found[part] = found.get(part, 0) + section.tokens
    return list(found.items())
