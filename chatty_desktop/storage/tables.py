"""The tables as SQLAlchemy sees them. `migrations` makes them; a test holds the two together.

Times are seconds since 1970 UTC. JSON columns are text, written and read by the stores.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Dialect,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    TypeDecorator,
)

from chatty_desktop.domain.characters import whole_text

metadata = MetaData()


class _WholeText(TypeDecorator[str]):
    """Text that came from anywhere: halves of characters, which no database takes, are mended. On
    a server too, words are in the order of their letters' numbers, in whatever language it orders
    them."""

    impl = Text().with_variant(Text(collation="C"), "postgresql")
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return whole_text(value) if isinstance(value, str) else value

    @property
    def python_type(self) -> type[str]:
        return str


TEXT = _WholeText()
# On a server numbers are as long as here.
INTEGER = Integer().with_variant(BigInteger(), "postgresql")


def _id() -> Column[str]:
    return Column("id", TEXT, primary_key=True)


def _session(*, key: bool = False) -> Column[str]:
    return Column(
        "session_id",
        TEXT,
        ForeignKey("sessions.id", ondelete="CASCADE"),
        nullable=False,
        primary_key=key,
    )


def _text(name: str, default: str | None = "") -> Column[str]:
    return Column(name, TEXT, nullable=default is None, server_default=default)


def _kept_by_layer(name: str, *own: Column[Any]) -> Table:
    """What a layer keeps of a session for an agent, made after a message."""
    return Table(
        name,
        metadata,
        Column("seq", INTEGER, primary_key=True, autoincrement=True),
        Column("id", TEXT, nullable=False, unique=True),
        _session(),
        Column("agent_id", TEXT, nullable=False),
        Column("layer", TEXT, nullable=False),
        Column("after_message_id", TEXT, nullable=False),
        *own,
        _text("ledger_id"),
        Column("at", Double, nullable=False),
        Index(f"{name}_scope", "session_id", "agent_id", "layer", "seq"),
    )


agents = Table(
    "agents",
    metadata,
    _id(),
    Column("name", TEXT, nullable=False, unique=True),
    Column("definition", TEXT, nullable=False),
    Column("created_at", Double, nullable=False),
)

graphs = Table(
    "graphs",
    metadata,
    _id(),
    Column("name", TEXT, nullable=False, unique=True),
    Column("definition", TEXT, nullable=False),
    Column("created_at", Double, nullable=False),
)

folders = Table(
    "folders",
    metadata,
    _id(),
    Column("name", TEXT, nullable=False, unique=True),
    Column("created_at", Double, nullable=False),
)

sessions = Table(
    "sessions",
    metadata,
    _id(),
    _text("title"),
    Column("created_at", Double, nullable=False),
    Column("updated_at", Double, nullable=False, index=True),
    _text("leaf_id", None),
    _text("agent_id", None),
    Column("pinned", Boolean, nullable=False, server_default="0"),
    Column("archived", Boolean, nullable=False, server_default="0"),
    Column("folder_id", TEXT, ForeignKey("folders.id", ondelete="SET NULL")),
    _text("titled_by", "words"),
    Column("deleted_at", Double),
    _text("kind", "chat"),
)
"""`titled_by`: "words" (the first ones of the chat), "model" or "person". `deleted_at`: when the
person deleted it; until it goes for good, that can be undone."""

messages = Table(
    "messages",
    metadata,
    _id(),
    _session(),
    _text("parent_id", None),
    Column("agent_id", TEXT, nullable=False),
    _text("run_id"),
    Column("role", TEXT, nullable=False),
    _text("content"),
    Column("at", Double, nullable=False),
    _text("status", "complete"),
    _text("model"),
    _text("reasoning"),
    _text("error"),
    Column("seconds", Double, nullable=False, server_default="0"),
    _text("tool_calls", "[]"),
    _text("tool_call_id"),
    Column("thought_seconds", Double, nullable=False, server_default="0"),
    _text("attachments", "[]"),
    _text("node"),
    Index("messages_session", "session_id"),
    Index("messages_parent", "parent_id"),
)

runs = Table(
    "runs",
    metadata,
    _id(),
    _session(),
    Column("agent_id", TEXT, nullable=False),
    _text("strategy", "{}"),
    _text("model"),
    Column("started_at", Double, nullable=False),
    Column("finished_at", Double),
    _text("status", "running"),
    _text("node"),
    Index("runs_scope", "session_id", "agent_id", "started_at"),
)

graph_runs = Table(
    "graph_runs",
    metadata,
    _id(),
    _session(),
    Column("graph", TEXT, nullable=False),
    Column("input_id", TEXT, nullable=False),
    _text("nodes", "[]"),
    Column("started_at", Double, nullable=False),
    Column("finished_at", Double),
    _text("status", "running"),
    Index("graph_runs_session", "session_id", "started_at"),
)
"""`graph` is the graph as it was when it ran; `nodes` a list of `NodeRun`."""

run_log = Table(
    "run_log",
    metadata,
    Column("seq", INTEGER, primary_key=True, autoincrement=True),
    _session(),
    _text("run_id"),
    Column("at", Double, nullable=False),
    _text("level", "info"),
    _text("text"),
    Index("run_log_session", "session_id", "seq"),
)

requests = Table(
    "requests",
    metadata,
    Column("seq", INTEGER, primary_key=True, autoincrement=True),
    Column("run_id", TEXT, ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
    _session(),
    Column("agent_id", TEXT, nullable=False),
    _text("model"),
    _text("sections", "[]"),
    Column("estimated_tokens", INTEGER, nullable=False, server_default="0"),
    Column("prompt_tokens", INTEGER),
    Column("completion_tokens", INTEGER),
    Column("at", Double, nullable=False),
    _text("options", "{}"),
    Index("requests_scope", "session_id", "agent_id", "seq"),
    Index("requests_run", "run_id"),
)


def _ledger(name: str) -> Table:
    """Rows of what was asked for memory, or done to it, and how it ended."""
    return Table(
        name,
        metadata,
        Column("seq", INTEGER, primary_key=True, autoincrement=True),
        Column("id", TEXT, nullable=False, unique=True),
        _session(),
        Column("agent_id", TEXT, nullable=False),
        _text("run_id"),
        Column("layer", TEXT, nullable=False),
        Column("kind", TEXT, nullable=False),
        Column("outcome", TEXT, nullable=False),
        _text("reason"),
        Column("attempts", INTEGER, nullable=False, server_default="0"),
        _text("model"),
        _text("message_ids", "[]"),
        _text("through_message_id", None),
        _text("patch", None),
        _text("dropped", "[]"),
        _text("reply"),
        Column("consumed", Boolean, nullable=False),
        Column("started_at", Double, nullable=False),
        Column("finished_at", Double, nullable=False),
        Column("prompt_tokens", INTEGER, nullable=False, server_default="0"),
        Column("completion_tokens", INTEGER, nullable=False, server_default="0"),
        _text("prompt", "[]"),
        Index(f"{name}_scope", "session_id", "agent_id", "layer", "seq"),
    )


ledger = _ledger("ledger")

waiting_patches = _ledger("waiting_patches")
"""Changes of Σ that wait for the person's word: what their rows of the ledger will be."""

state_revisions = _kept_by_layer(
    "state_revisions",
    Column("state", TEXT, nullable=False),
    _text("patch", "{}"),
    _text("pins", "[]"),
)

layer_starts = Table(
    "layer_starts",
    metadata,
    Column("seq", INTEGER, primary_key=True, autoincrement=True),
    _session(),
    Column("agent_id", TEXT, nullable=False),
    Column("layer", TEXT, nullable=False),
    Column("message_id", TEXT, nullable=False),
    Column("at", Double, nullable=False),
    Index("layer_starts_scope", "session_id", "agent_id", "layer", "seq"),
)

summaries = _kept_by_layer(
    "summaries",
    Column("text", TEXT, nullable=False),
    _text("made_after_id"),
)

facts = _kept_by_layer(
    "facts",
    Column("subject", TEXT, nullable=False),
    Column("fact", TEXT, nullable=False),
    _text("source_ids", "[]"),
    _text("replaces"),
    Column("forgotten", Boolean, nullable=False, server_default="0"),
)

episodes = Table(
    "episodes",
    metadata,
    Column("seq", INTEGER, primary_key=True, autoincrement=True),
    Column(
        "message_id",
        TEXT,
        ForeignKey("messages.id", ondelete="CASCADE"),
        nullable=False,
        unique=True,
    ),
    _session(),
    Column("agent_id", TEXT, nullable=False),
    _text("before_id", None),
    Index("episodes_scope", "session_id", "agent_id", "seq"),
)
"""`before_id`: the message the agent's memory holds just before this one, on the same branch."""

embedders = Table(
    "embedders",
    metadata,
    Column("id", INTEGER, primary_key=True, autoincrement=True),
    Column("provider", TEXT, nullable=False),
    Column("model", TEXT, nullable=False),
    Column("dimension", INTEGER, nullable=False),
    Index("embedders_identity", "provider", "model", "dimension", unique=True),
)

episode_vectors = Table(
    "episode_vectors",
    metadata,
    Column("seq", INTEGER, primary_key=True, autoincrement=True),
    Column(
        "message_id",
        TEXT,
        ForeignKey("episodes.message_id", ondelete="CASCADE"),
        nullable=False,
    ),
    Column("embedder_id", INTEGER, ForeignKey("embedders.id"), nullable=False),
    Column("vector", LargeBinary),
    _text("refused"),
    Index("episode_vectors_identity", "embedder_id", "message_id", unique=True),
    Index("episode_vectors_message", "message_id"),
)
"""What the index of vectors is built from, so that it can be built again without the model that
made them. `vector` is float32, little-endian; NULL where the embedder refused the text."""

recalls = Table(
    "recalls",
    metadata,
    _session(key=True),
    Column("agent_id", TEXT, nullable=False, primary_key=True),
    Column("layer", TEXT, nullable=False, primary_key=True),
    Column("query_id", TEXT, nullable=False),
    Column("embedder_id", INTEGER, ForeignKey("embedders.id"), nullable=False),
    _text("candidates", "[]"),
    Column("at", Double, nullable=False),
)
"""The last recall of each layer."""

drafts = Table(
    "drafts",
    metadata,
    Column("place", TEXT, primary_key=True),
    Column("session_id", TEXT, ForeignKey("sessions.id", ondelete="CASCADE")),
    Column("content", TEXT, nullable=False),
    _text("attachments", "[]"),
    Index("drafts_session", "session_id"),
)
"""What is written and not sent yet. `place`: the id of the chat, "" for the page on which a new one
begins, which has no `session_id`."""

files = Table(
    "files",
    metadata,
    Column("digest", TEXT, primary_key=True),
    Column("data", LargeBinary, nullable=False),
    _text("text", None),
)
"""Attached files. `digest`: SHA-256 of `data`, in hex; `text`: what was read out of a document."""

attached = Table(
    "attached",
    metadata,
    Column("owner", TEXT, primary_key=True),
    Column("digest", TEXT, ForeignKey("files.digest"), primary_key=True),
    Index("attached_digest", "digest"),
)
"""Who names a file: `message:` with an id, `draft:` with a place. Kept by triggers."""


measurements = Table(
    "measurements",
    metadata,
    _id(),
    Column("agent_id", TEXT, ForeignKey("agents.id", ondelete="CASCADE"), nullable=False),
    Column("session_id", TEXT, ForeignKey("sessions.id", ondelete="CASCADE")),
    Column("model", TEXT, nullable=False),
    Column("content", TEXT, nullable=False),
    Column("at", Double, nullable=False),
    Index("measurements_agent", "agent_id", "at"),
    Index("measurements_session", "session_id"),
)
"""What measuring a model for an agent came to. `session_id`: the chat that was measured, whose
words are in it; NULL for a script."""
