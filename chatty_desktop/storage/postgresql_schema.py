"""What a database on a PostgreSQL server holds besides the tables of `tables`: the index of words,
the triggers, whose claim it is, and the settings that the machines share.

It was made for the first time with the thirteenth migration. A database that is new is made as the
tables are now; one that is there takes the later steps, as a file of SQLite's does.
"""

from __future__ import annotations

import time

from sqlalchemy import Connection, text

from chatty_desktop.domain.errors import StorageFailed
from chatty_desktop.storage import migrations, tables
from chatty_desktop.storage.order import is_ordered_by_row

OLDEST = 130000
"""The first version of the server that takes accents from letters (`normalize`)."""

LONGEST_INDEXED = 200_000
"""Characters of a message whose words are indexed: more might not fit into a row of the index."""

_LONGEST_WORD = 500
"""Characters; the index takes 2,046 bytes."""

OWN_TABLES = ("search_rows", "claims", "shared")

# The words of a text as SQLite's index has them: without case and accents, parted by whatever is
# neither a letter nor a digit. The server's own parsers keep addresses and paths as one word.
_WORDS = """
CREATE FUNCTION chatty_tokens(said text) RETURNS text[] LANGUAGE sql IMMUTABLE AS $body$
  SELECT coalesce(array_agg(left(token, {longest_word}) ORDER BY place), '{{}}')
  FROM regexp_split_to_table(
    normalize(regexp_replace(normalize(lower(said COLLATE {collation}), NFD),
      '[\\u0300-\\u036f]', '', 'g'), NFC) COLLATE {collation},
    '[^[:alnum:]]+') WITH ORDINALITY AS parts(token, place)
  WHERE token <> ''
$body$;
CREATE FUNCTION chatty_words(said text) RETURNS tsvector LANGUAGE sql IMMUTABLE AS $body$
  SELECT coalesce(string_agg('''' || token || ''':' || place, ' '), '')::tsvector
  FROM unnest(chatty_tokens(left(said, {longest})))
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
"""

# `owner` says who names a file. What is not named any more goes.
_FILES = """
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
"""

_MACHINES = """
CREATE TABLE claims (generation BIGSERIAL PRIMARY KEY, machine TEXT NOT NULL,
  at DOUBLE PRECISION NOT NULL);
CREATE TABLE shared (name TEXT PRIMARY KEY, content TEXT NOT NULL);
"""


# A database that is there already is numbered in the order of the ids, which a process makes in
# order.
_NUMBERED = """
ALTER TABLE {table} ADD COLUMN written BIGINT;
UPDATE {table} SET written = place FROM
  (SELECT id, row_number() OVER (ORDER BY id) AS place FROM {table}) AS placed
  WHERE placed.id = {table}.id;
ALTER TABLE {table} ALTER COLUMN written SET NOT NULL,
  ALTER COLUMN written ADD GENERATED ALWAYS AS IDENTITY;
SELECT setval(pg_get_serial_sequence('{table}', 'written'), coalesce(max(written), 0) + 1, false)
  FROM {table};
"""


def number_rows(connection: Connection) -> None:
    """Have the rows of the tables that `AsWritten` orders numbered as they come, in the caller's
    transaction."""
    there = text(
        "SELECT table_name FROM information_schema.columns"
        " WHERE table_schema = current_schema() AND column_name = 'written'"
    )
    numbered = set(connection.scalars(there))
    for table in tables.metadata.sorted_tables:
        if is_ordered_by_row(table) and table.name not in numbered:
            connection.exec_driver_sql(_NUMBERED.format(table=table.name))


def check_server(connection: Connection) -> None:
    """Raises `StorageFailed` for a server or a database that cannot keep the chats."""
    version = int(str(connection.exec_driver_sql("SHOW server_version_num").scalar_one()))
    if version < OLDEST:
        raise StorageFailed(
            f"The database server is PostgreSQL {version // 10000}; version {OLDEST // 10000} or"
            " a newer one is needed."
        )
    encoding = connection.exec_driver_sql("SHOW server_encoding").scalar_one()
    if encoding != "UTF8":
        raise StorageFailed(
            f"The database stores text as {encoding}, which cannot hold every letter. Make one"
            " with: createdb --encoding=UTF8 --template=template0 NAME."
        )


def create(connection: Connection, steps: int) -> None:
    """Make everything, as it is after so many steps, in the caller's transaction."""
    tables.metadata.create_all(connection)
    there = "SELECT 1 FROM pg_collation WHERE collname = 'und-x-icu'"
    found = connection.exec_driver_sql(there).first()
    words = _WORDS.format(
        collation='"und-x-icu"' if found else '"default"',
        longest=LONGEST_INDEXED,
        longest_word=_LONGEST_WORD,
    )
    for statements in (words, _FILES, _MACHINES):
        connection.exec_driver_sql(statements)
    for number, step in enumerate(migrations.STEPS[:steps], 1):
        connection.execute(
            text("INSERT INTO migrations (number, name, at) VALUES (:number, :name, :at)"),
            {"number": number, "name": step.__name__, "at": time.time()},
        )
