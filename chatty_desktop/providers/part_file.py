"""The unfinished file of a download, and the note beside it from which it goes on after a restart.

Everything here works on the disk: call it in a thread.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

from chatty_desktop.domain.json_text import read_json

PART = ".part"
NOTE = ".part.json"
_CHUNK = 4 * 1024 * 1024


@dataclass(slots=True)
class PartNote:
    """What must be known to go on: `size` in bytes and `sha256` as promised, None when nobody
    did; `total`, `etag` and `last_modified` as the server told them last."""

    url: str
    name: str
    size: int | None = None
    sha256: str | None = None
    total: int | None = None
    etag: str | None = None
    last_modified: str | None = None

    @property
    def validator(self) -> str | None:
        """What tells the server which file was begun; a weak one does not hold byte for byte."""
        if self.etag and not self.etag.startswith("W/"):
            return self.etag
        return self.last_modified


class PartFile:
    """`NAME.part` and `NAME.part.json` in a folder, for the file NAME to be."""

    def __init__(self, folder: Path, note: PartNote) -> None:
        self.note = note
        self._folder = folder
        self._file = folder / f"{note.name}{PART}"
        self._beside = folder / f"{note.name}{NOTE}"
        self._stream: BinaryIO | None = None
        self._hash = hashlib.sha256()
        self.done = 0

    def size(self) -> int:
        """Bytes that are there. Raises `OSError`."""
        try:
            return self._file.stat().st_size
        except FileNotFoundError:
            return 0

    def save_note(self) -> None:
        """Write the note, whole or not at all. Raises `OSError`."""
        self._folder.mkdir(parents=True, exist_ok=True)
        fresh = self._beside.with_suffix(".new")
        fresh.write_text(json.dumps(asdict(self.note)), encoding="utf-8")
        fresh.replace(self._beside)

    def open(self, stop: threading.Event, report: Callable[[int], None]) -> None:
        """Open for more, and read what is there into the checksum; `report` is told how far that
        is, in bytes. Ends early when `stop` is set. Raises `OSError`."""
        self.close()
        self._folder.mkdir(parents=True, exist_ok=True)
        self._hash = hashlib.sha256()
        self.done = 0
        self._stream = self._file.open("r+b" if self._file.exists() else "w+b", buffering=0)
        while not stop.is_set() and (chunk := self._stream.read(_CHUNK)):
            self._hash.update(chunk)
            self.done += len(chunk)
            report(self.done)

    def begin_again(self) -> None:
        """Forget what is there. Raises `OSError`."""
        assert self._stream is not None
        self._stream.seek(0)
        self._stream.truncate()
        self._hash = hashlib.sha256()
        self.done = 0

    def write(self, chunk: bytes) -> None:
        """Put more at the end. Raises `OSError`; what was written by then is kept and counted."""
        assert self._stream is not None
        rest = memoryview(chunk)
        while rest:
            count = self._stream.write(rest)
            self._hash.update(rest[:count])
            self.done += count
            rest = rest[count:]

    def first_bytes(self, count: int) -> bytes:
        """How the file begins. Raises `OSError`."""
        with self._file.open("rb") as stream:
            return stream.read(count)

    def digest(self) -> str:
        """The SHA-256 of all that is there."""
        return self._hash.hexdigest()

    @property
    def path(self) -> Path:
        return self._file

    def finish(self) -> Path:
        """Give the whole file its name, or the next one that is free. Raises `OSError`."""
        assert self._stream is not None
        os.fsync(self._stream.fileno())
        self.close()
        target = free_name(self._folder, self.note.name)
        self._file.replace(target)
        self._beside.unlink(missing_ok=True)
        return target

    def close(self) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.close()

    def remove(self) -> None:
        """Delete the file and its note. Raises `OSError`."""
        self.close()
        self._file.unlink(missing_ok=True)
        self._beside.unlink(missing_ok=True)


def free_name(folder: Path, name: str) -> Path:
    """The path of that name, with a number where there is such a file already."""
    target = folder / name
    stem, suffix = target.stem, target.suffix
    number = 2
    while target.exists():
        target = folder / f"{stem}-{number}{suffix}"
        number += 1
    return target


def left_over(folder: Path) -> list[PartFile]:
    """The downloads begun in earlier runs, by name. A note that cannot be read is passed over."""
    found = []
    for file in sorted(folder.glob(f"*{NOTE}")):
        try:
            value: Any = read_json(file.read_text("utf-8"))
            note = PartNote(**value)
            if f"{note.name}{NOTE}" == file.name and isinstance(note.url, str):
                found.append(PartFile(folder, note))
        except (OSError, ValueError, TypeError):
            continue
    return found
