"""One SQLite database: opening, migrating, reading, and writing in whole transactions."""

from __future__ import annotations

import asyncio
import logging
import shutil
import sqlite3
import time
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, Row, Select, create_engine, event
from sqlalchemy.exc import DBAPIError

from chatty_desktop.domain.errors import StorageFailed
from chatty_desktop.domain.work import Work
from chatty_desktop.storage import migrations
from chatty_desktop.storage.backup_file import stoppable
from chatty_desktop.storage.disk import whole_file

log = logging.getLogger(__name__)

T = TypeVar("T")

_READERS = 2

SQLITE_VERSION = sqlite3.sqlite_version


class Database:
    """An open database, its work done in threads of its own.

    Writes go one at a time, each as one transaction that a cancelled caller cannot tear apart.
    What is passed in runs in a thread from beginning to end: a statement at a time through an
    asyncio driver took twice as long a turn.
    """

    def __init__(self, engine: Engine, file: Path) -> None:
        self._engine = engine
        self._file = file
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="database-write")
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="database-read")
        self._under_way: set[asyncio.Task[Any]] = set()

    @classmethod
    async def open(
        cls, file: Path, backups: Path, steps: Sequence[migrations.Step] = migrations.STEPS
    ) -> Database:
        """Open or make the database and bring it up to date, with a copy kept before.

        Raises `StorageFailed` when the file cannot be read or written or is no database.
        """
        # One at a time uses a connection, but not always the thread it was made in.
        engine = create_engine(f"sqlite:///{file}", connect_args={"check_same_thread": False})
        event.listen(engine, "connect", _configure)
        database = cls(engine, file)
        try:
            await asyncio.to_thread(database._migrate, backups, steps)
        except BaseException:
            await database.close()
            raise
        return database

    async def rows(self, query: Select[Any]) -> Sequence[Row[Any]]:
        """All rows of one query. Raises `StorageFailed`."""
        return await self.read(lambda connection: connection.execute(query).all())

    async def read(self, work: Callable[[Connection], T]) -> T:
        """What `work` gives, called in a thread with a connection. Raises `StorageFailed`."""

        def reading() -> T:
            try:
                with self._engine.connect() as connection:
                    return work(connection)
            except DBAPIError as error:
                raise self._failure(error) from error

        return await asyncio.get_running_loop().run_in_executor(self._readers, reading)

    async def write(self, work: Callable[[Connection], T], *, synced: bool = True) -> T:
        """Carry out `work`, in a thread, in one transaction: all of it is committed, or none.

        It outlives a crash of the app, and, when `synced`, a power cut too; what is not synced
        is never kept without what was written before it. Raises `StorageFailed` when the disk is
        full or the file cannot be written.
        """

        def writing() -> T:
            try:
                with self._engine.begin() as connection:
                    # In WAL mode, whether a commit waits for the disk: about 0.7 ms.
                    level = "FULL" if synced else "NORMAL"
                    connection.exec_driver_sql(f"PRAGMA synchronous={level}")
                    return work(connection)
            except DBAPIError as error:
                raise self._failure(error) from error

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
                with self._engine.connect() as connection:
                    free = connection.execution_options(isolation_level="AUTOCOMMIT")
                    with stoppable(raw(free), work):
                        return call(free)
            except DBAPIError as error:
                work.step(0)  # interrupted because it was to stop
                raise self._failure(error) from error

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
        self._engine.dispose()

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._under_way.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.info("A write failed: %s", task.exception())

    def _migrate(self, backups: Path, steps: Sequence[migrations.Step]) -> None:
        existed = self._file.exists() and self._file.stat().st_size > 0
        try:
            with self._engine.begin() as connection:
                number = migrations.applied(connection)
            if number > len(steps):
                raise StorageFailed(
                    f"{self._file} was written by a newer version of Chatty Desktop."
                    " Install that version, or use another data folder."
                )
            while number < len(steps):
                if existed and number:
                    _back_up(self._file, backups, number)
                number += 1
                with self._engine.begin() as connection:
                    # Python's driver begins a transaction only before INSERT, UPDATE and DELETE;
                    # the CREATE and ALTER of a migration would stand outside of it.
                    connection.exec_driver_sql("BEGIN")
                    migrations.apply(connection, number, steps[number - 1])
        except DBAPIError as error:
            raise self._failure(error) from error
        except OSError as error:
            raise StorageFailed(f"The database could not be backed up: {error}") from error

    def _failure(self, error: DBAPIError) -> StorageFailed:
        reason = str(error.orig)
        if "full" in reason:
            free = shutil.disk_usage(self._file.parent).free // 1_000_000
            return StorageFailed(
                f"The disk is full ({free} MB free), so this could not be saved to {self._file}."
                " What was saved before is safe. Make room, then try again."
            )
        if "malformed" in reason or "not a database" in reason:
            return StorageFailed(
                f"{self._file} is damaged ({reason}). Backups lie in"
                f" {self._file.parent / 'backups'}; move the damaged file away to start anew, or"
                " bring one back with: chatty-desktop restore FILE."
            )
        return StorageFailed(f"The database {self._file} did not answer: {reason}.")


def raw(connection: Connection) -> sqlite3.Connection:
    """The connection of Python's own driver under one of SQLAlchemy."""
    driver: sqlite3.Connection | None = connection.connection.driver_connection
    assert driver is not None
    return driver


def _configure(connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    for pragma in (
        "journal_mode=WAL",
        "foreign_keys=ON",
        "busy_timeout=5000",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _back_up(file: Path, backups: Path, number: int) -> None:
    backups.mkdir(parents=True, exist_ok=True)
    stamp = time.strftime("%Y%m%d-%H%M%S")
    target = backups / f"{file.stem}-{stamp}-before-{number + 1}.db"
    with (
        whole_file(target) as partial,
        closing(sqlite3.connect(file)) as source,
        closing(sqlite3.connect(partial)) as copy,
    ):
        source.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")
