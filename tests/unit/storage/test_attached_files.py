"""Attached files: stored once, gone with the last message or draft that names them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import func, select, text

from chatty_desktop.domain.chat_document import ChatDocument, read_document, write_document
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.messages import Message
from chatty_desktop.storage import migrations, tables
from chatty_desktop.storage.chat_documents import StoredChatDocuments
from chatty_desktop.storage.database import Database
from chatty_desktop.storage.drafts import StoredDrafts
from chatty_desktop.storage.duplicates import StoredDuplicates
from chatty_desktop.storage.messages import StoredMessages
from chatty_desktop.storage.sessions import StoredSessions
from tests.helpers.attached import image_file, text_file


class Stores:
    def __init__(self, database: Database, drafts: StoredDrafts) -> None:
        self.database = database
        self.drafts = drafts
        self.messages = StoredMessages(database)
        self.sessions = StoredSessions(database, lambda _event: None, self.messages.forget)

    async def files(self) -> int:
        """How many are there; each has an owner."""
        (row,) = await self.database.rows(select(func.count()).select_from(tables.files))
        owned = select(tables.attached.c.digest)
        orphans = await self.database.rows(
            select(tables.files.c.digest).where(tables.files.c.digest.not_in(owned))
        )
        assert not orphans
        return int(row[0])


@pytest.fixture
async def stores(database: Database) -> Stores:
    stores = Stores(database, await StoredDrafts.of(database, lambda _event: None))
    await stores.sessions.create("Talk", session_id="s")
    return stores


def message(name: str, parent: str | None = None, *, session: str = "s") -> Message:
    return Message(
        id=name,
        session_id=session,
        parent_id=parent,
        agent_id="a",
        run_id=name,
        role="user",
        content=name,
        at=1.0,
        attachments=(text_file().about, image_file().about),
    )


FILES = (text_file(), image_file())


async def test_a_message_comes_back_with_its_files_and_what_they_hold(stores: Stores) -> None:
    await stores.messages.append(message("m"), FILES)
    stored = await stores.messages.get("m")
    assert stored == message("m")
    digests = [file.about.digest for file in FILES]
    assert await stores.messages.contents(digests) == {
        digests[0]: "# Notes\nKyoto in May\n",
        digests[1]: image_file().data,
    }
    assert await stores.messages.file_bytes(digests[0]) == text_file().data
    assert await stores.messages.file_bytes("elsewhere") is None


async def test_a_file_is_stored_once_and_goes_with_the_last_message_that_names_it(
    stores: Stores,
) -> None:
    await stores.messages.append(message("m"), FILES)
    await stores.messages.append(message("n", "m"), FILES)
    assert await stores.files() == 2
    await stores.messages.delete("s", "n", following=False)
    assert await stores.files() == 2
    await stores.messages.delete("s", "m", following=False)
    assert await stores.files() == 0


async def test_a_deleted_chat_takes_its_files_along_and_not_before_it_is_gone_for_good(
    stores: Stores,
) -> None:
    await stores.messages.append(message("m"), FILES)
    await stores.sessions.put_away(["s"])
    await stores.sessions.restore(["s"])
    assert await stores.files() == 2
    await stores.sessions.put_away(["s"])
    await stores.sessions.delete("s")
    assert await stores.files() == 0


async def test_no_table_holds_anything_of_a_deleted_file(
    stores: Stores,
) -> None:
    secret = text_file("secret.txt", "the password of the vault is xyzzy" * 50)
    said = replace(message("m"), attachments=(secret.about,))
    await stores.messages.append(said, [secret])
    await stores.messages.delete("s", "m", following=False)
    for table in tables.metadata.sorted_tables:
        for row in await stores.database.rows(select(table)):
            assert "xyzzy" not in repr(row)


async def test_drafts_keep_their_files_over_a_restart_until_they_are_removed(
    stores: Stores,
) -> None:
    notes, photo = FILES
    await stores.drafts.attach("s", notes)
    await stores.drafts.attach("s", photo)
    await stores.drafts.attach("s", photo)
    stores.drafts.keep("s", "Look")
    await stores.drafts.close()
    again = await StoredDrafts.of(stores.database, lambda _event: None)
    assert again.text("s") == "Look"
    assert again.files("s") == (notes.about, photo.about)
    again.keep_files("s", [photo.about])
    await again.close()
    assert await stores.files() == 1
    again.keep("s", "")
    again.keep_files("s", [])
    await again.close()
    assert await stores.files() == 0


async def test_files_of_a_draft_become_those_of_its_message(stores: Stores) -> None:
    for file in FILES:
        await stores.drafts.attach(None, file)
    files = stores.drafts.files(None)
    stores.drafts.keep_files(None, [])
    stores.drafts.keep_files("s", files)
    await stores.drafts.close()
    assert await stores.files() == 2
    await stores.messages.append(message("m"))
    stores.drafts.keep_files("s", [])
    await stores.drafts.close()
    assert await stores.files() == 2
    await stores.messages.delete("s", "m", following=False)
    assert await stores.files() == 0


async def test_a_draft_goes_with_its_chat_and_its_files_with_it(stores: Stores) -> None:
    await stores.drafts.attach("s", text_file())
    await stores.sessions.delete("s")
    assert await stores.files() == 0


async def test_a_file_for_a_chat_that_is_gone_is_not_stored(stores: Stores) -> None:
    await stores.sessions.delete("s")
    await stores.drafts.attach("s", text_file())
    await stores.drafts.close()
    assert await stores.files() == 0


async def test_a_copy_and_an_imported_document_hold_the_files_too(stores: Stores) -> None:
    await stores.messages.append(message("m"), FILES)

    async def copied(_session_id: str) -> None:
        """Nothing is embedded here."""

    copies = StoredDuplicates(stores.database, lambda _event: None, copied)
    copy = await copies.duplicate("s", "Copy")
    documents = StoredChatDocuments(stores.database)
    written = write_document(await documents.read("s"))
    await stores.sessions.delete("s")
    assert await stores.files() == 2
    await stores.sessions.delete(copy.id)
    assert await stores.files() == 0
    session = await documents.add(read_document_text(written), {})
    (came_in,) = (await documents.read(session.id)).messages
    assert [file.name for file in came_in.attachments] == ["notes.md", "photo.png"]
    assert await stores.files() == 2
    assert await stores.messages.file_bytes(image_file().about.digest) == image_file().data


async def test_a_document_with_a_damaged_file_is_refused_and_one_without_it_comes_in(
    stores: Stores,
) -> None:
    await stores.messages.append(message("m"), FILES)
    documents = StoredChatDocuments(stores.database)
    written = write_document(await documents.read("s"))
    broken = written.replace('"data": "', '"data": "AAAA')
    with pytest.raises(Invalid, match="a file in it is damaged"):
        read_document_text(broken)
    bare = json.loads(written) | {"files": []}
    session = await documents.add(read_document(bare), {})
    (came_in,) = (await documents.read(session.id)).messages
    assert came_in.attachments == []


async def test_a_database_from_before_attachments_takes_them_after_its_update(
    tmp_path: Path,
) -> None:
    before = migrations.STEPS.index(migrations.attached_files)
    file, backups = tmp_path / "older.db", tmp_path / "older"
    older = await Database.open(file, backups, migrations.STEPS[:before])
    for statement in (
        "INSERT INTO sessions (id, title, created_at, updated_at) VALUES ('s', 'Trip', 1, 1)",
        "INSERT INTO messages (id, session_id, agent_id, role, content, at)"
        " VALUES ('old', 's', 'a', 'user', 'Kyoto', 1)",
        "INSERT INTO drafts (place, session_id, content) VALUES ('s', 's', 'half')",
    ):
        await older.write(lambda c, s=statement: c.execute(text(s)))  # type: ignore[misc]
    await older.close()
    database = await Database.open(file, backups)
    stores = Stores(database, await StoredDrafts.of(database, lambda _event: None))
    old = await stores.messages.get("old")
    assert old is not None
    assert old.attachments == ()
    assert stores.drafts.text("s") == "half"
    await stores.drafts.attach("s", text_file())
    await stores.messages.append(message("m", "old"), FILES)
    assert await stores.files() == 2
    await stores.sessions.delete("s")
    assert await stores.files() == 0
    await database.close()


def read_document_text(written: str) -> ChatDocument:
    return read_document(json.loads(written))
