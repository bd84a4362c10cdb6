"""The whole app with its chats in a database on a real PostgreSQL server."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Row, select

from chatty_desktop import maintenance
from chatty_desktop.app import App
from chatty_desktop.domain.data_folder import DataCounts, Erasing
from chatty_desktop.domain.errors import Invalid, OpenElsewhere, Stopped, StorageFailed
from chatty_desktop.domain.forgetting import ForgetTarget
from chatty_desktop.domain.memory import MemorySnapshot
from chatty_desktop.domain.messages import Message, Status
from chatty_desktop.domain.search import parse_query
from chatty_desktop.domain.work import Work
from chatty_desktop.paths import Paths
from chatty_desktop.storage import restoring, tables
from chatty_desktop.storage.places import find_server, open_database
from tests.faults.driving import Driver, Kill, Line, driving
from tests.helpers.desk import STATE
from tests.helpers.diligent import order, taken_in
from tests.helpers.filled import filled
from tests.helpers.folder import Room, settings_for
from tests.helpers.headless import headless
from tests.helpers.postgresql import LOCKED, Server
from tests.helpers.servers import Answer, OpenAIServer
from tests.helpers.servers.http import Received

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the server is started on a Unix socket")

ROOT = Path(__file__).parents[2]

EPISODIC: dict[str, Any] = {"kind": "episodic", "threshold": 0.0}
STRATEGIES: dict[str, dict[str, Any]] = {
    "none": {"kind": "none"},
    "window": {"kind": "window"},
    "full_transcript": {"kind": "full_transcript"},
    "summarized": {"kind": "summarized", "every": 2},
    "episodic": EPISODIC,
    "semantic": {"kind": "semantic"},
    "state": STATE,
    "composite": {"kind": "composite", "layers": [STATE, {"kind": "semantic"}, EPISODIC]},
}


def obeyed(received: Received) -> Answer:
    """What a model answers that does what memory asks of it."""
    body = received.body
    if body.get("temperature") != 0:
        return Answer("It is noted.")
    schema = json.dumps(body.get("response_format", {}))
    return Answer(taken_in(schema, body["messages"][-1]["content"]))


@pytest.fixture
async def model() -> AsyncIterator[OpenAIServer]:
    async with OpenAIServer(context_length=32_000) as server:
        server.default = server.default_fold = obeyed
        yield server


class Machines:
    """Data folders, each as on a machine of its own, that work on one database."""

    def __init__(self, folder: Path, url: str, model: OpenAIServer) -> None:
        self.folder = folder
        self.url = url
        self.model = model

    def data(self, name: str) -> Path:
        data = self.folder / name
        settings_for(data, self.model.base_url, embedder="nomic-embed-text")
        return data

    async def room(self, name: str, strategy: dict[str, Any] | None = None) -> Room:
        return await Room.open(self.data(name), strategy, self.url)


@pytest.fixture
def machines(tmp_path: Path, postgresql_url: str, model: OpenAIServer) -> Machines:
    return Machines(tmp_path, postgresql_url, model)


async def known(room: Room) -> tuple[list[Message], MemorySnapshot]:
    return await room.messages(), await room.app.memories.inspect(room.scope)


# --- chats on two machines ------------------------------------------------------------------


@pytest.mark.parametrize("kind", STRATEGIES)
async def test_a_chat_of_one_machine_goes_on_at_another_with_its_memory(
    machines: Machines, kind: str
) -> None:
    at_home = await machines.room("home", STRATEGIES[kind])
    for key, value in (("goal", "Kyoto"), ("open", "hotel"), ("working_on", "Nara")):
        assert (await at_home.say(order(key, value))).status is Status.COMPLETE
    before = await known(at_home)
    await at_home.close()
    assert not (machines.data("home") / "chatty.db").exists()

    at_work = await machines.room("work")
    assert await known(at_work) == before
    assert (await at_work.say(order("goal", "Osaka"))).status is Status.COMPLETE
    log, memory = await known(at_work)
    assert len(log) == 8
    assert {row.outcome for row in memory.ledger} <= {"accepted"}
    request = await at_work.app.memories.last_request(at_work.scope)
    assert request is not None
    sent = "\n".join(section.content for section in request.sections)
    assert ("Kyoto" in sent) == (kind != "none")
    if kind == "state":
        assert memory.layers[0].state == {"goal": "Osaka", "open": "hotel", "working_on": "Nara"}
    if kind == "episodic":
        assert memory.layers[0].episodes is not None
        assert memory.layers[0].episodes["total"] == 8
    await at_work.close()


async def test_messages_are_found_changed_and_deleted_and_memory_follows(
    machines: Machines,
) -> None:
    room = await machines.room("home")
    app = room.app
    await room.say(order("goal", "Kyoto"))
    await room.say(order("open", "Caf\u00e9"))
    found = await app.search.messages(parse_query("cafe"))
    assert [hit.message_id for hit in found.hits] == [(await room.messages())[2].id]
    asked = (await room.messages())[2]
    await app.chat.edit(asked.id, order("open", "ryokan"))
    await app.chat.wait(room.session_id)
    assert (await room.layer()).state == {"goal": "Kyoto", "open": "ryokan"}
    await app.chat.switch_to(asked.id)
    assert (await room.layer()).state == {"goal": "Kyoto", "open": "Caf\u00e9"}
    await app.chat.delete_message(asked.id, following=True)
    await app.chat.wait(room.session_id)
    assert (await app.search.messages(parse_query("cafe"))).hits == ()
    first = (await room.messages())[0]
    await app.chat.delete_message(first.id, following=True)
    assert not (await room.layer()).state
    await room.close()


async def test_what_is_forgotten_is_in_no_row_and_what_is_out_of_reach_is_told(
    machines: Machines, postgresql_server: Server
) -> None:
    room = await machines.room("home", STRATEGIES["composite"])
    await room.say(order("open", "hotel"))
    await room.say(order("goal", "xyloplant77"))
    await room.say(order("working_on", "Nara"))
    target = ForgetTarget("message", room.session_id, (await room.messages())[2].id)
    plan = await room.app.forgetting.plan(target)
    assert {"message", "state", "fact", "episode"} <= {item.kind for item in plan.items}
    assert "on a server" in plan.beyond
    await room.app.forgetting.carry_out(plan, Work())
    await room.app.chat.wait(room.session_id)
    proof = await room.app.forgetting.prove(plan.needles, Work())
    assert proof.clean
    assert proof.beyond == plan.beyond
    await room.close()
    assert not said_in(await rows(machines.data("home"), machines.url), "xyloplant77")
    schema = machines.url.rpartition("%3D")[2]
    kept = postgresql_server.run(f"SELECT message_id, words FROM {schema}.search_rows")
    assert kept and "xyloplant77" not in str(kept)


# --- one machine at a time ------------------------------------------------------------------


async def test_one_machine_at_a_time_works_on_the_chats_until_another_takes_them_over(
    machines: Machines,
) -> None:
    at_home = await machines.room("home", STRATEGIES["window"])
    await at_home.say("Good morning")
    with pytest.raises(OpenElsewhere, match=r"in use by Chatty Desktop on .* since .*--take-over"):
        await machines.room("work")

    app = await App.open(machines.data("work"), machines.url, take_over=True)
    session = await app.sessions.find("Talk")
    assert session is not None
    assert len(await app.messages.branch(session.id)) == 2
    with pytest.raises(OpenElsewhere, match=r"in use|taken over"):
        await at_home.say("Still here?")
    await app.sessions.rename(session.id, "Talk at work")
    await app.close()
    # Nobody is there now, but what is known here is old.
    with pytest.raises(OpenElsewhere, match="taken over"):
        await at_home.say("And now?")
    await at_home.close()
    at_home = await machines.room("home")
    assert await at_home.app.sessions.find("Talk at work") is not None
    await at_home.close()


async def test_a_machine_that_was_killed_in_the_midst_of_a_write_loses_nothing_it_had_kept(
    machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHATTY_DATABASE_URL", machines.url)
    script: list[Line] = [
        step
        for number in range(3)
        for step in ({"do": "send", "text": order("goal", f"place{number}")}, {"do": "wait"})
    ]
    kept: dict[str, str] = {}
    async with driving() as driver:
        for statement in (60, 85, 97, 110):
            lived = await _life(driver, machines, script, Kill(statement=statement))
            assert lived.killed
            kept |= {said["id"]: said["content"] for said in lived.all("kept")}
        assert kept
        whole = await _life(driver, machines, [])
        assert whole.status == 0, whole.lines
    room = await machines.room("work")
    stored = {message.id: message for message in await room.messages()}
    for message_id, content in kept.items():
        assert stored[message_id].content == content
    assert all(message.status is not Status.STREAMING for message in stored.values())
    assert (await room.say(order("goal", "Nara"))).status is Status.COMPLETE
    assert (await room.layer()).state == {"goal": "Nara"}
    await room.close()


async def _life(
    driver: Driver, machines: Machines, script: Sequence[Line], kill: Kill | None = None
) -> Any:
    return await driver.live(machines.data("home"), STATE, script, kill)


# --- what goes wrong ------------------------------------------------------------------------


async def test_a_server_that_was_away_is_used_again_once_it_is_back(
    machines: Machines, postgresql_server: Server
) -> None:
    room = await machines.room("home")
    await room.say(order("goal", "Kyoto"))
    before = await known(room)
    postgresql_server.stop()
    try:
        with pytest.raises(StorageFailed, match="does not answer"):
            await room.say(order("goal", "Osaka"))
        with pytest.raises(StorageFailed, match="does not answer"):
            await App.open(machines.data("work"), machines.url)
    finally:
        postgresql_server.start()
    assert await known(room) == before
    assert (await room.say(order("goal", "Nara"))).status is Status.COMPLETE
    assert (await room.layer()).state == {"goal": "Nara"}
    await room.close()


@pytest.mark.expected_log("could not be written|could not be kept|does not answer")
async def test_a_server_that_goes_away_while_a_reply_comes_leaves_a_chat_that_goes_on(
    machines: Machines, postgresql_server: Server
) -> None:
    room = await machines.room("home", STRATEGIES["window"])

    def away(_received: Received) -> Answer:
        postgresql_server.stop()
        return Answer("Lost?")

    machines.model.script(away)
    try:
        await room.app.chat.send(room.session_id, room.agent.id, "Good morning")
        await room.app.chat.wait(room.session_id)
    finally:
        postgresql_server.start()
    asked, *_rest = await room.messages()
    assert asked.content == "Good morning"
    assert (await room.say("Are you there?")).content == "It is noted."
    await room.close()
    room = await machines.room("home")
    log = await room.messages()
    assert [m.content for m in log if m.role == "user"] == ["Good morning", "Are you there?"]
    await room.close()


async def test_a_full_disk_of_the_server_is_told_and_the_chat_goes_on_once_there_is_room(
    machines: Machines, postgresql_server: Server
) -> None:
    room = await machines.room("home", STRATEGIES["window"])
    await room.say("Good morning")
    schema = machines.url.rpartition("%3D")[2]
    postgresql_server.run(
        f"CREATE FUNCTION {schema}.full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        " RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$"
    )
    postgresql_server.run(
        f"CREATE TRIGGER full_disk BEFORE INSERT ON {schema}.messages"
        f" FOR EACH ROW EXECUTE FUNCTION {schema}.full_disk()"
    )
    with pytest.raises(StorageFailed, match=r"disk of the database server is full.*sql://"):
        await room.say("Lost?")
    postgresql_server.run(f"DROP TRIGGER full_disk ON {schema}.messages")
    assert (await room.say("Are you there?")).status is Status.COMPLETE
    asked = [message.content for message in await room.messages() if message.role == "user"]
    assert asked == ["Good morning", "Are you there?"]
    await room.close()


async def test_an_address_that_leads_nowhere_says_why_and_never_tells_the_password(
    tmp_path: Path, postgresql_server: Server, postgresql_url: str
) -> None:
    postgresql_server.run(f"DROP ROLE IF EXISTS {LOCKED}")
    postgresql_server.run(f"CREATE ROLE {LOCKED} LOGIN PASSWORD 'right'")
    postgresql_server.run("DROP DATABASE IF EXISTS letters")
    postgresql_server.run(
        "CREATE DATABASE letters ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C'"
        " TEMPLATE template0"
    )
    locked = postgresql_server.url("postgres", LOCKED)
    wrong = locked.replace(f"{LOCKED}@", f"{LOCKED}:secret-guess@")
    right = wrong.replace("secret-guess", "right")
    for url, expected in (
        (wrong, "The password is wrong"),
        (locked, "A password is needed"),
        (right, "may not do this"),
        (postgresql_server.url("nowhere"), "no such database"),
        (f"postgresql://chatty@/x?host={tmp_path}", "does not answer"),
        (postgresql_server.url("letters"), "which cannot hold every letter"),
        ("mysql://me:secret-guess@host/name", "no address of a PostgreSQL database"),
        ("postgresql://me:secret-guess@host:port/name", "no address of a PostgreSQL database"),
    ):
        with pytest.raises((StorageFailed, Invalid)) as failed:
            await App.open(tmp_path / "data", url)
        assert expected in str(failed.value)
        assert "secret-guess" not in str(failed.value)
    # The folder is free again.
    app = await App.open(tmp_path / "data", postgresql_url)
    await app.close()
    postgresql_server.run("DROP DATABASE letters")
    postgresql_server.run(f"DROP ROLE {LOCKED}")


# --- moving ---------------------------------------------------------------------------------


async def rows(folder: Path, url: str | None = None) -> dict[str, list[Row[Any]]]:
    """Every row of every table."""
    server = find_server(Paths(folder), url)
    database = await open_database(Paths(folder), server)
    try:
        return {
            table.name: sorted(await database.rows(select(table)), key=repr)
            for table in tables.metadata.sorted_tables
        }
    finally:
        await database.close()


def said_in(found: dict[str, list[Row[Any]]], word: str) -> list[str]:
    return [name for name, held in found.items() if word in repr(held)]


async def test_everything_moves_to_a_server_and_back(machines: Machines) -> None:
    folder = machines.data("home")
    await filled(folder, "marmalade")
    room = await Room.open(folder, STRATEGIES["composite"])
    notes = await room.app.attaching.data(b"to be read", "notes.txt")
    await room.app.chat.send(room.session_id, room.agent.id, order("goal", "Kyoto"), [notes])
    await room.app.chat.wait(room.session_id)
    room.app.drafts.keep(room.session_id, "half a sentence")
    before = await known(room)
    await room.close()
    there = await rows(folder)
    assert all(there[table.name] for table in tables.metadata.sorted_tables if table.name not in (
        "folders", "graph_runs", "waiting_patches", "measurements",
    ))  # fmt: skip

    counts = await maintenance.move(folder, machines.url, Work())
    assert counts.chats == 3
    assert await rows(folder) == there
    room = await Room.open(folder)
    assert "postgresql://" in room.app.data.server
    assert await known(room) == before
    assert room.app.drafts.text(room.session_id) == "half a sentence"
    found = await room.app.search.messages(parse_query("marmalade"))
    assert len(found.hits) == 8
    # Numbers go on after those that came along.
    assert (await room.say(order("open", "hotel"))).status is Status.COMPLETE
    assert [backup.kind for backup in await room.app.data.backups()] == ["before_move"]
    after = await known(room)
    await room.close()

    with pytest.raises(Invalid, match="kept there already"):
        await maintenance.move(folder, machines.url, Work())
    await maintenance.move(folder, None, Work())
    assert find_server(Paths(folder)) is None
    room = await Room.open(folder)
    assert room.app.data.server == ""
    assert await known(room) == after
    assert (await room.say(order("goal", "Nara"))).status is Status.COMPLETE
    await room.close()


async def test_a_move_that_cannot_be_made_leaves_everything_as_it_was(
    machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = machines.data("home")
    await filled(folder, "marmalade")
    there = await rows(folder)
    stopped = Work()
    stopped.stop()
    with pytest.raises(Stopped):
        await maintenance.move(folder, machines.url, stopped)
    with pytest.raises(Invalid, match="has a password in it"):
        await maintenance.move(folder, machines.url.replace("chatty@", "chatty:word@"), Work())
    with monkeypatch.context() as patch:
        patch.setenv("CHATTY_DATABASE_URL", machines.url)
        with pytest.raises(Invalid, match="Take it out of the environment"):
            await maintenance.move(folder, None, Work())
    backup = machines.folder / "backup.zip"
    app = await App.open(folder)
    await app.data.back_up(backup, Work())
    await app.data.stage_restore(backup, Work())
    await app.close()
    with pytest.raises(Invalid, match="A backup waits to be restored"):
        await maintenance.move(folder, machines.url, Work())
    restoring.forget_staged(Paths(folder))
    there = await rows(folder)
    other = await machines.room("work", STRATEGIES["window"])
    await other.say("I was here first.")
    await other.close()
    with pytest.raises(Invalid, match="already, and the two are not mixed"):
        await maintenance.move(folder, machines.url, Work())
    assert find_server(Paths(folder)) is None
    assert await rows(folder) == there

    # What is there can be used as it is, and what is here stays for later.
    counts = await maintenance.move(folder, machines.url, Work(), copying=False)
    assert (counts.chats, counts.messages) == (1, 2)
    await maintenance.move(folder, None, Work(), copying=False)
    assert await rows(folder) == there


async def test_a_database_with_nothing_but_untouched_starter_agents_takes_the_chats(
    machines: Machines,
) -> None:
    folder = machines.data("home")
    await filled(folder, "marmalade")
    there = await rows(folder)
    app = await App.open(machines.data("work"), machines.url)
    starter = (await app.agents.list())[0]
    await app.agents.save(
        starter.definition.model_copy(update={"system_prompt": "Mine"}), starter.id
    )
    await app.close()
    with pytest.raises(Invalid, match="already, and the two are not mixed"):
        await maintenance.move(folder, machines.url, Work())
    app = await App.open(machines.data("work"), machines.url)
    await app.agents.save(starter.definition, starter.id)
    await app.close()
    await maintenance.move(folder, machines.url, Work())
    assert await rows(folder) == there


async def test_a_backup_of_a_server_is_restored_into_a_folder(machines: Machines) -> None:
    room = await machines.room("home", STRATEGIES["composite"])
    await room.say(order("goal", "Kyoto"))
    before, counts = await known(room), await room.app.data.counts()
    backup = Path((await room.app.data.back_up(None, Work())).file)
    compacted = await room.app.data.compact(Work())
    assert compacted.database_after > 0
    with pytest.raises(Invalid, match="Restore it into another folder"):
        await room.app.data.stage_restore(backup, Work())
    await room.close()
    with pytest.raises(Invalid, match="Restore it into another folder"):
        await maintenance.stage_restore(machines.data("home"), backup, Work(), machines.url)

    folder = machines.data("elsewhere")
    await maintenance.stage_restore(folder, backup, Work())
    room = await Room.open(folder)
    assert room.app.data.server == ""
    assert await room.app.data.counts() == counts
    assert await known(room) == before
    await room.close()


async def test_everything_is_erased_on_the_server(machines: Machines) -> None:
    room = await machines.room("home", STRATEGIES["composite"])
    await room.say(order("goal", "xyloplant77"))
    await room.app.erase(Erasing(agents=True), Work())
    assert await room.app.data.counts() == DataCounts()
    await room.close()
    assert not said_in(await rows(machines.data("home"), machines.url), "xyloplant77")


# --- as a command ---------------------------------------------------------------------------


def test_chats_are_moved_and_worked_on_headless(tmp_path: Path, postgresql_url: str) -> None:
    settings_for(tmp_path, "http://127.0.0.1:9/v1")
    assert headless(tmp_path, "agents", "list").returncode == 0
    done = headless(tmp_path, "move", "--to", postgresql_url)
    assert "on the server from now on: 0 chats" in done.stdout, done
    listed = headless(tmp_path, "agents", "list")
    assert (listed.returncode, "Companion" in listed.stdout) == (0, True)
    other = headless(tmp_path / "other", "--database", postgresql_url, "agents", "list")
    assert (other.returncode, other.stdout) == (0, listed.stdout)
    refused = headless(tmp_path, "--database", "sqlite:///x", "agents", "list")
    assert refused.returncode == 1
    assert "no address of a PostgreSQL database" in refused.stderr
    assert "Traceback" not in refused.stderr
    done = headless(tmp_path, "move", "--back", "--json")
    assert json.loads(done.stdout)["agents"] > 0
