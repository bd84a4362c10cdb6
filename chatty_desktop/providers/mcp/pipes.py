"""The pipes of an MCP server that is a program: messages in and out, bounded, and its stderr."""

from __future__ import annotations

import asyncio
import contextlib
from asyncio.subprocess import Process
from typing import Any

import anyio

from chatty_desktop.domain.json_text import read_json
from chatty_desktop.providers.mcp.server_log import ServerLog

MOST_LINE_BYTES = 16 * 1024 * 1024
"""Of one message."""

IN_THREAD_BYTES = 128 * 1024
"""A longer message is read in a thread: reading it would hold up the window."""

MOST_GARBAGE = 500
"""Lines that are no message before a program is given up."""

MOST_UNASKED = 5_000
"""Messages nobody asked for within `UNASKED_SECONDS` before a program is given up."""

UNASKED_SECONDS = 5.0


class Lifeline:
    """Whether a server can still be spoken to.

    ended: set when it cannot. reason: why, in words for the person, where that is known.
    """

    def __init__(self) -> None:
        self.ended = asyncio.Event()
        self.reason = ""
        self._let_go = False

    def cut(self, reason: str = "") -> None:
        """It cannot any more; the first reason stands."""
        if self._let_go:
            return
        self.reason = self.reason or reason
        self.ended.set()

    def let_go(self) -> None:
        """The app ends it now: that it then ends is no reason for anything."""
        self._let_go = True


class Reader:
    """Reads a program's stdout: a JSON-RPC message a line."""

    def __init__(self, process: Process, log: ServerLog, lifeline: Lifeline) -> None:
        self._process = process
        self._log = log
        self._lifeline = lifeline
        self._garbage = 0
        self._unasked = 0
        self._since = anyio.current_time()

    async def read(self, received: Any) -> None:
        """Pass messages on until the pipe ends or the program must be given up."""
        with received, contextlib.suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            await self._read_lines(received)
            await note_end(self._process, self._lifeline)

    async def _read_lines(self, received: Any) -> None:
        assert self._process.stdout is not None
        rest = bytearray()
        while chunk := await self._process.stdout.read(64 * 1024):
            rest += chunk
            if b"\n" in chunk:
                *lines, last = rest.split(b"\n")
                rest = bytearray(last)
                for line in lines:
                    if line.strip() and not await self._take(bytes(line), received):
                        return
            if len(rest) > MOST_LINE_BYTES:
                size = MOST_LINE_BYTES // 2**20
                self._lifeline.cut(f"It sent a message of more than {size} MB and was stopped.")
                return

    async def _take(self, line: bytes, received: Any) -> bool:
        from mcp.shared.message import SessionMessage
        from mcp_types import JSONRPCNotification, jsonrpc_message_adapter

        def parse() -> Any:
            try:
                return jsonrpc_message_adapter.validate_json(line, by_name=False)
            except ValueError:
                # With half a character in it, it is a message all the same.
                return jsonrpc_message_adapter.validate_python(read_json(line), by_name=False)

        try:
            big = len(line) > IN_THREAD_BYTES
            message = await asyncio.to_thread(parse) if big else parse()
        except ValueError:
            return self._note_garbage(line)
        if isinstance(message, JSONRPCNotification) and self._floods():
            self._lifeline.cut(
                "It flooded the app with messages that nobody asked for and was stopped."
            )
            return False
        await received.send(SessionMessage(message))
        return True

    def _note_garbage(self, line: bytes) -> bool:
        self._garbage += 1
        text = line[:500].decode("utf-8", "replace")
        self._log.add(f"[stdout, not a message] {text}")
        if self._garbage < MOST_GARBAGE:
            return True
        first = self._log.clean(text)[:80]
        self._lifeline.cut(
            f"It wrote what is no MCP message ({first} …) again and again and was stopped."
        )
        return False

    def _floods(self) -> bool:
        now = anyio.current_time()
        if now - self._since > UNASKED_SECONDS:
            self._since, self._unasked = now, 0
        self._unasked += 1
        return self._unasked > MOST_UNASKED


def _farewell(status: int | None) -> str:
    if status is None:
        return "It closed the connection."
    how = f"signal {-status}" if status < 0 else f"exit status {status}"
    return f"It ended by itself ({how})."


async def note_end(process: Process, lifeline: Lifeline) -> None:
    """Keep why a program whose pipes ended ended, unless more is known already."""
    if not lifeline.ended.is_set():
        await ended(process, 0.5)
        lifeline.cut(_farewell(process.returncode))


async def write(process: Process, lifeline: Lifeline, sent: Any, received: Any) -> None:
    """Pass messages on to a program until there are no more or it takes none."""
    stdin = process.stdin
    assert stdin is not None
    try:
        async with sent:
            async for message in sent:
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                stdin.write(text.encode() + b"\n")
                await stdin.drain()
    except (OSError, RuntimeError):
        await note_end(process, lifeline)
        received.close()  # it reads no more: the session has to see an end


async def keep_stderr(process: Process, log: ServerLog) -> None:
    assert process.stderr is not None
    rest = b""
    while chunk := await process.stderr.read(64 * 1024):
        *lines, rest = (rest + chunk).split(b"\n")
        if len(rest) > 64 * 1024:
            lines, rest = [*lines, rest], b""
        for line in lines:
            log.add(line[:10_000].decode("utf-8", "replace"))
    if rest:
        log.add(rest.decode("utf-8", "replace"))


async def ended(process: Process, seconds: float) -> bool:
    """Whether it ends in time. Not by waiting for it: that waits for its pipes, too."""
    deadline = anyio.current_time() + seconds
    while process.returncode is None and anyio.current_time() < deadline:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    return process.returncode is not None
