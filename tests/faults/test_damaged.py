"""A database that is damaged: kept aside, mended or brought back from the last good backup, and
told, in the window and on the command line."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from chatty_desktop.app import App
from chatty_desktop.domain.errors import StorageFailed
from chatty_desktop.domain.search import parse_query
from chatty_desktop.domain.work import Work
from tests.faults.driving import Kill, driving
from tests.helpers.desk import STATE
from tests.helpers.filled import fill, filled, is_whole, said
from tests.helpers.folder import settings_for
from tests.helpers.headless import headless

ROOT = Path(__file__).parents[2]

PAGE = 4096


def noise_over_messages(file: Path) -> None:
    """Over the pages on which messages stand, and none that a start looks at."""
    chance = Random(7)
    data = bytearray(file.read_bytes())
    for start in range(PAGE, len(data), PAGE):
        if b"early number" in data[start : start + PAGE]:
            data[start : start + PAGE] = chance.randbytes(PAGE)
    file.write_bytes(data)


def noise_over_table(file: Path, table: str) -> None:
    """Over the first page of a table that no start looks at."""
    with closing(sqlite3.connect(file)) as connection:
        query = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        page = connection.execute(query, (table,)).fetchone()[0]
    with file.open("r+b") as stream:
        stream.seek((page - 1) * PAGE)
        stream.write(Random(7).randbytes(PAGE))


def noise_over_the_schema(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[100:PAGE] = Random(7).randbytes(PAGE - 100)
    file.write_bytes(data)


def cut_in_half(file: Path) -> None:
    with file.open("r+b") as stream:
        stream.truncate(file.stat().st_size // PAGE // 2 * PAGE)


def emptied(file: Path) -> None:
    file.write_bytes(b"")


def something_else(file: Path) -> None:
    file.write_bytes(b"no database at all" * 1000)


SEEN_AT_ONCE = [noise_over_the_schema, cut_in_half, emptied, something_else]


async def with_backup(folder: Path) -> list[str]:
    """A folder with a backup and a chat after it; what the backup says."""
    await filled(folder, "early")
    app = await App.open(folder)
    await app.data.back_up(None, Work())
    then = said(folder / "chatty.db")
    await fill(app, "late", chats=1)
    await app.close()
    return then


@pytest.mark.parametrize("break_it", SEEN_AT_ONCE, ids=lambda call: call.__name__)
async def test_a_damaged_database_is_kept_and_the_last_backup_takes_its_place(
    data_dir: Path, break_it: Callable[[Path], None]
) -> None:
    then = await with_backup(data_dir)
    settings = (data_dir / "settings.json").read_bytes()
    break_it(data_dir / "chatty.db")
    damaged = (data_dir / "chatty.db").read_bytes()

    app = await App.open(data_dir)
    (notice,) = app.settings.notices
    assert notice.level == "warning"
    assert "damaged" in notice.text and "was restored: 2 chats, 8 messages" in notice.text
    (kept,) = app.paths.backups.glob("*-damaged.db")
    assert kept.read_bytes() == damaged
    assert kept.name in notice.text
    assert (data_dir / "settings.json").read_bytes() == settings
    await fill(app, "again", chats=1)  # it goes on from there
    await app.close()
    assert said(data_dir / "chatty.db")[: len(then)] == then
    assert is_whole(data_dir / "chatty.db")
    app = await App.open(data_dir)
    assert app.settings.notices == []  # told once
    assert len([b for b in await app.data.backups() if b.kind == "by_hand"]) == 1
    await app.close()


async def test_the_command_line_tells_of_it_and_does_what_it_was_asked(data_dir: Path) -> None:
    await with_backup(data_dir)
    something_else(data_dir / "chatty.db")
    done = await asyncio.to_thread(headless, data_dir, "agents", "list")
    assert done.returncode == 0, done.stderr
    assert "The database was damaged" in done.stderr and "was restored" in done.stderr
    assert "Traceback" not in done.stderr
    again = await asyncio.to_thread(headless, data_dir, "agents", "list")
    assert (again.returncode, again.stderr, again.stdout) == (0, "", done.stdout)


@pytest.mark.parametrize("break_it", SEEN_AT_ONCE, ids=lambda call: call.__name__)
async def test_without_a_backup_nothing_is_replaced_and_the_way_on_is_told(
    data_dir: Path, break_it: Callable[[Path], None]
) -> None:
    await filled(data_dir, "word")
    elsewhere = data_dir.parent / "elsewhere.zip"
    app = await App.open(data_dir)
    await app.data.back_up(elsewhere, Work())
    await app.close()
    before = said(data_dir / "chatty.db")
    break_it(data_dir / "chatty.db")
    damaged = (data_dir / "chatty.db").read_bytes()
    for _ in range(2):
        with pytest.raises(StorageFailed, match=r"no good backup.*left as it is.*restore FILE"):
            await App.open(data_dir)
        assert (data_dir / "chatty.db").read_bytes() == damaged
    done = await asyncio.to_thread(headless, data_dir, "restore", str(elsewhere))
    assert done.returncode == 0, done.stderr
    assert said(data_dir / "chatty.db") == before
    (kept,) = (data_dir / "backups").glob("*-damaged.db")
    assert kept.read_bytes() == damaged


async def test_a_backup_that_is_damaged_too_is_passed_over_for_the_one_before_it(
    data_dir: Path,
) -> None:
    await with_backup(data_dir)
    (good,) = (data_dir / "backups").iterdir()
    bad = good.with_name("chatty-desktop-20991231-235959.zip")
    bad.write_bytes(good.read_bytes()[: good.stat().st_size // 2])
    something_else(data_dir / "chatty.db")
    app = await App.open(data_dir)
    assert "8 messages" in app.settings.notices[0].text
    assert bad.exists()
    await app.close()


async def test_damage_that_only_shows_once_messages_are_read_is_mended_in_the_same_start(
    data_dir: Path,
) -> None:
    then = await with_backup(data_dir)
    noise_over_messages(data_dir / "chatty.db")
    app = await App.open(data_dir)
    (notice,) = app.settings.notices
    assert "was restored: 2 chats" in notice.text
    await app.close()
    assert said(data_dir / "chatty.db") == then
    assert not (data_dir / "chatty.db.suspect").exists()


async def test_damage_that_shows_later_is_told_and_mended_at_the_next_start(
    data_dir: Path,
) -> None:
    then = await with_backup(data_dir)
    noise_over_table(data_dir / "chatty.db", "ledger")
    app = await App.open(data_dir)
    assert app.settings.notices == []
    with pytest.raises(StorageFailed, match=r"is damaged \(.*open it again"):
        await app.memory.ledger_entry("l")
    await app.close()
    app = await App.open(data_dir)
    assert "was restored" in app.settings.notices[0].text
    await app.close()
    assert said(data_dir / "chatty.db") == then


async def test_an_index_that_is_damaged_is_built_again_and_no_message_is_lost(
    data_dir: Path,
) -> None:
    await with_backup(data_dir)
    before = said(data_dir / "chatty.db")
    with closing(sqlite3.connect(data_dir / "chatty.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        root = "SELECT rootpage FROM sqlite_master WHERE name = 'messages_parent'"
        page = connection.execute(root).fetchone()[0]
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = bytearray((data_dir / "chatty.db").read_bytes())
    start = (page - 1) * PAGE
    # An empty leaf of an index: a whole page that says there is nothing.
    data[start : start + 8] = bytes([10, 0, 0, 0, 0, 0x10, 0, 0])
    (data_dir / "chatty.db").write_bytes(data)
    (data_dir / "chatty.db.suspect").touch()
    app = await App.open(data_dir)
    (notice,) = app.settings.notices
    assert "index" in notice.text and "no message is lost" in notice.text
    assert len([b for b in await app.data.backups() if b.kind == "damaged"]) == 1
    assert (await app.search.messages(parse_query("late"))).hits
    await app.close()
    assert said(data_dir / "chatty.db") == before
    assert is_whole(data_dir / "chatty.db")


async def test_a_suspicion_that_is_not_borne_out_changes_nothing(data_dir: Path) -> None:
    await with_backup(data_dir)
    before = said(data_dir / "chatty.db")
    (data_dir / "chatty.db.suspect").touch()
    app = await App.open(data_dir)
    assert app.settings.notices == []
    await app.close()
    assert said(data_dir / "chatty.db") == before
    assert not (data_dir / "chatty.db.suspect").exists()


@pytest.mark.parametrize("where", ["head", "middle", "last"])
async def test_a_damaged_log_of_a_killed_app_is_kept_and_told(data_dir: Path, where: str) -> None:
    settings_for(data_dir, "http://127.0.0.1:9/v1")
    script = [{"do": "send", "text": f"number {number}"} for number in range(4)]
    async with driving() as driver:
        await driver.live(data_dir, STATE, script)
        # Killed with its log full: lines of four more messages that nobody answers.
        lived = await driver.live(data_dir, STATE, script, Kill(lines=24))
    assert lived.killed
    log = data_dir / "chatty.db-wal"
    data = bytearray(log.read_bytes())
    frames = (len(data) - 32) // (24 + PAGE)
    assert frames > 4
    place = {"head": 0, "middle": 32 + frames // 2 * (24 + PAGE) + 100}.get(where, len(data) - 50)
    data[place : place + 30] = b"damage" * 5
    log.write_bytes(data)
    app = await App.open(data_dir)
    (notice,) = app.settings.notices
    assert "log was damaged" in notice.text
    (kept,) = (data_dir / "backups").iterdir()
    assert kept.name in notice.text
    assert kept.read_bytes() == data
    await app.close()
    assert is_whole(data_dir / "chatty.db")
    assert said(data_dir / "chatty.db").count("number 3") >= 1


async def test_a_restore_that_was_killed_in_the_midst_is_carried_through(data_dir: Path) -> None:
    then = await with_backup(data_dir)
    something_else(data_dir / "chatty.db")
    async with driving() as driver:
        for number in range(12):
            copy = data_dir.with_name(f"copy{number}")
            await asyncio.to_thread(shutil.copytree, data_dir, copy)
            await driver.live(copy, STATE, [], Kill(lines=1, seconds=number * 0.008))
            app = await App.open(copy)
            assert all("was restored" in notice.text for notice in app.settings.notices)
            await app.close()
            assert said(copy / "chatty.db") == then
            damaged = list((copy / "backups").glob("*-damaged.db"))
            assert all(b"no database at all" in each.read_bytes() for each in damaged)
            assert damaged
