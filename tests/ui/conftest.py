"""Qt for the tests: no display needed, one application, a loop that serves Qt and asyncio."""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import asyncio
import contextvars
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import qasync
from PySide6.QtWidgets import QApplication

from chatty_desktop.domain.settings import Appearance
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


class PatientLoop(qasync.QEventLoop):  # type: ignore[misc]  # qasync has no types
    """Qt's loop, in which a task takes its steps only while the loop runs.

    pytest-qt handles Qt's events after each phase of a test too. A task that a test left behind,
    such as a panel's reading, would then take a step with no loop running, and fail for that.
    """

    def call_later(
        self,
        delay: float,
        callback: Callable[..., object],
        *args: Any,
        context: contextvars.Context | None = None,
    ) -> asyncio.Handle:
        def call(*args: Any) -> None:
            if self.is_running():
                callback(*args)
            elif not self.is_closed():
                super(PatientLoop, self).call_later(0.01, call, *args)

        handle: asyncio.Handle = super().call_later(delay, call, *args, context=context)
        return handle


def _qt_loop() -> asyncio.AbstractEventLoop:
    loop: asyncio.AbstractEventLoop = PatientLoop(QApplication.instance())
    return loop


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


@pytest.fixture(autouse=True, scope="session")
def _application_first(qapp: QApplication) -> None:
    """The loop needs the application to be there."""
