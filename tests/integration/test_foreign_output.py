"""What others wrote does nothing to the terminal it is printed on, and ends no command."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

import chatty_desktop
from tests.helpers.headless import ROOT, command
from tests.integration.test_command_line import serving

RED, LINK, CLIPBOARD = (
    "\x1b[31mred\x1b[0m",
    "\x1b]8;;http://evil\x07here\x1b]8;;\x07",
    "\x1b]52;c;eA==\a",
)
ODD = "\x9b2J \x90q\x9c over\rwritten \b\x7f \u202egnp.exe\u202c \u2066x\u2069"
HOSTILE = f"{RED} {LINK} {CLIPBOARD} {ODD}"
DRIVES = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""What a terminal acts on."""


def printed(folder: Path, *arguments: str, **env: str) -> str:
    """What a command prints on stdout, as it is to the letter."""
    done = subprocess.run(
        command(folder, *arguments),
        cwd=ROOT,
        env={**os.environ, **env},
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not DRIVES.search(done.stderr.decode())
    return done.stdout.decode()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Of an agent with a name and a prompt that would drive a terminal."""
    document = {
        "name": f"Eve {RED}",
        "system_prompt": HOSTILE,
        "memory_strategy": {"kind": "window"},
    }
    file = tmp_path / "eve.json"
    file.write_text(json.dumps(document))
    printed(tmp_path, "agents", "import", str(file))
    return tmp_path


def test_no_code_for_a_terminal_is_printed_and_json_says_all(folder: Path) -> None:
    scope = ("--agent", f"Eve {RED}", "--session", f"Trip {RED}")
    with serving(folder, "--answer", HOSTILE):
        said = printed(folder, "ask", *scope, HOSTILE)
        assert said.startswith("<U+001B>[31mred<U+001B>[0m <U+001B>]8;;http://evil<U+0007>here")
        assert "<U+009B>2J" in said
        assert "over<U+000D>written <U+0008><U+007F> <U+202E>gnp.exe<U+202C>" in said
        exact = printed(folder, "ask", *scope, "--json", "again")
    assert json.loads(exact)["reply"] == HOSTILE
    texts = [
        exact,
        said,
        printed(folder, "inspect", *scope),
        prompt := printed(folder, "prompt", *scope, "--json"),
        printed(folder, "log", *scope[2:]),
        printed(folder, "agents", "list"),
        exported := printed(folder, "agents", "export", f"Eve {RED}"),
    ]
    for text in texts:
        assert not DRIVES.search(text), text
    assert HOSTILE in [section["content"] for section in json.loads(prompt)]
    assert json.loads(exported)["system_prompt"] == HOSTILE


def test_a_terminal_without_the_letters_is_told_their_numbers(folder: Path) -> None:
    scope = ("--agent", f"Eve {RED}", "--session", "Trip")
    words = "Zürich 🙂 京都"
    with serving(folder, "--answer", words):
        plain = printed(folder, "ask", *scope, "Where?", PYTHONIOENCODING="ascii")
        document: Any = printed(folder, "ask", *scope, "--json", "?", PYTHONIOENCODING="ascii")
    assert plain == "Z\\xfcrich \\U0001f642 \\u4eac\\u90fd\n"
    assert json.loads(document)["reply"] == words


def test_a_reader_that_has_gone_is_no_fault(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            command(tmp_path, "agents", "list"),
            cwd=ROOT,
            stdout=writing,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    finally:
        os.close(writing)
    assert done.stderr == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_disk_without_room_is_told(tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command(tmp_path, "agents", "list"),
            cwd=ROOT,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.startswith("What was to be printed could not be written:")
    assert "Traceback" not in done.stderr


def test_the_commands_print_in_one_place() -> None:
    folder = Path(chatty_desktop.__file__).parent / "cli"
    found = [
        f"{file.name}:{node.lineno}"
        for file in folder.glob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if file.name != "printing.py" and isinstance(node, ast.Name) and node.id == "print"
    ]
    assert found == []
