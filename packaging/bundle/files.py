"""The files of a bundle on the disk: how large they are, and without what only debuggers read.

An entry is PyInstaller's (destination, source, kind).
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import contents

Entry = tuple[str, str, str]


def megabytes(entries: Iterable[Entry]) -> float:
    """How large files are together; links count nothing."""
    return sum(_size(Path(source)) for _, source, kind in entries if kind != "SYMLINK") / 1e6


def stripped(entries: Iterable[Entry], folder: Path) -> list[Entry]:
    """The entries, with copies in a folder in place of the libraries that have symbols to lose.
    All as they are where there is no `strip` (it is in Debian's binutils)."""
    program = shutil.which("strip")
    if program is None:
        return list(entries)
    shutil.rmtree(folder, ignore_errors=True)
    found = []
    for destination, source, kind in entries:
        if kind != "SYMLINK" and re.match(contents.STRIPPED, destination):
            copy = folder / destination
            copy.parent.mkdir(parents=True, exist_ok=True)
            subprocess.run([program, "--strip-unneeded", "-o", copy, source], check=True)
            source = str(copy)
        found.append((destination, source, kind))
    return found


def _size(file: Path) -> int:
    return file.stat().st_size if file.is_file() else 0
