"""Room on the disk, and files that are there whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from chatty_desktop.domain.errors import StorageFailed

MARGIN_BYTES = 20_000_000
"""What is to stay free."""


def require_room(folder: Path, wanted: int, what: str) -> None:
    """Raises `StorageFailed` when fewer bytes than wanted, and a margin, are free there."""
    try:
        free = shutil.disk_usage(folder).free
    except OSError as error:
        raise StorageFailed(f"{folder} cannot be used: {error.strerror or error}.") from error
    if free < wanted + MARGIN_BYTES:
        raise StorageFailed(
            f"{what} needs about {megabytes(wanted + MARGIN_BYTES)} in {folder}, where"
            f" {megabytes(free)} are free. Make room, or choose another place."
        )


def megabytes(count: int) -> str:
    return f"{max(1, round(count / 1_000_000)):,} MB"


@contextmanager
def whole_file(target: Path) -> Iterator[Path]:
    """A name to write under, in the same folder; at the end the file takes the target's name, or
    it goes when anything fails. Raises `StorageFailed` for trouble with the disk."""
    partial = target.with_name(f".{target.name}.{os.getpid()}.new")
    try:
        yield partial
        with partial.open("r+b") as stream:
            os.fsync(stream.fileno())
        partial.replace(target)
        sync_folder(target.parent)
    except OSError as error:
        raise StorageFailed(
            f"{target} could not be written: {error.strerror or error}. What was there is"
            " unharmed; make room, or choose another place."
        ) from error
    finally:
        # Where the disk itself is gone, so is the file.
        with suppress(OSError):
            partial.unlink(missing_ok=True)


@contextmanager
def scratch_file(beside: Path) -> Iterator[Path]:
    """A name for a file that is in nobody's way and gone at the end."""
    scratch = beside.with_name(f".{beside.name}.{os.getpid()}.scratch")
    try:
        yield scratch
    finally:
        with suppress(OSError):
            scratch.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Have the names in a folder outlive a power cut, on systems that can."""
    if os.name == "nt":
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def files_below(folder: Path) -> Iterator[os.stat_result]:
    """What the system knows of each file in a folder and all that is in it; what goes meanwhile
    is left out."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        with suppress(OSError):
            if entry.is_dir(follow_symlinks=False):
                yield from files_below(Path(entry.path))
            else:
                yield entry.stat(follow_symlinks=False)
