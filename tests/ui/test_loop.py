"""The loop of the window: no task loses a step, and what was left half-way is closed."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator
from threading import Thread
from weakref import WeakSet

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from chatty_desktop.ui.loop import Loop
from tests.helpers.waiting import until


async def test_qt_events_handled_in_the_middle_of_a_step_take_no_step_from_another_task() -> None:
    steps = 0

    async def step_by_step() -> None:
        nonlocal steps
        for _ in range(50):
            await asyncio.sleep(0)
            steps += 1

    other = asyncio.create_task(step_by_step())
    await asyncio.sleep(0)
    at_first = steps
    for _ in range(5):
        QApplication.processEvents()
    assert steps == at_first
    await asyncio.wait_for(other, 10)
    assert steps == 50


async def test_a_call_put_off_comes_in_its_turn_and_a_cancelled_one_never() -> None:
    loop = asyncio.get_running_loop()
    came: list[int] = []
    calls = [loop.call_soon(came.append, number) for number in range(4)]
    QApplication.processEvents()
    assert came == []
    calls[2].cancel()
    await asyncio.sleep(0.05)
    assert came == [0, 1, 3]


async def test_a_generator_left_half_way_is_closed() -> None:
    closed = asyncio.Event()

    async def numbers() -> AsyncIterator[int]:
        try:
            yield 1
            yield 2
        finally:
            closed.set()

    async for number in numbers():
        assert number == 1
        break
    gc.collect()
    await asyncio.wait_for(closed.wait(), 10)


def test_no_timer_outlives_its_loop(qapp: QApplication) -> None:
    loop = Loop(qapp)
    called: list[int] = []
    loop.call_later(0.01, called.append, 1)
    loop.call_later(1_000, called.append, 2)
    loop.close()
    # A loop that ends in another thread, as Python's collector may have it, cannot end them there.
    ended = Thread(target=lambda loops: loops.clear(), args=([loop],))
    del loop
    ended.start()
    ended.join()
    gc.collect()
    QTest.qWait(30)
    assert called == []


async def test_a_call_that_is_cancelled_is_let_go_of_at_once() -> None:
    class Large:
        def __call__(self) -> None: ...

    def cancelled() -> int:
        # Others of the process may keep some of their own.
        found = (each for each in gc.get_objects() if isinstance(each, asyncio.Handle))
        return sum(each.cancelled() for each in found)

    kept: WeakSet[Large] = WeakSet()
    loop = asyncio.get_running_loop()
    gc.collect()
    before = cancelled()
    large = Large()
    kept.add(large)
    loop.call_later(1_000, large).cancel()
    del large
    for _ in range(20):
        async with asyncio.timeout(1_000):
            await asyncio.sleep(0)
    gc.collect()
    assert not kept
    assert cancelled() < before + 5


async def test_a_call_that_came_can_be_cancelled_and_takes_no_other_along() -> None:
    loop = asyncio.get_running_loop()
    called: list[int] = []
    first = loop.call_soon(called.append, 1)
    await until(lambda: called)
    others = [loop.call_later(0.01, called.append, number) for number in range(2, 6)]
    first.cancel()
    await until(lambda: len(called) == 1 + len(others))
    assert sorted(called) == [1, 2, 3, 4, 5]
