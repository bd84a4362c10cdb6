"""One SQLite database: opening, migrating, reading, and writing in whole transactions."""

from __future__ import annotations

import asyncio
import logging
import shutil
import sqlite3
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from chatty_desktop.domain.errors import StorageFailed
from chatty_desktop.storage import migrations

log = logging.getLogger(__name__)

T = TypeVar("T")


class Database:
    """An open database.

    Writes go one at a time, each as one transaction that a cancelled caller cannot tear apart:
    it is carried out in a task of the database's own, which `close` waits for.
    """

    def __init__(self, engine: AsyncEngine, file: Path) -> None:
        self._engine = engine
        self._file = file
        self._turn = asyncio.Lock()
        self._writes: set[asyncio.Task[Any]] = set()

    @classmethod
    async def open(
        cls, file: Path, backups: Path, steps: Sequence[migrations.Step] = migrations.STEPS
    ) -> Database:
        """Open or make the database and bring it up to date, with a copy kept before.

        Raises `StorageFailed` when the file cannot be read or written or is no database.
        """
        # Both readers and writers leave no transaction open, so there is nothing to reset.
        engine = create_async_engine(f"sqlite+aiosqlite:///{file}", pool_reset_on_return=None)
        event.listen(engine.sync_engine, "connect", _configure)
        database = cls(engine, file)
        try:
            await database._migrate(backups, steps)
        except BaseException:
            await engine.dispose()
            raise
        return database

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        """A connection to read with. Raises `StorageFailed`."""
        try:
            async with self._engine.connect() as connection:
                yield connection
        except DBAPIError as error:
            raise self._failure(error) from error

    async def write(self, work: Callable[[AsyncConnection], Awaitable[T]]) -> T:
        """Carry out `work` in one transaction: all of it is committed, or none.

        Raises `StorageFailed` when the disk is full or the file cannot be written.
        """
        return await self.whole(self._write(work))

    async def whole(self, work: Coroutine[Any, Any, T]) -> T:
        """Carry out `work` to its end, also when the caller is cancelled meanwhile."""
        task = asyncio.get_running_loop().create_task(work)
        self._writes.add(task)
        task.add_done_callback(self._written)
        return await asyncio.shield(task)

    async def close(self) -> None:
        """Wait for writes under way, then close."""
        while self._writes:
            await asyncio.wait(tuple(self._writes))
        await self._engine.dispose()

    def _written(self, task: asyncio.Task[Any]) -> None:
        self._writes.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.info("A write failed: %s", task.exception())

    async def _write(self, work: Callable[[AsyncConnection], Awaitable[T]]) -> T:
        async with self._turn:
            try:
                async with self._engine.begin() as connection:
                    return await work(connection)
            except DBAPIError as error:
                raise self._failure(error) from error

    async def _migrate(self, backups: Path, steps: Sequence[migrations.Step]) -> None:
        existed = self._file.exists() and self._file.stat().st_size > 0
        try:
            async with self._engine.begin() as connection:
                number = await connection.run_sync(migrations.applied)
            if number > len(steps):
                raise StorageFailed(
                    f"{self._file} was written by a newer version of Chatty Desktop."
                    " Install that version, or use another data folder."
                )
            while number < len(steps):
                if existed and number:
                    await asyncio.to_thread(_back_up, self._file, backups, number)
                number += 1
                async with self._engine.begin() as connection:
                    # Python's driver begins a transaction only before INSERT, UPDATE and DELETE;
                    # the CREATE and ALTER of a migration would stand outside of it.
                    await connection.exec_driver_sql("BEGIN")
                    await connection.run_sync(migrations.apply, number, steps[number - 1])
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
                f"{self._file} is damaged ({reason}). Copies from before updates lie in"
                f" {self._file.parent / 'backups'}; move the damaged file away to start anew."
            )
        return StorageFailed(f"The database {self._file} did not answer: {reason}.")


def _configure(connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    for pragma in (
        "journal_mode=WAL",
        # A message shown as sent must outlive a power cut, not only a crash: 1 ms a commit.
        "synchronous=FULL",
        "foreign_keys=ON",
        "busy_timeout=5000",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _back_up(file: Path, backups: Path, number: int) -> None:
    backups.mkdir(parents=True, exist_ok=True)
    stamp = time.strftime("%Y%m%d-%H%M%S")
    target = backups / f"{file.stem}-{stamp}-before-{number + 1}.db"
    with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(target)) as copy:
        source.backup(copy)
