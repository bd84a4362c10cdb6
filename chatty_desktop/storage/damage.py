"""What a bad disk or a power cut left of the database: found at a start, kept aside, and mended
from the last backup that is good.

Nothing is ever deleted, and without a backup nothing is replaced: the person is told then how to
go on. What only an index says wrongly is built again from the rows.
"""

from __future__ import annotations

import logging
import shutil
import sqlite3
import struct
import time
from contextlib import closing, suppress
from pathlib import Path

from chatty_desktop.domain.errors import Invalid, StorageFailed
from chatty_desktop.domain.events import Notice
from chatty_desktop.domain.work import Work
from chatty_desktop.paths import Paths
from chatty_desktop.storage import restoring, word_index
from chatty_desktop.storage.disk import scratch_file

log = logging.getLogger(__name__)

CHECKED_BYTES = 64_000_000
"""A database up to this size is read through after the app did not end by itself: some 0.2 s."""

_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)

_LOG_HEADER, _FRAME_HEADER = 32, 24
_LOG_MARKS = (0x377F0682, 0x377F0683)
"""https://www.sqlite.org/fileformat2.html#the_write_ahead_log"""


def suspect(database: Path) -> None:
    """Have the database read through at the next start, since it was seen to be damaged."""
    with suppress(OSError):
        _note(database).touch()


def is_suspect(database: Path) -> bool:
    """Whether that was so, and nobody has looked into it yet."""
    return _note(database).exists()


def mend(paths: Paths) -> list[Notice]:
    """Look at the database before it is opened, mend what is damaged, and tell of it. Raises
    `StorageFailed` where it is damaged and there is no backup to put in its place."""
    notices = []
    damage = _empty(paths)
    if not damage:
        with scratch_file(paths.database.with_name("log")) as copy:
            logged = _copied_log(paths, copy)
            damage, known = _look(paths, thorough=is_suspect(paths.database) or logged)
            if logged and known is not None and known < _committed(copy):
                lost = _log_lost(paths, copy)
                notices += [] if damage else [lost]
    if damage and (notice := _indexes_built_again(paths)):
        notices.append(notice)
    elif damage:
        notices.append(_last_backup_restored(paths, damage))
    with suppress(OSError):
        _note(paths.database).unlink(missing_ok=True)
    return notices


# --- looking ---------------------------------------------------------------------------------


def _note(database: Path) -> Path:
    return database.with_name(f"{database.name}.suspect")


def _log(database: Path) -> Path:
    return database.with_name(f"{database.name}-wal")


def _empty(paths: Paths) -> str:
    """Whether the file has lost all it held. One that is just being born is empty, too."""
    database = paths.database
    log_of_it = _log(database)
    if not database.exists() or database.stat().st_size:
        return ""
    has_log = log_of_it.exists() and log_of_it.stat().st_size
    used = paths.window.exists() or paths.episodes.exists() or any(paths.backups.glob("*"))
    return "it is empty" if has_log or used else ""


def _look(paths: Paths, *, thorough: bool) -> tuple[str, int | None]:
    """(what is wrong with the database, "" for nothing; how many frames of its log count, None
    where that cannot be told)."""
    if not paths.database.exists():
        return "", None
    try:
        # Whoever else has it locked is told of, and waited for, by whoever opens it.
        with closing(sqlite3.connect(paths.database, 0.2, isolation_level=None)) as connection:
            connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
            frames = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()[1]
            seen = is_suspect(paths.database)
            if thorough and (seen or paths.database.stat().st_size <= CHECKED_BYTES):
                # Only what was seen to be wrong is worth the time to compare every index.
                check = "integrity_check" if seen else "quick_check"
                found = connection.execute(f"PRAGMA {check}(1)").fetchone()[0]
                return ("" if found == "ok" else _first_line(found)), frames
            return "", frames
    except sqlite3.DatabaseError as error:
        return (str(error), 0) if (error.sqlite_errorcode & 0xFF) in _DAMAGED else ("", None)


def _first_line(text: str) -> str:
    return next((line for line in text.splitlines() if not line.startswith("***")), text)


# --- the log ---------------------------------------------------------------------------------


def _copied_log(paths: Paths, to: Path) -> bool:
    """Copy the log that a killed app left: to open the database is to take it in, or to drop what
    is damaged in it without a word."""
    source = _log(paths.database)
    try:
        if source.stat().st_size <= _LOG_HEADER:
            return False
        shutil.copyfile(source, to)
    except OSError:
        return False
    return True


def _committed(log_file: Path) -> int:
    """Up to which frame a log holds what was committed, going by the heads of the frames; all of
    them where the head of the log itself is damaged."""
    with log_file.open("rb") as stream:
        size = log_file.stat().st_size
        mark, _version, page, _count, *salts = struct.unpack(">6I", stream.read(24))
        page = 65_536 if page == 1 else page
        if mark not in _LOG_MARKS or not 512 <= page <= 65_536:
            return size
        last = 0
        for number in range((size - _LOG_HEADER) // (_FRAME_HEADER + page)):
            stream.seek(_LOG_HEADER + number * (_FRAME_HEADER + page))
            _page, commits, *of_frame = struct.unpack(">4I", stream.read(16))
            if of_frame != salts:
                break  # left over from before the log began anew
            if commits:
                last = number + 1
        return last


def _log_lost(paths: Paths, copy: Path) -> Notice:
    """Keep a damaged log and tell of it, where what the database holds without it is whole."""
    kept = paths.backups / f"{paths.database.stem}-{_now()}-damaged.db-wal"
    try:
        paths.backups.mkdir(exist_ok=True)
        shutil.copyfile(copy, kept)
        where = f"The damaged log is kept as {kept.name} among the backups."
    except OSError as error:
        where = f"The damaged log could not be kept: {error.strerror or error}."
    return Notice(
        "warning",
        "The end of the database's log was damaged, so the last that was written before Chatty"
        f" Desktop ended may be missing. Everything before that is there. {where}",
    )


# --- mending ---------------------------------------------------------------------------------


def _indexes_built_again(paths: Paths) -> Notice | None:
    """Build every index again, with the damaged file kept; None where that does not help."""
    try:
        log_of_it = _log(paths.database)
        if not paths.database.stat().st_size or (log_of_it.exists() and log_of_it.stat().st_size):
            return None
        with scratch_file(paths.backups / "rebuilt.db") as copy:
            paths.backups.mkdir(exist_ok=True)
            shutil.copyfile(paths.database, copy)
            with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
                connection.execute("PRAGMA journal_mode=DELETE")
                word_index.build_again(connection)
                connection.execute("REINDEX")
                if connection.execute("PRAGMA integrity_check(1)").fetchone() != ("ok",):
                    return None
                if connection.execute("PRAGMA foreign_key_check").fetchone() is not None:
                    return None
            kept = restoring.keep_damaged(paths)
            copy.replace(paths.database)
    except (sqlite3.Error, OSError) as error:
        log.info("The indexes of the database cannot be built again: %s", error)
        return None
    return Notice(
        "warning",
        "An index of the database was damaged and was built again; no message is lost. The damaged"
        f" database is kept as {kept.name} among the backups.",
    )


def _last_backup_restored(paths: Paths, damage: str) -> Notice:
    """Put the newest good backup in place of the damaged database. Raises `StorageFailed`."""
    database = paths.database
    for backup in restoring.list_backups(paths.backups):
        if backup.kind == "damaged":
            continue
        try:
            restoring.stage(paths, Path(backup.file), Work(), damage)
        except Invalid as error:
            log.info("Not restored: %s", error)
            continue
        except StorageFailed as error:
            raise StorageFailed(
                f"{database} is damaged ({damage}), and no backup could be restored: {error}"
            ) from error
        notice = restoring.put_in_place(paths)
        if notice is None or notice.level == "error":
            raise StorageFailed(
                f"{database} is damaged ({damage}). {notice.text if notice else ''}"
            )
        return notice
    raise StorageFailed(
        f"{database} is damaged ({damage}), and there is no good backup in {paths.backups}. It is"
        " left as it is. To bring back a backup that lies elsewhere: chatty-desktop restore FILE."
        " To start anew, move the damaged file away."
    )


def _now() -> str:
    return time.strftime("%Y%m%d-%H%M%S")
