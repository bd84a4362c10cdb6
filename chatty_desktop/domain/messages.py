"""Messages, the tree they form, and the sessions that hold them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from enum import StrEnum
from typing import Literal

from chatty_desktop.domain.attachments import Attachment, WireImage, told

Role = Literal["user", "assistant", "tool"]
TitledBy = Literal["words", "model", "person"]
SessionKind = Literal["chat", "graph"]


class Status(StrEnum):
    """How a message ended.

    `STREAMING` is a reply still being written; found at start-up it becomes `CUT`.
    `STOPPED`: the person pressed Stop. `CUT`: the stream ended without a finish reason.
    `TRUNCATED`: the model hit its length limit. `FAILED`: no answer came; `error` says why.
    Results of tools alone: `DECLINED`, the person did not let the call run; `TIMED_OUT`, it took
    too long. One that failed otherwise is `COMPLETE` with an `error`: it is what the tool said.
    """

    COMPLETE = "complete"
    STREAMING = "streaming"
    STOPPED = "stopped"
    CUT = "cut"
    TRUNCATED = "truncated"
    FAILED = "failed"
    DECLINED = "declined"
    TIMED_OUT = "timed_out"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call a model asked for; `arguments` is JSON text as the model wrote it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    """One node of a session's tree, immutable once its `status` is final.

    `agent_id` names the agent whose run the message belongs to, so (agent_id, session_id) is the
    scope. `parent_id` is None for a first message. `at` is seconds since 1970 UTC. `seconds` is
    how long the reply took, 0 for what was not generated; `thought_seconds` how long of it the
    model reasoned before the answer began, 0 where it is not known. `error` is for the person,
    or "". `attachments` are files of a message of the person. In a graph run `node` names the node
    that the message belongs to; what the graph itself was given and came to has the ids of its
    input and output, and no agent ("").
    """

    id: str
    session_id: str
    parent_id: str | None
    agent_id: str
    run_id: str
    role: Role
    content: str
    at: float
    status: Status = Status.COMPLETE
    model: str = ""
    reasoning: str = ""
    error: str = ""
    seconds: float = 0.0
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    thought_seconds: float = 0.0
    attachments: tuple[Attachment, ...] = ()
    node: str = ""

    @property
    def counts(self) -> bool:
        """Whether memory and prompts take this message in: it says something and is finished."""
        return self.status not in (Status.FAILED, Status.STREAMING) and bool(
            self.content or self.tool_calls or self.attachments
        )

    @property
    def told(self) -> str:
        """What memory takes in of it: its words, and of each file the name and how it begins."""
        return told(self.content, self.attachments) if self.attachments else self.content

    @property
    def images(self) -> tuple[WireImage, ...]:
        """As it stands it carries none: a prompt puts in the files."""
        return ()


@dataclass(frozen=True, slots=True)
class Scope:
    """The key of every piece of memory: one agent in one session."""

    agent_id: str
    session_id: str


@dataclass(frozen=True, slots=True)
class Session:
    """One chat, or one graph run by its `kind`. `leaf_id` is the last message of the current
    branch, None when empty.

    `titled_by` says who gave the title: it is the first words of the chat, a model's, or the
    person's own. An archived chat is out of the way; all else holds for it too.
    """

    id: str
    title: str
    created_at: float
    updated_at: float
    leaf_id: str | None = None
    agent_id: str | None = None
    pinned: bool = False
    archived: bool = False
    folder_id: str | None = None
    titled_by: TitledBy = "words"
    kind: SessionKind = "chat"


@dataclass(frozen=True, slots=True)
class Folder:
    """A place for chats that belong together; a chat is in one folder at most."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class DeletionCounts:
    """What a deletion took along with it; `revisions` are those of Σ."""

    messages: int = 0
    revisions: int = 0
    summaries: int = 0
    facts: int = 0
    ledger_rows: int = 0
    runs: int = 0
    episodes: int = 0

    def __add__(self, other: DeletionCounts) -> DeletionCounts:
        both = zip(astuple(self), astuple(other), strict=True)
        return DeletionCounts(*(one + another for one, another in both))


def tail(messages: Sequence[Message], count: int) -> tuple[Message, ...]:
    """The last `count` messages, less leading tool results whose call is cut off.

    A tool result without the call before it is refused by most servers.
    """
    start = max(0, len(messages) - count)
    while start < len(messages) and messages[start].role == "tool":
        start += 1
    return tuple(messages[start:])
