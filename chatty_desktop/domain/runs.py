"""Runs, and the requests they sent, part by part."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from chatty_desktop.domain.messages import Message
from chatty_desktop.domain.requests import Usage


@dataclass(frozen=True, slots=True)
class Run:
    """One answer of one agent. `status` is running, done, stopped or failed."""

    id: str
    session_id: str
    agent_id: str
    strategy: dict[str, Any]
    model: str
    started_at: float
    status: str = "running"


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a prompt and where it comes from.

    `origin` is "system", "spec", "state", "new", "begun" (the beginning of the answer, when one
    that broke off is gone on with) or the kind of the layer that shows messages.
    Either `text` is set, or `messages`: a gapless run of the scope, sent verbatim.
    `message_ids` names the messages that `text` repeats.
    """

    origin: str
    role: Literal["system", "user", "assistant"] = "system"
    text: str = ""
    messages: tuple[Message, ...] = ()
    message_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SentSection:
    """A part of a request as it was sent; `tokens` is estimated."""

    origin: str
    role: str
    content: str
    tokens: int


@dataclass(frozen=True, slots=True)
class SentRequest:
    """A request as it was sent, with the server's own counts where it gave them."""

    run_id: str
    model: str
    sections: tuple[SentSection, ...]
    estimated_tokens: int
    usage: Usage = field(default_factory=Usage)
    at: float = 0.0
