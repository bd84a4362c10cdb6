"""A chat replayed under other kinds of memory: what would have been sent at each turn."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from chatty_desktop.domain.messages import Message
from chatty_desktop.domain.runs import SentSection
from chatty_desktop.domain.search import folded_text
from chatty_desktop.domain.strategies import Composite, Semantic, State, Strategy, Summarized
from chatty_desktop.domain.tokens import estimate


@dataclass(frozen=True, slots=True)
class ReplaySetup:
    """One kind of memory with its settings, under the name by which it is shown."""

    name: str
    strategy: Strategy

    @property
    def asks_model(self) -> bool:
        """Whether its memory is made by asking a chat model."""
        layers = self.strategy.layers if isinstance(self.strategy, Composite) else (self.strategy,)
        return any(isinstance(layer, Summarized | Semantic | State) for layer in layers)


@dataclass(frozen=True, slots=True)
class ReplayedPart:
    """A part of a request: a text, or the messages of the chat from place `begin` to before
    `end`."""

    origin: str
    role: str
    text: str = ""
    begin: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class ReplayedTurn:
    """What one message of the person would have been sent with. `place` is that message's in the
    chat, `tokens` are estimated. `calls` are those of a model that memory made after the turn,
    `call_tokens` what they took, where the server counted it. `notes` are what memory had to
    tell."""

    place: int
    tokens: int
    parts: tuple[ReplayedPart, ...]
    calls: int = 0
    call_tokens: int = 0
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class Replayed:
    """What came of one setup: as many turns as were replayed, in order. `problem` says why they
    are not all."""

    setup: ReplaySetup
    turns: list[ReplayedTurn] = field(default_factory=list)
    problem: str = ""

    def calls(self) -> int:
        """Of models, for memory, over all turns."""
        return sum(turn.calls for turn in self.turns)


class Marks:
    """Words that a person watches, and in which messages of a chat they stand."""

    def __init__(self, marks: Iterable[str], chat: Sequence[Message]) -> None:
        self.marks = tuple(dict.fromkeys(" ".join(each.split()) for each in marks if each.strip()))
        self._folded = [folded_text(mark) for mark in self.marks]
        self._said: list[list[int]] = [[] for _mark in self.marks]
        for place, message in enumerate(chat):
            for mark in self._in(message.content):
                self._said[mark].append(place)

    def first_said(self, mark: int) -> int | None:
        """The place of the first message that says a mark."""
        return self._said[mark][0] if self._said[mark] else None

    def sent(self, turn: ReplayedTurn) -> set[int]:
        """The marks that are in a request, by their number."""
        found: set[int] = set()
        for part in turn.parts:
            if part.text:
                found.update(self._in(part.text))
            found.update(
                mark
                for mark, places in enumerate(self._said)
                if (at := bisect_left(places, part.begin)) < len(places) and places[at] < part.end
            )
        return found

    def _in(self, text: str) -> Iterable[int]:
        if not self._folded:
            return ()
        folded = " ".join(folded_text(text).split())
        return (number for number, mark in enumerate(self._folded) if mark in folded)


def shown(turn: ReplayedTurn, chat: Sequence[Message]) -> tuple[SentSection, ...]:
    """A request as the prompt view shows one."""
    sections: list[SentSection] = []
    for part in turn.parts:
        if part.text:
            sections.append(SentSection(part.origin, part.role, part.text, estimate(part.text)))
        for message in chat[part.begin : part.end]:
            text = message.content
            sections.append(SentSection(part.origin, message.role, text, estimate(text)))
    return tuple(sections)
