"""The app as a person meets it: a process with a window, a keyboard, and what it leaves behind."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from tests.e2e.conftest import ROOT


class Window:
    """The app as a process with its window on the display."""

    def __init__(self, command: list[str], display: str, folder: Path, **environment: str) -> None:
        self._folder = folder
        self._environment = {
            **os.environ,
            "DISPLAY": display,
            "QT_QPA_PLATFORM": "xcb",
            **environment,
        }
        self.process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=self._environment,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.number = self.until(self._shown)

    def until(self, found: Callable[[], str], seconds: float = 90) -> str:
        """What `found` gives, once it gives something."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if value := found():
                return value
            assert self.process.poll() is None, self.process.communicate()[1]
            time.sleep(0.1)
        raise AssertionError("It did not come to that.")

    def keys(self, *keys: str) -> None:
        self.xdotool("windowfocus", self.number)  # no window manager does it here
        self.xdotool("key", "--window", self.number, "--delay", "60", *keys)

    def type(self, text: str) -> None:
        self.xdotool("windowfocus", self.number)
        self.xdotool("type", "--window", self.number, "--delay", "40", text)

    def xdotool(self, *arguments: str) -> str:
        done = subprocess.run(
            ["xdotool", *arguments],
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        return done.stdout.strip()

    def rows(self, query: str) -> list[tuple[object, ...]]:
        """Rows of the database, [] while there is none."""
        file = self._folder / "chatty.db"
        if not file.exists():
            return []
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=5)) as connection:
            return connection.execute(query).fetchall()

    def close(self) -> str:
        """Close it as the keyboard does; returns what it said on stderr."""
        for _ in range(20):
            self.keys("ctrl+q")  # again while it is still coming up and has no ears yet
            try:
                said = self.process.communicate(timeout=5)[1]
            except subprocess.TimeoutExpired:
                continue
            assert self.process.returncode == 0, said
            return said
        raise AssertionError("It did not close.")

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate(timeout=20)

    def _shown(self) -> str:
        name = self.xdotool("search", "--onlyvisible", "--pid", str(self.process.pid))
        return name.splitlines()[-1] if name else ""
