"""How a module of the app is run as a process of its own.

Installed, it is `python -m MODULE`. A bundle has no Python; its program takes the same `-m MODULE`
(packaging/bundle/entry.py).
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from asyncio.subprocess import Process
from pathlib import Path

import chatty_desktop

CONSOLE_PROGRAM = "chatty-desktop.exe"
"""The program of a Windows bundle that has streams; the one with the window has none."""


def is_bundle() -> bool:
    """Whether this is a bundle, which brings its own Python."""
    return bool(getattr(sys, "frozen", False))


def command(module: str) -> list[str]:
    """The beginning of the command line that runs a module; its arguments follow."""
    program = sys.executable
    if is_bundle() and sys.platform == "win32":
        program = str(Path(program).with_name(CONSOLE_PROGRAM))
    return [program, "-m", module]


async def started(
    module: str,
    *,
    stdin: int = subprocess.DEVNULL,
    stderr: int = subprocess.DEVNULL,
    start_new_session: bool = False,
) -> Process:
    """A process that runs a module, its stdout in a pipe, without a window of its own. Raises
    `OSError`."""
    return await asyncio.create_subprocess_exec(
        *command(module),
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=stderr,
        env=environment(),
        start_new_session=start_new_session,
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )


def environment() -> dict[str, str]:
    """The environment of such a process."""
    code = str(Path(chatty_desktop.__file__).parent.parent)
    inherited = os.environ.get("PYTHONPATH")
    return {
        **os.environ,
        "PYTHONPATH": f"{code}{os.pathsep}{inherited}" if inherited else code,
        "PYTHONUTF8": "1",
    }
