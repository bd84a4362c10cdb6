"""The process around the window: no display, one window a folder, a clean end."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from PySide6.QtNetwork import QLocalSocket

from chatty_desktop.domain.errors import Unreachable
from chatty_desktop.ui.failures import reported
from chatty_desktop.ui.instance import FirstInstance, raise_first, server_name
from chatty_desktop.ui.log_file import logging_to
from tests.ui.panels import until

ROOT = Path(__file__).parents[2]


def environment(**values: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    kept.pop("QT_QPA_PLATFORM", None)
    return {**kept, **values}


def command(data_dir: Path) -> list[str]:
    return [sys.executable, "-m", "chatty_desktop", "--data-dir", str(data_dir)]


@contextmanager
def window_process(data_dir: Path) -> Iterator[subprocess.Popen[str]]:
    """The app in a process of its own, its window open."""
    process = subprocess.Popen(
        command(data_dir),
        cwd=ROOT,
        env=environment(QT_QPA_PLATFORM="offscreen"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        deadline = time.monotonic() + 30
        while not _answers(data_dir):
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline, "the window did not come up"
            time.sleep(0.05)
        yield process
    finally:
        process.kill()
        process.communicate()


def _answers(data_dir: Path) -> bool:
    socket = QLocalSocket()
    socket.connectToServer(server_name(data_dir))
    return socket.waitForConnected(100)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="displays are Linux's")
@pytest.mark.parametrize(
    ("display", "reason"),
    [({}, "no display is set"), ({"DISPLAY": ":987"}, "nothing answers on the display :987")],
)
def test_without_a_display_the_two_ways_on_are_named(
    display: dict[str, str], reason: str, data_dir: Path
) -> None:
    done = subprocess.run(
        command(data_dir),
        cwd=ROOT,
        env=environment(**display),
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert done.returncode == 2
    assert reason in done.stderr
    assert "xvfb-run" in done.stderr
    assert "--help" in done.stderr
    assert not data_dir.exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_closes_the_app_cleanly(number: signal.Signals, data_dir: Path) -> None:
    with window_process(data_dir) as process:
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out, _problems(err)) == (0, "", "")
    assert (data_dir / "window.ini").is_file()
    with closing(sqlite3.connect(data_dir / "chatty.db")) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert database.execute("SELECT COUNT(*) FROM agents").fetchone()[0] > 0


def test_a_second_start_raises_the_first_window_and_ends_well(data_dir: Path) -> None:
    with window_process(data_dir) as process:
        second = subprocess.run(
            command(data_dir),
            cwd=ROOT,
            env=environment(QT_QPA_PLATFORM="offscreen"),
            capture_output=True,
            text=True,
            timeout=50,
            check=False,
        )
        assert (second.returncode, _problems(second.stderr)) == (0, "")
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
        assert process.returncode == 0


async def test_the_first_process_hears_of_a_later_start(tmp_path: Path) -> None:
    assert not raise_first(tmp_path)
    first = FirstInstance(tmp_path)
    assert first.listening
    raised: list[int] = []
    first.raise_wanted.connect(lambda: raised.append(1))
    socket = QLocalSocket()
    socket.connectToServer(server_name(tmp_path))
    await until(lambda: raised == [1])
    first.close()


async def test_another_folder_is_another_window(tmp_path: Path) -> None:
    first = FirstInstance(tmp_path)
    try:
        assert not raise_first(tmp_path / "other")
    finally:
        first.close()


@pytest.mark.expected_log("An exception was not caught")
async def test_an_exception_nobody_caught_reaches_the_person_and_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    told: list[str] = []
    loop = asyncio.get_running_loop()
    with reported(loop, told.append):
        loop.call_soon(lambda: 1 / 0)
        await until(lambda: told)
        sys.excepthook(KeyError, KeyError("colour"), None)
    assert "ZeroDivisionError" in told[0]
    assert "KeyError" in told[1]
    assert len([r for r in caplog.records if r.exc_info]) == 2


def test_the_log_holds_where_and_what_kind_but_not_what_people_wrote(tmp_path: Path) -> None:
    logger = logging.getLogger("chatty_desktop.test")
    logger.propagate = True
    with logging_to(tmp_path / "logs"):
        for error in (ValueError("my secret diary"), Unreachable("lab does not answer")):
            try:
                raise error
            except Exception as caught:
                logger.info("It failed", exc_info=caught)
    text = (tmp_path / "logs" / "chatty.log").read_text()
    assert "ValueError" in text
    assert "test_application.py" in text
    assert "my secret diary" not in text
    assert "lab does not answer" in text


@pytest.mark.expected_log("cannot be made")
def test_without_a_place_for_the_log_the_app_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "logs").write_text("in the way")
    with caplog.at_level(logging.INFO), logging_to(tmp_path / "logs"):
        logging.getLogger("chatty_desktop.test").info("still here")
    assert "still here" in caplog.text
    caplog.clear()


def _problems(stderr: str) -> str:
    """What a process complained about, less what the offscreen platform cannot do."""
    return "\n".join(
        line for line in stderr.splitlines() if not line.startswith("This plugin does not support")
    )


def test_the_wheel_and_checkout_have_the_icon() -> None:
    from PySide6.QtGui import QIcon

    from chatty_desktop.paths import resources_folder

    icon = QIcon(str(resources_folder() / "icons" / "chatty-desktop.svg"))
    assert not icon.pixmap(64, 64).isNull()
