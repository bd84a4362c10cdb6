"""Downloads of model files into the app's folder: several, in turn, paused and resumed."""

from __future__ import annotations

import asyncio
import logging
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from chatty_desktop.domain.downloads import (
    CatalogueModel,
    Download,
    DownloadState,
    checked_sha256,
    read_catalogue,
)
from chatty_desktop.domain.errors import Invalid, StorageFailed, Unreachable
from chatty_desktop.domain.model_files import ModelFile
from chatty_desktop.engine.ports import Publish
from chatty_desktop.paths import resources_folder
from chatty_desktop.providers.download_address import file_address, file_name
from chatty_desktop.providers.download_item import DownloadItem
from chatty_desktop.providers.model_links import adopted
from chatty_desktop.providers.part_file import PartFile, PartNote, free_name, left_over

log = logging.getLogger(__name__)

AT_ONCE = 2
_CLOSE_SECONDS = 1.0


class Downloads:
    """The downloads of this run and those left over from earlier ones.

    `publish` is told of every change by `DownloadChanged`. `close` pauses what is under way, and
    the next run finds it paused. `patience` is a
    `transfer.TransferPatience`, None for the usual one; `spare` the bytes left free on the disk.
    """

    def __init__(
        self,
        folder: Path,
        publish: Publish,
        *,
        at_once: int = AT_ONCE,
        patience: Any = None,
        spare: int | None = None,
    ) -> None:
        self._folder = folder
        self._publish = publish
        self._places = asyncio.Semaphore(at_once)
        self._patience = patience
        self._spare = spare
        self._items: dict[str, DownloadItem] = {}
        self._closed = False
        self._loading = asyncio.Lock()
        self._loaded = False

    async def load(self) -> None:
        """Find what earlier runs left unfinished; only the first call looks."""
        async with self._loading:
            if self._loaded:
                return
            for part, done in await asyncio.to_thread(self._left_over):
                item = self._add(part)
                item.show("paused", done=done, total=part.note.total or part.note.size or 0)
            self._loaded = True

    async def catalogue(self) -> tuple[CatalogueModel, ...]:
        """The models that are suggested. Raises `StorageFailed` when the app's list is broken."""
        return await asyncio.to_thread(_read_catalogue)

    def all(self) -> list[Download]:
        """The downloads as they stand, oldest first; those that were cancelled are not there."""
        return [item.shown for item in self._items.values()]

    async def start(
        self, url: str, *, sha256: str | None = None, size: int | None = None
    ) -> Download:
        """Begin a download, or go on with the one of that address that is there.

        `size` in bytes and `sha256` are held against what comes. Raises `Invalid` for an address
        or a checksum that is none, `StorageFailed` when the folder cannot be written.
        """
        address = file_address(url)
        checksum = checked_sha256(sha256) if sha256 and sha256.strip() else None
        await self.load()
        old = next((i for i in self._items.values() if i.part.note.url == address), None)
        if old is not None and old.shown.state in ("waiting", "running", "checking", "paused"):
            if checksum and old.part.note.sha256 != checksum:
                raise Invalid("this file is being downloaded already, with another checksum")
            await self.resume(old.shown.id)
            return old.shown
        if old is not None:
            self._items.pop(old.shown.id)
        taken = {
            item.part.note.name for item in self._items.values() if item.shown.state != "finished"
        }
        part = await asyncio.to_thread(
            self._new_part, PartNote(address, file_name(address), size, checksum), taken
        )
        item = self._add(part)
        item.show("waiting", total=size or 0)
        self._run(item)
        return item.shown

    async def pause(self, download_id: str) -> None:
        """Stop one for now and keep what has come."""
        item = self._items.get(download_id)
        if item is not None and item.shown.active:
            await item.end()
            if item.shown.active:
                # While it was still reading what is there, it had counted less.
                item.show("paused", done=max(item.shown.done, item.part.done))

    async def resume(self, download_id: str) -> None:
        """Go on with one that is paused."""
        item = self._items.get(download_id)
        if item is not None and item.shown.state in ("paused", "failed"):
            await item.end()
            item.show("waiting")
            self._run(item)

    async def cancel(self, download_id: str) -> None:
        """Stop one and remove what has come; of a finished or failed one only the entry goes.
        Raises `StorageFailed`."""
        item = self._items.get(download_id)
        if item is None:
            return
        await item.end()
        if item.shown.state != "finished":
            try:
                await asyncio.to_thread(item.part.remove)
            except OSError as error:
                item.show("paused")
                raise StorageFailed(
                    f"{item.part.path} cannot be removed: {error.strerror or error}."
                ) from error
        self._items.pop(download_id, None)
        item.show("gone")

    async def adopt(self, file: ModelFile) -> str:
        """What to call a found file in the settings: its path, from the app's own folder on if it
        lies there. A file whose name tells nobody anything, as Ollama's, is given a link there
        under the name of its model, where the system allows links. Raises nothing."""
        return await asyncio.to_thread(adopted, file, self._folder)

    async def delete_model(self, path: str) -> None:
        """Delete a model file of the app's own folder, of a link the link alone. Raises
        `Invalid` for one elsewhere and `StorageFailed`."""
        await asyncio.to_thread(_delete, Path(path), self._folder)
        for item in [item for item in self._items.values() if item.shown.path == path]:
            self._items.pop(item.shown.id)
            item.show("gone")

    async def close(self) -> None:
        """Pause everything, within a second; what has come stays on the disk."""
        self._closed = True
        tasks = [item.task for item in self._items.values() if item.task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=_CLOSE_SECONDS)

    # --- at work ------------------------------------------------------------------------------

    def _add(self, part: PartFile) -> DownloadItem:
        item = DownloadItem(part, self._publish)
        self._items[item.shown.id] = item
        return item

    def _run(self, item: DownloadItem) -> None:
        if not self._closed:
            item.task = asyncio.get_running_loop().create_task(self._work(item))

    async def _work(self, item: DownloadItem) -> None:
        try:
            async with self._places:
                await self._get(item)
        except Unreachable as problem:
            item.show("paused", reason=str(problem))
        except Exception as error:
            log.exception("A download failed")
            item.show("paused", reason=f"Something went wrong inside the app: {error}.")

    async def _get(self, item: DownloadItem) -> None:
        """Try until it is done, or there is no use in trying."""
        # In a thread: it imports the HTTP client.
        wire = await asyncio.to_thread(import_module, "chatty_desktop.providers.transfer")
        patience = self._patience or wire.TransferPatience()
        client = await asyncio.to_thread(wire.new_client, patience, item.part.note.url)
        async with client:
            tries = 0
            furthest = await asyncio.to_thread(item.size)
            while True:
                try:
                    path = await self._attempt(wire, item, client)
                    item.show("finished", done=path[1], total=path[1], path=str(path[0]))
                    return
                except wire.Dropped as drop:
                    # What only began again has not come further.
                    tries = 1 if item.part.done > furthest else tries + 1
                    furthest = max(furthest, item.part.done)
                    wait = drop.wait if drop.wait is not None else _wait(patience.waits, tries)
                    if tries > len(patience.waits) or wait > patience.longest_wait:
                        item.show("paused", f"{drop} Try again later.", done=item.part.done)
                        return
                    item.show("waiting", f"{drop} Trying again …", done=item.part.done)
                    await asyncio.sleep(wait)
                except wire.Halted as halt:
                    item.show("paused", str(halt), done=item.part.done)
                    return
                except wire.Worthless as nothing:
                    await asyncio.to_thread(_remove_quietly, item.part)
                    item.show("failed", reason=str(nothing), done=0)
                    return

    async def _attempt(self, wire: ModuleType, item: DownloadItem, client: Any) -> tuple[Path, int]:
        def progress(stage: DownloadState, remark: str) -> None:
            item.show(stage, remark, done=item.part.done, total=transfer.total)

        spare = wire.SPARE if self._spare is None else self._spare
        transfer = wire.Transfer(item.part, self._folder, progress, spare=spare)
        item.show("checking" if item.shown.done else "running")
        path: Path = await transfer.attempt(client)
        return path, item.part.done

    # --- in a thread --------------------------------------------------------------------------

    def _left_over(self) -> list[tuple[PartFile, int]]:
        found = []
        for part in left_over(self._folder):
            try:
                found.append((part, part.size()))
            except OSError as error:
                log.info("%s cannot be looked at: %s", part.path, error)
        return found

    def _new_part(self, note: PartNote, taken: set[str]) -> PartFile:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            note.name = _free(self._folder, note.name, taken)
            part = PartFile(self._folder, note)
            part.remove()  # one without a note: nothing says what it is
            part.save_note()
            return part
        except OSError as error:
            raise StorageFailed(
                f"The folder of models, {self._folder}, cannot be written:"
                f" {error.strerror or error}. Mend that, and try again."
            ) from error


def _wait(waits: tuple[float, ...], tries: int) -> float:
    return waits[min(tries, len(waits)) - 1] if waits else 0.0


def _free(folder: Path, name: str, taken: set[str]) -> str:
    """A name that no file has and no download will give."""
    target = free_name(folder, name)
    stem, number = Path(name).stem, 2
    while target.name in taken:
        target = free_name(folder, f"{stem}-{number}.gguf")
        number += 1
    return target.name


def _remove_quietly(part: PartFile) -> None:
    try:
        part.remove()
    except OSError as error:
        log.warning("%s cannot be removed: %s", part.path, error)


def _delete(path: Path, folder: Path) -> None:
    if not path.parent.resolve().is_relative_to(folder.resolve()):
        raise Invalid(f"{path} belongs to another program; delete it there.")
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise StorageFailed(
            f"{path} cannot be deleted: {error.strerror or error}. If a model is loaded from it,"
            " try again in a moment."
        ) from error


def _read_catalogue() -> tuple[CatalogueModel, ...]:
    file = resources_folder() / "catalogue.json"
    try:
        return read_catalogue(file.read_text("utf-8"))
    except (OSError, Invalid) as error:
        raise StorageFailed(f"The app's own list of models cannot be read: {error}") from error
