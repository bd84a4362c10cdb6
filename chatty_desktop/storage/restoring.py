"""Restoring a backup: unpacked and checked beside what is there, put in its place at a start.

Whenever the app is killed meanwhile, the next start finds either the old or the new whole: what
was unpacked counts only once its folder has its name, and each step of putting it in place can be
done again.
"""

from __future__ import annotations

import json
import logging
import shutil
import sqlite3
import time
from contextlib import closing, suppress
from dataclasses import asdict
from pathlib import Path

from chatty_desktop.domain.data_folder import (
    BackupContents,
    BackupKind,
    DataCounts,
    StoredBackup,
    settings_without_secrets,
)
from chatty_desktop.domain.errors import Invalid, StorageFailed
from chatty_desktop.domain.events import Notice
from chatty_desktop.domain.json_text import read_json
from chatty_desktop.domain.work import Work
from chatty_desktop.paths import Paths
from chatty_desktop.reading import read_text
from chatty_desktop.storage.backup_file import DATABASE, SETTINGS, unpack_backup, write_backup
from chatty_desktop.storage.disk import sync_folder, whole_file

log = logging.getLogger(__name__)

_ABOUT = "restored.json"
_LOGS = ("-wal", "-shm")
"""What SQLite keeps beside a database, by the ends of their names."""

_KEPT = "kept"
"""In the folder: names the backup that was made of what is replaced."""


def stage(paths: Paths, file: Path, work: Work, damage: str = "") -> BackupContents:
    """Unpack and check a backup, to take the place of what is there at the next start. Raises as
    `unpack_backup` does; nothing is changed then.

    `damage`: what is wrong with the database that is there. It is kept as it is then, and the
    settings, which are not damaged, stay.
    """
    partial = paths.restore.with_suffix(".part")
    try:
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        contents = unpack_backup(file, partial, work)
        if damage:
            (partial / SETTINGS).unlink(missing_ok=True)
        _write_note(partial, contents, damage)
        sync_folder(partial)
        shutil.rmtree(paths.restore, ignore_errors=True)
        partial.rename(paths.restore)
        sync_folder(paths.data)
    except OSError as error:
        raise StorageFailed(
            f"{paths.data} cannot be written: {error.strerror or error}."
        ) from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return contents


def staged(paths: Paths) -> BackupContents | None:
    """What waits to be put in place at the next start."""
    if not (paths.restore / DATABASE).exists():
        return None
    return _read_note(paths.restore)


def forget_staged(paths: Paths) -> None:
    """Leave everything as it is at the next start. Raises `StorageFailed`."""
    try:
        # The note first: without the name of the folder nothing of it counts.
        gone = paths.restore.with_suffix(".part")
        shutil.rmtree(gone, ignore_errors=True)
        if paths.restore.exists():
            paths.restore.rename(gone)
            shutil.rmtree(gone)
    except OSError as error:
        raise StorageFailed(f"{paths.restore} stays: {error.strerror or error}.") from error


def put_in_place(paths: Paths) -> Notice | None:
    """Put what is staged in place of what is there, and tell of it; None where nothing is staged.
    Called before anything is opened. What was there is kept as a backup first; where that fails
    everything stays as it is, and the notice says why."""
    for folder in (paths.data, paths.backups):
        for stray in (*folder.glob(".*.new"), *folder.glob(".*.scratch")):
            with suppress(OSError):
                stray.unlink(missing_ok=True)
    shutil.rmtree(paths.restore.with_suffix(".part"), ignore_errors=True)
    if not paths.restore.is_dir():
        return None
    try:
        if (paths.restore / DATABASE).exists():
            _keep_present(paths)
            _drop_logs_of_database(paths)
            (paths.restore / DATABASE).replace(paths.database)
            sync_folder(paths.data)
        if (paths.restore / SETTINGS).exists():
            (paths.restore / SETTINGS).replace(paths.settings)
        # Built again from the database, as vectors of the old one may be in it.
        shutil.rmtree(paths.episodes, ignore_errors=True)
        notice = _told(paths)
        forget_staged(paths)
    except (OSError, StorageFailed) as error:
        log.info("A backup was not restored: %s", error)
        reason = str(error) if isinstance(error, StorageFailed) else f"{error.strerror or error}."
        return Notice(
            "error",
            f"The backup was not restored, and everything is as it was: {reason} It is tried again"
            " at the next start, unless you call it off in Settings, on the page Data.",
        )
    return notice


def list_backups(folder: Path) -> list[StoredBackup]:
    """The backups in a folder, newest first."""
    found = []
    for file in folder.glob("*"):
        kind = _kind(file.name)
        if kind is not None and file.is_file():
            known = file.stat()
            found.append(StoredBackup(str(file), kind, _made_at(file), known.st_size))
    return sorted(found, key=lambda backup: (-backup.made_at, backup.file))


def new_name(kind: str = "", ending: str = ".zip") -> str:
    """A file name for a backup made now."""
    return f"chatty-desktop-{time.strftime('%Y%m%d-%H%M%S')}{kind}{ending}"


def _kind(name: str) -> BackupKind | None:
    if name.startswith("."):
        return None
    if name.endswith("-before-restore.zip"):
        return "before_restore"
    if name.endswith("-daily.zip"):
        return "daily"
    if name.endswith(".zip"):
        return "by_hand"
    if name.endswith("-before-move.db"):
        return "before_move"
    if name.endswith("-damaged.db"):
        return "damaged"
    return "before_update" if name.endswith(".db") else None


def _made_at(file: Path) -> float:
    """As its name says, which survives copying; else as the system says."""
    for start in range(len(file.name) - 14):
        try:
            return time.mktime(time.strptime(file.name[start : start + 15], "%Y%m%d-%H%M%S"))
        except ValueError:
            continue
    return file.stat().st_mtime


def _keep_present(paths: Paths) -> None:
    """Back up what is about to be replaced, once."""
    kept = paths.restore / _KEPT
    if kept.exists() or not paths.database.exists():
        return
    paths.backups.mkdir(parents=True, exist_ok=True)
    target = paths.backups / new_name("-before-restore")
    damaged = bool(_damage_in(paths.restore)) or not paths.database.stat().st_size
    try:
        if not damaged:
            with closing(sqlite3.connect(paths.database, isolation_level=None)) as connection:
                damaged = connection.execute("PRAGMA quick_check").fetchone() != ("ok",)
                if not damaged:
                    write_backup(connection, _present_settings(paths), target, Work())
    except sqlite3.DatabaseError:
        damaged = True
    if damaged:
        target = keep_damaged(paths)
    kept.write_text(target.name, "utf-8")


def keep_damaged(paths: Paths) -> Path:
    """Of a damaged database no backup can be made: its files are kept as they are, under a name
    with the date. Raises `OSError`."""
    paths.backups.mkdir(parents=True, exist_ok=True)
    stem = f"{paths.database.stem}-{time.strftime('%Y%m%d-%H%M%S')}-damaged"
    for suffix in _LOGS:
        part = paths.database.with_name(paths.database.name + suffix)
        if part.exists():
            shutil.copy2(part, paths.backups / f"{stem}.db{suffix}")
    # Last: its name says that all of it is there.
    with whole_file(paths.backups / f"{stem}.db") as partial:
        shutil.copy2(paths.database, partial)
    return paths.backups / f"{stem}.db"


def _drop_logs_of_database(paths: Paths) -> None:
    """SQLite would play the log of the old database into the new one. What is in it is written
    into the old one first, for which the new one may not come after all."""
    if not paths.database.exists():
        return
    try:
        with closing(sqlite3.connect(paths.database, isolation_level=None)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.DatabaseError:
        log.info("The damaged database has a log that cannot be used")
    for suffix in _LOGS:
        paths.database.with_name(paths.database.name + suffix).unlink(missing_ok=True)


def _present_settings(paths: Paths) -> str | None:
    try:
        return settings_without_secrets(read_text(paths.settings))
    except (OSError, ValueError, Invalid):
        return None


def _write_note(folder: Path, contents: BackupContents, damage: str) -> None:
    note = {**asdict(contents), "damage": damage}
    (folder / _ABOUT).write_text(json.dumps(note), "utf-8")


def _read_note(folder: Path) -> BackupContents:
    try:
        note = read_json((folder / _ABOUT).read_text("utf-8"))
        counts = DataCounts(**note["counts"])
        return BackupContents(note["made_at"], counts, note["settings"])
    except (OSError, ValueError, TypeError, KeyError):
        return BackupContents(time.time(), DataCounts(), False)


def _damage_in(folder: Path) -> str:
    """What was wrong with the database that a backup takes the place of, "" for nothing."""
    try:
        return str(read_json((folder / _ABOUT).read_text("utf-8"))["damage"])
    except (OSError, ValueError, TypeError, KeyError):
        return ""


def _told(paths: Paths) -> Notice:
    contents = _read_note(paths.restore)
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(contents.made_at))
    counts = contents.counts
    chats = "1 chat" if counts.chats == 1 else f"{counts.chats:,} chats"
    messages = "1 message" if counts.messages == 1 else f"{counts.messages:,} messages"
    agents = "1 agent" if counts.agents == 1 else f"{counts.agents:,} agents"
    try:
        kept = (paths.restore / _KEPT).read_text("utf-8")
        if damage := _damage_in(paths.restore):
            return Notice(
                "warning",
                f"The database was damaged ({damage}), so the backup of {when} was restored:"
                f" {chats}, {messages}, {agents}. What came after it is not here; the damaged"
                f" database, which may still hold it, is kept as {kept} among the backups.",
            )
        what = f" What was there before is kept as {kept}."
    except OSError:
        what = ""
    return Notice(
        "info",
        f"The backup of {when} was restored: {chats}, {messages}, {agents}.{what}",
    )
