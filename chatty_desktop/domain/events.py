"""What happened, as values: runs stream into the transcript, panels refresh from changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from chatty_desktop.domain.downloads import Download
from chatty_desktop.domain.graph_runs import GraphRunStatus, NodeRun
from chatty_desktop.domain.measurement import Measurement
from chatty_desktop.domain.messages import Message, Scope
from chatty_desktop.domain.tools import ToolUse

RunPhase = Literal["waiting_for_memory", "waiting_for_model", "streaming", "settling", "idle"]
Level = Literal["info", "warning", "error"]


@dataclass(frozen=True, slots=True)
class MessageCommitted:
    """A message is in the database: new, or its final form."""

    message: Message


@dataclass(frozen=True, slots=True)
class TextStreamed:
    """More text of a reply being written; `reasoning` is text the model thinks aloud."""

    session_id: str
    message_id: str
    text: str = ""
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class RunPhaseChanged:
    """Where the run of a session stands; `settling` follows the reply, `idle` ends it."""

    session_id: str
    agent_id: str
    phase: RunPhase
    model: str = ""


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A call of a tool runs now, after whatever was asked. `message_id` is the message that made
    the call; its result comes as a message of role "tool" that is committed."""

    session_id: str
    message_id: str
    call_id: str


@dataclass(frozen=True, slots=True)
class ToolEnded:
    """A call has its result, `seconds` after it began to run; the message follows once those of
    the calls before it are there."""

    session_id: str
    message_id: str
    call_id: str
    seconds: float
    failed: bool = False


@dataclass(frozen=True, slots=True)
class ConsentWanted:
    """A call waits until the person says whether it may run (`engine.consents`)."""

    question_id: str
    use: ToolUse


@dataclass(frozen=True, slots=True)
class ConsentSettled:
    """A question about a call is no longer open: it was answered, or the run was stopped."""

    question_id: str
    session_id: str


@dataclass(frozen=True, slots=True)
class MemoryChanged:
    """Σ, the queue or the ledger of a scope is not what it was."""

    scope: Scope


@dataclass(frozen=True, slots=True)
class RunLogged:
    """A line was added to the run log of a session."""

    session_id: str
    entry: LogEntry


@dataclass(frozen=True, slots=True)
class SessionsChanged:
    """The list of sessions, or a title in it, changed. `session_id` None: any of them."""

    session_id: str | None = None


@dataclass(frozen=True, slots=True)
class BranchChanged:
    """The current branch of a session is another one, or messages of it were deleted."""

    session_id: str


@dataclass(frozen=True, slots=True)
class AgentsChanged:
    """An agent was saved, imported or deleted."""


@dataclass(frozen=True, slots=True)
class GraphsChanged:
    """A graph was saved, imported or deleted."""


@dataclass(frozen=True, slots=True)
class GraphRunChanged:
    """A run of a graph began or ended."""

    session_id: str
    graph_run_id: str
    status: GraphRunStatus


@dataclass(frozen=True, slots=True)
class GraphNodeChanged:
    """A node of a graph that runs is not as it was. What its agent says meanwhile comes as
    `MessageCommitted` (with `node`) and `TextStreamed`."""

    session_id: str
    graph_run_id: str
    node: NodeRun


@dataclass(frozen=True, slots=True)
class SettingsChanged:
    """The settings were saved or read anew."""


@dataclass(frozen=True, slots=True)
class KeyChanged:
    """The key of a provider was stored, replaced or forgotten."""

    provider_id: str


@dataclass(frozen=True, slots=True)
class ModelProgress:
    """A model is being made ready; `done` and `total` are bytes, 0/0 when not measurable.

    An empty `text` ends the report.
    """

    model: str
    text: str
    done: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True)
class EnginesChanged:
    """The local engine holds another model than before, or began or ended working with one."""


@dataclass(frozen=True, slots=True)
class EmbeddingProgress:
    """Episodes are being embedded again: so many of so many; 0 of 0 ends the report."""

    done: int
    total: int


@dataclass(frozen=True, slots=True)
class DownloadChanged:
    """A download, or a pull by an Ollama, is not as it was."""

    download: Download


@dataclass(frozen=True, slots=True)
class Measured:
    """A measurement of a model has begun, come a fold further, or ended."""

    measurement: Measurement


@dataclass(frozen=True, slots=True)
class McpChanged:
    """An MCP server of that name is not as it was: its state, or what it has."""

    server: str


@dataclass(frozen=True, slots=True)
class RestartWanted:
    """The person wants the app closed and opened again."""


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the person should know. `session_id` None: the app as a whole."""

    level: Level
    text: str
    session_id: str | None = None


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One line of the run log; `at` is seconds since 1970 UTC."""

    run_id: str
    at: float
    level: Level
    text: str


Event = (
    MessageCommitted
    | TextStreamed
    | RunPhaseChanged
    | ToolStarted
    | ToolEnded
    | ConsentWanted
    | ConsentSettled
    | MemoryChanged
    | RunLogged
    | SessionsChanged
    | BranchChanged
    | AgentsChanged
    | GraphsChanged
    | GraphRunChanged
    | GraphNodeChanged
    | SettingsChanged
    | KeyChanged
    | ModelProgress
    | EnginesChanged
    | EmbeddingProgress
    | DownloadChanged
    | Measured
    | McpChanged
    | RestartWanted
    | Notice
)
