"""list_files: what is in a folder."""

from __future__ import annotations

import asyncio
import os
from fnmatch import fnmatch
from pathlib import Path

from chatty_desktop.domain.errors import Refused
from chatty_desktop.domain.tools import ToolResult, ToolSpec, ToolUse
from chatty_desktop.engine.tools.contract import Reach, arguments, text
from chatty_desktop.engine.tools.folders import Folders

MOST = 500


class ListFiles:
    """Lists in the folders that the person has given to the agent."""

    spec = ToolSpec(
        "list_files",
        "Lists the files and folders in a folder you were given, with their sizes.",
        arguments(
            path=text("The folder; leave out for the one you were given."),
            pattern=text("Only names like this, such as *.txt"),
        ),
    )

    def __init__(self, reach: Reach) -> None:
        self._closed = reach.closed

    async def run(self, use: ToolUse) -> ToolResult:
        return await asyncio.to_thread(self._list, use)

    def _list(self, use: ToolUse) -> ToolResult:
        folders = Folders(use.folders, self._closed)
        path = str(use.arguments.get("path") or "")
        if not path and len(folders.roots) > 1:
            return ToolResult("\n".join(f"{root}/" for root in folders.roots))
        place = folders.place(path or ".")
        pattern = str(use.arguments.get("pattern") or "*")
        try:
            with os.scandir(place) as entries:
                found = sorted(entries, key=lambda entry: (not entry.is_dir(), entry.name))
        except OSError as error:
            why = error.strerror or error
            raise Refused(f"{folders.shown(place)} cannot be listed: {why}.") from error
        fitting = [entry for entry in found if fnmatch(entry.name, pattern)]
        lines = [_told(entry, folders) for entry in fitting[:MOST]]
        if len(fitting) > MOST:
            lines.append(f"… and {len(fitting) - MOST} more")
        return ToolResult("\n".join(lines) or "There is nothing here.")


def _told(entry: os.DirEntry[str], folders: Folders) -> str:
    if entry.is_symlink() and not folders.holds(Path(os.path.realpath(entry.path))):
        return f"{entry.name} (leads out of the folder)"
    if entry.is_dir():
        return f"{entry.name}/"
    try:
        return f"{entry.name} ({entry.stat().st_size} bytes)"
    except OSError:
        return f"{entry.name} (cannot be read)"
