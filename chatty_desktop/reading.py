"""Files that a person or another program put there, read within bounds.

What is chosen as a file may be a pipe, whose opening waits for ever, a device without an end, or a
file that is said to hold more than any disk.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from chatty_desktop.domain.errors import Invalid

LARGEST = 5_000_000
"""Bytes of a file that people write or edit: settings, an agent, a graph."""


class NotPlain(Invalid):
    """A folder, a pipe, a device."""


class TooLarge(Invalid):
    """More bytes than such a file may have."""


def require_plain(file: Path) -> int:
    """The bytes that a plain file holds, a link followed. Raises `NotPlain`, `OSError`."""
    return _size_of(file, file.stat())


def read_file(file: Path, most: int = LARGEST) -> bytes:
    """What a plain file holds, a link followed. Raises `NotPlain`, `TooLarge`, `OSError`."""
    # Without waiting: a pipe would be opened only once somebody writes to it.
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
    require_plain(file)
    with os.fdopen(os.open(file, flags), "rb") as stream:
        size = _size_of(file, os.fstat(stream.fileno()))
        # Files of the system say that they hold nothing, and give more.
        content = stream.read(most + 1) if size <= most else b""
    if size > most or len(content) > most:
        held = f"{max(size, most) // 1_000_000} MB" if size > most else "more"
        raise TooLarge(f"{file.name} holds {held}; up to {most // 1_000_000} MB are read.")
    return content


def read_text(file: Path, most: int = LARGEST) -> str:
    """The text of a plain file in UTF-8. Raises as `read_file` does, and `UnicodeDecodeError`."""
    return read_file(file, most).decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")


def _size_of(file: Path, found: os.stat_result) -> int:
    if not stat.S_ISREG(found.st_mode):
        what = "a folder" if stat.S_ISDIR(found.st_mode) else "no plain file"
        raise NotPlain(f"{file.name} is {what}.")
    return found.st_size
