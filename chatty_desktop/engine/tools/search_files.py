"""search_files: where a text stands in files."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

from chatty_desktop.domain.errors import ChattyError, Stopped
from chatty_desktop.domain.tools import ToolResult, ToolSpec, ToolUse
from chatty_desktop.domain.work import Work
from chatty_desktop.engine.tools.contract import Reach, arguments, text
from chatty_desktop.engine.tools.folders import Folders, as_text

MOST_HITS = 100
MOST_FILES = 20_000
LARGEST_SEARCHED = 2_000_000
"""Bytes; what is larger is rarely written by people."""

LINE_CHARS = 240


class SearchFiles:
    """Searches in the folders that the person has given to the agent; hidden folders are left out,
    and links are not followed."""

    spec = ToolSpec(
        "search_files",
        "Finds a text in the files of a folder you were given. Gives back file, line and words.",
        arguments(
            "text",
            text=text("The words to find, as they stand there; upper and lower case are the same."),
            path=text("The folder; leave out for the one you were given."),
            pattern=text("Only in files with names like this, such as *.md"),
        ),
    )

    def __init__(self, reach: Reach) -> None:
        self._closed = reach.closed

    async def run(self, use: ToolUse) -> ToolResult:
        work = Work()
        try:
            return await asyncio.to_thread(self._search, use, work)
        finally:
            work.stop()  # a thread cannot be cancelled, but it looks at this

    def _search(self, use: ToolUse, work: Work) -> ToolResult:
        folders = Folders(use.folders, self._closed)
        path = str(use.arguments.get("path") or "")
        roots = [folders.place(path)] if path else list(folders.roots)
        pattern = str(use.arguments.get("pattern") or "*")
        wanted = str(use.arguments["text"]).casefold()
        hits: list[str] = []
        searched = 0
        try:
            for place in _files(roots, pattern):
                work.step(1)
                searched += 1
                hits += _hits(folders, place, wanted)
                if len(hits) >= MOST_HITS or searched >= MOST_FILES:
                    hits[MOST_HITS:] = ["… there may be more; search for something rarer"]
                    break
        except Stopped:
            pass
        return ToolResult("\n".join(hits) or f"Not found in {searched} files.")


def _files(roots: list[Path], pattern: str) -> Iterator[Path]:
    for root in roots:
        if root.is_file():
            yield root
        for folder, below, names in os.walk(root):
            below[:] = sorted(name for name in below if not name.startswith("."))
            yield from (Path(folder, name) for name in sorted(names) if fnmatch(name, pattern))


def _hits(folders: Folders, place: Path, wanted: str) -> list[str]:
    try:
        real = folders.place(str(place))
        if real.stat().st_size > LARGEST_SEARCHED:
            return []
        told = as_text(folders.read(real)) or ""
    except (ChattyError, OSError):
        return []  # it leads outside, is no plain file, or may not be read
    return [
        f"{folders.shown(place)}:{number}: {line.strip()[:LINE_CHARS]}"
        for number, line in enumerate(told.splitlines(), 1)
        if wanted in line.casefold()
    ]
