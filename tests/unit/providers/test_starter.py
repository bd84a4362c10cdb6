"""The starter model is put together whole or not at all, from parts made small for the test."""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from chatty_desktop.domain.errors import Unreachable
from chatty_desktop.domain.events import Event, ModelProgress
from chatty_desktop.providers.starter import Release, StarterModel, installed_parts

WHOLE = b"GGUF" + os.urandom(5000)
RELEASE = Release("small.gguf", len(WHOLE), hashlib.sha256(WHOLE).hexdigest(), parts=3)


class Desk:
    """Three parts in one folder, the model in another, and what was published."""

    def __init__(self, folder: Path) -> None:
        self.models = folder / "models"
        self.parts = [folder / f"part{number}.bin" for number in range(3)]
        for number, part in enumerate(self.parts):
            part.write_bytes(WHOLE[number * 2000 : (number + 1) * 2000])
        self.parts[2].write_bytes(WHOLE[4000:])
        self.events: list[Event] = []
        self.looked = 0

    def find(self) -> Sequence[Path]:
        self.looked += 1
        return [part for part in self.parts if part.exists()]

    def starter(self, release: Release = RELEASE, whole: Path | None = None) -> StarterModel:
        return StarterModel(
            self.models,
            self.events.append,
            reference="local/starter",
            release=release,
            find_parts=self.find,
            whole=whole,
        )

    def files(self) -> list[str]:
        return sorted(file.name for file in self.models.iterdir()) if self.models.exists() else []


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


async def test_the_parts_make_the_model_to_the_byte_with_progress_to_the_end(desk: Desk) -> None:
    file = await desk.starter().ready()
    assert file.read_bytes() == WHOLE
    progress = [event for event in desk.events if isinstance(event, ModelProgress)]
    done = [event.done for event in progress if event.text]
    assert done == sorted(done) and done[-1] == len(WHOLE) == progress[-2].total
    assert progress[-1] == ModelProgress("local/starter", "")
    assert desk.files() == ["small.gguf", "small.gguf.checked"]


async def test_a_model_that_came_whole_with_the_app_is_used_where_it_lies(
    desk: Desk, tmp_path: Path
) -> None:
    brought = tmp_path / "brought.gguf"
    brought.write_bytes(WHOLE)
    starter = desk.starter(whole=brought)
    assert starter.obtainable()
    assert await starter.ready() == starter.file == brought
    assert (desk.looked, desk.events, desk.files()) == (0, [], [])


async def test_one_that_came_cut_short_is_put_together_instead(desk: Desk, tmp_path: Path) -> None:
    brought = tmp_path / "brought.gguf"
    brought.write_bytes(WHOLE[:-1])
    file = await desk.starter(whole=brought).ready()
    assert file.read_bytes() == WHOLE
    assert desk.files() == ["small.gguf", "small.gguf.checked"]


async def test_a_later_start_neither_looks_for_parts_nor_reads_the_model(desk: Desk) -> None:
    await desk.starter().ready()
    desk.events.clear()
    again = desk.starter()
    assert await again.ready() == again.file
    assert (desk.looked, desk.events) == (1, [])


async def test_two_who_ask_at_once_make_it_once(desk: Desk) -> None:
    starter = desk.starter()
    await asyncio.gather(starter.ready(), starter.ready())
    assert desk.looked == 1


async def test_a_whole_file_that_lost_its_note_is_checked_and_kept(desk: Desk) -> None:
    file = await desk.starter().ready()
    os.utime(file, (1, 1))
    for part in desk.parts:
        part.unlink()
    assert await desk.starter().ready() == file


@pytest.mark.parametrize("damage", [b"", WHOLE[:-1], WHOLE[:-1] + bytes([WHOLE[-1] ^ 1])])
async def test_a_damaged_file_is_made_anew(desk: Desk, damage: bytes) -> None:
    file = await desk.starter().ready()
    file.write_bytes(damage)
    os.utime(file, (1, 1))
    assert (await desk.starter().ready()).read_bytes() == WHOLE


async def test_damaged_parts_leave_no_model_and_say_how_to_mend_them(desk: Desk) -> None:
    desk.parts[1].write_bytes(b"\0" * 2000)
    with pytest.raises(Unreachable, match="--force-reinstall") as failure:
        await desk.starter().ready()
    assert failure.value.cause == "missing"
    assert desk.files() == []


async def test_a_missing_part_says_how_to_install_the_model(desk: Desk) -> None:
    desk.parts[2].unlink()
    starter = desk.starter()
    assert not starter.obtainable()
    with pytest.raises(Unreachable, match="make run") as failure:
        await starter.ready()
    assert failure.value.cause == "missing"
    desk.parts[2].write_bytes(WHOLE[4000:])
    assert starter.obtainable()
    assert (await starter.ready()).read_bytes() == WHOLE


async def test_too_little_room_on_the_disk_is_said_before_anything_is_written(desk: Desk) -> None:
    free = shutil.disk_usage(desk.models.parent).free
    vast = replace(RELEASE, size=free + 10**9)
    with pytest.raises(Unreachable, match="Make room"):
        await desk.starter(vast).ready()
    assert desk.files() == []


@pytest.mark.skipif(sys.platform == "win32", reason="a limit on files stands for a full disk")
async def test_a_disk_that_fills_up_midway_leaves_nothing_half_made(desk: Desk) -> None:
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (3000, hard))
    try:
        with pytest.raises(Unreachable, match="Make room or mend the folder"):
            await desk.starter().ready()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert desk.files() == []
    assert (await desk.starter().ready()).read_bytes() == WHOLE


async def test_a_folder_that_cannot_be_written_is_named(desk: Desk) -> None:
    desk.models.write_text("a file where the folder should be")
    with pytest.raises(Unreachable, match=str(desk.models)):
        await desk.starter().ready()


async def test_what_a_killed_start_left_half_made_is_cleared_away(desk: Desk) -> None:
    desk.models.mkdir()
    (desk.models / ".small.gguf.part").write_bytes(b"half")
    assert (await desk.starter().ready()).read_bytes() == WHOLE
    assert desk.files() == ["small.gguf", "small.gguf.checked"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a part that can be held back")
async def test_cancelling_leaves_nothing_half_made(desk: Desk) -> None:
    desk.parts[1].unlink()
    os.mkfifo(desk.parts[1])
    task = asyncio.create_task(desk.starter().ready())
    writer = await asyncio.to_thread(os.open, desk.parts[1], os.O_WRONLY)
    os.write(writer, WHOLE[2000:2010])
    task.cancel()
    await asyncio.sleep(0)
    os.close(writer)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert desk.files() == []
    assert desk.events[-1] == ModelProgress("local/starter", "")


def test_what_is_installed_is_found_without_importing_it() -> None:
    for part in installed_parts():
        assert part.is_file() and part.suffix == ".bin"
