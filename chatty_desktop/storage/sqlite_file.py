"""`backend.Backend` over a file of SQLite's: the one that is used where nobody says otherwise."""

from __future__ import annotations

import shutil
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, Table, create_engine, event, func, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.selectable import TableValuedAlias

from chatty_desktop.domain.errors import StorageFailed
from chatty_desktop.domain.work import Work
from chatty_desktop.storage import damage, migrations, tables, word_index
from chatty_desktop.storage.backup_file import database_size, stoppable, write_backup
from chatty_desktop.storage.disk import require_room, whole_file

VERSION = sqlite3.sqlite_version

_CHECKPOINT_TRIES = 50

_LEAST_ROOM = 1_000_000

BUSY_SECONDS = 5
"""How long another program may hold the file; the app itself never does."""


class SqliteFile:
    """The file, and a folder for the copies that are made before it is changed by a migration."""

    def __init__(self, file: Path, backups: Path) -> None:
        self._file = file
        self._backups = backups
        # One at a time uses a connection, but not always the thread it was made in.
        self.engine = create_engine(f"sqlite:///{file}", connect_args={"check_same_thread": False})
        event.listen(self.engine, "connect", _configure)
        self.words = word_index.WordIndex()

    @property
    def place(self) -> str:
        return str(self._file)

    @property
    def files(self) -> Sequence[Path]:
        return [self._file.with_name(self._file.name + end) for end in ("", "-wal", "-shm")]

    @property
    def beyond(self) -> str:
        return ""

    def migrate(self, steps: Sequence[migrations.Step]) -> None:
        existed = self._file.exists() and self._file.stat().st_size > 0
        try:
            with self.engine.begin() as connection:
                number = migrations.applied(connection)
            if number > len(steps):
                raise StorageFailed(
                    f"{self._file} was written by a newer version of Chatty Desktop."
                    " Install that version, or use another data folder."
                )
            while number < len(steps):
                if existed and number:
                    _back_up(self._file, self._backups, number)
                number += 1
                with self.engine.begin() as connection:
                    # Python's driver begins a transaction only before INSERT, UPDATE and DELETE;
                    # the CREATE and ALTER of a migration would stand outside of it.
                    connection.exec_driver_sql("BEGIN")
                    migrations.apply(connection, number, steps[number - 1])
        except OSError as error:
            raise StorageFailed(f"The database could not be backed up: {error}") from error

    @contextmanager
    def writing(self, *, synced: bool) -> Iterator[Connection]:
        self._require_file()
        with self.engine.begin() as connection:
            # In WAL mode, whether a commit waits for the disk: about 0.7 ms.
            level = "FULL" if synced else "NORMAL"
            _raw(connection).execute(f"PRAGMA synchronous={level}")
            yield connection

    def failure(self, error: DBAPIError) -> StorageFailed:
        reason = str(error.orig)
        if "locked" in reason:
            return StorageFailed(
                f"{self._file} is used by another program (a backup, a synchronization, a database"
                " viewer), so this could not be saved or read within"
                f" {BUSY_SECONDS} seconds. Nothing of before is lost. Close that program, then try"
                " again."
            )
        if "full" in reason or ("disk I/O" in reason and _has_no_room(self._file.parent)):
            free = shutil.disk_usage(self._file.parent).free // 1_000_000
            return StorageFailed(
                f"The disk is full ({free} MB free), so this could not be saved to {self._file}."
                " What was saved before is safe. Make room, then try again."
            )
        if "malformed" in reason or "not a database" in reason:
            damage.suspect(self._file)
            return StorageFailed(
                f"{self._file} is damaged ({reason}). Close Chatty Desktop and open it again: it is"
                " mended then, or the last backup is brought back, and the damaged file is kept."
            )
        return StorageFailed(f"The database {self._file} did not answer: {reason}.")

    def _require_file(self) -> None:
        """Raises `StorageFailed` where the file is gone: what is open still takes everything, but
        nobody would find it again."""
        if not self._file.exists():
            raise StorageFailed(
                f"The data folder {self._file.parent} is gone: it was moved, deleted, or its disk"
                " was taken out. Nothing can be saved until it is back. Bring it back, or close"
                " Chatty Desktop."
            )

    def stoppable(self, connection: Connection, work: Work) -> AbstractContextManager[None]:
        return stoppable(_raw(connection), work)

    def close(self) -> None:
        self.engine.dispose()

    # --- the parts of queries ----------------------------------------------------------------

    def json_items(self, column: Column[str], name: str) -> TableValuedAlias:
        return func.json_each(column).table_valued("value", name=name)

    def json_text(self, item: ColumnElement[Any], key: str) -> ColumnElement[str]:
        return func.json_extract(item, f"$.{key}")

    def names(self, word: str, connection: Connection) -> bool:
        """The statements that made the tables stand in the file."""
        named = text("SELECT 1 FROM sqlite_master WHERE instr(lower(sql), :word)")
        return connection.scalar(named, {"word": word.lower()}) is not None

    # --- long work ---------------------------------------------------------------------------

    def size(self, connection: Connection) -> int:
        return database_size(_raw(connection))

    def begin(self, connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN")

    def back_up(
        self, connection: Connection, settings: str | None, target: Path, work: Work
    ) -> None:
        write_backup(_raw(connection), settings, target, work)

    def compact(self, connection: Connection, work: Work) -> None:
        driver = _raw(connection)
        # Once written beside, once into the log.
        require_room(self._file.parent, 2 * database_size(driver), "Compacting")
        work.begin("Compacting the database")
        driver.execute("PRAGMA optimize")
        word_index.drop_deleted(driver)
        driver.execute("VACUUM")
        driver.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def blank(self, connection: Connection, work: Work) -> None:
        driver = _raw(connection)
        wanted = 2 * database_size(driver)
        require_room(self._file.parent, wanted, "Blanking what was deleted")
        work.begin("Blanking what was deleted in the database")
        word_index.drop_deleted(driver)
        _checkpoint(driver)
        driver.execute("VACUUM")
        _checkpoint(driver)

    def erase(self, connection: Connection, kept: Sequence[Table]) -> None:
        driver = _raw(connection)
        # Should it be killed before `scrub`, the pages are blank all the same.
        driver.execute("PRAGMA secure_delete = ON")
        driver.execute("BEGIN IMMEDIATE")
        try:
            word_index.forget_all(connection)
            for table in reversed(tables.metadata.sorted_tables):
                if table not in kept:
                    connection.execute(table.delete())
            driver.execute("COMMIT")
        except BaseException:
            # SQLite may have done so itself.
            if driver.in_transaction:
                driver.execute("ROLLBACK")
            raise

    def scrub(self, connection: Connection) -> None:
        """No page keeps what was deleted, in the file of the database or in its log."""
        driver = _raw(connection)
        driver.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        driver.execute("VACUUM")
        driver.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _raw(connection: Connection) -> sqlite3.Connection:
    """The connection of Python's own driver under one of SQLAlchemy."""
    driver: sqlite3.Connection | None = connection.connection.driver_connection
    assert driver is not None
    return driver


def _configure(connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    for pragma in (
        "journal_mode=WAL",
        "foreign_keys=ON",
        f"busy_timeout={BUSY_SECONDS * 1000}",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _has_no_room(folder: Path) -> bool:
    """What SQLite makes of a full disk where it is about the index of its log."""
    try:
        return shutil.disk_usage(folder).free < _LEAST_ROOM
    except OSError:
        return False


def _checkpoint(driver: sqlite3.Connection) -> None:
    """Move the log into the database and empty it; a reader may be in the way for a moment."""
    for _try in range(_CHECKPOINT_TRIES):
        busy, *_rest = driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if not busy:
            return
        time.sleep(0.1)
    raise StorageFailed(
        "The database is in use, so what was deleted may still be in its log. Try again."
    )


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
