"""What memory keeps: ledger rows, revisions, summaries, facts, episodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from chatty_desktop.domain.embedding import EmbedderId
from chatty_desktop.domain.episodes import (
    Episode,
    EpisodeCounts,
    EpisodesFound,
    Recall,
    SeenScores,
)
from chatty_desktop.domain.memory import (
    Fact,
    LayerStart,
    LedgerEntry,
    LedgerFilter,
    QueueMarks,
    StateRevision,
    SummaryRevision,
)
from chatty_desktop.domain.messages import (
    Message,
    Scope,
)
from chatty_desktop.domain.ranking import Scored

if TYPE_CHECKING:
    from chatty_desktop.engine.ports.models import Vectors


class MemoryStore(Protocol):
    """Ledger rows, revisions of Σ, summaries, facts, and where a layer starts."""

    async def ledger(
        self, scope: Scope, limit: int | None = 200, wanted: LedgerFilter = LedgerFilter()
    ) -> list[LedgerEntry]:
        """Newest first; without what was asked, which can be long."""
        ...

    async def ledger_entry(self, entry_id: str) -> LedgerEntry | None:
        """A whole row."""
        ...

    async def ledger_entries(self, entry_ids: Sequence[str]) -> dict[str, LedgerEntry]:
        """By id, without what was asked; those that are not there are left out."""
        ...

    async def settle_fold(self, entry: LedgerEntry, revision: StateRevision | None) -> None:
        """Commit a ledger row, with the revision it made, in one transaction; if it had waited,
        it waits no more."""
        ...

    async def settle_summary(self, entry: LedgerEntry, summary: SummaryRevision | None) -> None:
        """Commit a ledger row, with the summary it made, in one transaction."""
        ...

    async def settle_extraction(self, entry: LedgerEntry, facts: Sequence[Fact]) -> None:
        """Commit a ledger row, with the facts it found, in one transaction."""
        ...

    async def queue_marks(
        self, scope: Scope, layer: str, node: str, limit: int | None = None
    ) -> QueueMarks:
        """Of the newest `limit` batches; the strategy is that of a slot of a graph, "" in a
        chat."""
        ...

    async def revisions(
        self, scope: Scope, layer: str, limit: int | None = None, skip: int = 0
    ) -> list[StateRevision]:
        """Newest first, without the newest `skip`."""
        ...

    async def summaries(
        self, scope: Scope, layer: str, limit: int | None = None, skip: int = 0
    ) -> list[SummaryRevision]:
        """Of every branch, newest first, without the newest `skip`."""
        ...

    async def facts(
        self, scope: Scope, layer: str, limit: int | None = None, skip: int = 0
    ) -> list[Fact]:
        """Of every branch, newest first, without the newest `skip`; with those that were
        replaced or forgotten, and what replaced them."""
        ...

    async def facts_about(self, scope: Scope, layer: str, subjects: Sequence[str]) -> list[Fact]:
        """Of every branch, newest first, those whose subject is one of `subjects`, letter for
        letter."""
        ...

    async def waiting(self, scope: Scope, layer: str) -> list[LedgerEntry]:
        """The changes of Σ that wait for the person's word, of every branch, newest first."""
        ...

    async def let_wait(self, entry: LedgerEntry) -> None:
        """Keep a change of Σ, as the row of the ledger it is to be, until the person decides."""
        ...

    async def wait_no_more(self, entry_id: str) -> None: ...

    async def add_layer_start(self, scope: Scope, layer: str, start: LayerStart) -> None: ...


class EpisodeStore(Protocol):
    """Recorded messages and their vectors, each kept with the embedder that made it."""

    async def record(self, messages: Sequence[tuple[Message, str | None]]) -> None:
        """Store messages as episodes, without vectors, each with the id of the episode before it
        on its branch. Those stored already stay as they are."""
        ...

    async def unembedded(
        self,
        provider: str,
        model: str,
        dimension: int | None,
        *,
        scope: Scope | None = None,
        limit: int = 64,
    ) -> list[Episode]:
        """Episodes that the embedder has not embedded, oldest first; of one scope or of all.
        `dimension` None: not known yet, so vectors of any count. Those that it refused are left
        out."""
        ...

    async def count_unembedded(self, provider: str, model: str, dimension: int | None) -> int:
        """How many there are in all scopes."""
        ...

    async def add_vectors(
        self, embedder: EmbedderId, message_ids: Sequence[str], vectors: Vectors
    ) -> None:
        """Keep a vector for each of the episodes: one append to the index. Episodes deleted
        meanwhile are passed over. Raises `Invalid` when a vector is not of the embedder's
        dimension or not finite, `StorageFailed`."""
        ...

    async def refuse(self, embedder: EmbedderId, message_id: str, reason: str) -> None:
        """Note that the embedder refuses an episode, so that it is not asked again."""
        ...

    async def retry_refused(self, provider: str, model: str) -> None:
        """Forget what the embedder refused."""
        ...

    async def score(
        self, embedder: EmbedderId, scope: Scope, vector: Vectors, words: str | None = None
    ) -> Scored:
        """How near each episode of the scope that the embedder has embedded is to a vector of
        one row; with `words`, also how well it matches them. Raises `StorageFailed`."""
        ...

    async def counts(self, scope: Scope | None = None) -> EpisodeCounts:
        """Of one scope, or of all."""
        ...

    async def search(
        self,
        scope: Scope,
        words: Sequence[str],
        embedder: tuple[str, str] | None,
        limit: int,
    ) -> EpisodesFound:
        """Episodes of a scope that say every one of the words (of `searched_words`), with a vector
        or without. `embedder` is the (provider, model) that `embedded` asks about; every one found
        counts as `on_branch`: branches are not looked at here. Raises `StorageFailed`."""
        ...

    async def remove(self, scope: Scope, message_id: str) -> bool:
        """Forget an episode of a scope with its vectors; False when it is not there. The message
        stays. Raises `StorageFailed`."""
        ...

    async def keep_recall(self, scope: Scope, layer: str, recall: Recall) -> None:
        """Keep what was recalled last, in place of what was kept before."""
        ...

    async def last_recall(self, scope: Scope, layer: str) -> Recall | None: ...

    async def seen_scores(self, agent_id: str, provider: str, model: str) -> SeenScores:
        """The scores of the last recalls of an agent by that embedder."""
        ...
