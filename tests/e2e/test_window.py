"""The real window on a virtual display, typed into like a person does."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.e2e.conftest import ROOT
from tests.e2e.window import Window
from tests.helpers.folder import settings_for

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]


Open = Callable[[], Window]


@pytest.fixture
def open_window(command: list[str], display: str, tmp_path: Path, server: str) -> Iterator[Open]:
    """Opens the app on the test's folder, which speaks to the scripted server."""
    windows: list[Window] = []

    def open_() -> Window:
        windows.append(Window(command, display, tmp_path))
        return windows[-1]

    yield open_
    for window in windows:
        if window.process.returncode is None:
            window.kill()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """A scripted server as a process; the data folder speaks to it."""
    process = subprocess.Popen(
        [
            sys.executable, "-m", "tests.helpers.servers", "openai",
            "--answer", "Kyoto is lovely in May.",
            "--fold", '[{"key": "people", "value": "Kyoto"}, {"key": "topic", "value": "Kyoto"}]',
        ],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    assert process.stdout
    url = process.stdout.readline().strip()
    settings_for(tmp_path, url)
    yield url
    process.communicate("", timeout=20)


def test_a_message_typed_into_the_window_is_answered_and_there_after_a_restart(
    open_window: Open,
) -> None:
    window = open_window()
    time.sleep(1.5)
    window.type("I dream of Kyoto")
    window.keys("Return")
    window.until(
        lambda: str(
            window.rows("SELECT 1 FROM messages WHERE content LIKE 'Kyoto is lovely%'") or ""
        )
    )
    window.until(lambda: str(window.rows("SELECT outcome FROM ledger") or ""))
    said = window.rows("SELECT role, content, status FROM messages ORDER BY at")
    assert said == [
        ("user", "I dream of Kyoto", "complete"),
        ("assistant", "Kyoto is lovely in May.", "complete"),
    ]
    assert window.rows("SELECT title FROM sessions") == [("I dream of Kyoto",)]
    assert window.close() == ""

    window = open_window()
    time.sleep(1.5)
    window.type("And in June")
    window.keys("Return")
    window.until(lambda: str(len(window.rows("SELECT 1 FROM messages")) == 4 or ""))
    assert len(window.rows("SELECT 1 FROM sessions")) == 1
    window.close()


def test_a_second_start_leaves_the_window_to_the_first(
    open_window: Open, command: list[str], display: str
) -> None:
    window = open_window()
    second = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb"},
        timeout=60,
        check=False,
    )
    assert second.returncode == 0
    assert window.process.poll() is None
    window.close()


def test_a_killed_window_loses_no_message_and_opens_again(
    open_window: Open,
) -> None:
    window = open_window()
    time.sleep(1.5)
    window.type("Remember this")
    window.keys("Return")
    window.until(lambda: str(window.rows("SELECT 1 FROM messages") or ""))
    window.kill()
    window = open_window()
    assert window.rows("SELECT content FROM messages WHERE role = 'user'") == [("Remember this",)]
    window.close()


def test_without_a_display_it_says_so_and_names_the_ways_on(command: list[str]) -> None:
    bare = {
        name: value
        for name, value in os.environ.items()
        if name not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    }
    done = subprocess.run(
        command, cwd=ROOT, env=bare, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert "xvfb-run" in done.stderr
    assert "--help" in done.stderr
    assert "Traceback" not in done.stderr
