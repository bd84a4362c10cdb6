"""An MCP server that is a program: started, spoken to over its pipes, ended with all it started.

The SDK has a transport of its own for this. This one bounds what a program may send, keeps its
stderr apart, and has it end with the app.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import anyio

from chatty_desktop.domain.errors import Unreachable
from chatty_desktop.domain.mcp_settings import McpServer
from chatty_desktop.providers import own_process
from chatty_desktop.providers.mcp.pipes import Lifeline, Reader, ended, keep_stderr, write
from chatty_desktop.providers.mcp.server_log import ServerLog

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams

_GRACE_SECONDS = 0.5
"""A program has to end by itself once its stdin is closed; as long again after SIGTERM."""

_PASSED_ON = (
    """APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATH PATHEXT PROCESSOR_ARCHITECTURE
    PROGRAMDATA PROGRAMFILES SYSTEMDRIVE SYSTEMROOT TEMP TMP USERNAME USERPROFILE WINDIR"""
    if sys.platform == "win32"
    else """HOME LANG LC_ALL LC_CTYPE LOGNAME PATH SHELL TERM TMPDIR TZ USER XDG_CACHE_HOME
    XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR"""
).split()
"""The basics; nothing else of the app's environment reaches a server."""

_MAC_FOLDERS = ("/opt/homebrew/bin", "/usr/local/bin")
"""Where programs are that an app started from the Dock does not know of."""


def environment(server: McpServer) -> dict[str, str]:
    """What a program finds in its environment."""
    basics = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    if sys.platform == "darwin":
        path = basics.get("PATH", "").split(os.pathsep)
        basics["PATH"] = os.pathsep.join([*path, *(f for f in _MAC_FOLDERS if f not in path)])
    return {**basics, **server.env}


@asynccontextmanager
async def program_streams(
    server: McpServer, log: ServerLog, lifeline: Lifeline
) -> AsyncIterator[TransportStreams]:
    """Start a program and speak to it; leaving ends it, and what it started. Raises
    `Unreachable` when it cannot be started."""
    from mcp.shared.message import SessionMessage

    process = await _spawn(server)
    received_in, received = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    sent, sent_out = anyio.create_memory_object_stream[SessionMessage](0)
    async with anyio.create_task_group() as group:
        group.start_soon(Reader(process, log, lifeline).read, received_in)
        group.start_soon(write, process, lifeline, sent_out, received_in)
        group.start_soon(keep_stderr, process, log)
        try:
            yield received, sent
        finally:
            lifeline.let_go()
            with anyio.CancelScope(shield=True):
                received.close()
                sent.close()
                await _end(process)
            group.cancel_scope.cancel()
            for stream in (received_in, sent_out):
                stream.close()


async def _spawn(server: McpServer) -> Process:
    env = environment(server)
    command = await asyncio.to_thread(_command, server, env)
    try:
        return await asyncio.create_subprocess_exec(
            *command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=env,
            cwd=server.cwd or None,
            # A group of its own, so that it can be ended with all that it started.
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise Unreachable(
            f"{server.command} cannot be started: {reason or error}.", cause="missing"
        ) from error


def _command(server: McpServer, env: dict[str, str]) -> list[str]:
    """The program by its place, with its arguments. Raises `Unreachable` when it is not there."""
    named = str(Path(server.command or "").expanduser())
    if server.cwd and not Path(server.cwd).is_dir():
        raise Unreachable(f"The folder {server.cwd} it is to run in is not there.", cause="missing")
    if server.cwd and os.sep in named:
        named = str(Path(server.cwd) / named)
    found = shutil.which(named, path=env.get("PATH"))
    if found is None:
        raise Unreachable(
            f"There is no program {server.command} on this computer, or it may not be run. Install"
            " what its instructions ask for (npx comes with Node.js, uvx with uv), or write the"
            " whole path of the program.",
            cause="missing",
        )
    command = [str(Path(found).absolute()), *server.args]
    if sys.platform == "linux":
        return [*_launcher(), str(os.getpid()), *command]
    return command


def _launcher() -> list[str]:
    if own_process.is_bundle():
        return own_process.command("chatty_desktop.providers.mcp.launcher")
    return [sys.executable, "-I", "-S", str(Path(__file__).with_name("launcher.py"))]


async def _end(process: Process) -> None:
    """End a program and all that it started. Bounded, whatever it does."""
    if process.stdin is not None:
        process.stdin.close()
    if await ended(process, _GRACE_SECONDS):
        _signal(process, "SIGKILL")  # what it left behind
    else:
        _signal(process, "SIGTERM")
        if not await ended(process, _GRACE_SECONDS):
            _signal(process, "SIGKILL")
            await ended(process, _GRACE_SECONDS)
    # Pipes that something it left behind holds open would keep it from being forgotten.
    transport = getattr(process, "_transport", None)
    if transport is not None:
        with contextlib.suppress(OSError):
            transport.close()
        await asyncio.sleep(0)


def _signal(process: Process, name: str) -> None:
    if sys.platform == "win32":
        _kill_tree(process.pid)
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, getattr(signal, name))


def _kill_tree(process_id: int) -> None:
    import psutil

    with contextlib.suppress(psutil.Error):
        parent = psutil.Process(process_id)
        for child in [*parent.children(recursive=True), parent]:
            with contextlib.suppress(psutil.Error):
                child.kill()
