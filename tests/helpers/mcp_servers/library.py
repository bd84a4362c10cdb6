"""A server with prompts and resources, some of which cannot be had.

python library.py [FILE]: `last words` refuses to be read while FILE is not there.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from mcp.server.mcpserver import MCPServer

server = MCPServer("library", version="1")


@server.prompt()
def recap() -> str:
    """Sum up what was said so far."""
    return "Sum up what we have said."


@server.prompt()
def review(code: str, language: str = "any language") -> str:
    """Look at a piece of code as a colleague would."""
    return f"Review this code in {language}: {code}"


@server.resource("notes://today", name="today.md", mime_type="text/markdown")
def today() -> str:
    """What is on today."""
    return "Buy milk."


@server.resource("notes://long", name="chronicle", mime_type="text/plain")
def chronicle() -> str:
    """More than can be attached."""
    return "x" * 500_000


@server.resource("notes://cover", name="cover", mime_type="image/png")
def cover() -> bytes:
    """A picture, and no text."""
    return b"\x89PNG" * 10


@server.resource("notes://slow", name="slow book")
async def slow() -> str:
    """Takes its time."""
    await asyncio.sleep(600)
    return "never"


@server.resource("notes://last", name="last words")
def last() -> str:
    """Ends the server, until the file is there."""
    if not Path(sys.argv[1]).exists():
        os._exit(3)
    return "Here I am again."


if __name__ == "__main__":
    server.run("stdio")
