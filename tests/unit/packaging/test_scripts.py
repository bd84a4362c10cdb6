"""The set-up scripts: what they say and do on machines that lack something.

The scripts are the real ones. The machine is made up: programs they call (a Python, apt-get, id,
uname) are small scripts in a folder that comes first on the path.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from chatty_desktop.ui import application

ROOT = Path(__file__).parents[3]
SCRIPTS = ROOT / "packaging"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="shell scripts, not for Windows")


class Machine:
    """A made-up machine: `has` puts a program on its path, `run` runs one of our scripts on it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.programs = folder / "programs"
        self.programs.mkdir()
        self.calls = folder / "calls"
        self.has("uname", "echo Linux")
        self.has("id", "echo 1000")

    def has(self, name: str, script: str) -> Path:
        """Put a program there, a shell script, with another of its name out of reach."""
        program = self.programs / name
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        return program

    def run(self, *command: str | Path, **env: str) -> subprocess.CompletedProcess[str]:
        """Run a command with our programs before the system's."""
        path = f"{self.programs}{os.pathsep}{os.environ['PATH']}"
        kept = {"PATH": path, "HOME": str(self.folder), "CALLS": str(self.calls)}
        return subprocess.run(
            [str(part) for part in command],
            env=kept | env,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=50,
            check=False,
        )

    def called(self) -> str:
        """What programs wrote down of how they were called."""
        return self.calls.read_text() if self.calls.exists() else ""


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


# --- the virtual environment -----------------------------------------------------------------


def test_without_a_python_it_is_said_how_to_name_one(machine: Machine, tmp_path: Path) -> None:
    done = machine.run(SCRIPTS / "venv.sh", "python9", tmp_path / "venv")
    assert done.returncode == 1
    assert "no 'python9'" in done.stderr and "make PYTHON=" in done.stderr


def test_a_python_that_is_too_old_is_named_with_its_version(
    machine: Machine, tmp_path: Path
) -> None:
    machine.has("python3", "echo 3.9")
    done = machine.run(SCRIPTS / "venv.sh", "python3", tmp_path / "venv")
    assert done.returncode == 1
    assert "'python3' is Python 3.9" in done.stderr and "3.11" in done.stderr


_NO_VENV = """
case "$*" in
    *version_info\\ \\<*) ;;
    *venv\\"*) echo python3.11-venv ;;
    *ensurepip*) test -e "$CALLS" ;;
    *) echo "python $*" >>"$CALLS" ;;
esac"""


def test_a_person_is_told_the_one_command_that_brings_venv(
    machine: Machine, tmp_path: Path
) -> None:
    machine.has("python3", _NO_VENV)
    machine.has("apt-get", 'echo "apt-get $*" >>"$CALLS"')
    done = machine.run(SCRIPTS / "venv.sh", "python3", tmp_path / "venv")
    assert done.returncode == 1
    assert "sudo apt-get install -y python3.11-venv" in done.stderr
    assert machine.called() == ""


def test_root_gets_venv_installed_and_the_environment_made(
    machine: Machine, tmp_path: Path
) -> None:
    machine.has("python3", _NO_VENV)
    machine.has("id", "echo 0")
    machine.has("apt-get", 'echo "apt-get $*" >>"$CALLS"')
    done = machine.run(SCRIPTS / "venv.sh", "python3", tmp_path / "venv")
    assert done.returncode == 0, done.stderr
    apt, python = machine.called().splitlines()
    assert apt.startswith("apt-get install -y") and apt.endswith("python3.11-venv")
    assert python == f"python -m venv --clear {tmp_path / 'venv'}"


def test_package_lists_are_fetched_only_when_the_install_fails_without(machine: Machine) -> None:
    machine.has(
        "apt-get",
        'echo "$1" >>"$CALLS"\ntest "$1" = update || grep -q update "$CALLS"',
    )
    assert machine.run(SCRIPTS / "apt-install.sh", "xvfb").returncode == 0
    assert machine.called().split() == ["install", "update", "install"]


# --- system libraries ------------------------------------------------------------------------

_MISSING_TWO = "cat >/dev/null; echo libEGL.so.1 libegl1; echo libxcb-cursor.so.0 libxcb-cursor0"


def test_a_person_is_told_the_one_command_that_brings_qts_libraries(machine: Machine) -> None:
    machine.has("python3", _MISSING_TWO)
    machine.has("apt-get", 'echo "apt-get $*" >>"$CALLS"')
    done = machine.run(SCRIPTS / "qt-libraries.sh", "python3")
    assert done.returncode == 1
    assert "sudo apt-get install -y libegl1 libxcb-cursor0" in done.stderr
    assert machine.called() == ""


def test_root_gets_qts_libraries_installed(machine: Machine) -> None:
    machine.has("python3", f'test -e "$CALLS" || {{ {_MISSING_TWO}; }}')
    machine.has("id", "echo 0")
    machine.has("apt-get", 'echo "apt-get $*" >>"$CALLS"')
    done = machine.run(SCRIPTS / "qt-libraries.sh", "python3")
    assert done.returncode == 0, done.stderr
    assert machine.called().rstrip().endswith("libegl1 libxcb-cursor0")


def test_libraries_still_missing_after_the_install_are_a_failure(machine: Machine) -> None:
    machine.has("python3", _MISSING_TWO)
    machine.has("id", "echo 0")
    machine.has("apt-get", "exit 0")
    done = machine.run(SCRIPTS / "qt-libraries.sh", "python3")
    assert done.returncode == 1
    assert "libEGL.so.1" in done.stderr


def test_a_machine_that_has_every_library_installs_nothing(machine: Machine) -> None:
    machine.has("python3", "cat >/dev/null")
    machine.has("apt-get", 'echo "apt-get $*" >>"$CALLS"')
    done = machine.run(SCRIPTS / "qt-libraries.sh", "python3")
    assert (done.returncode, done.stdout, done.stderr, machine.called()) == (0, "", "", "")


def test_where_qt_brings_everything_nothing_is_looked_for(machine: Machine) -> None:
    machine.has("uname", "echo Darwin")
    machine.has("python3", _MISSING_TWO)
    assert machine.run(SCRIPTS / "qt-libraries.sh", "python3").returncode == 0


@pytest.mark.skipif(sys.platform != "linux", reason="asks the loader of Linux")
def test_the_real_loader_is_asked(machine: Machine) -> None:
    """The libraries are here, since these tests run on Qt; one that is nowhere is missed."""
    assert machine.run(SCRIPTS / "qt-libraries.sh", sys.executable).returncode == 0
    altered = (SCRIPTS / "qt-libraries.sh").read_text().replace("libEGL.so.1 ", "libNowhere.so.1 ")
    script = machine.folder / "qt-libraries.sh"
    script.write_text(altered)
    machine.has("apt-get", "exit 1")
    done = machine.run("sh", script, sys.executable)
    assert done.returncode == 1
    assert "sudo apt-get install -y libegl1\n" in done.stderr


def test_the_packages_the_app_names_are_among_those_the_script_installs() -> None:
    known = (SCRIPTS / "qt-libraries.sh").read_text().split()
    named = f"{application.LIBRARIES} {application.LIBRARIES_X11}".split()
    assert set(named) <= set(known)
