"""A backup a day by itself, on real files."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from chatty_desktop.app import App
from chatty_desktop.domain.events import Event, Notice
from chatty_desktop.domain.work import Work
from chatty_desktop.storage.daily_backups import DAY_SECONDS, KEPT, DailyBackups
from tests.helpers.filled import filled
from tests.helpers.waiting import until

LOOK = 0.02


@pytest.fixture
async def app(data_dir: Path) -> AsyncIterator[App]:
    await filled(data_dir, "marmalade")
    opened = await App.open(data_dir)
    yield opened
    await opened.close()


@asynccontextmanager
async def looking(
    app: App,
    *,
    wanted: Callable[[], bool] = lambda: True,
    busy: Callable[[], bool] = lambda: False,
) -> AsyncIterator[list[Event]]:
    told: list[Event] = []
    daily = DailyBackups(
        app.data,
        wanted=wanted,
        busy=busy,
        publish=told.append,
        look_seconds=LOOK,
    )
    daily.begin()
    try:
        yield told
    finally:
        await daily.close()


def daily(app: App) -> list[Path]:
    return sorted(app.paths.backups.glob("*-daily.zip"))


def aged(file: Path, seconds: float) -> Path:
    """The same backup as one that was made so long ago."""
    at = time.strftime("%Y%m%d-%H%M%S", time.localtime(time.time() - seconds))
    return file.rename(file.with_name(f"chatty-desktop-{at}-daily.zip"))


async def test_one_is_made_a_day_and_can_be_restored(app: App) -> None:
    async with looking(app):
        await until(lambda: daily(app))
        await asyncio.sleep(10 * LOOK)
        (made,) = daily(app)
        (listed,) = await app.data.backups()
        assert (listed.file, listed.kind) == (str(made), "daily")
        aged(made, DAY_SECONDS - 60)
        await asyncio.sleep(10 * LOOK)
        assert len(daily(app)) == 1
        aged(daily(app)[0], DAY_SECONDS + 60)
        await until(lambda: len(daily(app)) == 2)
    contents = await app.data.stage_restore(daily(app)[-1], Work())
    assert contents.counts.messages == 8


async def test_the_last_are_kept_and_what_the_person_made_stays(app: App) -> None:
    app.paths.backups.mkdir()
    by_hand = app.paths.backups / "chatty-desktop-20200101-120000.zip"
    await app.data.back_up(by_hand, Work())
    async with looking(app):
        for days in range(KEPT + 3, 0, -1):
            count = len(daily(app))
            await until(lambda: daily(app) and time.time() - daily(app)[-1].stat().st_mtime < 60)
            await until(lambda count=count: len(daily(app)) == min(count + 1, KEPT))  # type: ignore[misc]
            aged(daily(app)[-1], days * DAY_SECONDS + 60)
        await until(lambda: len(daily(app)) == KEPT)
        await asyncio.sleep(10 * LOOK)
    assert len(daily(app)) == KEPT
    assert by_hand.exists()


async def test_there_is_none_where_nothing_has_changed(app: App) -> None:
    async with looking(app):
        await until(lambda: daily(app))
    made = aged(daily(app)[0], 2 * DAY_SECONDS)
    for file in app.paths.data.glob("chatty.db*"):
        os.utime(file, (0, time.time() - 3 * DAY_SECONDS))
    async with looking(app):
        await asyncio.sleep(10 * LOOK)
        assert daily(app) == [made]
        agent = (await app.agents.list())[0]
        await app.sessions.create("New", agent.id)
        await until(lambda: len(daily(app)) == 2)


async def test_there_is_none_where_nobody_wants_it_an_answer_comes_or_nothing_was_said(
    app: App, tmp_path: Path
) -> None:
    async with looking(app, wanted=lambda: False), looking(app, busy=lambda: True):
        await asyncio.sleep(10 * LOOK)
    assert not app.paths.backups.exists()
    empty = await App.open(tmp_path / "empty")
    async with looking(empty):
        await asyncio.sleep(10 * LOOK)
    await empty.close()
    assert not empty.paths.backups.exists()


async def test_one_of_a_clock_that_was_ahead_does_not_stand_in_for_one_of_today(app: App) -> None:
    async with looking(app):
        await until(lambda: daily(app))
        aged(daily(app)[0], -30 * DAY_SECONDS)
        await until(lambda: len(daily(app)) == 2)
        await asyncio.sleep(10 * LOOK)
        assert len(daily(app)) == 2


async def test_what_speaks_against_it_is_told_once_and_it_is_tried_again(app: App) -> None:
    app.paths.backups.write_text("in the way")
    async with looking(app) as told:
        await until(lambda: told)
        await asyncio.sleep(10 * LOOK)
        (notice,) = told
        assert isinstance(notice, Notice)
        assert notice.level == "warning"
        assert notice.text.startswith("The daily backup was not made: ")
        app.paths.backups.unlink()
        await until(lambda: daily(app))
        assert len(told) == 1


async def test_it_waits_for_other_work_on_the_data_and_leaves_nothing_half_made(
    app: App,
) -> None:
    with app.data._at(Work()):
        async with looking(app) as told:
            await asyncio.sleep(10 * LOOK)
            assert not told
    assert not daily(app)
    async with looking(app):
        await until(lambda: any(app.paths.backups.glob("*")) or any(app.paths.backups.glob(".*")))
    # Closed in the midst of it: there is a whole one, or none.
    left = [file.name for file in app.paths.backups.iterdir()]
    assert left == [file.name for file in daily(app)]
    await app.data.back_up(None, Work())
