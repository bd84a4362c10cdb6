"""Archives that are damaged, or made to do harm: backups, and chats to import."""

from __future__ import annotations

import io
import json
import shutil
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import pytest
import pytest_asyncio
from hypothesis import given, settings
from hypothesis import strategies as st

from chatty_desktop.domain.errors import ChattyError, Invalid
from chatty_desktop.domain.work import Work
from chatty_desktop.paths import Paths
from chatty_desktop.storage.backup_file import ABOUT, DATABASE, SETTINGS, write_backup
from chatty_desktop.storage.database import Database
from chatty_desktop.storage.restoring import stage, staged
from chatty_desktop.ui.exchange.files import read_chat_file
from tests.helpers.spoiling import spoiled_bytes

FEW = settings(max_examples=60)


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def backup(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A backup of an empty database."""
    folder = tmp_path_factory.mktemp("backup")
    database = await Database.open(folder / "chatty.db", folder / "backups")
    await database.close()
    with closing(sqlite3.connect(folder / "chatty.db", isolation_level=None)) as connection:
        write_backup(connection, '{"providers": []}', folder / "b.zip", Work())
    return (folder / "b.zip").read_bytes()


def restored_or_told(content: bytes, folder: Path) -> bool:
    """Whether a backup was taken; refused, it left nothing and gave a reason."""
    shutil.rmtree(folder, ignore_errors=True)
    paths = Paths(folder / "data")
    paths.create()
    file = folder / "given.zip"
    file.write_bytes(content)
    try:
        stage(paths, file, Work())
    except ChattyError as error:
        said = str(error)
    else:
        assert staged(paths) is not None
        return True
    assert "given.zip" in said
    assert {each.name for each in paths.data.iterdir()} <= {"models", "logs"}
    return False


def test_a_whole_backup_is_taken(backup: bytes, tmp_path: Path) -> None:
    assert restored_or_told(backup, tmp_path / "x")


@FEW
@given(data=st.data())
def test_a_spoiled_backup_is_whole_or_refused(
    backup: bytes, tmp_path: Path, data: st.DataObject
) -> None:
    restored_or_told(spoiled_bytes(data.draw, backup), tmp_path / "x")


def _changed(backup: bytes, **members: bytes) -> bytes:
    """The backup with other contents under the names of its members."""
    names = {"about": ABOUT, "database": DATABASE, "settings": SETTINGS}
    into = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(backup)) as old,
        zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for key, name in names.items():
            new.writestr(name, members.get(key, old.read(name)))
    return into.getvalue()


@pytest.mark.parametrize(
    "about",
    [b"[" * 100_000, b"{" * 9, b"[]", b"null", b"\xff\xfe", b'{"app": "chatty-desktop"}',
     b'{"app": "chatty-desktop", "format": "1", "made_at": 1}',
     b'{"app": "chatty-desktop", "format": 1, "made_at": 1e300}',
     b'{"app": "chatty-desktop", "format": 1, "made_at": NaN}',
     b'{"app": "chatty-desktop", "format": 1, "made_at": -5}',
     b'{"app": "chatty-desktop", "format": 1, "made_at": [1]}'],
)  # fmt: skip
def test_a_note_that_is_none_refuses_the_backup(
    backup: bytes, tmp_path: Path, about: bytes
) -> None:
    assert not restored_or_told(_changed(backup, about=about), tmp_path / "x")


@pytest.mark.parametrize("given", [b"[" * 100_000, b"\xff", b'{"providers": [1]}', b"1e999"])
def test_settings_of_no_use_are_left_out_of_what_is_restored(
    backup: bytes, tmp_path: Path, given: bytes
) -> None:
    assert restored_or_told(_changed(backup, settings=given), tmp_path / "x")
    assert not (tmp_path / "x/data/restore/settings.json").exists()


@pytest.mark.parametrize("name", ["../chatty.db", "/etc/chatty.db", "chatty.db/", "C:\\x", "x"])
def test_a_name_that_is_not_a_backups_refuses_it(backup: bytes, tmp_path: Path, name: str) -> None:
    into = io.BytesIO(backup)
    with zipfile.ZipFile(into, "a") as archive:
        archive.writestr(name, b"x")
    assert not restored_or_told(into.getvalue(), tmp_path / "x")


@pytest.mark.parametrize(
    "change",
    ["ALTER TABLE messages RENAME COLUMN content TO words", "DROP TABLE facts",
     "ALTER TABLE graphs RENAME TO pictures",
     "INSERT INTO agents VALUES ('a', 'Ada', '{\"name\":', 0)"],
)  # fmt: skip
def test_the_database_of_another_program_is_refused(
    backup: bytes, tmp_path: Path, change: str
) -> None:
    with zipfile.ZipFile(io.BytesIO(backup)) as archive:
        file = Path(archive.extract(DATABASE, tmp_path))
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("PRAGMA legacy_alter_table=ON")
        connection.execute(change)
    assert not restored_or_told(_changed(backup, database=file.read_bytes()), tmp_path / "x")


def test_a_backup_that_claims_gigabytes_of_next_to_nothing_is_refused(
    backup: bytes, tmp_path: Path
) -> None:
    into = io.BytesIO(backup)
    with zipfile.ZipFile(into, "a") as archive:
        archive.writestr("x", b"")  # so that the list of what is in it is written anew
        archive.getinfo(DATABASE).file_size = 2_000_000_000
        archive.filelist.remove(archive.getinfo("x"))
    paths = Paths(tmp_path / "data")
    paths.create()
    (tmp_path / "b.zip").write_bytes(into.getvalue())
    with pytest.raises(Invalid, match=r"b\.zip is damaged.*claims to hold 2,000 MB"):
        stage(paths, tmp_path / "b.zip", Work())
    assert not paths.restore.exists()


# --- chats -------------------------------------------------------------------------------------


def _chats(text: str, name: str = "conversations.json") -> bytes:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, text)
    return into.getvalue()


_EXPORT = _chats(json.dumps([{"mapping": {}, "title": f"chat {n}"} for n in range(200)]))


@FEW
@given(data=st.data())
async def test_a_spoiled_zip_of_chats_is_read_or_refused(
    tmp_path: Path, data: st.DataObject
) -> None:
    file = tmp_path / "chats.zip"
    file.write_bytes(spoiled_bytes(data.draw, _EXPORT))
    try:
        said = "".join(await read_chat_file(file))
    except ChattyError as error:
        said = str(error)
        assert "chats.zip" in said


async def test_chats_that_unpack_to_gigabytes_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "chats.zip"
    file.write_bytes(_chats("0" * 50_000_000))
    with pytest.raises(Invalid, match=r"chats\.zip is too large: it holds 50 MB"):
        await read_chat_file(file)
