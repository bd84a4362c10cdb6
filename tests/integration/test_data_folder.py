"""The data folder as a whole, on real files: backed up, restored, exported, compacted, erased."""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
import zipfile
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path

import pytest

from chatty_desktop import maintenance
from chatty_desktop.app import App
from chatty_desktop.domain.data_folder import DataCounts, Erasing
from chatty_desktop.domain.errors import Invalid, Stopped, StorageFailed
from chatty_desktop.domain.messages import Scope
from chatty_desktop.domain.settings import ProviderSettings
from chatty_desktop.domain.work import Work
from chatty_desktop.storage.database import Database
from chatty_desktop.storage.migrations import STEPS
from tests.helpers.filled import EMBEDDER, fill, filled, holding, is_whole, message, said
from tests.helpers.waiting import until

WORD = "marmalade"


@pytest.fixture
async def app(data_dir: Path) -> AsyncIterator[App]:
    await filled(data_dir, WORD)
    opened = await App.open(data_dir)
    yield opened
    await opened.close()


async def reopened(app: App) -> App:
    await app.close()
    return await App.open(app.paths.data)


def names_in(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def members(file: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


# --- counting --------------------------------------------------------------------------------


async def test_everything_stored_is_counted(app: App) -> None:
    counts = await app.data.counts()
    agents = len(await app.agents.list())
    assert counts == DataCounts(2, 8, agents, 1, 1, 1, 8, 1)
    sizes = {size.kind: size async for size in app.data.sizes()}
    assert list(sizes) == ["database", "episodes", "models", "backups", "logs", "other"]
    assert sizes["database"].bytes >= app.paths.database.stat().st_size
    assert sizes["episodes"].files > 0
    assert sizes["backups"].bytes == 0
    everything = sum(size.bytes for size in sizes.values())
    assert everything == sum(f.stat().st_size for f in app.paths.data.rglob("*") if f.is_file())


# --- backing up ------------------------------------------------------------------------------


async def test_a_backup_made_while_chats_are_written_holds_one_moment_of_them(app: App) -> None:
    agent = (await app.agents.list())[0]
    session = await app.sessions.create("Busy", agent.id)
    stop = asyncio.Event()

    async def write() -> None:
        number = 0
        while not stop.is_set():
            await app.messages.append(message(session.id, number, agent.id, f"{number}"))
            number += 1

    writing = asyncio.create_task(write())
    backups = [await app.data.back_up(None, Work()) for _ in range(3)]
    stop.set()
    await writing
    for backup in backups:
        with zipfile.ZipFile(backup.file) as archive:
            archive.extract("chatty.db", app.paths.data / "looked at")
        copy = app.paths.data / "looked at" / "chatty.db"
        assert is_whole(copy)
        with closing(sqlite3.connect(copy)) as connection:
            query = "SELECT content FROM messages WHERE session_id = ? ORDER BY id"
            found = [row[0] for row in connection.execute(query, (session.id,))]
        assert found == [str(number) for number in range(len(found))]
    assert {b.file for b in await app.data.backups()} == {b.file for b in backups}


async def test_a_backup_holds_no_key_and_nothing_that_was_deleted(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHATTY_KEY_LAB", "sk-in-the-environment")
    (app.paths.data / "keys.json").write_text('{"lab": "sk-in-a-file"}')
    entry = {
        "id": "lab",
        "kind": "openai",
        "base_url": "http://me:sk-in-the-address@127.0.0.1:1/v1",
        "api_key": "sk-by-hand",
        "max_tokens_limit": "kept",
    }
    lab = ProviderSettings.model_validate(entry)
    await app.settings.change(lambda now: now.model_copy(update={"providers": (lab,)}))
    session = await app.sessions.create("Gone")
    await app.messages.append(message(session.id, 0, "a", "wormwood, to be deleted"))
    await app.chat.delete_session(session.id)
    backup = await app.data.back_up(None, Work())
    await app.data.export(app.paths.data / "all.zip", Work())
    for file in (Path(backup.file), app.paths.data / "all.zip"):
        everything = b"".join(members(file).values())
        assert b"sk-" not in everything
        assert b"wormwood" not in everything
        assert WORD.encode() in everything
    provider = json.loads(members(Path(backup.file))["settings.json"])["providers"][0]
    assert provider["base_url"] == "http://127.0.0.1:1/v1"
    assert provider["max_tokens_limit"] == "kept"


async def test_a_backup_that_is_stopped_leaves_no_file(app: App, tmp_path: Path) -> None:
    work = Work()
    work.stop()
    (tmp_path / "out").mkdir()
    with pytest.raises(Stopped):
        await app.data.back_up(tmp_path / "out" / "b.zip", work)
    assert list((tmp_path / "out").iterdir()) == []
    # Nothing is held up by it.
    await app.data.back_up(tmp_path / "out" / "b.zip", Work())


async def test_a_backup_that_cannot_be_written_leaves_the_one_of_that_name(
    app: App, tmp_path: Path
) -> None:
    with pytest.raises(StorageFailed, match="cannot be used"):
        await app.data.back_up(tmp_path / "no folder" / "b.zip", Work())
    (tmp_path / "b.zip").mkdir()
    with pytest.raises(StorageFailed, match="could not be written"):
        await app.data.back_up(tmp_path / "b.zip", Work())
    assert names_in(tmp_path) == ["b.zip", "data"]


async def test_none_of_the_app_s_own_files_can_be_written_over(app: App) -> None:
    for name in ("chatty.db", "settings.json", "models/x.gguf"):
        with pytest.raises(Invalid, match="the app's own files"):
            await app.data.back_up(app.paths.data / name, Work())
        with pytest.raises(Invalid, match="the app's own files"):
            await app.data.export(app.paths.data / name, Work())
    assert len(said_by(app)) == 8


async def test_closing_the_app_stops_a_backup_and_leaves_no_file(app: App) -> None:
    agent = (await app.agents.list())[0]
    session = await app.sessions.create("Large", agent.id)
    for number in range(60):
        text = "".join(str(number * each) for each in range(40_000))
        await app.messages.append(message(session.id, number, agent.id, text))
    work = Work()
    backing = asyncio.create_task(app.data.back_up(None, work))
    await until(lambda: work.done)
    await app.close()
    with pytest.raises(Stopped):
        await backing
    assert names_in(app.paths.backups) == []


async def test_a_caller_that_is_cancelled_leaves_nothing_half_done(app: App) -> None:
    backup = Path((await app.data.back_up(None, Work())).file)
    work = Work()
    for doing in (
        app.data.stage_restore(backup, work),
        app.data.back_up(backup.with_name("other.zip"), work),
        app.data.compact(work),
    ):
        task = asyncio.create_task(doing)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert await app.data.staged_restore() is None
    # Nothing is held up, and what was done before it could be stopped is whole.
    assert set(names_in(app.paths.backups)) <= {backup.name, "other.zip"}
    for made in await app.data.backups():
        await app.data.stage_restore(Path(made.file), Work())


async def test_a_second_long_work_has_to_wait(app: App) -> None:
    first = asyncio.create_task(app.data.back_up(None, Work()))
    await asyncio.sleep(0)
    with pytest.raises(Invalid, match="Wait until"):
        await app.data.compact(Work())
    await first


# --- restoring -------------------------------------------------------------------------------


async def test_a_backup_comes_back_at_the_next_start_and_what_was_there_is_kept(
    app: App,
) -> None:
    await app.settings.change(lambda s: s.model_copy(update={"default_model": "lab/then"}))
    backup = Path((await app.data.back_up(None, Work())).file)
    before = said_by(app)
    await fill(app, "later", chats=1)
    await app.settings.change(lambda s: s.model_copy(update={"default_model": "lab/now"}))

    contents = await app.data.stage_restore(backup, Work())
    assert (contents.counts.chats, contents.settings) == (2, True)
    assert await app.data.staged_restore() == contents
    assert len(await app.sessions.list()) == 3  # not yet

    app = await reopened(app)
    (notice,) = app.settings.notices
    assert notice.level == "info"
    assert "2 chats, 8 messages" in notice.text
    assert said_by(app) == before
    assert app.settings.current.default_model == "lab/then"
    assert await app.data.staged_restore() is None
    kept = (await app.data.backups())[0]
    assert kept.kind == "before_restore"
    assert Path(kept.file).name in notice.text

    # And back again.
    await app.data.stage_restore(Path(kept.file), Work())
    app = await reopened(app)
    assert len(said_by(app)) == len(before) + 4
    assert app.settings.current.default_model == "lab/now"
    await app.close()
    again = await App.open(app.paths.data)
    assert again.settings.notices == []
    await again.close()


def said_by(app: App) -> list[str]:
    return said(app.paths.database)


async def test_episodes_are_found_after_a_restore(app: App) -> None:
    import numpy as np

    backup = Path((await app.data.back_up(None, Work())).file)
    await app.data.stage_restore(backup, Work())
    app = await reopened(app)
    agent = (await app.agents.list())[0]
    session = (await app.sessions.list())[0]
    query = np.ones(EMBEDDER.dimension, np.float32)
    scored = await app.episodes.score(EMBEDDER, Scope(agent.id, session.id), query)
    assert len(scored.ids) == 4
    await app.close()


async def test_a_restore_can_be_called_off(app: App) -> None:
    backup = Path((await app.data.back_up(None, Work())).file)
    await fill(app, "later", chats=1)
    await app.data.stage_restore(backup, Work())
    await app.data.call_off_restore()
    assert await app.data.staged_restore() is None
    app = await reopened(app)
    assert len(await app.sessions.list()) == 3
    assert app.settings.notices == []
    await app.close()


def rewritten(file: Path, change: Callable[[dict[str, bytes]], object]) -> Path:
    """A backup with other contents."""
    parts = members(file)
    change(parts)
    other = file.with_name("other.zip")
    with zipfile.ZipFile(other, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return other


def cut(file: Path) -> Path:
    other = file.with_name("other.zip")
    other.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    return other


def flipped(file: Path) -> Path:
    """One byte in the midst of the database is another one."""
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 0xFF
    other = file.with_name("other.zip")
    other.write_bytes(data)
    return other


def of_a_newer_database(parts: dict[str, bytes], folder: Path) -> None:
    copy = folder / "newer.db"
    copy.write_bytes(parts["chatty.db"])
    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute("INSERT INTO migrations VALUES (999, 'from the future', 1)")
    parts["chatty.db"] = copy.read_bytes()


def of_a_newer_format(parts: dict[str, bytes]) -> None:
    about = json.loads(parts["about.json"])
    parts["about.json"] = json.dumps(about | {"format": 9, "version": "9.1"}).encode()


BROKEN: list[tuple[str, Callable[[Path], Path], str]] = [
    ("cut short", cut, "damaged"),
    ("a byte changed", flipped, "damaged"),
    ("no zip", lambda f: _text(f, "just words"), "damaged, or no backup"),
    ("empty", lambda f: _text(f, ""), "damaged, or no backup"),
    (
        "a path outside",
        lambda f: rewritten(f, lambda p: p.update({"../../outside.txt": b"x"})),
        "does not hold what a backup holds",
    ),
    (
        "an absolute path",
        lambda f: rewritten(f, lambda p: p.update({"/tmp/outside.txt": b"x"})),
        "does not hold what a backup holds",
    ),
    ("another zip", lambda f: rewritten(f, lambda p: p.pop("about.json")), "does not hold"),
    ("a newer format", lambda f: rewritten(f, of_a_newer_format), "newer version.*9.1"),
    (
        "a newer database",
        lambda f: rewritten(f, lambda p: of_a_newer_database(p, f.parent)),
        "newer version",
    ),
    (
        "no database of ours",
        lambda f: rewritten(f, lambda p: p.update({"chatty.db": b"SQLite format 3\0 not"})),
        "damaged",
    ),
    (
        "a note that is none",
        lambda f: rewritten(f, lambda p: p.update({"about.json": b"{}"})),
        "damaged, or no backup",
    ),
]


def _text(file: Path, text: str) -> Path:
    other = file.with_name("other.zip")
    other.write_text(text)
    return other


@pytest.mark.parametrize(
    ("make", "reason"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN]
)
async def test_what_is_no_whole_backup_is_refused_and_nothing_is_changed(
    app: App, make: Callable[[Path], Path], reason: str
) -> None:
    backup = Path((await app.data.back_up(None, Work())).file)
    other = await asyncio.to_thread(make, backup)
    before = {f.name for f in app.paths.data.parent.iterdir()}
    with pytest.raises(Invalid, match=reason):
        await app.data.stage_restore(other, Work())
    assert await app.data.staged_restore() is None
    assert not app.paths.restore.with_suffix(".part").exists()
    assert {f.name for f in app.paths.data.parent.iterdir()} == before
    app = await reopened(app)
    assert len(await app.sessions.list()) == 2
    assert app.settings.notices == []
    await app.close()


async def test_a_copy_made_before_an_update_can_be_restored_too(app: App) -> None:
    await app.close()
    app.paths.backups.mkdir()
    copy = app.paths.backups / "chatty-20260102-030405-before-3.db"
    # As an older version left it.
    early = await Database.open(copy, app.paths.backups, STEPS[:2])
    await early.close()
    with closing(sqlite3.connect(copy)) as older, older:
        older.execute("ATTACH ? AS present", (str(app.paths.database),))
        tables = older.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'")
        for (table,) in tables.fetchall():
            names = [row[1] for row in older.execute(f"PRAGMA main.table_info({table})")]
            if table != "migrations" and not table.startswith("sqlite_"):
                columns = ", ".join(names)
                older.execute(
                    f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM present.{table}"
                )
        older.execute("DELETE FROM messages WHERE id LIKE '%-000003'")
    app = await App.open(app.paths.data)
    (backup,) = await app.data.backups()
    assert backup.kind == "before_update"
    contents = await app.data.stage_restore(copy, Work())
    assert (contents.counts.messages, contents.counts.episodes) == (6, 0)
    app = await reopened(app)
    assert len(said_by(app)) == 6
    assert (await app.data.counts()).episodes == 0
    kinds = [each.kind for each in await app.data.backups()]
    assert kinds.count("before_restore") == 1
    await app.close()


async def test_a_restore_that_cannot_back_up_what_is_there_waits_and_says_why(app: App) -> None:
    elsewhere = app.paths.data.parent / "b.zip"
    await app.data.back_up(elsewhere, Work())
    await fill(app, "later", chats=1)
    await app.data.stage_restore(elsewhere, Work())
    await app.close()
    app.paths.backups.write_text("in the way of the folder")
    app = await App.open(app.paths.data)
    (notice,) = app.settings.notices
    assert notice.level == "error"
    assert "everything is as it was" in notice.text
    assert len(await app.sessions.list()) == 3
    assert await app.data.staged_restore() is not None
    app.paths.backups.unlink()
    app = await reopened(app)
    assert len(await app.sessions.list()) == 2
    assert [each.kind for each in await app.data.backups()] == ["before_restore"]
    await app.close()


async def test_a_restore_replaces_a_damaged_database_which_is_kept(app: App) -> None:
    # Elsewhere: one in the data folder would be brought back by itself.
    backup = Path((await app.data.back_up(app.paths.data.parent / "b.zip", Work())).file)
    before = said_by(app)
    await app.close()
    app.paths.database.write_bytes(b"no database at all" * 1000)
    with pytest.raises(StorageFailed, match="chatty-desktop restore"):
        await App.open(app.paths.data)
    await maintenance.stage_restore(app.paths.data, backup, Work())
    app = await App.open(app.paths.data)
    assert said_by(app) == before
    damaged = [each for each in await app.data.backups() if each.kind == "damaged"]
    assert holding(app.paths.backups, "no database at all") == [Path(damaged[0].file).name]
    await app.close()


async def test_a_backup_that_is_not_wanted_is_removed(app: App) -> None:
    first = await app.data.back_up(None, Work())
    await app.data.remove_backup(first)
    assert await app.data.backups() == []
    await app.data.remove_backup(first)  # gone already


# --- exporting -------------------------------------------------------------------------------


async def test_an_export_reads_well_and_holds_every_branch(app: App, tmp_path: Path) -> None:
    agent = (await app.agents.list())[0]
    session = await app.sessions.create('A/B: "slashes" & <more>', agent.id)
    for number, text in enumerate(("How far is it?", "Forty miles.", "And back?")):
        await app.messages.append(message(session.id, number, agent.id, text))
    await app.messages.set_leaf(session.id, f"{session.id}-000001")
    assert await app.data.export(tmp_path / "all.zip", Work()) == (
        3,
        len(await app.agents.list()),
    )
    found = members(tmp_path / "all.zip")
    (name,) = [n for n in found if n.startswith("chats/A B slashes more") and n.endswith(".md")]
    text = found[name].decode()
    assert text.startswith('# A/B: "slashes" & <more>\n')
    assert "## You · 2023-11-1" in text
    assert f"## {agent.name} · " in text and "· lab/small\n\nForty miles." in text
    assert "And back?" not in text
    document = json.loads(found[name.replace(".md", ".json")])
    said = document["messages"]
    assert [m["content"] for m in said] == ["How far is it?", "Forty miles.", "And back?"]
    assert document["leaf_id"] == said[1]["id"]
    assert said[1]["parent_id"] == said[0]["id"]
    agents = [json.loads(part) for n, part in found.items() if n.startswith("agents/")]
    assert {a["name"] for a in agents} == {a.name for a in await app.agents.list()}
    assert set(agents[0]) >= {"name", "system_prompt", "model", "memory_strategy", "tools"}


# --- compacting ------------------------------------------------------------------------------


async def test_compacting_gives_back_the_room_of_what_was_deleted_while_chats_go_on(
    app: App,
) -> None:
    agent = (await app.agents.list())[0]
    session = await app.sessions.create("Large", agent.id)
    for number in range(40):
        await app.messages.append(message(session.id, number, agent.id, "x" * 50_000))
    await app.chat.delete_session(session.id)
    other = (await app.sessions.list())[0]
    writing = asyncio.create_task(app.sessions.rename(other.id, "Renamed meanwhile"))
    came = await app.data.compact(Work())
    await writing
    assert came.database_after < came.database_before - 1_500_000
    assert came.index_after.files < came.index_before.files
    assert came.index_after.compactions == came.index_before.compactions + 1
    assert came.index_after.compacted_at is not None
    assert (await app.sessions.get(other.id) or other).title == "Renamed meanwhile"
    assert len(said_by(app)) == 8
    # The count outlives the app.
    app = await reopened(app)
    assert (await app.data.index()).compactions == came.index_after.compactions
    await app.close()


async def test_compacting_that_is_stopped_changes_nothing(app: App) -> None:
    work = Work()
    work.stop()
    with pytest.raises(Stopped):
        await app.data.compact(work)
    assert len(said_by(app)) == 8
    await app.data.compact(Work())


# --- erasing ---------------------------------------------------------------------------------


async def test_deleting_all_leaves_no_trace_in_any_store_or_freed_page(app: App) -> None:
    agents = len(await app.agents.list())
    await app.data.back_up(None, Work())
    await app.data.stage_restore(Path((await app.data.backups())[0].file), Work())
    told = await app.data.counts()
    (app.paths.models / "some.gguf").write_bytes(b"a model")
    assert holding(app.paths.data, WORD) != []

    erased = await app.erase(Erasing(), Work())
    assert erased.counts == DataCounts(**{**told.as_json(), "agents": 0})
    assert (erased.model_files, erased.left) == (0, ())
    assert await app.data.counts() == DataCounts(agents=agents)
    assert holding(app.paths.data, WORD) == []
    assert (await app.data.backups(), await app.data.staged_restore()) == ([], None)
    assert (app.paths.models / "some.gguf").exists()
    assert not app.paths.episodes.exists()

    # The app goes on with what is left.
    await fill(app, "afresh", chats=1)
    await until_indexed(app)
    app = await reopened(app)
    assert [each.title for each in await app.sessions.list()] == ["afresh 0"]
    assert holding(app.paths.data, WORD) == []
    await app.close()


async def until_indexed(app: App) -> None:
    agent = (await app.agents.list())[0]
    session = (await app.sessions.list())[0]
    import numpy as np

    scored = await app.episodes.score(
        EMBEDDER, Scope(agent.id, session.id), np.ones(EMBEDDER.dimension, np.float32)
    )
    assert len(scored.ids) == 4


async def test_deleting_everything_takes_agents_and_models_along(app: App) -> None:
    agents = len(await app.agents.list())
    (app.paths.models / "sub").mkdir()
    (app.paths.models / "sub" / "some.gguf").write_bytes(b"a model")
    backup = await app.data.back_up(None, Work())
    erased = await app.erase(Erasing(agents=True, models=True, backups=False), Work())
    assert (erased.counts.agents, erased.model_files, erased.backups) == (agents, 1, 0)
    assert await app.data.counts() == DataCounts()
    assert list(app.paths.models.iterdir()) == []
    assert [each.file for each in await app.data.backups()] == [backup.file]
    with closing(sqlite3.connect(app.paths.database)) as connection:
        names = [
            row[0]
            for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            # The bookkeeping of the empty index of words.
            if row[0] not in ("migrations", "sqlite_sequence", "message_search_data")
            and row[0] != "message_search_config"
        ]
        assert (
            sum(connection.execute(f"SELECT COUNT(*) FROM {name}").fetchone()[0] for name in names)
            == 0
        )


async def test_deleting_that_is_stopped_before_it_began_deletes_nothing(app: App) -> None:
    work = Work()
    work.stop()
    with pytest.raises(Stopped):
        await app.erase(Erasing(), work)
    assert len(said_by(app)) == 8


async def test_strays_of_a_killed_backup_are_swept_at_a_start(app: App) -> None:
    await app.data.back_up(None, Work())
    for name in (".x.zip.77.new", ".x.zip.77.scratch"):
        (app.paths.backups / name).write_bytes(b"half")
    assert len(await app.data.backups()) == 1
    app = await reopened(app)
    assert len(list(app.paths.backups.iterdir())) == 1
    shutil.rmtree(app.paths.backups)
    assert await app.data.backups() == []
    await app.close()
