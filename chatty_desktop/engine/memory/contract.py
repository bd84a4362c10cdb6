"""What every memory strategy is: four verbs, and the surroundings it is built with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from chatty_desktop.domain.branch import Branch
from chatty_desktop.domain.events import Level
from chatty_desktop.domain.memory import LedgerEntry, MemorySnapshot
from chatty_desktop.domain.messages import Message, Scope
from chatty_desktop.domain.runs import Run, Section
from chatty_desktop.engine.models import ModelChooser
from chatty_desktop.engine.ports import Embedders, EpisodeStore, MemoryStore, Runs


class MemoryLayer(Protocol):
    """The memory of one agent in one session."""

    async def recall(self, incoming: Message) -> list[Section]:
        """What the model sees besides the system prompt and the new message."""
        ...

    async def record(self, message: Message) -> None:
        """Called for each message as the run produces it, after it is in the log."""
        ...

    async def settle(self, run: Run) -> None:
        """Called once per run, after the answer: fold, summarize, extract, embed."""
        ...

    async def inspect(self) -> MemorySnapshot:
        """What the inspector shows; the ledger is added by the caller."""
        ...


@runtime_checkable
class Recalling(Protocol):
    """Memory that picks messages of the past, and can be told which ones are shown anyway."""

    def leave_out(self, message_ids: Collection[str]) -> None:
        """Before `recall`: the messages that other layers show word for word."""
        ...


@runtime_checkable
class Refolding(Protocol):
    """Memory whose refused batches can be folded again."""

    async def fold_again(self, entry: LedgerEntry) -> None:
        """Fold the messages of a ledger row once more. Raises `Invalid`."""
        ...


class Said(Protocol):
    """What memory reads of the message log."""

    async def branch(self, session_id: str) -> Branch: ...

    async def get(self, message_id: str) -> Message | None: ...


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a strategy is given to work with.

    `layer` keys what the strategy stores, so that two layers of one scope stay apart; `slot` is
    the node of a graph that the memory is for, "" in a chat. `prompts`
    holds the texts of resources/prompts by file name without ending. `tell` writes a line to the
    run log of the session. `only_looks`: recall is asked what it would show; it stores nothing and
    asks no model. `approve`: the person decides on each change of Σ before it is kept.
    """

    scope: Scope
    layer: str
    messages: Said
    store: MemoryStore
    runs: Runs
    models: ModelChooser
    episodes: EpisodeStore
    embedders: Embedders
    prompts: Mapping[str, str]
    tell: Callable[[Level, str], Awaitable[None]]
    only_looks: bool = False
    approve: bool = False
    slot: str = ""
