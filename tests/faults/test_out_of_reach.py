"""A database that the app cannot get at while it is open, or when it starts: its folder was taken
away, or another program holds it."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from chatty_desktop.app import App
from chatty_desktop.domain.errors import StorageFailed
from tests.helpers.filled import fill, filled, is_whole, message, said

_HOLDING = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
for statement in sys.argv[2].split(";"):
    connection.execute(statement)
print("held", flush=True)
sys.stdin.read()
"""

WRITING = "BEGIN IMMEDIATE"
ALONE = "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE x (y); ROLLBACK"


@contextmanager
def held(database: Path, how: str) -> Iterator[None]:
    """Another program has the database while this lasts."""
    with subprocess.Popen(
        [sys.executable, "-c", _HOLDING, str(database), how],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        try:
            assert process.stdout.readline() == "held\n"
            yield
        finally:
            process.kill()


@pytest.mark.skipif(os.name == "nt", reason="Windows lets nobody move a folder that is open")
async def test_writes_are_refused_while_the_folder_is_gone_and_go_on_once_it_is_back(
    data_dir: Path,
) -> None:
    await filled(data_dir, "word")
    before = said(data_dir / "chatty.db")
    app = await App.open(data_dir)
    agent = (await app.agents.list())[0]
    session = (await app.sessions.list())[0]
    taken = data_dir.with_name("taken")
    await asyncio.to_thread(data_dir.rename, taken)
    for _ in range(2):
        with pytest.raises(StorageFailed, match=r"is gone: .* Bring it back"):
            await app.sessions.create("late", agent.id)
    with pytest.raises(StorageFailed, match="is gone"):
        await app.chat.send(session.id, agent.id, "late", [])
    assert not await asyncio.to_thread(data_dir.exists)
    await asyncio.to_thread(taken.rename, data_dir)
    await fill(app, "back", chats=1)
    await app.close()
    assert [each for each in said(data_dir / "chatty.db") if "back" not in each] == before
    assert len(said(data_dir / "chatty.db")) == len(before) + 4
    assert is_whole(data_dir / "chatty.db")


@pytest.mark.skipif(os.name == "nt", reason="Windows lets nobody delete a folder that is open")
async def test_an_app_whose_folder_was_deleted_says_so_and_closes(data_dir: Path) -> None:
    await filled(data_dir, "word")
    app = await App.open(data_dir)
    await asyncio.to_thread(shutil.rmtree, data_dir)
    with pytest.raises(StorageFailed, match="is gone"):
        await app.sessions.create("late", (await app.agents.list())[0].id)
    await app.close()
    assert not (data_dir / "chatty.db").exists()


async def test_what_cannot_be_written_because_another_program_writes_is_told(
    data_dir: Path,
) -> None:
    await filled(data_dir, "word")
    app = await App.open(data_dir)
    agent = (await app.agents.list())[0]
    with held(data_dir / "chatty.db", WRITING):
        with pytest.raises(StorageFailed, match=r"used by another program .*Close that program"):
            await app.sessions.create("late", agent.id)
        assert len(await app.sessions.list()) == 2  # reading goes on
    session = await app.sessions.create("after", agent.id)
    await app.messages.append(message(session.id, 0, agent.id, "It goes on."))
    await app.close()
    assert "It goes on." in said(data_dir / "chatty.db")


async def test_a_database_that_another_program_holds_is_not_taken_for_damaged(
    data_dir: Path,
) -> None:
    await filled(data_dir, "word")
    before = said(data_dir / "chatty.db")
    with (
        held(data_dir / "chatty.db", ALONE),
        pytest.raises(StorageFailed, match=r"used by another program .*Close that program"),
    ):
        await App.open(data_dir)
    app = await App.open(data_dir)
    assert app.settings.notices == []
    assert await app.data.backups() == []
    await app.close()
    assert said(data_dir / "chatty.db") == before
