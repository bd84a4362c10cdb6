"""write_file: a text file, written whole or not at all."""

from __future__ import annotations

import asyncio

from chatty_desktop.domain.tools import ToolResult, ToolSpec, ToolUse
from chatty_desktop.engine.tools.contract import Reach, arguments, text
from chatty_desktop.engine.tools.folders import Folders


class WriteFile:
    """Writes in the folders that the person has given to the agent."""

    spec = ToolSpec(
        "write_file",
        "Writes a text file in the folders you were given. What the file held before is replaced.",
        arguments(
            "path",
            "content",
            path=text("Path of the file, such as notes/todo.txt"),
            content=text("Everything that the file is to hold."),
        ),
    )

    def __init__(self, reach: Reach) -> None:
        self._closed = reach.closed

    async def run(self, use: ToolUse) -> ToolResult:
        return await asyncio.to_thread(self._write, use)

    def _write(self, use: ToolUse) -> ToolResult:
        folders = Folders(use.folders, self._closed)
        place = folders.place(str(use.arguments["path"]))
        # A lone half of a pair of surrogates is no text that a file can hold.
        content = str(use.arguments["content"]).encode("utf-8", "replace")
        before = place.exists()
        folders.write(place, content)
        what = "Replaced" if before else "Wrote"
        return ToolResult(f"{what} {folders.shown(place)} ({len(content)} bytes).")
