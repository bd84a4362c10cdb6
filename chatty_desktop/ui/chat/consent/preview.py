"""What a call would write, beside what is there: read before the person decides about it."""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_LARGEST = 200_000
"""Bytes, and characters, up to which two texts are compared."""

_MOST_LINES = 4_000
"""Lines up to which they are: comparing takes time that grows with their product."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a file would become. `diff` is a unified diff, "" where `text` replaces what is there
    as a whole, or nothing is there yet; `known`: whether there is a file was found out."""

    text: str
    diff: str = ""
    exists: bool = False
    known: bool = True


async def change_of(path: str, text: str, folders: Sequence[str]) -> Change:
    """What writing `text` to `path` would do. Only files within the folders are read."""
    return await asyncio.to_thread(_change_of, path, text, folders)


def _change_of(path: str, text: str, folders: Sequence[str]) -> Change:
    try:
        file = _within(path, folders)
        if file is None or not file.is_file():
            return Change(text, known=file is not None)
        if file.stat().st_size > _LARGEST or len(text) > _LARGEST:
            return Change(text, exists=True)
        before = file.read_text("utf-8").splitlines()
    except (OSError, ValueError):
        return Change(text, known=False)
    after = text.splitlines()
    if len(before) + len(after) > _MOST_LINES:
        return Change(text, exists=True)
    lines = difflib.unified_diff(before, after, lineterm="", n=2)
    # The first two name the files, which the card does.
    diff = "\n".join(list(lines)[2:])
    return Change(text, diff, exists=True)


def _within(path: str, folders: Sequence[str]) -> Path | None:
    """Where the path leads, in the first folder in which something is or could be there."""
    inside: list[Path] = []
    for folder in folders:
        root = Path(folder).expanduser().resolve()
        file = (root / path).resolve()
        if file.is_relative_to(root):
            inside.append(file)
    return next((file for file in inside if file.exists()), inside[0] if inside else None)
