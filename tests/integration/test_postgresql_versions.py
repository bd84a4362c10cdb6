"""Older databases on a PostgreSQL server, and servers that are older."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, make_url, text

from chatty_desktop.domain.errors import StorageFailed
from chatty_desktop.domain.search import parse_query
from chatty_desktop.storage import migrations, tables
from chatty_desktop.storage.database import Database
from chatty_desktop.storage.postgresql import PostgresqlServer
from chatty_desktop.storage.search import StoredSearch
from tests.helpers.postgresql import Server

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the server is started on a Unix socket")

FIRST = Path(__file__).parents[1] / "helpers" / "postgresql_first.sql"
"""A database of the first version that could have one on a server. It never changes."""


async def opened(url: str, *more: migrations.Step) -> Database:
    return await Database.on(PostgresqlServer(make_url(url)), (*migrations.STEPS, *more))


def made(server: Server, url: str, statements: str) -> str:
    """Carry out statements in the schema of an address; its name."""
    schema = url.rpartition("%3D")[2]
    server.run(f"SET search_path = {schema};\n{statements}")
    return schema


# --- versions of the database ---------------------------------------------------------------

_SHAPE = {
    "columns": "SELECT table_name, column_name, data_type, collation_name, is_nullable,"
    " column_default FROM information_schema.columns WHERE table_schema = '{0}'",
    "keys": "SELECT conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint"
    " WHERE connamespace = '{0}'::regnamespace",
    "indexes": "SELECT indexdef FROM pg_indexes WHERE schemaname = '{0}'",
    "triggers": "SELECT pg_get_triggerdef(t.oid) FROM pg_trigger t JOIN pg_class c"
    " ON c.oid = t.tgrelid WHERE c.relnamespace = '{0}'::regnamespace AND NOT tgisinternal",
    "functions": "SELECT proname, prosrc FROM pg_proc WHERE pronamespace = '{0}'::regnamespace",
}


def shape(server: Server, schema: str) -> dict[str, list[tuple[Any, ...]]]:
    """What is in a schema, but for its rows."""
    return {
        what: sorted(server.run(query.format(schema)), key=str) for what, query in _SHAPE.items()
    }


async def test_a_database_of_the_first_version_becomes_what_a_new_one_is(
    postgresql_server: Server, postgresql_url: str
) -> None:
    schema = made(postgresql_server, postgresql_url, FIRST.read_text())
    database = await opened(postgresql_url)
    hits = (await StoredSearch(database).messages(parse_query("kyoto"))).hits
    await database.close()
    steps = postgresql_server.run(f"SELECT number, name FROM {schema}.migrations ORDER BY number")
    brought_up = shape(postgresql_server, schema)
    postgresql_server.run(f"DROP SCHEMA {schema} CASCADE; CREATE SCHEMA {schema}")
    await (await opened(postgresql_url)).close()

    assert [hit.message_id for hit in hits] == ["m"]
    assert steps == [(number, step.__name__) for number, step in enumerate(migrations.STEPS, 1)]
    new = shape(postgresql_server, schema)
    assert {row[0] for row in new["columns"]} >= set(tables.metadata.tables)
    for what in _SHAPE:
        assert brought_up[what] == new[what], what


def for_sqlite_alone(connection: Connection) -> None:
    connection.execute(text("ALTER TABLE sessions ADD COLUMN colour TEXT"))
    connection.execute(text("ALTER TABLE sessions ADD COLUMN read BOOLEAN NOT NULL DEFAULT 0"))


def for_any(connection: Connection) -> None:
    connection.execute(text("ALTER TABLE sessions ADD COLUMN colour TEXT"))


async def test_a_step_that_the_server_refuses_leaves_its_database_as_it_was(
    postgresql_server: Server, postgresql_url: str
) -> None:
    schema = made(postgresql_server, postgresql_url, FIRST.read_text())
    await (await opened(postgresql_url)).close()
    before = shape(postgresql_server, schema)
    with pytest.raises(StorageFailed):
        await opened(postgresql_url, for_sqlite_alone)
    assert shape(postgresql_server, schema) == before
    await (await opened(postgresql_url)).close()


async def test_a_database_that_a_newer_version_changed_is_refused(
    postgresql_server: Server, postgresql_url: str
) -> None:
    schema = made(postgresql_server, postgresql_url, FIRST.read_text())
    await (await opened(postgresql_url, for_any)).close()
    names = [column[1] for column in shape(postgresql_server, schema)["columns"]]
    assert names.count("colour") == 1
    with pytest.raises(StorageFailed, match="newer version of Chatty Desktop"):
        await opened(postgresql_url)


# --- versions of the server -----------------------------------------------------------------


@asynccontextmanager
async def saying_it_is(version: int, server: Server, url: str) -> AsyncIterator[str]:
    """The address of a server that is the one at `url` but for the version it gives."""
    ((true,),) = server.run("SHOW server_version_num")
    # Of the same length, so that the frames of the protocol stay whole.
    assert len(true) == len(str(version))
    streams: list[asyncio.StreamWriter] = []
    relays: list[asyncio.Task[None]] = []

    async def relay(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter, said: str, instead: str
    ) -> None:
        while part := await reader.read(65_536):
            writer.write(part.replace(said.encode(), instead.encode()))
            await writer.drain()
        writer.close()

    async def came(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        theirs, to_them = await asyncio.open_unix_connection(server.folder / ".s.PGSQL.5432")
        streams.extend((writer, to_them))
        for each in (
            relay(reader, to_them, "", ""),
            relay(theirs, writer, true, str(version)),
        ):
            relays.append(asyncio.create_task(each))

    listening = await asyncio.start_server(came, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    try:
        yield url.replace("@/", f"@127.0.0.1:{port}/").replace(f"host={server.folder}&", "")
    finally:
        listening.close()
        for stream in streams:
            stream.close()
        for task in relays:
            task.cancel()
        await asyncio.gather(*relays, return_exceptions=True)


async def test_a_server_older_than_the_first_that_can_keep_chats_is_refused_untouched(
    postgresql_server: Server, postgresql_url: str
) -> None:
    schema = made(postgresql_server, postgresql_url, "SELECT 1")
    async with saying_it_is(120022, postgresql_server, postgresql_url) as url:
        with pytest.raises(StorageFailed) as refused:
            await opened(url)
    assert str(refused.value) == (
        "The database server is PostgreSQL 12; version 13 or a newer one is needed."
    )
    assert shape(postgresql_server, schema)["columns"] == []
    async with saying_it_is(130000, postgresql_server, postgresql_url) as url:
        await (await opened(url)).close()
    assert shape(postgresql_server, schema)["columns"] != []
