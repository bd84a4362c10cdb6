"""What the engine needs from the outside, as Protocols; storage and providers implement them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from chatty_desktop.domain.agents import Agent, AgentDefinition
from chatty_desktop.domain.branch import Branch
from chatty_desktop.domain.chat_document import ChatDocument
from chatty_desktop.domain.embedding import EmbedderId
from chatty_desktop.domain.episodes import (
    Episode,
    EpisodeCounts,
    EpisodesFound,
    Recall,
    SeenScores,
)
from chatty_desktop.domain.events import Event, LogEntry
from chatty_desktop.domain.imports.chats import ImportedChat
from chatty_desktop.domain.memory import (
    Fact,
    LayerStart,
    LedgerEntry,
    StateRevision,
    SummaryRevision,
)
from chatty_desktop.domain.messages import (
    DeletionCounts,
    Folder,
    Message,
    Scope,
    Session,
    TitledBy,
)
from chatty_desktop.domain.pages import Page
from chatty_desktop.domain.ranking import Scored
from chatty_desktop.domain.requests import ChatRequest, Delta, ModelChoice, Usage
from chatty_desktop.domain.runs import Run, Section, SentRequest
from chatty_desktop.domain.search import MessageHits, Query
from chatty_desktop.domain.settings import Settings
from chatty_desktop.domain.tools import Consent, ToolResult, ToolSpec, ToolUse

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
    """Row after row of float32."""

# --- chat models -----------------------------------------------------------------------------


class ChatModel(Protocol):
    """One chat model of one provider."""

    @property
    def reference(self) -> str:
        """`provider_id/model`."""
        ...

    async def context_length(self) -> int | None:
        """Tokens that fit the model's context as it is served; None when not known."""
        ...

    def stream(self, request: ChatRequest) -> AsyncIterator[Delta]:
        """Stream one answer. Closing the iterator closes the connection.

        Raises `Unreachable` (connection, time-out, 5xx, 429 after back-off, authentication,
        missing model) or `Refused` (any other 4xx).
        """
        ...


class Models(Protocol):
    """The models of all providers in the settings."""

    def chat_model(self, reference: str) -> ChatModel:
        """The model by its reference. Raises `Invalid` when no provider has that id."""
        ...

    def registered(self, reference: str) -> bool:
        """Whether the reference names a provider of the settings."""
        ...

    async def first_available(self) -> str | None:
        """The default model of the first provider that answers, None without one."""
        ...

    async def choices(self) -> tuple[list[ModelChoice], list[str]]:
        """All models that can be picked, and a line for each provider that could not be asked."""
        ...


class Embedder(Protocol):
    """One embedding model. Its vectors have length 1, so that their product is the cosine; their
    dimension is learnt from the first of them."""

    @property
    def provider(self) -> str:
        """The provider's id."""
        ...

    @property
    def model(self) -> str: ...

    async def embed_texts(self, texts: Sequence[str]) -> Vectors:
        """A row for each text to store. Raises `Unreachable` or `Refused`."""
        ...

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """A row for each text that is looked for. Raises `Unreachable` or `Refused`."""
        ...


class Embedders(Protocol):
    """The system's embedding model, as the settings name it at the moment of asking."""

    def present(self) -> Embedder | None:
        """None where none is configured. Asks nobody. Raises `Invalid` when the settings name
        one that there is not."""
        ...


# --- stores ----------------------------------------------------------------------------------


class MessageLog(Protocol):
    """The message tree of every session: the truth for text."""

    async def append(self, message: Message) -> None:
        """Commit a new message under its parent and make it the session's leaf."""
        ...

    async def update(self, message: Message) -> None:
        """Commit a message's present form (a partial reply, its end)."""
        ...

    async def get(self, message_id: str) -> Message | None: ...

    async def branch(self, session_id: str) -> Branch:
        """Every message from the first to the session's leaf; it grows as the chat goes on."""
        ...

    async def page(
        self, session_id: str, before: str | None = None, limit: int = 60
    ) -> list[Message]:
        """Up to `limit` messages of the current branch that end at the leaf, or just before the
        message `before`; in order. Does not read the rest of the branch."""
        ...

    async def set_leaf(self, session_id: str, message_id: str | None) -> None:
        """Make another message the end of the current branch."""
        ...

    async def versions(self, message_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """For each of the messages that has others beside it under the same parent: the ids of
        all of them, itself included, oldest first."""
        ...

    async def newest_below(self, message_id: str) -> str:
        """The end of the newest branch that holds the message."""
        ...

    async def delete(
        self, session_id: str, message_id: str, *, following: bool
    ) -> tuple[tuple[Scope, ...], DeletionCounts]:
        """Delete a message, or it and all that follows it, with everything made of them, on every
        branch; what memory made later goes too, and what stays is queued again.

        A call goes with its results; a message of the person takes the answers to it along. What
        follows and stays is joined to what was before. Returns the scopes whose memory lost
        something. Raises `Invalid` when the message is not in the session.
        """
        ...


class Sessions(Protocol):
    """The list of chats. One that was put away is nowhere in it, but can be restored."""

    async def list(self, query: str = "") -> list[Session]:
        """Newest first; with a query, those whose title holds it (any case)."""
        ...

    async def get(self, session_id: str) -> Session | None: ...

    async def find(self, name: str) -> Session | None:
        """By id, else by exact title. Raises `Invalid` when several have that title."""
        ...

    async def create(
        self,
        title: str = "",
        agent_id: str | None = None,
        session_id: str | None = None,
        titled_by: TitledBy = "words",
    ) -> Session: ...

    async def rename(
        self, session_id: str, title: str, by: TitledBy = "person", instead_of: str | None = None
    ) -> None:
        """Give a title. With `instead_of`, only while that is the title and no person gave it."""
        ...

    async def set_agent(self, session_id: str, agent_id: str) -> None:
        """Remember which agent the composer of this session speaks to."""
        ...

    async def pin(self, session_ids: Sequence[str], pinned: bool) -> None:
        """Keep chats on top of the list, or no longer."""
        ...

    async def archive(self, session_ids: Sequence[str], archived: bool) -> None:
        """Put chats out of the way, or back; pins fall off on the way out."""
        ...

    async def move(self, session_ids: Sequence[str], folder_id: str | None) -> None:
        """Put chats into a folder, None into none. Raises `Invalid` when it is gone."""
        ...

    async def put_away(self, session_ids: Sequence[str]) -> DeletionCounts:
        """Take chats out of every list, search and memory until they are restored or deleted;
        what a deletion will take along."""
        ...

    async def restore(self, session_ids: Sequence[str]) -> None:
        """Bring back chats that were put away. Raises `Invalid` when they are gone for good."""
        ...

    async def away(self, before: float | None = None) -> Sequence[str]:
        """The ids of chats that were put away, or were so before a moment."""
        ...

    async def delete(self, session_id: str) -> DeletionCounts:
        """Delete the session and everything derived from it, for good."""
        ...


class Drafts(Protocol):
    """What is written and not sent yet, in each chat; None stands for the page on which a new one
    begins."""

    def text(self, session_id: str | None) -> str:
        """What was being written there, "" where nothing was."""
        ...

    def keep(self, session_id: str | None, text: str) -> None:
        """Keep what is being written; "" forgets it. It is stored in a moment."""
        ...


class Folders(Protocol):
    """Places for chats that belong together. Names are unique, whatever their case."""

    async def list(self) -> list[Folder]:
        """By name."""
        ...

    async def create(self, name: str) -> Folder:
        """Raises `Invalid` for a name that is empty or taken."""
        ...

    async def rename(self, folder_id: str, name: str) -> None:
        """Raises `Invalid` for a name that is empty or taken."""
        ...

    async def delete(self, folder_id: str) -> None:
        """The chats in it stay, in no folder."""
        ...


class MessageSearch(Protocol):
    """Words in the messages of all chats."""

    async def messages(
        self, query: Query, before: int | None = None, limit: int = 30
    ) -> MessageHits:
        """Messages that count and hold every term, newest first; after a page, those with a
        number below `before`."""
        ...


class Agents(Protocol):
    """The stored agents; names are unique."""

    async def list(self) -> list[Agent]:
        """By name."""
        ...

    async def get(self, agent_id: str) -> Agent | None: ...

    async def by_name(self, name: str) -> Agent | None: ...

    async def save(self, definition: AgentDefinition, agent_id: str | None = None) -> Agent:
        """Store under `agent_id`, or as a new agent. Raises `Invalid` when the name is taken."""
        ...

    async def import_(self, definition: AgentDefinition) -> Agent:
        """Store, replacing the agent of that name (it keeps its id, so its memory resumes)."""
        ...

    async def delete(self, agent_id: str) -> DeletionCounts:
        """Delete the agent with its memory in every session; what was said stays in the chats."""
        ...


class ChatDocuments(Protocol):
    """Chats as documents, and chats of other programs."""

    async def read(self, session_id: str) -> ChatDocument:
        """A chat as a document. Raises `Invalid` when it is gone, `StorageFailed`."""
        ...

    async def add(self, document: ChatDocument, agents: Mapping[str, str]) -> Session:
        """Store a document as a chat of its own, under new ids. `agents` gives for each agent of
        the document the id it goes by here. Raises `StorageFailed`."""
        ...

    async def add_foreign(self, chat: ImportedChat, agent_id: str) -> Session:
        """Store a chat of another program: its messages are the agent's. Raises
        `StorageFailed`."""
        ...


class SettingsStore(Protocol):
    """The settings as they are, and the way to change them."""

    @property
    def current(self) -> Settings: ...

    async def change(self, change: Callable[[Settings], Settings]) -> None:
        """Save a change. Raises `Invalid` or `StorageFailed`; nothing is changed then."""
        ...


class Keys(Protocol):
    """The keys of providers and of MCP servers."""

    async def set(self, provider_id: str, key: str, *, into_file: bool = False) -> None:
        """Keep a key. Raises `Invalid`, `NoKeyring` when the person has to be asked whether it
        may go into a file (`into_file`), `StorageFailed`."""
        ...

    async def copy(self, provider_id: str, new_id: str) -> bool:
        """Give a stored key to another id, too; False where there is none. Raises
        `StorageFailed`."""
        ...

    async def forget(self, provider_id: str) -> None:
        """Forget a stored key. Raises `StorageFailed` when it is still there afterwards."""
        ...


class MemoryStore(Protocol):
    """Ledger rows, revisions of Σ, summaries, facts, and where a layer starts."""

    async def ledger(self, scope: Scope, limit: int = 200) -> list[LedgerEntry]:
        """Newest first."""
        ...

    async def ledger_entry(self, entry_id: str) -> LedgerEntry | None: ...

    async def settle_fold(self, entry: LedgerEntry, revision: StateRevision | None) -> None:
        """Commit a ledger row, with the revision it made, in one transaction."""
        ...

    async def settle_summary(self, entry: LedgerEntry, summary: SummaryRevision | None) -> None:
        """Commit a ledger row, with the summary it made, in one transaction."""
        ...

    async def settle_extraction(self, entry: LedgerEntry, facts: Sequence[Fact]) -> None:
        """Commit a ledger row, with the facts it found, in one transaction."""
        ...

    async def consumed_through(
        self, scope: Scope, layer: str, limit: int | None = None
    ) -> list[str]:
        """Ids of the last message of every batch that left the queue, newest batch first."""
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
        """Of every branch, newest first, without the newest `skip`."""
        ...

    async def facts_about(self, scope: Scope, layer: str, subjects: Sequence[str]) -> list[Fact]:
        """Of every branch, those whose subject is one of `subjects`, letter for letter."""
        ...

    async def change_fact(self, fact_id: str, text: str | None) -> None:
        """Put other words in the place of a fact's; None deletes it. Raises `Invalid` when it is
        not there."""
        ...

    async def layer_starts(self, scope: Scope, layer: str) -> list[LayerStart]:
        """Newest first."""
        ...

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

    async def keep_recall(self, scope: Scope, layer: str, recall: Recall) -> None:
        """Keep what was recalled last, in place of what was kept before."""
        ...

    async def last_recall(self, scope: Scope, layer: str) -> Recall | None: ...

    async def seen_scores(self, agent_id: str, provider: str, model: str) -> SeenScores:
        """The scores of the last recalls of an agent by that embedder."""
        ...


class Runs(Protocol):
    """Runs, their log, and what was sent to the model."""

    async def start(self, run: Run) -> None:
        """Begin a run."""
        ...

    async def ask(self, run: Run, sections: Sequence[Section], tokens: int) -> None:
        """Keep what is about to be sent in a step of a run; verbatim messages as references, not
        as copies. `tokens` is the estimate of the whole."""
        ...

    async def answered(self, run_id: str, usage: Usage) -> None:
        """The server's token counts for the newest request of a run."""
        ...

    async def finish(self, run_id: str, status: str) -> None:
        """End a run."""
        ...

    async def log(self, session_id: str, entry: LogEntry) -> None: ...

    async def read_log(self, session_id: str, limit: int = 500) -> list[LogEntry]:
        """The newest `limit` lines, oldest of them first."""
        ...

    async def warnings(self, session_id: str, run_ids: Sequence[str]) -> list[LogEntry]:
        """The lines of these runs that are warnings or errors, oldest first."""
        ...

    async def last_strategy(self, scope: Scope) -> dict[str, Any] | None:
        """The effective strategy of the newest run of the scope, None before the first."""
        ...

    async def last_request(self, scope: Scope) -> SentRequest | None: ...


Publish = Callable[[Event], None]
"""Tells every listener of something that happened; never blocks, never raises."""


class ToolBox(Protocol):
    """Tools of one origin: those that come with the app, or those of MCP servers."""

    async def tools(self) -> list[ToolSpec]:
        """Those there are at this moment. Starts what it takes to know."""
        ...

    async def call(self, use: ToolUse) -> ToolResult:
        """Run a tool; what goes wrong in it is a result that says so. Cancelling reaches the
        tool. Raises `Invalid` when there is no such tool, `Unreachable` when its server is gone."""
        ...


class Pages(Protocol):
    """Pages of the web."""

    async def fetch(self, url: str) -> Page:
        """A page as text. Raises `Invalid` for what is no address, `Refused` for one that is out
        of bounds or gives no text, `Unreachable`."""
        ...


class Consents(Protocol):
    """Asks the person whether a call may run."""

    async def ask(self, use: ToolUse) -> Consent:
        """What the person says. Where nobody can be asked, raises `Refused` with the reason."""
        ...
