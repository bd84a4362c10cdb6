"""Runs, and the requests they sent, part by part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from chatty_desktop.domain.attachments import Attachment, AttachmentBudget, share_tokens, shares
from chatty_desktop.domain.messages import Message
from chatty_desktop.domain.requests import ToolOffer, Usage
from chatty_desktop.domain.tokens import estimate


@dataclass(frozen=True, slots=True)
class Run:
    """One answer of one agent. `status` is running, done, stopped or failed; `node` the slot of a
    graph that it was for, "" in a chat."""

    id: str
    session_id: str
    agent_id: str
    strategy: dict[str, Any]
    model: str
    started_at: float
    status: str = "running"
    node: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a prompt and where it comes from.

    `origin` is "system", "tools" (those offered, which go to the model in a form of their own),
    "spec", "state", "new", "steps" (calls and results of the answer so far), "begun" (the beginning
    of the answer, when one that broke off is gone on with) or the kind of the layer that shows
    messages. Either `text` is set, or `messages`: a gapless run of the scope, sent verbatim but
    for results of tools that are too long: `cut` says by message id how many characters of those
    are kept, `files` the same of what is attached, file by file (`shares`). `message_ids` names
    the messages that `text` repeats.
    """

    origin: str
    role: Literal["system", "user", "assistant"] = "system"
    text: str = ""
    messages: tuple[Message, ...] = ()
    message_ids: tuple[str, ...] = ()
    cut: tuple[tuple[str, int], ...] = ()
    files: tuple[tuple[str, tuple[int, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class SentSection:
    """A part of a request as it was sent; `tokens` is estimated. `seconds` is how long a tool took
    for what it gave, 0 for all else."""

    origin: str
    role: str
    content: str
    tokens: int
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class SentRequest:
    """A request as it was sent, with the server's own counts where it gave them. `step` counts
    the requests of its run from 1, `run_usage` sums them up. `parts` are what `sections` shows one
    by one; `options` are the sampling options and `tools` those offered, where they were kept."""

    run_id: str
    model: str
    sections: tuple[SentSection, ...]
    estimated_tokens: int
    usage: Usage = field(default_factory=Usage)
    at: float = 0.0
    step: int = 1
    run_usage: Usage = field(default_factory=Usage)
    parts: tuple[Section, ...] = ()
    options: Mapping[str, float] = field(default_factory=dict)
    tools: tuple[ToolOffer, ...] = ()


@dataclass(frozen=True, slots=True)
class AskedFor:
    """A run that asked a model, for choosing among them: when it asked last, by which model, in
    how many steps, how the message began that was to be answered, and for which node of a graph,
    "" in a chat."""

    run_id: str
    at: float
    model: str
    steps: int
    words: str
    node: str = ""


RequestPart = Literal["system", "tools", "memory", "recalled", "earlier"]
"""What a request has besides the new message: the system prompt, the tools with
the schemas of their arguments, what memory made of the past,
single messages that it recalls, and messages word for word."""


@dataclass(frozen=True, slots=True)
class NextRequest:
    """How much the next request to an agent is before the new message is written, in estimated
    tokens. `context` is what its model takes in and `sees_images` whether it
    looks at images, None where that is not known. `recalled` is the
    size of what the message before brought back: what the next one does, only its words tell."""

    model: str
    parts: Mapping[RequestPart, int]
    context: int | None = None
    sees_images: bool | None = None

    def tokens(self, text: str, files: Sequence[Attachment] = ()) -> int:
        """Of the whole request, with a new message; "" for none."""
        return sum(self.parts.values()) + self.new_tokens(text, files)

    def new_tokens(self, text: str, files: Sequence[Attachment] = ()) -> int:
        """Of the new message alone, its files cut as a request cuts them."""
        budget = AttachmentBudget.within(self.context, sees_images=self.sees_images is not False)
        kept = shares([("", files)], budget)[""]
        return (estimate(text) if text else 0) + share_tokens(files, kept)
