-- A database on a server as the first version that had one made it, with a chat.
CREATE TABLE migrations (number INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL,
  at DOUBLE PRECISION NOT NULL);
CREATE TABLE agents (
  id TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  definition TEXT COLLATE "C" NOT NULL,
  created_at DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (id),
  UNIQUE (name)
);
CREATE TABLE graphs (
  id TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  definition TEXT COLLATE "C" NOT NULL,
  created_at DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (id),
  UNIQUE (name)
);
CREATE TABLE folders (
  id TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  created_at DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (id),
  UNIQUE (name)
);
CREATE TABLE embedders (
  id BIGSERIAL NOT NULL,
  provider TEXT COLLATE "C" NOT NULL,
  model TEXT COLLATE "C" NOT NULL,
  dimension BIGINT NOT NULL,
  PRIMARY KEY (id)
);
CREATE UNIQUE INDEX embedders_identity ON embedders (provider, model, dimension);
CREATE TABLE files (
  digest TEXT COLLATE "C" NOT NULL,
  data BYTEA NOT NULL,
  text TEXT COLLATE "C",
  PRIMARY KEY (digest)
);
CREATE TABLE sessions (
  id TEXT COLLATE "C" NOT NULL,
  title TEXT COLLATE "C" DEFAULT '' NOT NULL,
  created_at DOUBLE PRECISION NOT NULL,
  updated_at DOUBLE PRECISION NOT NULL,
  leaf_id TEXT COLLATE "C",
  agent_id TEXT COLLATE "C",
  pinned BOOLEAN DEFAULT '0' NOT NULL,
  archived BOOLEAN DEFAULT '0' NOT NULL,
  folder_id TEXT COLLATE "C",
  titled_by TEXT COLLATE "C" DEFAULT 'words' NOT NULL,
  deleted_at DOUBLE PRECISION,
  kind TEXT COLLATE "C" DEFAULT 'chat' NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY(folder_id) REFERENCES folders (id) ON DELETE SET NULL
);
CREATE INDEX ix_sessions_updated_at ON sessions (updated_at);
CREATE TABLE attached (
  owner TEXT COLLATE "C" NOT NULL,
  digest TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (owner, digest),
  FOREIGN KEY(digest) REFERENCES files (digest)
);
CREATE INDEX attached_digest ON attached (digest);
CREATE TABLE messages (
  id TEXT COLLATE "C" NOT NULL,
  session_id TEXT COLLATE "C" NOT NULL,
  parent_id TEXT COLLATE "C",
  agent_id TEXT COLLATE "C" NOT NULL,
  run_id TEXT COLLATE "C" DEFAULT '' NOT NULL,
  role TEXT COLLATE "C" NOT NULL,
  content TEXT COLLATE "C" DEFAULT '' NOT NULL,
  at DOUBLE PRECISION NOT NULL,
  status TEXT COLLATE "C" DEFAULT 'complete' NOT NULL,
  model TEXT COLLATE "C" DEFAULT '' NOT NULL,
  reasoning TEXT COLLATE "C" DEFAULT '' NOT NULL,
  error TEXT COLLATE "C" DEFAULT '' NOT NULL,
  seconds DOUBLE PRECISION DEFAULT '0' NOT NULL,
  tool_calls TEXT COLLATE "C" DEFAULT '[]' NOT NULL,
  tool_call_id TEXT COLLATE "C" DEFAULT '' NOT NULL,
  thought_seconds DOUBLE PRECISION DEFAULT '0' NOT NULL,
  attachments TEXT COLLATE "C" DEFAULT '[]' NOT NULL,
  node TEXT COLLATE "C" DEFAULT '' NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
CREATE INDEX messages_session ON messages (session_id);
CREATE INDEX messages_parent ON messages (parent_id);
CREATE TABLE runs (
  id TEXT COLLATE "C" NOT NULL,
  session_id TEXT COLLATE "C" NOT NULL,
  agent_id TEXT COLLATE "C" NOT NULL,
  strategy TEXT COLLATE "C" DEFAULT '{}' NOT NULL,
  model TEXT COLLATE "C" DEFAULT '' NOT NULL,
  started_at DOUBLE PRECISION NOT NULL,
  finished_at DOUBLE PRECISION,
  status TEXT COLLATE "C" DEFAULT 'running' NOT NULL,
  node TEXT COLLATE "C" DEFAULT '' NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
CREATE INDEX runs_scope ON runs (session_id, agent_id, started_at);
CREATE TABLE graph_runs (
  id TEXT COLLATE "C" NOT NULL,
  session_id TEXT COLLATE "C" NOT NULL,
  graph TEXT COLLATE "C" NOT NULL,
  input_id TEXT COLLATE "C" NOT NULL,
  nodes TEXT COLLATE "C" DEFAULT '[]' NOT NULL,
  started_at DOUBLE PRECISION NOT NULL,
  finished_at DOUBLE PRECISION,
  status TEXT COLLATE "C" DEFAULT 'running' NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
CREATE INDEX graph_runs_session ON graph_runs (session_id, started_at);
CREATE TABLE run_log (
  seq BIGSERIAL NOT NULL,
  session_id TEXT COLLATE "C" NOT NULL,
  run_id TEXT COLLATE "C" DEFAULT '' NOT NULL,
  at DOUBLE PRECISION NOT NULL,
  level TEXT COLLATE "C" DEFAULT 'info' NOT NULL,
  text TEXT COLLATE "C" DEFAULT '' NOT NULL,
  PRIMARY KEY (seq),
  FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
CREATE INDEX run_log_session ON run_log (session_id, seq);
CREATE TABLE ledger (
  seq BIGSERIAL NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  session_id TEXT COLLATE "C" NOT NULL,
  agent_id TEXT COLLATE "C" NOT NULL,
  run_id TEXT COLLATE "C" DEFAULT '' NOT NULL,
  layer TEXT COLLATE "C" NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  outcome TEXT COLLATE "C" NOT NULL,
  reason TEXT COLLATE "C" DEFAULT '' NOT NULL,
  attempts BIGINT DEFAULT '0' NOT NULL,
  model TEXT COLLATE "C" DEFAULT '' NOT NULL,
  message_ids TEXT COLLATE "C" DEFAULT '[]' NOT NULL,
  through_message_id TEXT COLLATE "C",
  patch TEXT COLLATE "C",
  dropped TEXT COLLATE "C" DEFAULT '[]' NOT NULL,
  reply TEXT COLLATE "C" DEFAULT '' NOT NULL,
  consumed BOOLEAN NOT NULL,
  started_at DOUBLE PRECISION NOT NULL,
  finished_at DOUBLE PRECISION NOT NULL,
  prompt_tokens BIGINT DEFAULT '0' NOT NULL,
  completion_tokens BIGINT DEFAULT '0' NOT NULL,
  prompt TEXT COLLATE "C" DEFAULT '[]' NOT NULL,
  PRIMARY KEY (seq),
  UNIQUE (id),
  FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
CREATE INDEX ledger_scope ON ledger (session_id, agent_id, layer, seq);
CREATE TABLE waiting_patches (
  seq BIGSERIAL NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  session_id TEXT COLLATE "C" NOT NULL,
  agent_id TEXT COLLATE "C" NOT NULL,
  run_id TEXT COLLATE "C" DEFAULT '' NOT NULL,
  layer TEXT COLLATE "C" NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  outcome TEXT COLLATE "C" NOT NULL,
  reason TEXT COLLATE "C" DEFAULT '' NOT NULL,
  attempts BIGINT DEFAULT '0' NOT NULL,
  model TEXT COLLATE "C" DEFAULT '' NOT NULL,
  message_ids TEXT COLLATE "C" DEFAULT '[]' NOT NULL,
  through_message_id TEXT COLLATE "C",
  patch TEXT COLLATE "C",
  dropped TEXT COLLATE "C" DEFAULT '[]' NOT NULL,
  reply TEXT COLLATE "C" DEFAULT '' NOT NULL,
  consumed BOOLEAN NOT NULL,
  started_at DOUBLE PRECISION NOT NULL,
  finished_at DOUBLE PRECISION NOT NULL,
  prompt_tokens BIGINT DEFAULT '0' NOT NULL,
  completion_tokens BIGINT DEFAULT '0' NOT NULL,
  prompt TEXT COLLATE "C" DEFAULT '[]' NOT NULL,
  PRIMARY KEY (seq),
  UNIQUE (id),
  FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
CREATE INDEX waiting_patches_scope ON waiting_patches (session_id, agent_id, layer, seq);
CREATE TABLE state_revisions (
  seq BIGSERIAL NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  session_id TEXT COLLATE "C" NOT NULL,
  agent_id TEXT COLLATE "C" NOT NULL,
  layer TEXT COLLATE "C" NOT NULL,
  after_message_id TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  patch TEXT COLLATE "C" DEFAULT '{}' NOT NULL,
  pins TEXT COLLATE "C" DEFAULT '[]' NOT NULL,
  ledger_id TEXT COLLATE "C" DEFAULT '' NOT NULL,
  at DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (seq),
  UNIQUE (id),
  FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
CREATE INDEX state_revisions_scope ON state_revisions (session_id, agent_id, layer, seq);
CREATE TABLE layer_starts (
  seq BIGSERIAL NOT NULL,
  session_id TEXT COLLATE "C" NOT NULL,
  agent_id TEXT COLLATE "C" NOT NULL,
  layer TEXT COLLATE "C" NOT NULL,
  message_id TEXT COLLATE "C" NOT NULL,
  at DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (seq),
  FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
CREATE INDEX layer_starts_scope ON layer_starts (session_id, agent_id, layer, seq);
CREATE TABLE summaries (
  seq BIGSERIAL NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  session_id TEXT COLLATE "C" NOT NULL,
  agent_id TEXT COLLATE "C" NOT NULL,
  layer TEXT COLLATE "C" NOT NULL,
  after_message_id TEXT COLLATE "C" NOT NULL,
  text TEXT COLLATE "C" NOT NULL,
  made_after_id TEXT COLLATE "C" DEFAULT '' NOT NULL,
  ledger_id TEXT COLLATE "C" DEFAULT '' NOT NULL,
  at DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (seq),
  UNIQUE (id),
  FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
CREATE INDEX summaries_scope ON summaries (session_id, agent_id, layer, seq);
CREATE TABLE facts (
  seq BIGSERIAL NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  session_id TEXT COLLATE "C" NOT NULL,
  agent_id TEXT COLLATE "C" NOT NULL,
  layer TEXT COLLATE "C" NOT NULL,
  after_message_id TEXT COLLATE "C" NOT NULL,
  subject TEXT COLLATE "C" NOT NULL,
  fact TEXT COLLATE "C" NOT NULL,
  source_ids TEXT COLLATE "C" DEFAULT '[]' NOT NULL,
  replaces TEXT COLLATE "C" DEFAULT '' NOT NULL,
  forgotten BOOLEAN DEFAULT '0' NOT NULL,
  ledger_id TEXT COLLATE "C" DEFAULT '' NOT NULL,
  at DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (seq),
  UNIQUE (id),
  FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
CREATE INDEX facts_scope ON facts (session_id, agent_id, layer, seq);
CREATE TABLE recalls (
  session_id TEXT COLLATE "C" NOT NULL,
  agent_id TEXT COLLATE "C" NOT NULL,
  layer TEXT COLLATE "C" NOT NULL,
  query_id TEXT COLLATE "C" NOT NULL,
  embedder_id BIGINT NOT NULL,
  candidates TEXT COLLATE "C" DEFAULT '[]' NOT NULL,
  at DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (session_id, agent_id, layer),
  FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE,
  FOREIGN KEY(embedder_id) REFERENCES embedders (id)
);
CREATE TABLE drafts (
  place TEXT COLLATE "C" NOT NULL,
  session_id TEXT COLLATE "C",
  content TEXT COLLATE "C" NOT NULL,
  attachments TEXT COLLATE "C" DEFAULT '[]' NOT NULL,
  PRIMARY KEY (place),
  FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
CREATE INDEX drafts_session ON drafts (session_id);
CREATE TABLE measurements (
  id TEXT COLLATE "C" NOT NULL,
  agent_id TEXT COLLATE "C" NOT NULL,
  session_id TEXT COLLATE "C",
  model TEXT COLLATE "C" NOT NULL,
  content TEXT COLLATE "C" NOT NULL,
  at DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY(agent_id) REFERENCES agents (id) ON DELETE CASCADE,
  FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
CREATE INDEX measurements_agent ON measurements (agent_id, at);
CREATE INDEX measurements_session ON measurements (session_id);
CREATE TABLE requests (
  seq BIGSERIAL NOT NULL,
  run_id TEXT COLLATE "C" NOT NULL,
  session_id TEXT COLLATE "C" NOT NULL,
  agent_id TEXT COLLATE "C" NOT NULL,
  model TEXT COLLATE "C" DEFAULT '' NOT NULL,
  sections TEXT COLLATE "C" DEFAULT '[]' NOT NULL,
  estimated_tokens BIGINT DEFAULT '0' NOT NULL,
  prompt_tokens BIGINT,
  completion_tokens BIGINT,
  at DOUBLE PRECISION NOT NULL,
  options TEXT COLLATE "C" DEFAULT '{}' NOT NULL,
  PRIMARY KEY (seq),
  FOREIGN KEY(run_id) REFERENCES runs (id) ON DELETE CASCADE,
  FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
CREATE INDEX requests_scope ON requests (session_id, agent_id, seq);
CREATE INDEX requests_run ON requests (run_id);
CREATE TABLE episodes (
  seq BIGSERIAL NOT NULL,
  message_id TEXT COLLATE "C" NOT NULL,
  session_id TEXT COLLATE "C" NOT NULL,
  agent_id TEXT COLLATE "C" NOT NULL,
  before_id TEXT COLLATE "C",
  PRIMARY KEY (seq),
  UNIQUE (message_id),
  FOREIGN KEY(message_id) REFERENCES messages (id) ON DELETE CASCADE,
  FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);
CREATE INDEX episodes_scope ON episodes (session_id, agent_id, seq);
CREATE TABLE episode_vectors (
  seq BIGSERIAL NOT NULL,
  message_id TEXT COLLATE "C" NOT NULL,
  embedder_id BIGINT NOT NULL,
  vector BYTEA,
  refused TEXT COLLATE "C" DEFAULT '' NOT NULL,
  PRIMARY KEY (seq),
  FOREIGN KEY(message_id) REFERENCES episodes (message_id) ON DELETE CASCADE,
  FOREIGN KEY(embedder_id) REFERENCES embedders (id)
);
CREATE UNIQUE INDEX episode_vectors_identity ON episode_vectors (embedder_id, message_id);
CREATE INDEX episode_vectors_message ON episode_vectors (message_id);
CREATE FUNCTION chatty_tokens(said text) RETURNS text[] LANGUAGE sql IMMUTABLE AS $body$
  SELECT coalesce(array_agg(left(token, 500) ORDER BY place), '{}')
  FROM regexp_split_to_table(
    normalize(regexp_replace(normalize(lower(said COLLATE "und-x-icu"), NFD),
      '[\u0300-\u036f]', '', 'g'), NFC) COLLATE "und-x-icu",
    '[^[:alnum:]]+') WITH ORDINALITY AS parts(token, place)
  WHERE token <> ''
$body$;
CREATE FUNCTION chatty_words(said text) RETURNS tsvector LANGUAGE sql IMMUTABLE AS $body$
  SELECT coalesce(string_agg('''' || token || ''':' || place, ' '), '')::tsvector
  FROM unnest(chatty_tokens(left(said, 200000)))
    WITH ORDINALITY AS parts(token, place)
$body$;
CREATE FUNCTION chatty_query(term text, phrase boolean) RETURNS tsquery LANGUAGE sql IMMUTABLE
AS $body$
  SELECT (string_agg('''' || token || '''', ' <-> ' ORDER BY place)
    || CASE WHEN phrase THEN '' ELSE ':*' END)::tsquery
  FROM unnest(chatty_tokens(term)) WITH ORDINALITY AS parts(token, place)
$body$;
CREATE TABLE search_rows (number BIGSERIAL PRIMARY KEY,
  message_id TEXT COLLATE "C" NOT NULL UNIQUE, words tsvector NOT NULL);
CREATE INDEX search_rows_words ON search_rows USING gin (words);
CREATE FUNCTION search_message() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM search_rows WHERE message_id = old.id;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO search_rows (message_id, words) SELECT new.id, chatty_words(new.content)
      WHERE new.content <> '' AND new.status NOT IN ('failed', 'streaming');
  END IF;
  RETURN NULL;
END $body$;
CREATE TRIGGER search_message_added AFTER INSERT OR DELETE ON messages
  FOR EACH ROW EXECUTE FUNCTION search_message();
CREATE TRIGGER search_message_changed AFTER UPDATE OF content, status ON messages
  FOR EACH ROW WHEN (old.content <> new.content OR old.status <> new.status)
  EXECUTE FUNCTION search_message();
CREATE FUNCTION chatty_digests(attachments text) RETURNS SETOF text LANGUAGE sql IMMUTABLE
AS $body$
  SELECT DISTINCT btrim((value -> 'digest')::text, '"') FROM json_array_elements(attachments::json)
$body$;
CREATE FUNCTION attach_files() RETURNS trigger LANGUAGE plpgsql AS $body$
DECLARE
  said text;
  gone text;
BEGIN
  IF TG_TABLE_NAME = 'messages' THEN
    said := 'message:' || CASE WHEN TG_OP = 'DELETE' THEN to_jsonb(old) ->> 'id'
      ELSE to_jsonb(new) ->> 'id' END;
  ELSE
    said := 'draft:' || CASE WHEN TG_OP = 'DELETE' THEN to_jsonb(old) ->> 'place'
      ELSE to_jsonb(new) ->> 'place' END;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO attached (owner, digest) SELECT said, digest
      FROM chatty_digests(new.attachments) AS named(digest) ON CONFLICT DO NOTHING;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM attached WHERE owner = said AND (TG_OP = 'DELETE'
      OR digest NOT IN (SELECT chatty_digests(new.attachments)));
    DELETE FROM files WHERE digest IN (SELECT chatty_digests(old.attachments))
      AND digest NOT IN (SELECT digest FROM attached);
  END IF;
  RETURN NULL;
END $body$;
CREATE TRIGGER attached_to_message AFTER INSERT ON messages
  FOR EACH ROW WHEN (new.attachments <> '[]') EXECUTE FUNCTION attach_files();
CREATE TRIGGER detached_from_message AFTER DELETE ON messages
  FOR EACH ROW WHEN (old.attachments <> '[]') EXECUTE FUNCTION attach_files();
CREATE TRIGGER attached_to_draft AFTER INSERT ON drafts
  FOR EACH ROW WHEN (new.attachments <> '[]') EXECUTE FUNCTION attach_files();
CREATE TRIGGER attached_to_draft_changed AFTER UPDATE OF attachments ON drafts
  FOR EACH ROW WHEN (old.attachments <> new.attachments) EXECUTE FUNCTION attach_files();
CREATE TRIGGER detached_from_draft AFTER DELETE ON drafts
  FOR EACH ROW WHEN (old.attachments <> '[]') EXECUTE FUNCTION attach_files();
CREATE TABLE claims (generation BIGSERIAL PRIMARY KEY, machine TEXT NOT NULL,
  at DOUBLE PRECISION NOT NULL);
CREATE TABLE shared (name TEXT PRIMARY KEY, content TEXT NOT NULL);
INSERT INTO migrations (number, name, at) VALUES
  (1, 'first_release', 1),
  (2, 'summaries_and_facts', 1),
  (3, 'episodes', 1),
  (4, 'message_search', 1),
  (5, 'order_of_chats', 1),
  (6, 'time_of_thought', 1),
  (7, 'drafts', 1),
  (8, 'what_was_asked', 1),
  (9, 'graphs', 1),
  (10, 'memory_by_hand', 1),
  (11, 'attached_files', 1),
  (12, 'measurements', 1),
  (13, 'graph_runs', 1);
INSERT INTO sessions (id, title, created_at, updated_at) VALUES ('s', 'Trip', 1, 1);
INSERT INTO messages (id, session_id, agent_id, role, content, at)
  VALUES ('m', 's', 'a', 'user', 'Kyoto in May', 2);
