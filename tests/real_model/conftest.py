"""The starter model, put together once for all tests; they are skipped where it is missing."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from chatty_desktop.domain.events import Event
from chatty_desktop.paths import Paths
from chatty_desktop.providers.starter import STARTER, StarterModel, installed_parts


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.real_model)
            item.add_marker(pytest.mark.timeout(300))


@pytest.fixture(scope="session")
def starter_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of models in which the starter model is put together by the first test."""
    if importlib.util.find_spec("xllamacpp") is None:
        pytest.skip("xllamacpp is not installed")
    if len(installed_parts()) < STARTER.parts:
        pytest.skip("the starter model is not installed (extra `starter`)")
    return tmp_path_factory.mktemp("models")


@pytest.fixture
async def starter_file(starter_folder: Path) -> Path:
    """The starter model's file, whole."""
    events: list[Event] = []
    return await StarterModel(starter_folder, events.append, reference="local/starter").ready()


@pytest.fixture
def paths(tmp_path: Path, starter_file: Path) -> Paths:
    """A data folder whose folder of models holds the starter model."""
    paths = Paths(tmp_path / "data")
    paths.create()
    paths.models.rmdir()
    paths.models.symlink_to(starter_file.parent, target_is_directory=True)
    return paths
