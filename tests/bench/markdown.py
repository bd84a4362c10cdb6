"""How long the window is held up by one message of a megabyte, for texts that are hard to draw.

Run by itself, `python -m tests.bench.markdown`, it prints its own table. With a folder it is the
window that is measured, in a process of its own.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from chatty_desktop.app import App
from chatty_desktop.domain.messages import Message, Status
from tests.bench.table import Measured, printed
from tests.helpers.folder import settings_for

BUDGET_MS = 100.0
LETTERS = 1_000_000
OPENINGS = 3
LOOKED_EVERY_MS = 1
SETTLED_SECONDS = 0.6
"""What drawing a chat sets off comes within this time."""


def documents() -> dict[str, str]:
    """The texts by what they are."""

    def filled(part: str) -> str:
        return (part * (LETTERS // len(part) + 1))[:LETTERS]

    wide = "|" + "a|" * 500 + "\n|" + "-|" * 500 + "\n" + ("|" + "1|" * 500 + "\n") * 5 + "\n"
    grid = "$$\\begin{matrix}" + "a&" * 600 + "\\end{matrix}$$\n\n"
    return {
        "plain words": filled("Some words of a reply. "),
        "one line, 10 MB": "w" * 10 * LETTERS,
        **{f"1 MB of {mark}": filled(mark) for mark in "*[`|><$#&"},
        "quotes 5,000 deep": filled(">" * 5_000 + " a\n"),
        "quotes each deeper": "\n".join(">" * depth + " a" for depth in range(1, 1_400)),
        "lists 5,000 deep": filled("- " * 5_000 + "a\n"),
        "lists each deeper": "\n".join("  " * depth + "- a" for depth in range(1_000)),
        "20,000 list items": "".join(f"- item {n}\n" for n in range(20_000)),
        "5,000 code blocks": "```python\nx = 1\n```\n\n" * 5_000,
        "indented code": filled("    a = 1\n\nb\n\n"),
        "one block of Python": "```python\n" + filled("x = 'a' + b\n") + "```",
        "HTML that colours slowly": "```html\n" + filled("&") + "\n```",
        "100,000 short lines": "a\n" * 100_000,
        "a table of two columns": "|a|b|\n|-|-|\n" + filled("|1|2|\n"),
        "tables of 500 columns": filled(wide),
        "formulas": filled("$x^2$ "),
        "formulas set off": filled("$$\\frac{a}{b}$$\n\n"),
        "matrices of 600 cells": filled(grid),
        "bold and links": filled("**a** [b](https://example.org/c) "),
        "combining marks": filled("a" + "\u0301" * 100),
        "bidi controls": filled("\u2067\u202e"),
        "nothing but line breaks": "a" + "\n" * LETTERS + "b",
    }


def longest_waits() -> list[Measured]:
    """The longest time between two turns of the event loop while such a chat opens."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        settings_for(folder, "http://127.0.0.1:9/v1")
        sessions = asyncio.run(_fill(folder))
        done = subprocess.run(
            [sys.executable, "-m", "tests.bench.markdown", str(folder), json.dumps(sessions)],
            env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
            stdout=subprocess.PIPE,
            text=True,
            timeout=900,
            check=True,
        )
    found: dict[str, list[float]] = json.loads(done.stdout.splitlines()[-1])
    return [
        Measured(f"event loop held up, {what}", "ms", tuple(values), BUDGET_MS)
        for what, values in found.items()
    ]


async def _fill(folder: Path) -> dict[str, str]:
    """A chat with each text as its reply, and one to come from; their ids by what they are."""
    ids: dict[str, str] = {}
    app = await App.open(folder)
    agent = await app.agents.by_name("Small talk")
    assert agent is not None
    for what, text in {"": "Nothing yet.", **documents()}.items():
        session = await app.sessions.create(what or "empty", agent.id)
        ids[what] = session.id
        await app.messages.append(
            Message(
                id=f"reply to {what}",
                session_id=session.id,
                parent_id=None,
                agent_id=agent.id,
                run_id="run",
                role="assistant",
                content=text,
                at=1_700_000_000.0,
                status=Status.COMPLETE,
            )
        )
    await app.close()
    return ids


async def _waits(folder: Path, sessions: dict[str, str]) -> dict[str, list[float]]:
    from PySide6.QtCore import Qt, QTimer
    from PySide6.QtWidgets import QApplication

    from chatty_desktop.ui.desktop import Desktop
    from chatty_desktop.ui.main_window import MainWindow

    application = QApplication.instance()
    assert isinstance(application, QApplication)
    living = asyncio.ensure_future(Desktop(application, folder).live())
    windows: list[MainWindow] = []
    while not windows:
        await asyncio.sleep(0.01)
        windows = [w for w in QApplication.topLevelWidgets() if isinstance(w, MainWindow)]
    window = windows[0]
    while window.sessions.model.rowCount() == 0:  # noqa: ASYNC110  # nothing tells of it
        await asyncio.sleep(0.01)
    longest, last = 0.0, time.perf_counter()

    def look() -> None:
        nonlocal longest, last
        now = time.perf_counter()
        longest = max(longest, (now - last) * 1000 - LOOKED_EVERY_MS)
        last = now

    timer = QTimer(window)
    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.timeout.connect(look)
    timer.start(LOOKED_EVERY_MS)
    found: dict[str, list[float]] = {}
    # The first of all loads what drawing needs.
    for what in ("plain words", *documents()):
        waits: list[float] = []
        for _ in range(OPENINGS):
            window.chat.open(sessions[""])
            await asyncio.sleep(SETTLED_SECONDS)
            longest = 0.0
            window.chat.open(sessions[what])
            await asyncio.sleep(SETTLED_SECONDS)
            waits.append(longest)
        print(f"{what}: {max(waits):.0f} ms", file=sys.stderr, flush=True)
        found[what] = waits
    timer.stop()
    window.close_wanted.emit()
    await living
    return found


def main() -> None:
    if len(sys.argv) == 1:
        print(printed(longest_waits()))
        return
    from PySide6.QtWidgets import QApplication

    from chatty_desktop.ui.loop import Loop

    application = QApplication(sys.argv[:1])
    application.setQuitOnLastWindowClosed(False)
    loop = Loop(application)
    asyncio.set_event_loop(loop)
    with loop:
        found = loop.run_until_complete(_waits(Path(sys.argv[1]), json.loads(sys.argv[2])))
    print(json.dumps(found), flush=True)
    os._exit(0)  # as the app itself does


if __name__ == "__main__":
    main()
