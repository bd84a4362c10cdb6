"""Episodes: recorded messages that can be found again, and what recall made of them."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from chatty_desktop.domain.embedding import EmbedderId
from chatty_desktop.domain.messages import Message, Role, Scope

EPISODIC = "episodic"
"""The layer under which the ledger has what was done to episodes: they are those of a scope,
whatever layers look at them."""

LONGEST_TEXT = 2_000
"""Characters of a message that are embedded: some 500 tokens, which is all that small embedding
models read."""

LONGEST_SHOWN = 4_000
"""Characters of a recalled message that are sent."""

WhyLeftOut = Literal["below threshold", "not among the best", "shown already", "other branch"]


@dataclass(frozen=True, slots=True)
class Episode:
    """One recorded message. `at` is seconds since 1970 UTC."""

    message_id: str
    scope: Scope
    role: Role
    content: str
    at: float


@dataclass(frozen=True, slots=True)
class Candidate:
    """An episode that recall looked at. `cosine` is -1 to 1; `lexical` says how much it matches
    of the words of the message, 0 to 1, None where words are not looked at. `left_out` is ""
    for one that was recalled."""

    message_id: str
    cosine: float
    lexical: float | None = None
    left_out: WhyLeftOut | Literal[""] = ""


@dataclass(frozen=True, slots=True)
class Recall:
    """What one message brought back: `candidates` best first, those left out among them."""

    query_id: str
    embedder: EmbedderId
    candidates: tuple[Candidate, ...]
    at: float


@dataclass(frozen=True, slots=True)
class SeenScores:
    """The cosines that an agent's last messages got, in all of its chats: of what was recalled,
    and of what came close but was not."""

    recalled: tuple[float, ...] = ()
    left_out: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class EpisodeCounts:
    """How many episodes there are, and how many of them each embedder has embedded."""

    total: int = 0
    embedded: dict[EmbedderId, int] = field(default_factory=dict)
    without_vector: int = 0


@dataclass(frozen=True, slots=True)
class ToEmbed:
    """What an embedder has not embedded: so many episodes, and the characters of them that it
    would read."""

    count: int = 0
    chars: int = 0


@dataclass(frozen=True, slots=True)
class FoundEpisode:
    """An episode that a search found. `embedded`: by the present embedder, so that recall can find
    it too. `on_branch`: it is part of the chat as it now stands."""

    episode: Episode
    embedded: bool
    on_branch: bool = True


@dataclass(frozen=True, slots=True)
class EpisodesFound:
    """What a search found: the newest first, and how many there are with those not read."""

    shown: tuple[FoundEpisode, ...] = ()
    total: int = 0


def searched_words(text: str) -> tuple[str, ...]:
    """What is searched for: the words between spaces, whatever their case."""
    return tuple(dict.fromkeys(text.casefold().split()))


def says(content: str, words: Iterable[str]) -> bool:
    """Whether a text holds each of the searched words, be it as a part of a longer one."""
    folded = content.casefold()
    return all(word in folded for word in words)


def is_episode(message: Message) -> bool:
    """Whether a message is recorded: it is finished and was said by someone. Results of tools
    are not: they belong to their call, and are read again where they are wanted."""
    return message.counts and message.role != "tool" and bool(message.told.strip())


def stored_text(role: Role, content: str) -> str:
    """What is embedded of a message: who said it, and its words.

    Naming the speaker matters: without it all-MiniLM found 0.289 of the evidence in LoCoMo's
    chats instead of 0.451.
    """
    return f"{speaker(role)}: {content[:LONGEST_TEXT]}"


def shown_text(role: Role, content: str, at: float) -> str:
    """A recalled message as the model reads it: date, speaker, words."""
    day = time.strftime("%Y-%m-%d %H:%M", time.localtime(at))
    words = content.strip()
    if len(words) > LONGEST_SHOWN:
        words = words[:LONGEST_SHOWN].rstrip() + " […]"
    return f"{day}, {speaker(role)}: {words}"


def speaker(role: Role) -> str:
    """Who speaks, as the model is told."""
    return {"user": "User", "assistant": "Assistant", "tool": "Tool"}[role]
