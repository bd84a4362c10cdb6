"""The whole app with its index of episodes on a real server for objects."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chatty_desktop import maintenance
from chatty_desktop.app import App
from chatty_desktop.domain.data_folder import Erasing
from chatty_desktop.domain.embedding import EmbedderId
from chatty_desktop.domain.errors import Invalid, StorageFailed
from chatty_desktop.domain.events import Event, Notice
from chatty_desktop.domain.forgetting import ForgetTarget
from chatty_desktop.domain.messages import Scope, Status
from chatty_desktop.domain.work import Work
from chatty_desktop.paths import Paths
from chatty_desktop.storage.database import Database
from chatty_desktop.storage.episodes import StoredEpisodes
from chatty_desktop.storage.index_places import IndexFolder, IndexObjects, IndexPlace
from chatty_desktop.storage.messages import StoredMessages
from chatty_desktop.storage.places import find_index, read_index
from chatty_desktop.storage.sessions import StoredSessions
from tests.helpers.filled import message
from tests.helpers.folder import Room, settings_for
from tests.helpers.headless import headless
from tests.helpers.objects import BUCKET, ObjectServer
from tests.helpers.servers import OpenAIServer
from tests.helpers.waiting import until

ROOT = Path(__file__).parents[2]
URI = f"s3://{BUCKET}/episodes"
BAG = EmbedderId("lab", "bag", 4)
EPISODIC: dict[str, Any] = {"kind": "episodic", "threshold": 0.0}


@pytest.fixture
async def model() -> AsyncIterator[OpenAIServer]:
    async with OpenAIServer(context_length=32_000) as server:
        yield server


@dataclass
class Kept:
    """Episodes of one chat in a database of their own, with the index at a place."""

    database: Database
    episodes: StoredEpisodes
    messages: StoredMessages
    session_id: str
    told: list[Event] = field(default_factory=list)
    before: str | None = None
    number: int = 0

    @classmethod
    async def open(cls, folder: Path, place: IndexPlace, again_seconds: float = 60.0) -> Kept:
        await asyncio.to_thread(folder.mkdir, exist_ok=True)
        database = await Database.open(folder / "chatty.db", folder / "backups")
        told: list[Event] = []
        episodes = StoredEpisodes(
            database, place, told.append, collected_seconds=0.0, again_seconds=again_seconds
        )
        messages = StoredMessages(database, episodes.forget_messages)
        sessions = StoredSessions(database, told.append, lambda _gone: None)
        session = await sessions.find("Talk") or await sessions.create("Talk")
        kept = cls(database, episodes, messages, session.id, told)
        branch = await messages.branch(session.id)
        kept.number = len(branch)
        kept.before = branch[-1].id if branch else None
        return kept

    @property
    def scope(self) -> Scope:
        return Scope("ada", self.session_id)

    async def say(self, *numbers: float) -> str:
        """A message with the vector of these numbers; its id."""
        said = message(self.session_id, self.number, "ada", f"Number {self.number}")
        await self.messages.append(said)
        await self.episodes.record([(said, self.before)])
        await self.episodes.add_vectors(BAG, [said.id], np.array([numbers], np.float32))
        self.before, self.number = said.id, self.number + 1
        return said.id

    async def recalled(self, *numbers: float) -> list[str]:
        """Nearest first."""
        scored = await self.episodes.score(BAG, self.scope, np.array(numbers, np.float32))
        return [scored.ids[at] for at in np.argsort(-scored.cosine, kind="stable")]

    def notices(self) -> list[str]:
        return [event.text for event in self.told if isinstance(event, Notice)]

    async def close(self) -> None:
        await self.episodes.close()
        await self.database.close()


# --- the index by itself --------------------------------------------------------------------


async def test_vectors_are_written_to_objects_and_recalled_by_another_process_of_the_app(
    tmp_path: Path, object_server: ObjectServer
) -> None:
    kept = await Kept.open(tmp_path, IndexObjects(URI))
    first = await kept.say(1, 0, 0, 0)
    second = await kept.say(0, 1, 0, 0)
    assert await kept.recalled(0, 1, 0, 0) == [second, first]
    await kept.close()
    assert any(first.encode() in held for held in object_server.objects().values())
    assert not (tmp_path / "episodes").exists()

    kept = await Kept.open(tmp_path, IndexObjects(URI))
    assert await kept.recalled(1, 0, 0, 0) == [first, second]
    assert await kept.episodes.indexed([first, second]) == sorted([first, second])
    assert kept.notices() == []
    await kept.close()


async def test_compaction_leaves_few_objects_and_deleting_leaves_none(
    tmp_path: Path, object_server: ObjectServer
) -> None:
    kept = await Kept.open(tmp_path, IndexObjects(URI))
    for number in range(12):
        await kept.say(number, 1, 0, 0)
        await kept.episodes.sizes()  # each in an append of its own
    many = len(object_server.objects())
    before = await kept.episodes.on_disk()
    assert (before.tables, before.files) == (1, 12)
    await kept.episodes.compact_all(Work())
    after = await kept.episodes.on_disk()
    assert (after.tables, after.files) == (1, 1)
    assert after.bytes > 0
    assert len(object_server.objects()) < many / 3
    assert len(await kept.recalled(1, 1, 0, 0)) == 12
    await kept.episodes.erase()
    assert object_server.objects() == {}
    await kept.close()


async def test_what_is_deleted_is_in_no_object_once_the_index_was_renewed(
    tmp_path: Path, object_server: ObjectServer
) -> None:
    kept = await Kept.open(tmp_path, IndexObjects(URI))
    stays = [await kept.say(number, 1, 0, 0) for number in range(6)]
    gone = await kept.say(0.123456, 7, 7, 7)
    vector = np.array([0.123456, 7, 7, 7], np.float32).tobytes()
    assert any(vector in held for held in await _after(kept, object_server))
    assert await kept.episodes.remove(kept.scope, gone)
    await kept.episodes.renew()
    held = await _after(kept, object_server)
    assert any(stays[0].encode() in each for each in held)
    assert not any(gone.encode() in each or vector in each for each in held)
    assert await kept.episodes.indexed([gone, stays[0]]) == [stays[0]]
    await kept.close()


async def _after(kept: Kept, server: ObjectServer) -> list[bytes]:
    await kept.episodes.sizes()  # after what was given to the index before
    return list(server.objects().values())


# --- what goes wrong ------------------------------------------------------------------------


async def test_while_the_server_is_away_episodes_are_recalled_and_added_and_settled_later(
    tmp_path: Path, object_server: ObjectServer
) -> None:
    kept = await Kept.open(tmp_path, IndexObjects(URI), again_seconds=0.3)
    first = await kept.say(1, 0, 0, 0)
    await kept.episodes.sizes()
    object_server.stop()
    second = await kept.say(0, 1, 0, 0)
    await until(kept.notices)
    third = await kept.say(0, 0, 1, 0)
    assert await kept.recalled(0, 0, 1, 0) == [third, first, second]
    with pytest.raises(StorageFailed, match=r"does not answer"):
        await kept.episodes.indexed([first])
    with pytest.raises(StorageFailed, match=r"does not answer"):
        await kept.episodes.on_disk()
    object_server.start()
    await until(lambda: all(_held(object_server, each) for each in (first, second, third)))
    assert len(kept.notices()) == 1
    assert kept.notices()[0].startswith(f"The server of {URI} does not answer.")
    assert "Chats go on" in kept.notices()[0]
    await kept.close()


def _held(server: ObjectServer, message_id: str) -> bool:
    return any(message_id.encode() in each for each in server.objects().values())


async def test_a_server_that_was_away_at_the_start_is_used_once_it_is_there(
    tmp_path: Path, object_server: ObjectServer
) -> None:
    object_server.stop()
    kept = await Kept.open(tmp_path, IndexObjects(URI), again_seconds=0.3)
    first = await kept.say(1, 0, 0, 0)
    assert await kept.recalled(1, 0, 0, 0) == [first]
    await until(kept.notices)
    object_server.start()
    await until(lambda: _held(object_server, first))
    await kept.close()


async def test_a_missing_bucket_and_a_wrong_key_are_told_for_what_they_are(
    tmp_path: Path, object_server: ObjectServer
) -> None:
    for number, (uri, keys, expected) in enumerate(
        (
            ("s3://nowhere/episodes", False, "There is no such bucket: s3://nowhere/episodes."),
            (URI, True, f"The server does not accept the key for {URI}."),
        )
    ):
        object_server.ask_for_keys(keys)
        kept = await Kept.open(tmp_path / str(number), IndexObjects(uri))
        first = await kept.say(1, 0, 0, 0)
        assert await kept.recalled(1, 0, 0, 0) == [first]
        await until(kept.notices)
        assert kept.notices()[0].startswith(expected)
        assert "secret-of-the-tests" not in kept.notices()[0]
        await kept.close()


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://server/bucket", "no address for episodes"),
        ("s3://", "no address for episodes"),
        ("s3:///folder", "no address for episodes"),
        ("s3://me:secret-guess@bucket/folder", "a bucket and a folder alone"),
        ("s3://bucket/folder?secret-guess=1", "a bucket and a folder alone"),
    ],
)
def test_an_address_that_is_none_is_refused_without_being_told(address: str, expected: str) -> None:
    with pytest.raises(Invalid) as refused:
        read_index(address)
    assert expected in str(refused.value)
    assert "secret-guess" not in str(refused.value)


# --- the whole app --------------------------------------------------------------------------


def settings(folder: Path, model: OpenAIServer) -> Path:
    settings_for(folder, model.base_url, embedder="nomic-embed-text")
    return folder


async def test_the_index_moves_to_objects_to_another_folder_and_back(
    tmp_path: Path, object_server: ObjectServer, model: OpenAIServer
) -> None:
    folder = settings(tmp_path / "home", model)
    room = await Room.open(folder, EPISODIC)
    await room.say("Kyoto in spring")
    assert room.app.data.index_place == ""
    await room.close()
    assert (folder / "episodes").exists()

    await maintenance.move_episodes(folder, URI, Work())
    assert not (folder / "episodes").exists()
    assert json.loads(Paths(folder).places.read_text()) == {"episodes": URI}
    room = await Room.open(folder)
    assert room.app.data.index_place == URI
    assert (await room.say("And Nara?")).status is Status.COMPLETE
    asked = (await room.messages())[0].id
    sizes = [size async for size in room.app.data.sizes()]
    assert [size.bytes > 0 for size in sizes if size.kind == "episodes"] == [True]
    assert await room.app.episodes.indexed([asked]) == [asked]
    await room.close()
    assert object_server.objects("episodes/")

    with pytest.raises(Invalid, match="kept there already"):
        await maintenance.move_episodes(folder, URI, Work())
    elsewhere = tmp_path / "disk"
    elsewhere.mkdir()
    (elsewhere / "letter.txt").write_text("mine")
    await maintenance.move_episodes(folder, str(elsewhere), Work())
    assert object_server.objects() == {}
    assert isinstance(find_index(Paths(folder)), IndexFolder)
    room = await Room.open(folder)
    assert await room.app.episodes.indexed([asked]) == [asked]
    assert not (folder / "episodes").exists()
    await room.close()
    await maintenance.move_episodes(folder, None, Work())
    assert [each.name for each in elsewhere.iterdir()] == ["letter.txt"]
    assert not Paths(folder).places.exists()
    room = await Room.open(folder)
    assert await room.app.episodes.indexed([asked]) == [asked]
    await room.close()


async def test_a_move_to_where_the_index_cannot_be_leaves_it_where_it_was(
    tmp_path: Path,
    object_server: ObjectServer,
    model: OpenAIServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = settings(tmp_path / "home", model)
    room = await Room.open(folder, EPISODIC)
    await room.say("Kyoto in spring")
    await room.close()
    other = settings(tmp_path / "other", model)
    room = await Room.open(other, EPISODIC)
    await room.say("Other chats")
    await room.close()
    await maintenance.move_episodes(other, URI, Work())
    with pytest.raises(Invalid, match="an index of other chats"):
        await maintenance.move_episodes(folder, URI, Work())
    with pytest.raises(StorageFailed, match="no such bucket"):
        await maintenance.move_episodes(folder, "s3://nowhere/x", Work())
    with monkeypatch.context() as patch:
        patch.setenv("CHATTY_EPISODES_URL", URI)
        with pytest.raises(Invalid, match="Take it out of the environment"):
            await maintenance.move_episodes(folder, None, Work())
    object_server.stop()
    with pytest.raises(StorageFailed, match="does not answer"):
        await maintenance.move_episodes(folder, f"s3://{BUCKET}/mine", Work())
    assert find_index(Paths(folder)) == IndexFolder(Paths(folder).episodes)
    assert (folder / "episodes").exists()


async def test_forgetting_proves_that_nothing_is_in_the_index_and_says_what_it_cannot_see(
    tmp_path: Path, object_server: ObjectServer, model: OpenAIServer
) -> None:
    folder = settings(tmp_path / "home", model)
    app = await App.open(folder, episodes=URI)
    await app.close()
    await maintenance.move_episodes(folder, URI, Work())
    room = await Room.open(folder, EPISODIC)
    await room.say("The word is xyloplant77")
    await room.say("Something else")
    asked = (await room.messages())[0].id
    assert await room.app.episodes.indexed([asked]) == [asked]
    target = ForgetTarget("message", room.session_id, asked)
    plan = await room.app.forgetting.plan(target)
    assert f"The index of episodes is at {URI}." in plan.beyond
    await room.app.forgetting.carry_out(plan, Work())
    await room.app.chat.wait(room.session_id)
    proof = await room.app.forgetting.prove(plan.needles, Work())
    assert proof.clean
    assert proof.beyond == plan.beyond
    held = object_server.objects()
    assert held
    assert not any(asked.encode() in each for each in held.values())

    object_server.stop()
    with pytest.raises(StorageFailed, match="does not answer"):
        await room.app.forgetting.prove(plan.needles, Work())
    object_server.start()
    erased = await room.app.erase(Erasing(), Work())
    assert erased.left == ()
    assert object_server.objects() == {}
    await room.close()


@pytest.mark.skipif(os.name == "nt", reason="the server is started on a Unix socket")
async def test_a_second_machine_uses_the_index_that_the_first_has_built(
    tmp_path: Path, object_server: ObjectServer, postgresql_url: str, model: OpenAIServer
) -> None:
    home, work = settings(tmp_path / "home", model), settings(tmp_path / "work", model)
    room = await Room.open(home, EPISODIC)
    await room.say("Kyoto in spring")
    await room.close()
    await maintenance.move(home, postgresql_url, Work())
    await maintenance.move_episodes(home, URI, Work())
    built = object_server.objects()

    await maintenance.move(work, postgresql_url, Work(), copying=False)
    await maintenance.move_episodes(work, URI, Work())
    assert object_server.objects() == built
    room = await Room.open(work)
    assert (await room.say("And Nara?")).status is Status.COMPLETE
    new = (await room.messages())[2].id
    await room.close()
    room = await Room.open(home)
    assert await room.app.episodes.indexed([new]) == [new]
    assert room.app.data.server.startswith("postgresql://")
    assert room.app.data.index_place == URI
    await room.close()


def test_the_index_is_moved_headless(tmp_path: Path, object_server: ObjectServer) -> None:
    settings_for(tmp_path, "http://127.0.0.1:9/v1")
    assert headless(tmp_path, "move", "--episodes-to", URI).stdout == (
        f"The index of episodes is kept at {URI} from now on.\n"
    )
    refused = headless(tmp_path, "move", "--episodes-to", "s3://a:secret-guess@b/c")
    assert (refused.returncode, "secret-guess" in refused.stderr) == (1, False)
    assert headless(tmp_path, "--episodes", f"{URI}/2", "agents", "list").returncode == 0
    done = headless(tmp_path, "move", "--episodes-back", "--json")
    assert json.loads(done.stdout) == {"episodes": None}
