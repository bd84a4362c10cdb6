"""A disk on which each write takes a second: the window waits for none."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.helpers.filled import is_whole, said
from tests.helpers.servers.answers import Answer
from tests.ui.opened import Opened
from tests.ui.panels import until

HELD = 1.0
"""Seconds for which writes have to wait, each time."""

_SLOWING = f"""
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], 5, isolation_level=None)
for _ in range(60):
    connection.execute("BEGIN IMMEDIATE")
    print("held", flush=True)
    time.sleep({HELD})
    connection.execute("ROLLBACK")
    time.sleep(0.3)
"""


@contextmanager
def slow(database: Path) -> Iterator[None]:
    """Writes wait, as behind a disk that is busy with others, while this lasts."""
    with subprocess.Popen(
        [sys.executable, "-c", _SLOWING, str(database)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "held\n"
            yield
        finally:
            process.kill()


async def test_the_window_stays_awake_while_each_write_takes_a_second(
    open_window: Opened,
) -> None:
    at = open_window
    await at.new_chat()
    at.server.default = lambda _received: Answer(["one ", "two ", "three"])
    loop = asyncio.get_running_loop()
    gaps: list[float] = []

    async def beat() -> None:
        before = loop.time()
        while True:
            await asyncio.sleep(0.01)
            now = loop.time()
            gaps.append(now - before)
            before = now

    beating = asyncio.create_task(beat())
    database = at.app.paths.database
    with slow(database):
        at.write("is anybody there?")
        await until(lambda: at.said() == ["is anybody there?", "one two three"])
        session_id = at.window.chat.session_id
        assert session_id is not None
        await at.app.chat.wait(session_id)
    beating.cancel()
    assert sum(gaps) > HELD, "it went by so fast that no write can have waited"
    assert max(gaps) < HELD, "the window waited for a write"
    assert is_whole(database)
    assert "one two three" in said(database)
