"""Tasks of the window: failures are told, closing waits."""

from __future__ import annotations

import asyncio
import logging

import pytest

from chatty_desktop.domain.errors import Unreachable
from chatty_desktop.ui.tasks import Tasks


async def test_a_known_failure_is_told_in_its_own_words() -> None:
    told: list[str] = []
    tasks = Tasks(told.append)

    async def fails() -> None:
        raise Unreachable("The server at 127.0.0.1:9 does not answer.")

    tasks.start(fails())
    await tasks.idle()
    assert told == ["The server at 127.0.0.1:9 does not answer."]


@pytest.mark.expected_log("A task of the window failed")
async def test_an_unknown_failure_is_told_plainly_and_logged_with_its_traceback(
    caplog: pytest.LogCaptureFixture,
) -> None:
    told: list[str] = []
    tasks = Tasks(lambda text: pytest.fail("the starter asked to hear it"))

    async def fails() -> None:
        raise KeyError("colour")

    with caplog.at_level(logging.ERROR):
        tasks.start(fails(), failed=told.append)
        await tasks.idle()
    assert "KeyError" in told[0] and "log" in told[0]
    assert caplog.records[0].exc_info
    caplog.clear()


async def test_closing_cancels_and_awaits_every_task() -> None:
    ended: list[str] = []
    tasks = Tasks(ended.append)

    async def waits() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0)
            ended.append("cleaned up")

    task = tasks.start(waits())
    await asyncio.sleep(0)
    await tasks.close()
    assert ended == ["cleaned up"] and task.cancelled()
    late = tasks.start(waits())
    await asyncio.gather(late, return_exceptions=True)
    assert ended == ["cleaned up"]
