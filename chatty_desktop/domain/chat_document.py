"""A chat as one JSON document, whole: every branch, what agents remember, how they came to it.

What it leaves out can be made again: vectors of episodes, the words that a search looks for. It
never holds a key. Read tolerantly where a newer version may have added something, strictly where
what is there would not fit.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Annotated, Any, Literal

from pydantic import (
    Base64Bytes,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from chatty_desktop.domain.agents import AgentDefinition
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.graph_runs import GraphRunStatus, NodeState
from chatty_desktop.domain.graphs import Graph
from chatty_desktop.domain.messages import SessionKind, Status
from chatty_desktop.domain.strategies import describe

FORMAT = "chatty-desktop-chat"
VERSION = 1


Time = Annotated[float, Field(ge=0, lt=1e11, allow_inf_nan=False)]
"""Seconds since 1970 UTC, up to the year 5138: what is beyond has no date to show."""

Count = Annotated[int, Field(ge=0, lt=2**53)]
"""What a database and every reader of JSON hold exactly."""


class _Row(BaseModel):
    model_config = ConfigDict(defer_build=True, extra="ignore", frozen=True, strict=False)


class DocumentAgent(_Row):
    """An agent that speaks in the chat. `definition` is None where it was deleted."""

    id: str
    name: str = ""
    definition: AgentDefinition | None = None


class DocumentAttachment(_Row):
    """`Attachment`."""

    digest: str
    name: str
    media_type: str
    size: Count
    chars: Count = 0
    excerpt: str = ""
    width: Count = 0
    height: Count = 0


class DocumentFile(_Row):
    """`AttachedFile`: the bytes in base64, and what was read out of a document."""

    digest: str
    data: Base64Bytes
    text: str | None = None


class DocumentCall(_Row):
    """`ToolCall`."""

    id: str = ""
    name: str = ""
    arguments: str = ""


class DocumentMessage(_Row):
    """`Message`, with its fields by their names."""

    id: str = Field(min_length=1)
    parent_id: str | None = None
    agent_id: str
    run_id: str = ""
    role: Literal["user", "assistant", "tool"]
    content: str = ""
    at: Time = 0.0
    status: Status = Status.COMPLETE
    model: str = ""
    reasoning: str = ""
    error: str = ""
    seconds: float = 0.0
    tool_calls: list[DocumentCall] = Field(default_factory=list)
    tool_call_id: str = ""
    thought_seconds: float = 0.0
    attachments: list[DocumentAttachment] = Field(default_factory=list)
    node: str = ""


class DocumentRun(_Row):
    """`Run`; `strategy` is the effective one, as JSON."""

    id: str
    agent_id: str
    strategy: dict[str, Any] = Field(default_factory=dict)
    model: str = ""
    started_at: Time = 0.0
    finished_at: Time | None = None
    status: str = "done"
    node: str = ""

    @field_validator("strategy")
    @classmethod
    def _of_a_kind(cls, value: dict[str, Any]) -> dict[str, Any]:
        layers = value.get("layers", [])
        known = [value, *layers] if isinstance(layers, list) else [None]
        if value and not all(isinstance(e, dict) and isinstance(e.get("kind"), str) for e in known):
            raise ValueError("is no kind of memory")
        return value


class DocumentNodeRun(_Row):
    """`NodeRun`."""

    node: str
    state: NodeState
    run_id: str = ""
    prompt_id: str | None = None
    reply_id: str | None = None
    error: str = ""
    started_at: Time | None = None
    finished_at: Time | None = None
    prompt_tokens: Count | None = None
    completion_tokens: Count | None = None


class DocumentGraphRun(_Row):
    """`GraphRun`."""

    input_id: str
    graph: Graph
    nodes: list[DocumentNodeRun]
    started_at: Time = 0.0
    finished_at: Time | None = None
    status: GraphRunStatus = "done"

    @model_validator(mode="after")
    def _of_one_graph(self) -> DocumentGraphRun:
        if {each.node for each in self.nodes} != {node.id for node in self.graph.nodes}:
            raise ValueError("the nodes that ran are not those of the graph")
        return self


class DocumentLogLine(_Row):
    """`LogEntry`."""

    run_id: str = ""
    at: Time
    level: Literal["info", "warning", "error"] = "info"
    text: str


class DocumentRequest(_Row):
    """What was sent to a model, part by part, as the run log keeps it."""

    run_id: str
    agent_id: str
    model: str = ""
    sections: list[dict[str, Any]] = Field(default_factory=list)
    estimated_tokens: Count = 0
    prompt_tokens: Count | None = None
    completion_tokens: Count | None = None
    at: Time = 0.0

    @field_validator("sections")
    @classmethod
    def _as_they_are_kept(cls, value: list[dict[str, Any]]) -> list[dict[str, Any]]:
        if not all(map(_is_section, value)):
            raise ValueError("is not how a request is kept")
        return value


def _is_section(value: dict[str, Any]) -> bool:
    """Whether it is a text with its role, or from which message to which, and what of them was cut
    and attached."""
    cuts, files = value.get("cut", {}), value.get("files", {})
    if not isinstance(cuts, dict) or not isinstance(files, dict):
        return False
    names = ("origin", "first", "last") if "first" in value else ("origin", "role", "text")
    counts = [*cuts.values()]
    for shares in files.values():
        counts += shares if isinstance(shares, list) else [shares]
    lists = all(isinstance(shares, list) for shares in files.values())
    texts = all(isinstance(value.get(name), str) for name in names)
    return texts and lists and all(type(count) is int and 0 <= count < 2**53 for count in counts)


class DocumentLedgerRow(_Row):
    """`LedgerEntry`."""

    id: str
    agent_id: str
    run_id: str = ""
    layer: str
    kind: str
    outcome: Literal["accepted", "refused", "unreachable", "nothing"]
    reason: str = ""
    attempts: Count = 0
    model: str = ""
    message_ids: list[str] = Field(default_factory=list)
    through_message_id: str | None = None
    patch: dict[str, Any] | None = None
    dropped: list[dict[str, Any]] = Field(default_factory=list)
    reply: str = ""
    consumed: bool
    started_at: Time = 0.0
    finished_at: Time = 0.0
    prompt_tokens: Count = 0
    completion_tokens: Count = 0


class _Made(_Row):
    agent_id: str
    layer: str
    after_message_id: str
    ledger_id: str = ""
    at: Time = 0.0


class DocumentRevision(_Made):
    """`StateRevision`."""

    state: dict[str, Any]
    patch: dict[str, Any] = Field(default_factory=dict)
    pins: list[str] = Field(default_factory=list)


class DocumentSummary(_Made):
    """`SummaryRevision`."""

    text: str
    made_after_id: str = ""


class DocumentFact(_Made):
    """`Fact`. `id` is what `replaces` of another one names."""

    id: str = ""
    subject: str
    fact: str
    source_ids: list[str] = Field(default_factory=list)
    replaces: str = ""
    forgotten: bool = False


class DocumentStart(_Row):
    """`LayerStart` of a layer."""

    agent_id: str
    layer: str
    message_id: str
    at: Time = 0.0


class DocumentEpisode(_Row):
    """A message kept as an episode, and the one before it."""

    message_id: str
    agent_id: str
    before_id: str | None = None


class ChatDocument(_Row):
    """The whole document. Lists that have an order are in it. Times are seconds since 1970 UTC;
    `leaf_id` is the end of the branch that is open."""

    format: Literal["chatty-desktop-chat"]
    version: int = Field(default=VERSION, ge=1)
    title: str = ""
    created_at: Time = 0.0
    updated_at: Time = 0.0
    agent_id: str | None = None
    leaf_id: str | None = None
    kind: SessionKind = "chat"
    agents: list[DocumentAgent] = Field(default_factory=list)
    messages: list[DocumentMessage] = Field(default_factory=list)
    files: list[DocumentFile] = Field(default_factory=list)
    state_revisions: list[DocumentRevision] = Field(default_factory=list)
    summaries: list[DocumentSummary] = Field(default_factory=list)
    facts: list[DocumentFact] = Field(default_factory=list)
    layer_starts: list[DocumentStart] = Field(default_factory=list)
    episodes: list[DocumentEpisode] = Field(default_factory=list)
    ledger: list[DocumentLedgerRow] = Field(default_factory=list)
    waiting_patches: list[DocumentLedgerRow] = Field(default_factory=list)
    runs: list[DocumentRun] = Field(default_factory=list)
    run_log: list[DocumentLogLine] = Field(default_factory=list)
    requests: list[DocumentRequest] = Field(default_factory=list)
    graph_runs: list[DocumentGraphRun] = Field(default_factory=list)


def is_document(value: Any) -> bool:
    """Whether a JSON value says that it is such a document."""
    return isinstance(value, dict) and value.get("format") == FORMAT


def read_document(value: Any) -> ChatDocument:
    """The document, checked: ids are there once, and messages form trees. Raises `Invalid`."""
    try:
        document = ChatDocument.model_validate(value)
    except ValidationError as error:
        raise Invalid(f"This chat cannot be read: {describe(error)}") from error
    if document.version > VERSION:
        raise Invalid(
            f"This chat was exported by a newer version of Chatty Desktop (format"
            f" {document.version}). Install that version to read it."
        )
    parents = {message.id: message.parent_id for message in document.messages}
    if len(parents) != len(document.messages):
        raise Invalid("This chat cannot be read: two of its messages have the same id.")
    _refuse_circles(parents)
    if any(sha256(file.data).hexdigest() != file.digest for file in document.files):
        raise Invalid("This chat cannot be read: a file in it is damaged.")
    return document


def write_document(document: ChatDocument) -> str:
    """The document as indented JSON."""
    value = document.model_dump(mode="json")
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def _refuse_circles(parents: dict[str, str | None]) -> None:
    sound: set[str] = set()
    for begin in parents:
        path: list[str] = []
        at: str | None = begin
        seen: set[str] = set()
        while at is not None and at in parents and at not in sound:
            if at in seen:
                raise Invalid("This chat cannot be read: its messages follow each other in a ring.")
            seen.add(at)
            path.append(at)
            at = parents[at]
        sound.update(path)
