"""How a module of the app is run as a process of its own.

Installed, it is `python -m MODULE`. A bundle has no Python; its program takes the same `-m MODULE`
(packaging/bundle/entry.py).
"""

from __future__ import annotations

import os
import sys
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


def environment() -> dict[str, str]:
    """The environment of such a process."""
    code = str(Path(chatty_desktop.__file__).parent.parent)
    inherited = os.environ.get("PYTHONPATH")
    return {
        **os.environ,
        "PYTHONPATH": f"{code}{os.pathsep}{inherited}" if inherited else code,
        "PYTHONUTF8": "1",
    }
