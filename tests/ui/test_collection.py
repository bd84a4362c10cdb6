"""Where garbage is collected while the window is open."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject

from chatty_desktop.ui.collection import EVERY_MS, Collection


class Knot(QObject):
    """An object in a cycle, which only a collection takes down."""

    def __init__(self) -> None:
        super().__init__()
        self.itself = self


@pytest.fixture
def collection() -> Iterator[Collection]:
    collection = Collection()
    yield collection
    collection.stop()


async def test_a_worker_thread_never_takes_a_qt_object_down(collection: Collection) -> None:
    threads: list[int] = []
    for _ in range(200):
        weakref.finalize(Knot(), lambda: threads.append(threading.get_ident()))
    await asyncio.to_thread(_make_garbage, 20_000)
    assert threads == []
    while not threads:  # noqa: ASYNC110  # a collection tells nobody
        await asyncio.sleep(EVERY_MS / 1000)
    assert set(threads) == {threading.get_ident()}


def test_python_collects_by_itself_again_afterwards() -> None:
    Collection().stop()
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0


def _make_garbage(count: int) -> None:
    """Enough new objects for a collection to be due several times."""
    kept: list[list[list[int]]] = [[[]] for _ in range(count)]
    del kept
