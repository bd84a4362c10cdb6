"""A disk that fills up at several points of a chat: told, nothing lost, and gone on with after
room was made. The disk is a small one of its own, which only root can make."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from chatty_desktop.app import App
from chatty_desktop.domain.errors import StorageFailed
from chatty_desktop.domain.events import Event, MessageCommitted, Notice
from chatty_desktop.domain.messages import Status
from chatty_desktop.domain.work import Work
from tests.faults.checking import check_database
from tests.helpers.folder import Room, settings_for
from tests.helpers.servers import Answer, OpenAIServer, Received

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux") or os.geteuid() != 0, reason="only root can mount a disk"
)

FULL = "The disk is full"


@pytest.fixture
def disk(data_dir: Path) -> Iterator[Path]:
    """The data folder on a disk of 24 MB."""
    data_dir.mkdir()
    options = ["-t", "tmpfs", "-o", "size=24m", "tmpfs"]
    mounted = subprocess.run(["mount", *options, str(data_dir)], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip(f"no disk can be mounted here: {mounted.stderr.decode().strip()}")
    yield data_dir
    subprocess.run(["umount", "--lazy", str(data_dir)], check=True)


def fill_up(disk: Path) -> None:
    with suppress(OSError), (disk / "filler").open("ab", buffering=0) as stream:
        while True:
            stream.write(bytes(4096))


def make_room(disk: Path) -> None:
    (disk / "filler").unlink()


@asynccontextmanager
async def chatting(disk: Path) -> AsyncIterator[tuple[Room, OpenAIServer, list[Event]]]:
    """A chat with one exchange in it, the server that answers, and what the app tells."""
    async with OpenAIServer() as server:
        settings_for(disk, server.base_url)
        server.default_fold = lambda _received: Answer.fold([{"key": "goal", "value": "Kyoto"}])
        room = await Room.open(disk)
        told: list[Event] = []
        room.app.events.subscribe(told.append)
        assert (await room.say("To Kyoto in May.")).status is Status.COMPLETE
        yield room, server, told
        await room.close()
    check_database(disk / "chatty.db")


async def goes_on(room: Room, disk: Path) -> None:
    """After room was made the chat goes on, and memory takes in all of it, each message once."""
    make_room(disk)
    reply = await room.say("And then?")
    assert reply.status is Status.COMPLETE
    layer = await room.layer()
    assert layer.pending == ()
    rows = await room.app.memory.ledger(room.scope)
    taken = [each for row in rows if row.consumed for each in row.message_ids]
    assert sorted(taken) == [m.id for m in await room.messages() if m.counts]


async def test_a_message_that_finds_the_disk_full_is_refused(disk: Path) -> None:
    async with chatting(disk) as (room, _server, _told):
        before = await room.messages()
        fill_up(disk)
        for _ in range(2):
            with pytest.raises(StorageFailed, match=FULL):
                await room.app.chat.send(room.session_id, room.agent.id, "long " * 20_000)
        assert await room.messages() == before
        await goes_on(room, disk)


@pytest.mark.expected_log("The run log could not be written: The disk is full")
async def test_a_reply_that_finds_the_disk_full_is_shown_and_told(disk: Path) -> None:
    async with chatting(disk) as (room, server, told):

        def answer(_received: Received) -> Answer:
            fill_up(disk)
            return Answer(text=["words " * 20_000] * 3)

        server.default, usual = answer, server.default
        await room.app.chat.send(room.session_id, room.agent.id, "Tell me all.")
        await room.app.chat.wait(room.session_id)
        assert any(isinstance(each, Notice) and FULL in each.text for each in told)
        shown = [each.message for each in told if isinstance(each, MessageCommitted)][-1]
        assert shown.status is Status.FAILED
        assert FULL in shown.error
        assert shown.content.startswith("words words")
        assert (await room.messages())[2].content == "Tell me all."
        server.default = usual
        await goes_on(room, disk)


@pytest.mark.expected_log("The run log could not be written: The disk is full")
async def test_memory_that_finds_the_disk_full_is_made_up_for_later(disk: Path) -> None:
    async with chatting(disk) as (room, server, _told):

        def fold(_received: Received) -> Answer:
            fill_up(disk)
            return Answer.fold([{"key": "goal", "value": "Nara " * 400}])

        server.default_fold, usual = fold, server.default_fold
        reply = await room.say("To Nara, too.")
        assert reply.status is Status.COMPLETE
        assert (await room.layer()).pending == tuple((await room.messages())[-2:])
        server.default_fold = usual
        await goes_on(room, disk)


async def test_settings_and_a_backup_that_find_the_disk_full_leave_what_was_there(
    disk: Path,
) -> None:
    async with chatting(disk) as (room, _server, _told):
        app = room.app
        before = (disk / "settings.json").read_bytes()
        fill_up(disk)
        with pytest.raises(StorageFailed, match=r"settings\.json could not be written"):
            await app.settings.change(lambda now: now.model_copy(update={"language": "de"}))
        assert (disk / "settings.json").read_bytes() == before
        with pytest.raises(StorageFailed, match="Make room"):
            await app.data.back_up(None, Work())
        assert await app.data.backups() == []
        await goes_on(room, disk)


async def test_an_app_that_closes_on_a_full_disk_loses_nothing(disk: Path) -> None:
    async with chatting(disk) as (room, _server, _told):
        before = await room.messages()
        fill_up(disk)
        await room.close()
        make_room(disk)
        again = await Room.open(disk)
        assert again.app.settings.notices == []
        assert await again.messages() == before
        await again.close()


async def test_an_app_that_starts_on_a_full_disk_says_so_and_opens_once_there_is_room(
    disk: Path,
) -> None:
    async with chatting(disk) as (room, _server, _told):
        before = await room.messages()
        await room.close()
        fill_up(disk)
        for _ in range(2):
            with pytest.raises(StorageFailed, match=FULL):
                await App.open(disk)
        make_room(disk)
        again = await Room.open(disk)
        assert again.app.settings.notices == []
        assert await again.messages() == before
        await again.close()
