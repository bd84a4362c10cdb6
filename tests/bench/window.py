"""Start, memory, opening a long session and streaming, in the real window off the screen."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from chatty_desktop.app import App
from tests.bench.filled import Size, fill
from tests.bench.table import Measured
from tests.helpers.folder import settings_for
from tests.helpers.fresh_python import ran

STARTS = 7

COMPILED = {"PYTHONDONTWRITEBYTECODE": ""}
"""The second start finds the code compiled, as it does wherever the app is installed."""


def start() -> list[Measured]:
    """Start to a usable window with 1,000 sessions and 100,000 messages stored."""
    with _folder(Size(1000, 100_000, 10_000)) as folder:
        measured_in("start", folder)  # the first one fills the caches of the disk
        seconds, memory, later = [], [], []
        for _ in range(STARTS):
            begun = time.time()
            found = measured_in("start", folder)
            seconds.append(found["usable"] - begun)
            memory.append(found["rss"])
            later.append(found["later"])
            assert not found["heavy"], found["heavy"]
            assert "openai" in found["loaded"]
    stored = "1,000 sessions, 100,000 messages"
    return [
        Measured(f"start to a usable window, {stored}", "s", tuple(seconds), 1.0),
        Measured("resident memory then", "MB", tuple(memory), 200.0),
        Measured("and with the SDK of the provider, loaded afterwards", "MB", tuple(later)),
    ]


def imports() -> list[Measured]:
    """Loading the code of the window in a new process, and how many modules that is."""
    code = """
import sys, time
begun = time.perf_counter()
from chatty_desktop.ui import loading
loading.desktop()
print(time.perf_counter() - begun, len(sys.modules))
"""
    lines = [ran(code, before=(), **COMPILED).stdout.split() for _ in range(1 + STARTS)]
    return [
        Measured("of that, loading code", "s", tuple(float(line[0]) for line in lines[1:])),
        Measured("modules loaded", "modules", (float(lines[0][1]),)),
    ]


def open_long_session() -> list[Measured]:
    """From choosing a session of 10,000 messages to its first paint."""
    with _folder(Size(3, 10_100, 10_000)) as folder:
        spent = measured_in("open", folder)["first_paint"]
    return [Measured("open a session of 10,000 messages", "ms", tuple(spent), 150.0)]


def stream() -> list[Measured]:
    """How long the event loop is blocked while 200 tokens a second stream into it."""
    text = "A few **words** of `text` and more of them, then a line.\n\n" * 700
    with _folder(Size(1, 200, 200)) as folder:
        arguments = ["openai", "--delay", "0.005", "--answer", text]
        server = subprocess.Popen(
            [sys.executable, "-m", "tests.helpers.servers", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert server.stdout
        settings_for(folder, server.stdout.readline().strip())
        found = measured_in("stream", folder)
        server.communicate("", timeout=20)
    assert found["streaming"], "the reply ended before the measurement did"
    late = tuple(found["late"])
    return [Measured("event loop blocked while 200 tokens/s stream", "ms", late, 16.0, "p99")]


def measured_in(what: str, folder: Path) -> Any:
    """What a function of `window_process` measures in a window of its own on a data folder."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.window_process", what, str(folder)],
        env={**os.environ, **COMPILED, "QT_QPA_PLATFORM": "offscreen"},
        stdout=subprocess.PIPE,
        text=True,
        timeout=900,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


@contextmanager
def _folder(size: Size) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        settings_for(folder, "http://127.0.0.1:9/v1")
        asyncio.run(_fill(folder, size))
        yield folder


async def _fill(folder: Path, size: Size) -> None:
    app = await App.open(folder)
    agent = await app.agents.by_name("Companion")
    assert agent is not None
    await app.close()
    await fill(folder, size, agent.id)
