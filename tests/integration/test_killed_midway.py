"""Backups and restores that end in the midst: killed at each step on the disk, or out of room."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from chatty_desktop.app import App
from chatty_desktop.domain.work import Work
from tests.helpers.filled import filled, is_whole, said
from tests.helpers.fresh_python import ran

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs fork and SIGKILL")

_DRIVER = """
import os, shutil, signal, sys
from pathlib import Path
from chatty_desktop.domain.work import Work
from chatty_desktop.paths import Paths
from chatty_desktop.storage import restoring
from chatty_desktop.storage.backup_file import write_backup
import sqlite3, zipfile, shutil as _shutil

STEPS = ("open", "os.", "shutil.rmtree", "sqlite3.connect")

def back_up(folder):
    connection = sqlite3.connect(folder / "chatty.db", isolation_level=None)
    (folder / "backups").mkdir(exist_ok=True)
    write_backup(connection, "{}", folder / "backups" / "new.zip", Work())

def stage(folder):
    restoring.stage(Paths(folder), folder / "backup.zip", Work())

def put_in_place(folder):
    restoring.put_in_place(Paths(folder))

def killed_at(number, call, folder):
    child = os.fork()
    if child == 0:
        left = number
        def hook(event, arguments):
            nonlocal left
            if event.startswith(STEPS):
                left -= 1
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
        sys.addaudithook(hook)
        call(folder)
        os._exit(0)
    _pid, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)

call, source, into = globals()[sys.argv[1]], Path(sys.argv[2]), Path(sys.argv[3])
number, killed = 0, True
while killed:
    number += 1
    folder = into / str(number)
    shutil.copytree(source, folder)
    killed = killed_at(number, call, folder)
print(number)
"""


def killed_at_each_step(call: str, source: Path, into: Path) -> Iterator[Path]:
    """Copies of a folder, in each of which a call was killed one step later than in the last, and
    at the end one in which it ran through."""
    done = ran(_DRIVER, call, source, into)
    count = int(done.stdout)
    assert count > 5
    for number in range(1, count + 1):
        yield into / str(number)


async def with_backup(folder: Path) -> tuple[list[str], list[str]]:
    """A folder whose backup.zip holds another state than it; what both say: old, new."""
    await filled(folder, "new", messages=2)
    app = await App.open(folder)
    await app.data.back_up(folder / "backup.zip", Work())
    for session in await app.sessions.list():
        await app.chat.delete_session(session.id)
    await app.close()
    new = ["new number 0 in 0", "new number 1 in 0", "new number 0 in 1", "new number 1 in 1"]
    await filled(folder, "old", chats=1)
    return said(folder / "chatty.db"), new


@pytest.mark.timeout(240)
async def test_a_backup_killed_at_any_step_leaves_no_file_that_looks_like_one(
    tmp_path: Path,
) -> None:
    await filled(tmp_path / "data", "word")
    expected = said(tmp_path / "data" / "chatty.db")
    folders = await asyncio.to_thread(
        lambda: list(killed_at_each_step("back_up", tmp_path / "data", tmp_path / "killed"))
    )
    for folder in folders:
        app = await App.open(folder)
        for backup in await app.data.backups():
            # The name is there only once it is whole.
            await app.data.stage_restore(Path(backup.file), Work())
        left = [file.name for file in app.paths.backups.glob("*")]
        assert left in ([], ["new.zip"])
        assert await app.data.staged_restore() is None or left == ["new.zip"]
        await app.data.call_off_restore()
        await app.close()
        assert said(folder / "chatty.db") == expected
    assert (folders[-1] / "backups" / "new.zip").exists()


@pytest.mark.timeout(240)
@pytest.mark.parametrize("call", ["stage", "put_in_place"])
async def test_a_restore_killed_at_any_step_leaves_the_old_or_the_new_whole(
    tmp_path: Path, call: str
) -> None:
    source = tmp_path / "data"
    old, new = await with_backup(source)
    if call == "put_in_place":
        app = await App.open(source)
        await app.data.stage_restore(source / "backup.zip", Work())
        await app.close()
    folders = await asyncio.to_thread(
        lambda: list(killed_at_each_step(call, source, tmp_path / "killed"))
    )
    found = []
    for folder in folders:
        # Before anything is mended: a killed step does not tear the database.
        assert is_whole(folder / "chatty.db")
        app = await App.open(folder)
        await app.close()
        assert is_whole(folder / "chatty.db")
        now = said(folder / "chatty.db")
        assert now in (old, new)
        found.append(now == new)
        assert not (folder / "restore").exists()
        if now == new:
            kept = [b for b in await app.data.backups() if b.kind == "before_restore"]
            assert kept
    assert found[-1]
    if call == "put_in_place":
        # Once staged it is always carried through.
        assert all(found)


def limited(folder: Path, bytes_: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command whose files cannot grow beyond so many bytes, as on a disk that is full."""
    code = (
        "import resource, sys; from chatty_desktop.__main__ import main;"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({bytes_}, {bytes_}));"
        "sys.exit(main(sys.argv[1:]))"
    )
    return subprocess.run(
        [sys.executable, "-c", code, "--data-dir", str(folder), *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )


@pytest.mark.parametrize("command", ["backup", "export"])
async def test_a_full_disk_is_told_and_the_file_of_before_is_whole(
    tmp_path: Path, command: str
) -> None:
    folder, target = tmp_path / "data", tmp_path / "out" / "file.zip"
    target.parent.mkdir()
    await filled(folder, os.urandom(40_000).hex(), chats=1)
    target.write_bytes(b"what was there")
    done = await asyncio.to_thread(
        limited, folder, 100_000, command, "--to", str(target), "--replace"
    )
    assert done.returncode == 1, done.stderr
    assert str(target.parent) in done.stderr
    assert "Traceback" not in done.stderr
    assert [(f.name, f.read_bytes()) for f in files(target.parent)] == [
        ("file.zip", b"what was there")
    ]


async def test_a_full_disk_stops_a_restore_and_everything_is_as_it_was(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    await filled(folder, os.urandom(40_000).hex(), chats=1)
    app = await App.open(folder)
    backup = await app.data.back_up(tmp_path / "backup.zip", Work())
    await app.close()
    before = said(folder / "chatty.db")
    done = await asyncio.to_thread(limited, folder, 100_000, "restore", backup.file)
    assert done.returncode == 1
    assert "could not be unpacked" in done.stderr
    assert not (folder / "restore").exists()
    assert not (folder / "restore.part").exists()
    assert said(folder / "chatty.db") == before


def files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())
