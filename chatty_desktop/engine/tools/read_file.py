"""read_file: the lines of a text file."""

from __future__ import annotations

import asyncio

from chatty_desktop.domain.tools import ToolResult, ToolSpec, ToolUse
from chatty_desktop.engine.tools.contract import Reach, arguments, number, text
from chatty_desktop.engine.tools.folders import Folders, as_text

MOST_LINES = 2000
LONGEST_LINE = 2000
"""Characters; longer lines are data more than text."""


class ReadFile:
    """Reads in the folders that the person has given to the agent."""

    spec = ToolSpec(
        "read_file",
        "Reads a text file in the folders you were given.",
        arguments(
            "path",
            path=text("Path of the file, such as notes/todo.txt"),
            first_line=number("The line to begin with; 1 if left out.", 1, 10_000_000),
            lines=number(f"How many lines; {MOST_LINES} if left out.", 1, MOST_LINES),
        ),
    )

    def __init__(self, reach: Reach) -> None:
        self._closed = reach.closed

    async def run(self, use: ToolUse) -> ToolResult:
        return await asyncio.to_thread(self._read, use)

    def _read(self, use: ToolUse) -> ToolResult:
        folders = Folders(use.folders, self._closed)
        place = folders.place(str(use.arguments["path"]))
        content = folders.read(place)
        name = folders.shown(place)
        told = as_text(content)
        if told is None:
            return ToolResult(f"{name} is a binary file of {len(content)} bytes.", failed=True)
        if not content:
            return ToolResult(f"{name} is empty.")
        lines = told.splitlines()
        first = int(use.arguments.get("first_line", 1))
        count = int(use.arguments.get("lines", MOST_LINES))
        shown = [line[:LONGEST_LINE] for line in lines[first - 1 : first - 1 + count]]
        if not shown:
            return ToolResult(f"{name} has only {len(lines)} lines.", failed=True)
        if len(shown) == len(lines):
            return ToolResult("\n".join(shown))
        head = f"{name}, lines {first} to {first + len(shown) - 1} of {len(lines)}:"
        return ToolResult("\n".join([head, *shown]))
