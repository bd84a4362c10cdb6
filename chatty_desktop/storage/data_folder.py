"""The data folder as a whole: measured, compacted, backed up, restored, exported, erased."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection

from chatty_desktop.domain.data_folder import (
    BackupContents,
    BackupKind,
    Compacted,
    DataCounts,
    Erased,
    Erasing,
    IndexOnDisk,
    PlaceKind,
    PlaceSize,
    StoredBackup,
    settings_without_secrets,
)
from chatty_desktop.domain.errors import Invalid, StorageFailed
from chatty_desktop.domain.events import AgentsChanged, SessionsChanged
from chatty_desktop.domain.settings import write_settings
from chatty_desktop.domain.work import Work
from chatty_desktop.engine.ports import Publish
from chatty_desktop.paths import Paths
from chatty_desktop.storage import restoring
from chatty_desktop.storage.counts import count_rows
from chatty_desktop.storage.database import Database
from chatty_desktop.storage.disk import files_below
from chatty_desktop.storage.episodes import StoredEpisodes
from chatty_desktop.storage.erasing import clear_folder, erase_rows
from chatty_desktop.storage.export_file import write_export
from chatty_desktop.storage.messages import StoredMessages
from chatty_desktop.storage.settings_file import SettingsFile

T = TypeVar("T")

ONLY_INTO_THE_FOLDER = (
    "A backup is restored into a data folder, and these chats are on a server. Restore it into"
    " another folder (chatty-desktop restore FILE --data-dir FOLDER), then move that folder's chats"
    " to an empty database (chatty-desktop move --to URL --data-dir FOLDER)."
)


class DataFolder:
    """What is stored, whichever store it is in. Long work takes a `Work`, by which it tells how
    far it is and can be stopped; one at a time, `Invalid` is raised for a second."""

    def __init__(
        self,
        *,
        paths: Paths,
        database: Database,
        settings: SettingsFile,
        messages: StoredMessages,
        episodes: StoredEpisodes,
        publish: Publish,
    ) -> None:
        self._paths = paths
        self._database = database
        self._settings = settings
        self._messages = messages
        self._episodes = episodes
        self._publish = publish
        self._work: Work | None = None

    # --- looking -----------------------------------------------------------------------------

    @property
    def server(self) -> str:
        """The address of the database where it is on a server, "" where it is in the folder."""
        backend = self._database.backend
        return "" if backend.files else backend.place

    @property
    def index_place(self) -> str:
        """The address of the index of episodes where it is not in the folder, "" where it is."""
        place = self._episodes.place
        return "" if place.folder == self._paths.episodes else place.shown

    async def sizes(self) -> AsyncIterator[PlaceSize]:
        """What each kind of things takes, as soon as it is counted. Raises `StorageFailed` where
        one of them is on a server that does not answer."""
        backend = self._database.backend
        places: dict[PlaceKind, list[Path]] = {
            "database": [*backend.files],
            "episodes": [self._episodes.place.folder] if self._episodes.place.folder else [],
            "models": [self._paths.models],
            "backups": [self._paths.backups],
            "logs": [self._paths.logs],
        }
        known = {path for some in places.values() for path in some}
        for kind, some in places.items():
            if some:
                yield await asyncio.to_thread(_measure, kind, some)
            elif kind == "database":
                yield PlaceSize(kind, await self._database.read(backend.size), 0)
            else:
                index = await self._episodes.on_disk()
                yield PlaceSize(kind, index.bytes, index.files)
        yield await asyncio.to_thread(_measure_others, self._paths.data, known)

    async def counts(self) -> DataCounts:
        """How much is stored. Raises `StorageFailed`."""
        return await self._database.read(count_rows)

    async def index(self) -> IndexOnDisk:
        """The index of episodes, and when it was compacted."""
        return await self._episodes.on_disk()

    # --- compacting --------------------------------------------------------------------------

    async def compact(self, work: Work) -> Compacted:
        """Give back the room of what was deleted. Chats go on; what they write waits while the
        database is being compacted. Raises `StorageFailed`, `Stopped`."""
        with self._at(work):
            before = await self._database_bytes(), await self._episodes.on_disk()
            await self._database.long(
                lambda connection: self._database.backend.compact(connection, work),
                work,
                alone=True,
            )
            await self._episodes.compact_all(work)
            after = await self._database_bytes(), await self._episodes.on_disk()
        return Compacted(before[0], after[0], before[1], after[1])

    # --- backing up and restoring ------------------------------------------------------------

    async def backups(self) -> list[StoredBackup]:
        """The backups in the data folder, newest first."""
        return await asyncio.to_thread(restoring.list_backups, self._paths.backups)

    async def changed_at(self) -> float:
        """When the files of the database changed last; 0 where there are none."""
        return await asyncio.to_thread(_changed_at, self._database.backend.files)

    async def back_up(
        self, to: Path | None, work: Work, *, by_itself: bool = False
    ) -> StoredBackup:
        """Write a backup to a file, None: into the data folder. `by_itself`: nobody has asked for
        it. Raises `StorageFailed`, `Stopped`."""
        kind: BackupKind = "daily" if by_itself else "by_hand"

        def backing(connection: Connection) -> StoredBackup:
            folder = self._paths.backups
            if to is None:
                _make(folder)
            name = restoring.new_name("-daily" if by_itself else "")
            target = self._target(to or folder / name)
            settings = settings_without_secrets(write_settings(self._settings.current))
            self._database.backend.back_up(connection, settings, target, work)
            known = target.stat()
            return StoredBackup(str(target), kind, known.st_mtime, known.st_size)

        with self._at(work):
            return await self._database.long(backing, work)

    async def remove_backup(self, backup: StoredBackup) -> None:
        """Delete a backup. Raises `StorageFailed`."""
        await asyncio.to_thread(_remove, Path(backup.file))

    async def stage_restore(self, file: Path, work: Work) -> BackupContents:
        """Unpack and check a backup. It takes the place of what is there at the next start; what
        was there is kept as a backup then. Raises `Invalid`, also for a database on a server,
        `StorageFailed`, `Stopped`."""
        if self.server:
            raise Invalid(ONLY_INTO_THE_FOLDER)
        with self._at(work):
            return await stage(self._paths, file, work)

    async def staged_restore(self) -> BackupContents | None:
        """What takes the place of what is there at the next start."""
        return await asyncio.to_thread(restoring.staged, self._paths)

    async def call_off_restore(self) -> None:
        """Leave everything as it is at the next start. Raises `StorageFailed`."""
        await asyncio.to_thread(restoring.forget_staged, self._paths)

    # --- exporting ---------------------------------------------------------------------------

    async def export(self, to: Path, work: Work) -> tuple[int, int]:
        """Write every chat as Markdown and JSON and every agent into a zip; how many chats and
        agents. Raises `StorageFailed`, `Stopped`."""
        with self._at(work):
            return await self._database.long(
                lambda connection: write_export(
                    self._database.backend, connection, self._target(to), work
                ),
                work,
            )

    # --- erasing -----------------------------------------------------------------------------

    async def erase(self, what: Erasing, work: Work) -> Erased:
        """Delete every chat with all that memory holds, and what else is named. Nothing may run
        meanwhile. Raises `StorageFailed`; then all chats are there, or none."""

        def rows(connection: Connection) -> DataCounts:
            return erase_rows(self._database.backend, connection, work, agents=what.agents)

        with self._at(work):
            counts = await self._database.long(rows, work, alone=True)
            self._messages.forget_all()
            left: list[str] = []
            try:
                await self._episodes.erase()
            except (OSError, StorageFailed):
                left.append(self._episodes.place.shown)
            self._publish(SessionsChanged())
            if what.agents:
                self._publish(AgentsChanged())
            models = backups = 0
            if what.backups:
                backups = await asyncio.to_thread(clear_folder, self._paths.backups, left)
                await asyncio.to_thread(shutil.rmtree, self._paths.restore, True)
            if what.models:
                models = await asyncio.to_thread(clear_folder, self._paths.models, left)
            # The last thing, since it needs room; stopped, it would leave things readable.
            await self._database.long(self._database.backend.scrub, Work(), alone=True)
        if not what.agents:
            counts = replace(counts, agents=0)
        return Erased(counts, models, backups, tuple(left))

    # --- ending ------------------------------------------------------------------------------

    def stop(self) -> None:
        """Stop what is under way."""
        if self._work is not None:
            self._work.stop()

    @contextmanager
    def _at(self, work: Work) -> Iterator[None]:
        if self._work is not None:
            raise Invalid(f"Wait until this has ended: {self._work.what or 'work on the data'}.")
        self._work = work
        try:
            yield
        finally:
            self._work = None

    def _target(self, file: Path) -> Path:
        """A file to write, whole. Raises `Invalid` where it may be one of the app's own."""
        target = file.absolute()
        own = self._paths.data.resolve()
        if target.resolve().is_relative_to(own) and target.suffix.lower() != ".zip":
            raise Invalid(
                f"{target} is in the data folder, among the app's own files. Choose another place,"
                " or a name that ends in .zip."
            )
        return target

    async def _database_bytes(self) -> int:
        async for size in self.sizes():
            return size.bytes
        return 0


async def stage(paths: Paths, file: Path, work: Work) -> BackupContents:
    """Unpack and check a backup for the next start of a data folder. Nothing waits there after the
    caller was cancelled. Raises `Invalid`, `StorageFailed`, `Stopped`."""
    try:
        return await _in_thread(lambda: restoring.stage(paths, file, work), work)
    except asyncio.CancelledError:
        # It may have been done before it could be stopped.
        await asyncio.to_thread(restoring.forget_staged, paths)
        raise


async def _in_thread(call: Callable[[], T], work: Work) -> T:
    """Call it in a thread; a cancelled caller stops it and waits until it has ended."""
    task = asyncio.ensure_future(asyncio.to_thread(call))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        work.stop()
        await asyncio.gather(task, return_exceptions=True)
        raise


def _measure(kind: PlaceKind, places: Iterable[Path]) -> PlaceSize:
    found = []
    for place in places:
        if place.is_dir():
            found += [known.st_size for known in files_below(place)]
        else:
            with suppress(OSError):  # gone meanwhile
                found.append(place.stat().st_size)
    return PlaceSize(kind, sum(found), len(found))


def _measure_others(folder: Path, known: set[Path]) -> PlaceSize:
    return _measure("other", (path for path in folder.iterdir() if path not in known))


def _changed_at(files: Iterable[Path]) -> float:
    changed = 0.0
    for file in files:
        with suppress(OSError):  # there is no log while nothing is open
            changed = max(changed, file.stat().st_mtime)
    return changed


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageFailed(f"{folder} cannot be made: {error.strerror or error}.") from error


def _remove(file: Path) -> None:
    try:
        file.unlink(missing_ok=True)
    except OSError as error:
        raise StorageFailed(f"{file} stays: {error.strerror or error}.") from error
