"""A well-behaved server: tools of all kinds, resources, prompts.

python good.py [http PORT]
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import Context, Image, MCPServer

server = MCPServer("good", version="1.2")


@server.tool()
def add(a: int, b: int) -> int:
    """Add two whole numbers."""
    return a + b


@server.tool()
def fail() -> str:
    """Fails always."""
    raise ValueError("the wheel came off")


@server.tool()
def environment() -> dict[str, str]:
    """The environment of the process."""
    return dict(os.environ)


@server.tool()
def whisper(text: str) -> str:
    """Write a text to stderr."""
    print(text, file=sys.stderr, flush=True)
    return "whispered"


@server.tool()
def picture() -> Any:
    """A picture."""
    return [Image(data=b"\x89PNG" * 10, format="png")]


@server.tool()
def long(letters: int) -> str:
    """A long text."""
    return "x" * letters


@server.tool(description="Where the process is.")
def place() -> str:
    return f"{os.getpid()} {Path.cwd()}"


@server.tool()
async def slow(seconds: float, note: str = "", begun: str = "") -> str:
    """Take some time; make the file `begun` first, and `note` when it is cancelled."""
    try:
        if begun:
            Path(begun).touch()  # noqa: ASYNC240
        await asyncio.sleep(seconds)
    except asyncio.CancelledError:
        if note:
            await asyncio.to_thread(Path(note).write_text, "cancelled")
        raise
    return "done"


@server.tool()
async def grow(context: Context) -> str:
    """Get one more tool, and tell of it."""

    def grown() -> str:
        """The tool that came later."""
        return "grown"

    server.add_tool(grown)
    await context.notify_tools_changed()
    return "grew"


@server.resource("notes://today", name="today", mime_type="text/plain")
def today() -> str:
    """What is on today."""
    return "Buy milk."


@server.prompt()
def greet(name: str) -> str:
    """Greets someone."""
    return f"Greet {name} warmly."


if __name__ == "__main__":
    if sys.argv[1:2] == ["http"]:
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[2]))
    else:
        server.run("stdio")
