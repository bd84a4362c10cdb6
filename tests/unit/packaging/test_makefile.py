"""The commands: what the README and the guide say is there, steps that failed are tried again."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from chatty_desktop.cli.arguments import parse

ROOT = Path(__file__).parents[3]
README = (ROOT / "README.md").read_text("utf-8")
COMMANDS = (ROOT / "resources/guide/commands.md").read_text("utf-8")
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")

needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="there is no make here")


def _in_code(text: str) -> str:
    """Fenced blocks and `inline code` of a Markdown text."""
    return "\n".join(map("".join, re.findall(r"```\w*\n(.*?)```|`([^`\n]+)`", text, re.DOTALL)))


def test_every_make_command_of_the_readme_is_a_target() -> None:
    targets = set(re.findall(r"^([a-z]+):", MAKEFILE, re.M))
    named = set(re.findall(r"\bmake (?:PYTHON=\S+ )?([a-z]+)\b", _in_code(README)))
    assert {"run", "test", "check", "bench", "screenshots", "clean"} <= named
    assert named <= targets


def test_every_headless_command_of_the_readme_and_the_guide_is_understood() -> None:
    lines = re.findall(r"^chatty-desktop (.+)$", README + COMMANDS, re.M)
    commands = {parse(shlex.split(line.split(" > ")[0], comments=True)).command for line in lines}
    assert {"ask", "inspect", "prompt", "log", "agents", "graph", "backup"} <= commands


def test_every_file_the_readme_points_to_is_there() -> None:
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", README) if "://" not in link]
    files = re.findall(r"`((?:chatty_desktop|packaging|tests|resources)/[\w/.-]+)`", README)
    assert "LICENSE" in links
    missing = [name for name in (*links, *files) if not (ROOT / name).exists()]
    assert missing == []


def test_no_file_names_an_address_packages_come_from() -> None:
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("not a checkout: there are no tracked files to read")
    names = subprocess.run(
        [git, "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\0")
    # Put together here, so that this file is none that names them.
    halves = (("pypi", ".org"), ("python", "hosted"), ("debian", ".org"), ("npm", "js"))
    hosts = ["".join(pair) for pair in (*halves, ("index", "-url"))]
    found = []
    for name in filter(None, names):
        file = ROOT / name
        if file.suffix in {".png", ".svg", ".ttf", ".ico", ".icns", ".mo"} or not file.is_file():
            continue
        text = file.read_text("utf-8").lower()
        found += [f"{name}: {host}" for host in hosts if host in text]
    assert found == []


def _make(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    # What the `make` that runs the tests hands down must not reach the one that is tested.
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS", "PIP_"))}
    return subprocess.run(
        ["make", *arguments],
        cwd=ROOT,
        env=kept | env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )


def _python(folder: Path, pip: str = "", app: str = "") -> Path:
    """A Python whose virtual environment holds one that runs these scripts for pip and the app."""
    program = folder / "python"
    program.write_text(f"""#!/bin/sh
case "$*" in
    "-m venv"*) for last; do :; done
        mkdir -p "$last/bin" && cp "$0" "$last/bin/python" ;;
    "-m pip"*) {pip or ":"} ;;
    "-m chatty_desktop"*) {app or ":"} ;;
esac
""")
    program.chmod(0o755)
    return program


@needs_make
def test_a_failed_install_leaves_no_stamp_and_is_tried_again(tmp_path: Path) -> None:
    venv = tmp_path / "venv"
    tries = tmp_path / "tries"
    python = _python(tmp_path, f"echo try >>{tries}; exit 1")
    for _ in range(2):
        assert _make("run", f"PYTHON={python}", f"VENV={venv}").returncode != 0
    assert tries.read_text().split() == ["try", "try"]
    assert {stamp.name for stamp in venv.glob(".*")} == {".made"}


@needs_make
def test_a_second_run_installs_nothing_again(tmp_path: Path) -> None:
    venv = tmp_path / "venv"
    tries = tmp_path / "tries"
    python = _python(tmp_path, f'echo "$*" >>{tries}')
    first = _make("check", f"PYTHON={python}", f"VENV={venv}")
    assert first.returncode == 0, first.stderr
    installs = tries.read_text().splitlines()
    assert [line.split()[-1] for line in installs] == ["hatchling", ".[starter,postgres,dev,build]"]
    assert all("--constraint packaging/constraints.txt" in line for line in installs)
    assert _make("check", f"PYTHON={python}", f"VENV={venv}").returncode == 0
    assert tries.read_text().splitlines() == installs


@needs_make
def test_what_the_environment_says_to_pip_is_kept(tmp_path: Path) -> None:
    python = _python(tmp_path, f'echo "$PIP_RETRIES $PIP_DEFAULT_TIMEOUT" >>{tmp_path}/seen')
    _make("check", f"PYTHON={python}", f"VENV={tmp_path}/venv", PIP_DEFAULT_TIMEOUT="181")
    assert (tmp_path / "seen").read_text().splitlines()[0] == "7 181"


@needs_make
def test_where_no_window_can_be_opened_the_ways_on_are_named_as_they_work_here(
    tmp_path: Path,
) -> None:
    python = _python(tmp_path, app="echo 'No window can be opened here' >&2; exit 2")
    done = _make("run", f"PYTHON={python}", f"VENV={tmp_path}/venv")
    assert done.returncode != 0
    assert "xvfb-run -a make run" in done.stderr
    assert f"{tmp_path}/venv/bin/chatty-desktop --help" in done.stderr
