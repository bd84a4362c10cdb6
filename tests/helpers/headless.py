"""The app without a window, as a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def command(folder: Path, *arguments: str) -> list[str]:
    """The command line on a data folder."""
    return [sys.executable, "-m", "chatty_desktop", "--data-dir", str(folder), *arguments]


def headless(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What the command did, which nobody can answer."""
    return subprocess.run(
        command(folder, *arguments),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
        check=False,
    )
