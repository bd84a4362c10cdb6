"""A new folder, from the first window to an answer, by keyboard alone."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from tests.e2e.window import Window
from tests.helpers.servers import OllamaServer

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]


@pytest.fixture
def ollama() -> Iterator[OllamaServer]:
    """An Ollama that runs, in a thread of its own."""
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever)
    thread.start()
    server = OllamaServer(models=("qwen:7b",))
    server.default = "Kyoto is lovely in May."
    asyncio.run_coroutine_threadsafe(server.__aenter__(), loop).result(20)
    yield server
    asyncio.run_coroutine_threadsafe(server.__aexit__(None, None, None), loop).result(20)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(20)
    loop.close()


@pytest.fixture
def window(
    command: list[str], display: str, tmp_path: Path, ollama: OllamaServer
) -> Iterator[Window]:
    """The window on a folder that is not there yet, beside an Ollama that runs."""
    opened = Window(command, display, tmp_path, OLLAMA_HOST=ollama.address)
    yield opened
    if opened.process.returncode is None:
        opened.kill()


def default_model(folder: Path) -> str:
    file = folder / "settings.json"
    return str(json.loads(file.read_text("utf-8"))["default_model"]) if file.exists() else ""


def test_the_keyboard_goes_through_it_to_an_answered_message(
    window: Window, ollama: OllamaServer, tmp_path: Path
) -> None:
    # Until an Ollama was found, the key passes it by.
    window.until(lambda: "".join(each.path for each in ollama.requests))
    time.sleep(1.5)
    window.keys("Down", "Return")
    time.sleep(0.5)
    window.keys("Return")
    window.until(lambda: default_model(tmp_path).removeprefix("local/starter"))
    assert default_model(tmp_path) == "ollama/qwen:7b"
    time.sleep(0.5)
    window.type("I dream of Kyoto")
    window.keys("Return")
    window.until(
        lambda: str(
            window.rows("SELECT 1 FROM messages WHERE content LIKE 'Kyoto is lovely%'") or ""
        )
    )
    assert window.close() == ""


def test_who_writes_at_once_is_not_held_up(window: Window) -> None:
    time.sleep(1.5)
    window.type("I dream of Kyoto")
    window.keys("Return")
    window.until(lambda: str(window.rows("SELECT 1 FROM messages") or ""))
    assert window.rows("SELECT content FROM messages WHERE role = 'user'") == [
        ("I dream of Kyoto",)
    ]
    window.kill()
