"""Qt for the tests: no display needed, one application, a loop that serves Qt and asyncio."""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtWidgets import QApplication

from chatty_desktop.domain.settings import Appearance
from chatty_desktop.ui.loop import Loop
from chatty_desktop.ui.theme import Theme
from tests.helpers.servers import OpenAIServer

if TYPE_CHECKING:
    from tests.ui.opened import Opened


@pytest.fixture(scope="session")
def _theme(qapp: QApplication) -> Theme:
    return Theme(qapp, "light")


@pytest.fixture
def theme(_theme: Theme) -> Iterator[Theme]:
    """The theme, light; a test may flip it."""
    yield _theme
    _theme.show(Appearance(theme="light"))


def _qt_loop() -> asyncio.AbstractEventLoop:
    return Loop(QApplication.instance())


def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Async tests run in the loop the window runs in: Qt's own, driven by qasync."""
    return {"qt": _qt_loop}


@pytest.fixture
async def server() -> AsyncIterator[OpenAIServer]:
    """A model server on loopback; what it says is scripted."""
    async with OpenAIServer(models=("small",)) as started:
        yield started


@pytest.fixture
async def open_window(data_dir: Path, theme: Theme, server: OpenAIServer) -> AsyncIterator[Opened]:
    """The real window on a new data folder."""
    # Imported here: tests of single panels need nothing of the whole app.
    from tests.ui.opened import opened

    async with opened(data_dir, theme, server) as made:
        yield made


@pytest.fixture(autouse=True)
def _empty_clipboard(qapp: QApplication) -> None:
    """What one test copied is not taken for what the next one copies."""
    qapp.clipboard().clear()


@pytest.fixture(autouse=True, scope="session")
def _application_first(qapp: QApplication) -> None:
    """The loop needs the application to be there."""
