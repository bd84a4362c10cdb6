"""Processes of the app, and a display for its window."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def display() -> Iterator[str]:
    """The name of a virtual display of this run's own."""
    missing = [name for name in ("Xvfb", "xdotool") if not shutil.which(name)]
    if missing:
        pytest.skip(f"{' and '.join(missing)} not installed: the real window cannot be driven")
    reader, writer = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1400x900x24", "-nolisten", "tcp"],
        pass_fds=(writer,),
        stderr=subprocess.DEVNULL,
    )
    os.close(writer)
    with open(reader, encoding="ascii") as answer:  # noqa: PTH123  # a file descriptor
        number = answer.readline().strip()
    yield f":{number}"
    server.terminate()
    server.wait(10)


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    """The app on a data folder of the test's own."""
    return [sys.executable, "-m", "chatty_desktop", "--data-dir", str(tmp_path)]
