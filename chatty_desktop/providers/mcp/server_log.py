"""The log of one MCP server: what its program writes to stderr, bounded and without keys."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections import deque
from collections.abc import Collection
from pathlib import Path

FILE_BYTES = 256 * 1024
"""After which a new file is begun; one old one is kept, as `….1`."""

WAITING_BYTES = 128 * 1024
"""How much may wait to be written; a program that writes faster loses lines."""

MOST_LETTERS = 2_000
"""Of one line."""

_WRITE_AFTER_SECONDS = 0.2


class ServerLog:
    """Takes lines at once and writes them a little later, in a thread.

    `secrets` are never written: a program may well print the environment it was given.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self._secrets: list[str] = []
        self._waiting: deque[str] = deque()
        self._bytes = 0
        self._lost = 0
        self._writing: asyncio.Task[None] | None = None

    def hide(self, secrets: Collection[str]) -> None:
        """From now on write these as dots."""
        wanted = {secret for secret in secrets if len(secret) >= 4}
        # Longest first: one may be a part of another.
        self._secrets = sorted(wanted | set(self._secrets), key=len, reverse=True)

    def clean(self, text: str) -> str:
        """A text without the secrets."""
        for secret in self._secrets:
            text = text.replace(secret, "•••")
        return text

    def add(self, line: str) -> None:
        """Take a line. Must be called on the event loop."""
        line = self.clean(line.rstrip())[:MOST_LETTERS]
        if self._bytes + len(line) > WAITING_BYTES:
            self._lost += 1
            return
        self._waiting.append(line)
        self._bytes += len(line) + 1
        if self._writing is None or self._writing.done():
            self._writing = asyncio.get_running_loop().create_task(self._write_soon())

    async def flush(self) -> None:
        """Wait until all that was taken is written."""
        while self._waiting or (self._writing is not None and not self._writing.done()):
            if self._writing is None or self._writing.done():
                self._writing = asyncio.get_running_loop().create_task(self._write_soon())
            await asyncio.shield(self._writing)

    async def tail(self, lines: int = 200) -> str:
        """The last lines that were written."""
        await self.flush()
        return await asyncio.to_thread(_tail, self.file, lines)

    async def _write_soon(self) -> None:
        await asyncio.sleep(_WRITE_AFTER_SECONDS)
        while self._waiting:
            lines = list(self._waiting)
            if self._lost:
                lines.append(f"… {self._lost} more lines came faster than they could be kept")
            self._waiting.clear()
            self._bytes = self._lost = 0
            text = "\n".join(lines) + "\n"
            with contextlib.suppress(OSError):  # a full disk takes no log
                await asyncio.to_thread(_append, self.file, text)


def log_file_name(server: str) -> str:
    """The name of a server's log file; two servers never share one."""
    plain = re.sub(r"[^A-Za-z0-9_-]+", "_", server)
    if plain == server:
        return f"mcp-{server}.log"
    return f"mcp-{plain[:40]}-{server.encode().hex()[:24]}.log"


def _append(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.exists() and file.stat().st_size + len(text) > FILE_BYTES:
        file.replace(file.with_name(f"{file.name}.1"))
    with file.open("a", encoding="utf-8") as stream:
        stream.write(text)


def _tail(file: Path, lines: int) -> str:
    found: list[str] = []
    for part in (file, file.with_name(f"{file.name}.1")):
        with contextlib.suppress(OSError):
            text = part.read_text("utf-8", errors="replace")
            found = [*text.splitlines(), *found]
        if len(found) >= lines:
            break
    return "\n".join(found[-lines:])
