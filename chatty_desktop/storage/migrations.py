"""Numbered steps that bring a database up to date, each applied once and recorded.

A step never changes after its release: a new need is a new function at the end of the list.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from sqlalchemy import Connection, text

Step = Callable[[Connection], None]

_FIRST = """
CREATE TABLE agents (id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL UNIQUE,
  definition TEXT NOT NULL, created_at DOUBLE PRECISION NOT NULL);
CREATE TABLE sessions (id TEXT NOT NULL PRIMARY KEY, title TEXT NOT NULL DEFAULT '',
  created_at DOUBLE PRECISION NOT NULL, updated_at DOUBLE PRECISION NOT NULL,
  leaf_id TEXT, agent_id TEXT);
CREATE INDEX ix_sessions_updated_at ON sessions (updated_at);
CREATE TABLE messages (id TEXT NOT NULL PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE, parent_id TEXT,
  agent_id TEXT NOT NULL, run_id TEXT NOT NULL DEFAULT '', role TEXT NOT NULL,
  content TEXT NOT NULL DEFAULT '', at DOUBLE PRECISION NOT NULL,
  status TEXT NOT NULL DEFAULT 'complete', model TEXT NOT NULL DEFAULT '',
  reasoning TEXT NOT NULL DEFAULT '', error TEXT NOT NULL DEFAULT '',
  seconds DOUBLE PRECISION NOT NULL DEFAULT 0, tool_calls TEXT NOT NULL DEFAULT '[]',
  tool_call_id TEXT NOT NULL DEFAULT '');
CREATE INDEX messages_session ON messages (session_id);
CREATE INDEX messages_parent ON messages (parent_id);
CREATE TABLE runs (id TEXT NOT NULL PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE, agent_id TEXT NOT NULL,
  strategy TEXT NOT NULL DEFAULT '{}', model TEXT NOT NULL DEFAULT '',
  started_at DOUBLE PRECISION NOT NULL, finished_at DOUBLE PRECISION,
  status TEXT NOT NULL DEFAULT 'running');
CREATE INDEX runs_scope ON runs (session_id, agent_id, started_at);
CREATE TABLE run_log (seq INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  run_id TEXT NOT NULL DEFAULT '', at DOUBLE PRECISION NOT NULL,
  level TEXT NOT NULL DEFAULT 'info', text TEXT NOT NULL DEFAULT '');
CREATE INDEX run_log_session ON run_log (session_id, seq);
CREATE TABLE requests (seq INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE, agent_id TEXT NOT NULL,
  model TEXT NOT NULL DEFAULT '', sections TEXT NOT NULL DEFAULT '[]',
  estimated_tokens INTEGER NOT NULL DEFAULT 0, prompt_tokens INTEGER,
  completion_tokens INTEGER, at DOUBLE PRECISION NOT NULL);
CREATE INDEX requests_scope ON requests (session_id, agent_id, seq);
CREATE INDEX requests_run ON requests (run_id);
CREATE TABLE ledger (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE, agent_id TEXT NOT NULL,
  run_id TEXT NOT NULL DEFAULT '', layer TEXT NOT NULL, kind TEXT NOT NULL,
  outcome TEXT NOT NULL, reason TEXT NOT NULL DEFAULT '', attempts INTEGER NOT NULL DEFAULT 0,
  model TEXT NOT NULL DEFAULT '', message_ids TEXT NOT NULL DEFAULT '[]',
  through_message_id TEXT, patch TEXT, dropped TEXT NOT NULL DEFAULT '[]',
  reply TEXT NOT NULL DEFAULT '', consumed BOOLEAN NOT NULL,
  started_at DOUBLE PRECISION NOT NULL, finished_at DOUBLE PRECISION NOT NULL,
  prompt_tokens INTEGER NOT NULL DEFAULT 0, completion_tokens INTEGER NOT NULL DEFAULT 0);
CREATE INDEX ledger_scope ON ledger (session_id, agent_id, layer, seq);
CREATE TABLE state_revisions (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE, agent_id TEXT NOT NULL,
  layer TEXT NOT NULL, after_message_id TEXT NOT NULL, state TEXT NOT NULL,
  patch TEXT NOT NULL DEFAULT '{}', ledger_id TEXT NOT NULL DEFAULT '',
  at DOUBLE PRECISION NOT NULL);
CREATE INDEX state_revisions_scope ON state_revisions (session_id, agent_id, layer, seq);
CREATE TABLE layer_starts (seq INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE, agent_id TEXT NOT NULL,
  layer TEXT NOT NULL, message_id TEXT NOT NULL, at DOUBLE PRECISION NOT NULL);
CREATE INDEX layer_starts_scope ON layer_starts (session_id, agent_id, layer, seq);
"""

_SUMMARIES_AND_FACTS = """
CREATE TABLE summaries (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE, agent_id TEXT NOT NULL,
  layer TEXT NOT NULL, after_message_id TEXT NOT NULL, text TEXT NOT NULL,
  ledger_id TEXT NOT NULL DEFAULT '', at DOUBLE PRECISION NOT NULL);
CREATE INDEX summaries_scope ON summaries (session_id, agent_id, layer, seq);
CREATE TABLE facts (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE, agent_id TEXT NOT NULL,
  layer TEXT NOT NULL, after_message_id TEXT NOT NULL, subject TEXT NOT NULL,
  fact TEXT NOT NULL, source_ids TEXT NOT NULL DEFAULT '[]',
  ledger_id TEXT NOT NULL DEFAULT '', at DOUBLE PRECISION NOT NULL);
CREATE INDEX facts_scope ON facts (session_id, agent_id, layer, seq);
"""


def first_release(connection: Connection) -> None:
    """Agents, sessions, the message tree, runs with their log and requests, State memory."""
    _each(connection, _FIRST)


def summaries_and_facts(connection: Connection) -> None:
    """Rolling summaries and extracted facts."""
    _each(connection, _SUMMARIES_AND_FACTS)


def _each(connection: Connection, statements: str) -> None:
    for statement in statements.split(";"):
        if statement.strip():
            connection.execute(text(statement))


_EPISODES = """
CREATE TABLE episodes (seq INTEGER PRIMARY KEY AUTOINCREMENT,
  message_id TEXT NOT NULL UNIQUE REFERENCES messages (id) ON DELETE CASCADE,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE, agent_id TEXT NOT NULL,
  before_id TEXT);
CREATE INDEX episodes_scope ON episodes (session_id, agent_id, seq);
CREATE TABLE embedders (id INTEGER PRIMARY KEY AUTOINCREMENT, provider TEXT NOT NULL,
  model TEXT NOT NULL, dimension INTEGER NOT NULL);
CREATE UNIQUE INDEX embedders_identity ON embedders (provider, model, dimension);
CREATE TABLE episode_vectors (seq INTEGER PRIMARY KEY AUTOINCREMENT,
  message_id TEXT NOT NULL REFERENCES episodes (message_id) ON DELETE CASCADE,
  embedder_id INTEGER NOT NULL REFERENCES embedders (id), vector BLOB,
  refused TEXT NOT NULL DEFAULT '');
CREATE UNIQUE INDEX episode_vectors_identity ON episode_vectors (embedder_id, message_id);
CREATE INDEX episode_vectors_message ON episode_vectors (message_id);
CREATE TABLE recalls (session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  agent_id TEXT NOT NULL, layer TEXT NOT NULL, query_id TEXT NOT NULL,
  embedder_id INTEGER NOT NULL REFERENCES embedders (id),
  candidates TEXT NOT NULL DEFAULT '[]', at DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (session_id, agent_id, layer));
"""


def episodes(connection: Connection) -> None:
    """Episodes, their vectors by embedder, and what was recalled last."""
    for statement in _EPISODES.split(";"):
        if statement.strip():
            connection.execute(text(statement))


_MESSAGE_SEARCH = (
    # Numbers of their own: a rowid of `messages` may change when the file is compacted.
    """CREATE TABLE search_rows (number INTEGER PRIMARY KEY AUTOINCREMENT,
  message_id TEXT NOT NULL UNIQUE)""",
    """CREATE VIRTUAL TABLE message_search USING fts5(content, content='',
  tokenize="unicode61 remove_diacritics 2")""",
    """CREATE TRIGGER search_message_added AFTER INSERT ON messages
WHEN new.content <> '' AND new.status NOT IN ('failed', 'streaming')
BEGIN
  INSERT INTO search_rows (message_id) VALUES (new.id);
  INSERT INTO message_search (rowid, content)
    SELECT number, new.content FROM search_rows WHERE message_id = new.id;
END""",
    """CREATE TRIGGER search_message_changed AFTER UPDATE OF content, status ON messages
WHEN old.content <> new.content OR old.status <> new.status
BEGIN
  INSERT INTO message_search (message_search, rowid, content)
    SELECT 'delete', number, old.content FROM search_rows WHERE message_id = old.id;
  DELETE FROM search_rows WHERE message_id = old.id;
  INSERT INTO search_rows (message_id)
    SELECT new.id WHERE new.content <> '' AND new.status NOT IN ('failed', 'streaming');
  INSERT INTO message_search (rowid, content)
    SELECT number, new.content FROM search_rows WHERE message_id = new.id;
END""",
    """CREATE TRIGGER search_message_deleted AFTER DELETE ON messages
BEGIN
  INSERT INTO message_search (message_search, rowid, content)
    SELECT 'delete', number, old.content FROM search_rows WHERE message_id = old.id;
  DELETE FROM search_rows WHERE message_id = old.id;
END""",
    """INSERT INTO search_rows (message_id) SELECT id FROM messages
  WHERE content <> '' AND status NOT IN ('failed', 'streaming') ORDER BY at, id""",
    """INSERT INTO message_search (rowid, content)
  SELECT number, content FROM search_rows JOIN messages ON id = message_id ORDER BY number""",
)


def message_search(connection: Connection) -> None:
    """An index of the words of every message that counts, kept by triggers."""
    for statement in _MESSAGE_SEARCH:
        connection.exec_driver_sql(statement)


_ORDER_OF_CHATS = """
CREATE TABLE folders (id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL UNIQUE,
  created_at DOUBLE PRECISION NOT NULL);
ALTER TABLE sessions ADD COLUMN pinned BOOLEAN NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN archived BOOLEAN NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN folder_id TEXT REFERENCES folders (id) ON DELETE SET NULL;
ALTER TABLE sessions ADD COLUMN titled_by TEXT NOT NULL DEFAULT 'words';
ALTER TABLE sessions ADD COLUMN deleted_at DOUBLE PRECISION;
UPDATE sessions SET titled_by = 'person' WHERE title <> '';
"""


def order_of_chats(connection: Connection) -> None:
    """Pinned and archived chats, folders, who gave a title, deletions that can be undone. Of a
    title that is there it is not known who gave it: it stays as it is."""
    _each(connection, _ORDER_OF_CHATS)


def time_of_thought(connection: Connection) -> None:
    """How long a model reasoned before it answered."""
    connection.execute(
        text("ALTER TABLE messages ADD COLUMN thought_seconds DOUBLE PRECISION NOT NULL DEFAULT 0")
    )


_DRAFTS = """
CREATE TABLE drafts (place TEXT NOT NULL PRIMARY KEY,
  session_id TEXT REFERENCES sessions (id) ON DELETE CASCADE, content TEXT NOT NULL);
CREATE INDEX drafts_session ON drafts (session_id);
"""


def drafts(connection: Connection) -> None:
    """What is written and not sent yet."""
    _each(connection, _DRAFTS)


def what_was_asked(connection: Connection) -> None:
    """With what options and tools a model was asked, and the question behind each ledger row."""
    connection.execute(text("ALTER TABLE requests ADD COLUMN options TEXT NOT NULL DEFAULT '{}'"))
    connection.execute(text("ALTER TABLE ledger ADD COLUMN prompt TEXT NOT NULL DEFAULT '[]'"))


def graphs(connection: Connection) -> None:
    """Graphs of agents."""
    connection.execute(
        text(
            "CREATE TABLE graphs (id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
            " definition TEXT NOT NULL, created_at DOUBLE PRECISION NOT NULL)"
        )
    )


_BY_HAND = """
ALTER TABLE state_revisions ADD COLUMN pins TEXT NOT NULL DEFAULT '[]';
ALTER TABLE summaries ADD COLUMN made_after_id TEXT NOT NULL DEFAULT '';
ALTER TABLE facts ADD COLUMN replaces TEXT NOT NULL DEFAULT '';
ALTER TABLE facts ADD COLUMN forgotten BOOLEAN NOT NULL DEFAULT 0;
CREATE TABLE waiting_patches (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE, agent_id TEXT NOT NULL,
  run_id TEXT NOT NULL DEFAULT '', layer TEXT NOT NULL, kind TEXT NOT NULL,
  outcome TEXT NOT NULL, reason TEXT NOT NULL DEFAULT '', attempts INTEGER NOT NULL DEFAULT 0,
  model TEXT NOT NULL DEFAULT '', message_ids TEXT NOT NULL DEFAULT '[]',
  through_message_id TEXT, patch TEXT, dropped TEXT NOT NULL DEFAULT '[]',
  reply TEXT NOT NULL DEFAULT '', consumed BOOLEAN NOT NULL,
  started_at DOUBLE PRECISION NOT NULL, finished_at DOUBLE PRECISION NOT NULL,
  prompt_tokens INTEGER NOT NULL DEFAULT 0, completion_tokens INTEGER NOT NULL DEFAULT 0,
  prompt TEXT NOT NULL DEFAULT '[]');
CREATE INDEX waiting_patches_scope ON waiting_patches (session_id, agent_id, layer, seq);
"""


def memory_by_hand(connection: Connection) -> None:
    """Pins, facts and summaries corrected by hand, changes that wait for the person's word."""
    _each(connection, _BY_HAND)


_FILES = (
    """CREATE TABLE files (digest TEXT NOT NULL PRIMARY KEY, data BLOB NOT NULL, text TEXT)""",
    """CREATE TABLE attached (owner TEXT NOT NULL, digest TEXT NOT NULL REFERENCES files (digest),
  PRIMARY KEY (owner, digest))""",
    """CREATE INDEX attached_digest ON attached (digest)""",
    """ALTER TABLE messages ADD COLUMN attachments TEXT NOT NULL DEFAULT '[]'""",
    """ALTER TABLE drafts ADD COLUMN attachments TEXT NOT NULL DEFAULT '[]'""",
    """CREATE TRIGGER attached_to_message AFTER INSERT ON messages WHEN new.attachments <> '[]'
BEGIN
  INSERT INTO attached (owner, digest)
    SELECT DISTINCT 'message:' || new.id, json_extract(value, '$.digest')
    FROM json_each(new.attachments)
    WHERE json_extract(value, '$.digest') NOT IN
      (SELECT digest FROM attached WHERE owner = 'message:' || new.id);
END""",
    """CREATE TRIGGER detached_from_message AFTER DELETE ON messages WHEN old.attachments <> '[]'
BEGIN
  DELETE FROM attached WHERE owner = 'message:' || old.id;
  DELETE FROM files WHERE digest IN
    (SELECT json_extract(value, '$.digest') FROM json_each(old.attachments))
    AND digest NOT IN (SELECT digest FROM attached);
END""",
    """CREATE TRIGGER attached_to_draft AFTER INSERT ON drafts WHEN new.attachments <> '[]'
BEGIN
  INSERT INTO attached (owner, digest)
    SELECT DISTINCT 'draft:' || new.place, json_extract(value, '$.digest')
    FROM json_each(new.attachments)
    WHERE json_extract(value, '$.digest') NOT IN
      (SELECT digest FROM attached WHERE owner = 'draft:' || new.place);
END""",
    """CREATE TRIGGER attached_to_draft_changed AFTER UPDATE OF attachments ON drafts
WHEN old.attachments <> new.attachments
BEGIN
  INSERT INTO attached (owner, digest)
    SELECT DISTINCT 'draft:' || new.place, json_extract(value, '$.digest')
    FROM json_each(new.attachments)
    WHERE json_extract(value, '$.digest') NOT IN
      (SELECT digest FROM attached WHERE owner = 'draft:' || new.place);
  DELETE FROM attached WHERE owner = 'draft:' || new.place AND digest NOT IN
    (SELECT json_extract(value, '$.digest') FROM json_each(new.attachments));
  DELETE FROM files WHERE digest IN
    (SELECT json_extract(value, '$.digest') FROM json_each(old.attachments))
    AND digest NOT IN (SELECT digest FROM attached);
END""",
    """CREATE TRIGGER detached_from_draft AFTER DELETE ON drafts WHEN old.attachments <> '[]'
BEGIN
  DELETE FROM attached WHERE owner = 'draft:' || old.place;
  DELETE FROM files WHERE digest IN
    (SELECT json_extract(value, '$.digest') FROM json_each(old.attachments))
    AND digest NOT IN (SELECT digest FROM attached);
END""",
)


def attached_files(connection: Connection) -> None:
    """Files of messages and drafts: their bytes once, and who names them, kept by triggers."""
    for statement in _FILES:
        connection.exec_driver_sql(statement)


_GRAPH_RUNS = """
CREATE TABLE graph_runs (id TEXT NOT NULL PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE, graph TEXT NOT NULL,
  input_id TEXT NOT NULL, nodes TEXT NOT NULL DEFAULT '[]',
  started_at DOUBLE PRECISION NOT NULL, finished_at DOUBLE PRECISION,
  status TEXT NOT NULL DEFAULT 'running');
CREATE INDEX graph_runs_session ON graph_runs (session_id, started_at);
ALTER TABLE sessions ADD COLUMN kind TEXT NOT NULL DEFAULT 'chat';
ALTER TABLE messages ADD COLUMN node TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN node TEXT NOT NULL DEFAULT '';
"""


def graph_runs(connection: Connection) -> None:
    """Runs of graphs: sessions of another kind, messages and runs that name their node."""
    _each(connection, _GRAPH_RUNS)


TRIGGERS = frozenset(
    statement for statement in (*_MESSAGE_SEARCH, *_FILES) if statement.startswith("CREATE TRIGGER")
)
"""Every trigger that there is in a database of ours."""


_MEASUREMENTS = """
CREATE TABLE measurements (id TEXT NOT NULL PRIMARY KEY,
  agent_id TEXT NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
  session_id TEXT REFERENCES sessions (id) ON DELETE CASCADE, model TEXT NOT NULL,
  content TEXT NOT NULL, at DOUBLE PRECISION NOT NULL);
CREATE INDEX measurements_agent ON measurements (agent_id, at);
CREATE INDEX measurements_session ON measurements (session_id);
"""


def measurements(connection: Connection) -> None:
    """What measuring models for agents came to."""
    _each(connection, _MEASUREMENTS)


STEPS: tuple[Step, ...] = (
    first_release,
    summaries_and_facts,
    episodes,
    message_search,
    order_of_chats,
    time_of_thought,
    drafts,
    what_was_asked,
    graphs,
    memory_by_hand,
    attached_files,
    measurements,
    graph_runs,
)


def applied(connection: Connection) -> int:
    """How many steps this database has had; 0 for a new one."""
    connection.execute(
        text(
            "CREATE TABLE IF NOT EXISTS migrations (number INTEGER NOT NULL PRIMARY KEY,"
            " name TEXT NOT NULL, at DOUBLE PRECISION NOT NULL)"
        )
    )
    return int(
        connection.execute(text("SELECT COALESCE(MAX(number), 0) FROM migrations")).scalar_one()
    )


def apply(connection: Connection, number: int, step: Step) -> None:
    """Apply a step and record it under `number` (from 1 on), in the caller's transaction."""
    step(connection)
    connection.execute(
        text("INSERT INTO migrations (number, name, at) VALUES (:number, :name, :at)"),
        {"number": number, "name": step.__name__, "at": time.time()},
    )
