"""What memory holds and what is shown of it: ledger rows, revisions of Σ, summaries, facts,
snapshots."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from chatty_desktop.domain.messages import Message

LedgerKind = Literal["fold", "summary", "extraction", "by_hand"]
Outcome = Literal["accepted", "refused", "unreachable", "nothing"]


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One row for each fold, summary or extraction, and for each act of the person.

    `message_ids` are the messages put in, in order; `patch` what was applied (accepted) or
    proposed (refused), None where there is none; `dropped` holds {"key", "value" or "forget",
    "reason"} for each change grounding left out. `reply` is the raw answer less reasoning, `prompt`
    the (role, content) of what it answers; lists of rows come without it.
    `consumed` says whether the messages left the queue. Times are seconds since 1970 UTC.
    A row of kind "by_hand" asked no model: `reason` says what was done, and its one message is the
    last of the branch on which it was.
    """

    id: str
    run_id: str
    agent_id: str
    session_id: str
    layer: str
    kind: LedgerKind
    outcome: Outcome
    reason: str
    attempts: int
    model: str
    message_ids: tuple[str, ...]
    patch: dict[str, Any] | None
    dropped: tuple[dict[str, Any], ...]
    reply: str
    consumed: bool
    started_at: float
    finished_at: float
    prompt_tokens: int = 0
    completion_tokens: int = 0
    prompt: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class LedgerFilter:
    """Which rows of a ledger are wanted; None and "" leave none out. A row has the words when its
    reason, its change or its raw answer says every one of them."""

    kind: LedgerKind | None = None
    outcome: Outcome | None = None
    layer: str | None = None
    words: str = ""


@dataclass(frozen=True, slots=True)
class StateRevision:
    """Σ as it was after a change, with the message it was made after.

    `patch` is what made this revision of the one before it (its key set = what changed). `pins`
    are the keys that no fold may change, in the order they were pinned.
    """

    id: str
    agent_id: str
    session_id: str
    layer: str
    after_message_id: str
    state: dict[str, Any]
    patch: dict[str, Any]
    ledger_id: str
    at: float
    pins: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SummaryRevision:
    """A rolling summary, with the message it was made after: its cut.

    It stands for every message of its scope from the layer's first to the cut, both included.
    `made_after_id` is the end of the branch it was written or restored on, when that is not its
    cut: it is known only on branches that hold both.
    """

    id: str
    agent_id: str
    session_id: str
    layer: str
    after_message_id: str
    text: str
    ledger_id: str
    at: float
    made_after_id: str = ""

    @property
    def known_after_id(self) -> str:
        """The message from which on it is known."""
        return self.made_after_id or self.after_message_id


@dataclass(frozen=True, slots=True)
class Fact:
    """Something learnt: `fact` is said of `subject`. `source_ids` are the messages it was taken
    from, in order; it is known on branches that hold `after_message_id`.

    `replaces` is the id of the fact that the person put this one in the place of; where it is
    `forgotten`, nothing is in its place."""

    id: str
    agent_id: str
    session_id: str
    layer: str
    after_message_id: str
    subject: str
    fact: str
    source_ids: tuple[str, ...]
    ledger_id: str
    at: float
    replaces: str = ""
    forgotten: bool = False


@dataclass(frozen=True, slots=True)
class QueueMarks:
    """What is known of how far a layer has come in a session, whatever the branch; the newest
    first. strategy: of the newest run, None before the first. starts: the messages with which this
    memory began. ends: the last messages of the batches that left its queue."""

    strategy: dict[str, Any] | None
    starts: tuple[str, ...]
    ends: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LayerStart:
    """The first message a layer takes in: the first of the log, or, where the strategy was
    changed in mid-session, that of the last exchange before the change."""

    message_id: str
    at: float


@dataclass(frozen=True, slots=True)
class KeyChange:
    """When, and after which message, a key of Σ last changed."""

    at: float
    message_id: str


@dataclass(frozen=True, slots=True)
class LayerSnapshot:
    """One layer of an agent's memory, as the inspector shows it; None = not of this kind.

    `key` is what it keeps its memory under. `pins` are the keys of Σ that no fold may change.
    `waiting` is a change of Σ that waits for the person's word: a ledger row to be.
    `starts_at` is the first message this layer takes in, when that is not the first of the log
    (the strategy was changed in mid-session). `verbatim_from` is the id of the oldest message
    that the next request would carry verbatim, None when none would be. `badge` names a problem
    of the stored value itself (over its limit, a key that the fields no longer have).
    `pending` is what no fold, summary or extraction has taken in. `summaries` are those of the
    current branch, newest first, the first of them being `summary`; `covered` counts the messages
    it stands for. `facts` are oldest first.
    """

    kind: str
    state: dict[str, Any] | None = None
    pending: tuple[Message, ...] | None = None
    summary: str | None = None
    summaries: tuple[SummaryRevision, ...] | None = None
    facts: tuple[Fact, ...] | None = None
    episodes: dict[str, Any] | None = None
    recalled: tuple[dict[str, Any], ...] | None = None
    changes: dict[str, KeyChange] = field(default_factory=dict)
    size: int = 0
    max_chars: int = 0
    covered: int = 0
    starts_at: Message | None = None
    verbatim_from: str | None = None
    badge: str = ""
    key: str = ""
    pins: tuple[str, ...] = ()
    waiting: LedgerEntry | None = None


@dataclass(frozen=True, slots=True)
class MemorySnapshot:
    """All that an agent remembers in a session, newest ledger row first."""

    strategy: dict[str, Any]
    layers: tuple[LayerSnapshot, ...]
    ledger: tuple[LedgerEntry, ...] = ()
