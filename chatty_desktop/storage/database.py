"""One database: opening, migrating, reading, and writing in whole transactions."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Row, Select
from sqlalchemy.exc import DBAPIError

from chatty_desktop.domain.work import Work
from chatty_desktop.storage import migrations
from chatty_desktop.storage.backend import Backend
from chatty_desktop.storage.sqlite_file import SqliteFile

log = logging.getLogger(__name__)

T = TypeVar("T")

_READERS = 2


class Database:
    """An open database, its work done in threads of its own.

    Writes go one at a time, each as one transaction that a cancelled caller cannot tear apart.
    What is passed in runs in a thread from beginning to end: a statement at a time through an
    asyncio driver took twice as long a turn.
    """

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="database-write")
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="database-read")
        self._under_way: set[asyncio.Task[Any]] = set()

    @classmethod
    async def open(
        cls, file: Path, backups: Path, steps: Sequence[migrations.Step] = migrations.STEPS
    ) -> Database:
        """Open or make a file of SQLite's and bring it up to date, with a copy kept before.

        Raises `StorageFailed` when the file cannot be read or written or is no database.
        """
        return await cls.on(SqliteFile(file, backups), steps)

    @classmethod
    async def on(
        cls, backend: Backend, steps: Sequence[migrations.Step] = migrations.STEPS
    ) -> Database:
        """Open a database and bring it up to date. Raises `StorageFailed` when it cannot be
        used."""
        database = cls(backend)
        try:
            await asyncio.to_thread(database._migrate, steps)
        except BaseException:
            await database.close()
            raise
        return database

    async def rows(self, query: Select[Any], **parameters: object) -> Sequence[Row[Any]]:
        """All rows of one query. Raises `StorageFailed`.

        What every turn asks is a query made once, with `parameters`: making one anew takes as
        long as its answer.
        """
        return await self.read(lambda connection: connection.execute(query, parameters).all())

    async def read(self, work: Callable[[Connection], T]) -> T:
        """What `work` gives, called in a thread with a connection. Raises `StorageFailed`."""

        def once() -> T:
            with self.backend.engine.connect() as connection:
                return work(connection)

        def reading() -> T:
            try:
                try:
                    return once()
                except DBAPIError as error:
                    if not error.connection_invalidated:
                        raise
                    # The connections to a server that was away are all made anew.
                    return once()
            except DBAPIError as error:
                raise self.backend.failure(error) from error

        return await asyncio.get_running_loop().run_in_executor(self._readers, reading)

    async def write(self, work: Callable[[Connection], T], *, synced: bool = True) -> T:
        """Carry out `work`, in a thread, in one transaction: all of it is committed, or none.

        It outlives a crash of the app, and, when `synced`, a power cut too; what is not synced
        is never kept without what was written before it. Raises `StorageFailed` when the disk is
        full or the file cannot be written.
        """

        def writing() -> T:
            try:
                with self.backend.writing(synced=synced) as connection:
                    return work(connection)
            except DBAPIError as error:
                raise self.backend.failure(error) from error

        async def written() -> T:
            return await asyncio.get_running_loop().run_in_executor(self._writer, writing)

        return await self.whole(written())

    async def long(self, call: Callable[[Connection], T], work: Work, *, alone: bool = False) -> T:
        """What takes long, with a connection outside of any transaction. Reads and writes go on
        beside it; when `alone`, writes wait until it has ended.

        It is stopped, and waited for, when the caller is cancelled. Raises `StorageFailed`, and
        `Stopped` when `work` was stopped.
        """

        def calling() -> T:
            try:
                with self.backend.engine.connect() as connection:
                    free = connection.execution_options(isolation_level="AUTOCOMMIT")
                    with self.backend.stoppable(free, work):
                        return call(free)
            except DBAPIError as error:
                work.step(0)  # interrupted because it was to stop
                raise self.backend.failure(error) from error

        async def called() -> T:
            if not alone:
                return await asyncio.to_thread(calling)
            return await asyncio.get_running_loop().run_in_executor(self._writer, calling)

        task = asyncio.get_running_loop().create_task(called())
        self._under_way.add(task)
        task.add_done_callback(self._ended)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            work.stop()
            await asyncio.wait([task])
            raise

    async def whole(self, work: Coroutine[Any, Any, T]) -> T:
        """Carry out `work` to its end, also when the caller is cancelled meanwhile."""
        task = asyncio.get_running_loop().create_task(work)
        self._under_way.add(task)
        task.add_done_callback(self._ended)
        return await asyncio.shield(task)

    async def close(self) -> None:
        """Wait for what is under way, then close."""
        while self._under_way:
            await asyncio.wait(tuple(self._under_way))
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        self._writer.shutdown()
        self._readers.shutdown()
        self.backend.close()

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._under_way.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.info("A write failed: %s", task.exception())

    def _migrate(self, steps: Sequence[migrations.Step]) -> None:
        try:
            self.backend.migrate(steps)
        except DBAPIError as error:
            raise self.backend.failure(error) from error
