"""Moving all chats, with what memory made of them, between the data folder and a server; and the
index of episodes between the folder and other places."""

from __future__ import annotations

import asyncio
import os

from sqlalchemy import Connection

from chatty_desktop.domain.data_folder import DataCounts
from chatty_desktop.domain.errors import Invalid, StorageFailed
from chatty_desktop.domain.events import Event
from chatty_desktop.domain.work import Work
from chatty_desktop.paths import Paths
from chatty_desktop.storage import restoring, tables
from chatty_desktop.storage.counts import count_rows
from chatty_desktop.storage.database import Database
from chatty_desktop.storage.episode_tending import TendedIndex
from chatty_desktop.storage.index_failures import server_trouble
from chatty_desktop.storage.index_places import IndexFolder
from chatty_desktop.storage.places import (
    DATABASE_VARIABLE,
    EPISODES_VARIABLE,
    Server,
    check_writable,
    find_index,
    find_server,
    open_database,
    read_address,
    read_index,
    write_index,
    write_server,
)
from chatty_desktop.storage.row_copies import copy_rows
from chatty_desktop.storage.shipped import only_starters


async def move(
    paths: Paths, to: str | None, work: Work, *, named: str | None = None, copying: bool = True
) -> DataCounts:
    """Keep everything at an address of a server from now on, None: in the data folder. What is
    there now is copied, whole or not at all; without `copying` what is at the other place is used
    as it is. A server's rows stay where they are; a file is kept among the backups. `named` is
    where the call says that they are now. Returns what is kept there.

    The data folder is claimed and closed. Raises `Invalid`, `StorageFailed`, `Stopped`; then
    everything is as it was.
    """
    if to is not None:
        check_writable(to)
    if os.environ.get(DATABASE_VARIABLE):
        raise Invalid(
            "CHATTY_DATABASE_URL says where the chats are, and would say so after they were moved."
            " Take it out of the environment first; where they are now is named by --database."
        )
    if await asyncio.to_thread(restoring.staged, paths) is not None:
        raise Invalid(
            "A backup waits to be restored. Open the app once, or call it off in Settings, on the"
            " page Data; then move the chats."
        )
    before = await asyncio.to_thread(find_server, paths, named)
    after = Server(read_address(to)) if to else None
    if before == after:
        raise Invalid("The chats are kept there already.")
    counts = await _moved(paths, before, after, work, copying=copying)
    try:
        await asyncio.to_thread(write_server, paths, to)
    except OSError as error:
        raise StorageFailed(
            f"{paths.places} cannot be written: {error.strerror or error}. The chats are still"
            " used where they were."
        ) from error
    if before is None and copying:
        await asyncio.to_thread(_put_aside, paths)
    return counts


async def move_index(paths: Paths, to: str | None, work: Work, *, named: str | None = None) -> None:
    """Keep the index of episodes at an address from now on, None: in the data folder. It is built
    there from the database, of which it holds nothing more, or brought in step with it where
    another machine has built it; then it is deleted where it was. `named` is where the call says
    that the chats are.

    The data folder is claimed and closed. Raises `Invalid`, `StorageFailed`, `Stopped`; then the
    index is used where it was.
    """
    if os.environ.get(EPISODES_VARIABLE):
        raise Invalid(
            "CHATTY_EPISODES_URL says where the index of episodes is, and would say so after it was"
            " moved. Take it out of the environment first."
        )
    before = await asyncio.to_thread(find_index, paths)
    after = read_index(to) if to else IndexFolder(paths.episodes)
    if before.shown == after.shown:
        raise Invalid("The index of episodes is kept there already.")
    database = await open_database(paths, await asyncio.to_thread(find_server, paths, named))
    try:
        index = TendedIndex(database, after, _untold)
        try:
            await index.fill(work)
        finally:
            await index.close()
    finally:
        await database.close()
    try:
        await asyncio.to_thread(write_index, paths, to)
    except OSError as error:
        raise StorageFailed(
            f"{paths.places} cannot be written: {error.strerror or error}. The index of episodes is"
            " still used where it was."
        ) from error
    try:
        await asyncio.to_thread(before.drop_all)
    except Exception as error:  # whatever LanceDB raises
        raise StorageFailed(
            f"The index of episodes was moved, but what was at {before.shown} stays there:"
            f" {(before.away and server_trouble(error, before.shown)) or error}"
        ) from error


def _untold(_event: Event) -> None:
    """What goes wrong is raised."""


async def _moved(
    paths: Paths, before: Server | None, after: Server | None, work: Work, *, copying: bool
) -> DataCounts:
    source = await open_database(paths, before)
    try:
        target = await open_database(paths, after)
        try:
            if copying:
                await _copy(source, target, work)
            return await target.read(count_rows)
        finally:
            await target.close()
    finally:
        await source.close()


async def _copy(source: Database, target: Database, work: Work) -> None:
    # A database that was opened once has the starter agents in it, and nobody would miss them.
    counts = await target.read(count_rows)
    starters = counts == DataCounts(agents=counts.agents) and await target.read(only_starters)
    if not starters:
        raise Invalid(
            f"There are chats or agents at {target.backend.place} already, and the two are not"
            " mixed. To use what is there, and leave what is here as it is, add --without-chats;"
            " to bring chats along, export them here and import them there."
        )

    def copying(into: Connection) -> None:
        # What is there besides, such as an embedder, would be there twice.
        for table in reversed(tables.metadata.sorted_tables):
            into.execute(table.delete())
        with source.backend.engine.connect() as connection:
            free = connection.execution_options(isolation_level="AUTOCOMMIT")
            source.backend.begin(free)
            try:
                copy_rows(source.backend, free, into, work)
            finally:
                free.exec_driver_sql("ROLLBACK")

    await target.write(copying)


def _put_aside(paths: Paths) -> None:
    """The file that everything was copied from, among the backups."""
    try:
        paths.backups.mkdir(parents=True, exist_ok=True)
        paths.database.rename(paths.backups / restoring.new_name("-before-move", ".db"))
    except OSError as error:
        raise StorageFailed(
            f"Everything was moved, but {paths.database} could not be put among the backups:"
            f" {error.strerror or error}. It is no longer used."
        ) from error
