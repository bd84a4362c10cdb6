"""A backup: one zip with the database, the settings, and a note of what it is.

The copy of the database is made by SQLite (VACUUM INTO): one moment of it, also while chats run,
and nothing of what was deleted before. Keys are never in it; vectors are in the database, so the
index of episodes is not in it either.
"""

from __future__ import annotations

import json
import lzma
import sqlite3
import struct
import time
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, Any

import chatty_desktop
from chatty_desktop.domain.data_folder import BackupContents, DataCounts
from chatty_desktop.domain.errors import Invalid, StorageFailed
from chatty_desktop.domain.json_text import read_json
from chatty_desktop.domain.settings import read_settings
from chatty_desktop.domain.work import Work
from chatty_desktop.reading import require_plain
from chatty_desktop.storage import migrations, word_index
from chatty_desktop.storage.counts import COUNTED
from chatty_desktop.storage.disk import require_room, scratch_file, whole_file
from chatty_desktop.storage.own_schema import foreign_part

FORMAT = 1
ABOUT, DATABASE, SETTINGS = "about.json", "chatty.db", "settings.json"
_MEMBERS = frozenset({ABOUT, DATABASE, SETTINGS})
_CHUNK = 1 << 20
_SMALL = 5_000_000
"""The most that the settings and the note may hold."""

_LARGE, _MOST_PACKED = 1_000_000_000, 200
"""Bytes of a database that is large, and how many such a one may have of each packed byte: zeros
come to a thousand, chats to ten."""

_LAST_SECOND = 1e11
"""Of the year 5138, since 1970: what goes on has no date."""

NOT_OURS = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    RuntimeError,  # a zip with a password, or packed in another way
    ValueError,
    AttributeError,
    KeyError,
    TypeError,
)
"""What reading a file that is no backup raises."""


def write_backup(
    connection: sqlite3.Connection, settings: str | None, target: Path, work: Work
) -> None:
    """Write a backup of an open database and the text of the settings, replacing a file of that
    name. Raises `StorageFailed`, and `Stopped`: then there is no new file."""
    size = database_size(connection)
    require_room(target.parent, 2 * size, "The backup")
    with scratch_file(target) as copy:
        _copy_database(connection, copy, size, work)
        pack_backup(copy, settings, target, work)


def pack_backup(copy: Path, settings: str | None, target: Path, work: Work) -> None:
    """Pack a copy of the database and the text of the settings. Raises as `write_backup` does."""
    about = {
        "app": "chatty-desktop",
        "format": FORMAT,
        "version": chatty_desktop.__version__,
        "made_at": time.time(),
    }
    with whole_file(target) as partial:
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED, compresslevel=4) as archive:
            archive.writestr(ABOUT, json.dumps(about))
            if settings is not None:
                archive.writestr(SETTINGS, settings)
            work.begin("Packing", copy.stat().st_size)
            with copy.open("rb") as source, archive.open(DATABASE, "w", force_zip64=True) as to:
                _pour(source, to, work)
        work.step(0)


def unpack_backup(file: Path, into: Path, work: Work) -> BackupContents:
    """Unpack a backup, or a bare copy of a database, into a folder that is there, and see that it
    is whole and this version can use it.

    Raises `Invalid` for what is none, is damaged, or is of a newer version; `StorageFailed` for
    trouble with the disk, and `Stopped`. What is in the folder by then is of no use.
    """
    try:
        require_plain(file)
        with file.open("rb") as stream:
            is_database = stream.read(16) == b"SQLite format 3\0"
        made_at = file.stat().st_mtime
        if is_database:
            require_room(into, file.stat().st_size, "Restoring it")
            work.begin("Copying", file.stat().st_size)
            with file.open("rb") as source, (into / DATABASE).open("wb") as target:
                _pour(source, target, work)
            settings = False
        else:
            made_at, settings = _unzip(file, into, work)
    except OSError as error:
        raise StorageFailed(f"{file} could not be unpacked: {error.strerror or error}.") from error
    except NOT_OURS as error:
        raise Invalid(
            f"{file.name} is damaged, or no backup of Chatty Desktop: {error}."
        ) from error
    counts = _check_database(into / DATABASE, file.name, work)
    return BackupContents(made_at, counts, settings)


def database_size(connection: sqlite3.Connection) -> int:
    """Bytes that the database holds, less the room that was freed in it."""
    pages, free, size = (
        int(connection.execute(f"PRAGMA {name}").fetchone()[0])
        for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * size


def _count_rows(connection: sqlite3.Connection) -> DataCounts:
    """How much is stored. Tables that an older version did not have yet hold nothing."""
    there = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
    found = {
        name: int(connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0])  # noqa: S608
        for name, table in COUNTED.items()
        if table.name in there
    }
    return DataCounts(**found)


@contextmanager
def stoppable(
    connection: sqlite3.Connection, work: Work, growing: Path | None = None
) -> Iterator[None]:
    """Let a statement be stopped while it runs; how far it is, is told by a file that grows."""

    def look() -> int:
        if growing is not None and work.total:
            try:
                work.done = min(growing.stat().st_size, work.total)
            except OSError:
                work.done = 0
        return int(work.stopping)

    connection.set_progress_handler(look, 20_000)
    try:
        yield
    except sqlite3.Error:
        work.step(0)  # interrupted because it was to stop
        raise
    finally:
        connection.set_progress_handler(None, 0)


def _copy_database(connection: sqlite3.Connection, copy: Path, size: int, work: Work) -> None:
    work.begin("Copying the database", size)
    copy.unlink(missing_ok=True)
    try:
        with stoppable(connection, work, copy):
            connection.execute("VACUUM INTO ?", (str(copy),))
        with closing(sqlite3.connect(copy)) as copied, copied, stoppable(copied, work):
            word_index.drop_deleted(copied)
    except sqlite3.Error as error:
        raise StorageFailed(
            f"The database could not be copied to {copy.parent}: {error}. Nothing was changed."
        ) from error


def _unzip(file: Path, into: Path, work: Work) -> tuple[float, bool]:
    """When it was made, and whether settings are in it."""
    with zipfile.ZipFile(file) as archive:
        entries = {entry.filename: entry for entry in archive.infolist()}
        # By name, not by pattern: nothing that came with the file decides where it is put.
        if not {ABOUT, DATABASE} <= entries.keys() <= _MEMBERS or len(entries) != len(
            archive.infolist()
        ):
            raise ValueError("it does not hold what a backup holds")
        if max(entries[name].file_size for name in entries if name != DATABASE) > _SMALL:
            raise ValueError("what should be small in it is not")
        about: dict[str, Any] = read_json(archive.read(ABOUT))
        if about.get("app") != "chatty-desktop":
            raise ValueError("it is of another program")
        if about["format"] > FORMAT:
            raise Invalid(
                f"{file.name} was made by a newer version of Chatty Desktop"
                f" ({about.get('version', 'unknown')}). Install that version to restore it."
            )
        made_at = float(about["made_at"])
        if not 0 <= made_at < _LAST_SECOND:
            raise ValueError("the time of its making is none")
        size = entries[DATABASE].file_size
        if size > max(_LARGE, _MOST_PACKED * entries[DATABASE].compress_size):
            raise ValueError(f"it claims to hold {size // 1_000_000:,} MB, packed in next to none")
        require_room(into, size, "Restoring it")
        work.begin("Unpacking", size)
        with archive.open(DATABASE) as source, (into / DATABASE).open("wb") as target:
            _pour(source, target, work)
        settings = _settings_in(archive) if SETTINGS in entries else None
        if settings is not None:
            (into / SETTINGS).write_bytes(settings)
        return made_at, settings is not None


def _settings_in(archive: zipfile.ZipFile) -> bytes | None:
    """The settings, None when this version cannot use them: chats are worth more."""
    settings = archive.read(SETTINGS)
    try:
        read_settings(settings.decode())
    except (Invalid, UnicodeDecodeError):
        return None
    return settings


def _check_database(database: Path, name: str, work: Work) -> DataCounts:
    """See that a database is whole and of a version known here; what it holds."""
    work.begin("Checking")
    try:
        with closing(sqlite3.connect(database, isolation_level=None)) as connection:
            with stoppable(connection, work):
                # One file, without a log beside it.
                connection.execute("PRAGMA journal_mode=DELETE")
                # A trigger or a view of someone else's would be carried out by ours.
                foreign = [
                    kind
                    for kind, sql in connection.execute("SELECT type, sql FROM sqlite_master")
                    if kind not in ("table", "index") and sql not in migrations.TRIGGERS
                ]
                found = [row[0] for row in connection.execute("PRAGMA integrity_check")]
                loose = connection.execute("PRAGMA foreign_key_check").fetchone()
                number = connection.execute("SELECT MAX(number) FROM migrations").fetchone()[0]
            if found != ["ok"] or loose is not None:
                raise Invalid(f"{name} is damaged: {found[0] if found != ['ok'] else 'rows'}.")
            if foreign or not isinstance(number, int):
                raise Invalid(f"{name} is no backup of Chatty Desktop.")
            if number > len(migrations.STEPS):
                raise Invalid(
                    f"{name} was made by a newer version of Chatty Desktop. Install that version"
                    " to restore it."
                )
            with stoppable(connection, work):
                odd = foreign_part(connection, number)
            if odd:
                raise Invalid(f"{name} is damaged, or no backup of Chatty Desktop: {odd}.")
            return _count_rows(connection)
    except sqlite3.Error as error:
        raise Invalid(f"{name} is damaged, or no backup of Chatty Desktop: {error}.") from error


def _pour(source: IO[bytes], target: IO[bytes], work: Work) -> None:
    while chunk := source.read(_CHUNK):
        target.write(chunk)
        work.step(len(chunk))
