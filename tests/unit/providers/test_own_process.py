"""A module of the app is run as a process of its own: installed, from a checkout, in a bundle."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from chatty_desktop.providers import own_process


def in_a_bundle(system: str, program: str) -> list[str]:
    """The command line as the program of a bundle on that system has it."""
    code = (
        "import json, sys\n"
        "from chatty_desktop.providers import own_process\n"
        f"sys.frozen, sys.platform, sys.executable = True, {system!r}, {program!r}\n"
        "print(json.dumps(own_process.command('chatty_desktop.some.part')))"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        env=own_process.environment(),
        capture_output=True,
        text=True,
        timeout=50,
        check=True,
    )
    command: list[str] = json.loads(done.stdout)
    return command


def test_it_runs_from_anywhere(tmp_path: Path) -> None:
    done = subprocess.run(
        own_process.command("chatty_desktop.providers.llama_server"),
        env=own_process.environment(),
        cwd=tmp_path,
        input="no configuration",
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert "JSONDecodeError" in done.stderr


def test_a_bundle_runs_it_by_its_own_program() -> None:
    command = in_a_bundle("linux", "/opt/chatty/chatty-desktop")
    assert command == ["/opt/chatty/chatty-desktop", "-m", "chatty_desktop.some.part"]


def test_a_bundle_of_windows_runs_it_by_the_program_that_has_pipes() -> None:
    command = in_a_bundle("win32", "/chatty/Chatty Desktop.exe")
    assert command == ["/chatty/chatty-desktop.exe", "-m", "chatty_desktop.some.part"]
