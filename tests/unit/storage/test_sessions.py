"""The list of chats and its folders in a real SQLite file."""

from __future__ import annotations

import pytest

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.events import Event, SessionsChanged
from chatty_desktop.storage.database import Database
from chatty_desktop.storage.folders import StoredFolders
from chatty_desktop.storage.sessions import StoredSessions


class Stores:
    def __init__(self, database: Database) -> None:
        self.events: list[Event] = []
        self.gone: list[str] = []
        self.sessions = StoredSessions(database, self.events.append, self.gone.append)
        self.folders = StoredFolders(database, self.events.append)


@pytest.fixture
async def stores(database: Database) -> Stores:
    made = Stores(database)
    for name in ("a", "b", "c"):
        await made.sessions.create(name, session_id=name)
    return made


async def test_pins_archive_and_folder_come_back_as_they_were_set(stores: Stores) -> None:
    folder = await stores.folders.create("  Work  trips ")
    assert folder.name == "Work trips"
    await stores.sessions.pin(["a", "b"], True)
    await stores.sessions.archive(["b"], True)
    await stores.sessions.move(["a", "c"], folder.id)
    a, b, c = [await stores.sessions.get(each) for each in "abc"]
    assert a and b and c
    assert (a.pinned, a.archived, a.folder_id) == (True, False, folder.id)
    assert (b.pinned, b.archived, b.folder_id) == (False, True, None)
    assert (c.pinned, c.archived, c.folder_id) == (False, False, folder.id)
    assert stores.events[-1] == SessionsChanged(None)


async def test_the_chats_of_a_deleted_folder_stay(stores: Stores) -> None:
    folder = await stores.folders.create("Work")
    await stores.sessions.move(["a"], folder.id)
    await stores.folders.delete(folder.id)
    a = await stores.sessions.get("a")
    assert a is not None
    assert a.folder_id is None
    with pytest.raises(Invalid, match="no longer there"):
        await stores.sessions.move(["a"], folder.id)


async def test_two_folders_of_one_name_and_one_without_are_refused(stores: Stores) -> None:
    folder = await stores.folders.create("Übung")
    other = await stores.folders.create("Other")
    for name in ("übung", " "):
        with pytest.raises(Invalid):
            await stores.folders.create(name)
        with pytest.raises(Invalid):
            await stores.folders.rename(other.id, name)
    await stores.folders.rename(folder.id, "ÜBUNG")
    assert [f.name for f in await stores.folders.list()] == ["Other", "ÜBUNG"]


async def test_a_chat_put_away_is_in_no_list_and_comes_back_whole(stores: Stores) -> None:
    before = await stores.sessions.get("b")
    await stores.sessions.put_away(["b"])
    assert [s.id for s in await stores.sessions.list()] == ["c", "a"]
    assert await stores.sessions.get("b") is None
    assert await stores.sessions.find("b") is None
    assert await stores.sessions.away() == ["b"]
    assert stores.gone == []
    await stores.sessions.restore(["b"])
    assert await stores.sessions.get("b") == before
    assert await stores.sessions.away() == []


async def test_what_is_gone_for_good_cannot_be_restored(stores: Stores) -> None:
    await stores.sessions.put_away(["a", "b"])
    await stores.sessions.delete("a")
    with pytest.raises(Invalid, match="for good"):
        await stores.sessions.restore(["a", "b"])
    assert await stores.sessions.away() == ["b"]


async def test_a_title_given_by_a_person_is_not_overwritten(stores: Stores) -> None:
    await stores.sessions.rename("a", "A better title", by="model", instead_of="a")
    a = await stores.sessions.get("a")
    assert a is not None
    assert (a.title, a.titled_by) == ("A better title", "model")
    await stores.sessions.rename("a", "Mine")
    await stores.sessions.rename("a", "Another", by="model", instead_of="Mine")
    a = await stores.sessions.get("a")
    assert a is not None
    assert (a.title, a.titled_by) == ("Mine", "person")


async def test_titles_are_found_by_all_their_words_whatever_case_and_accents(
    stores: Stores,
) -> None:
    await stores.sessions.rename("a", "Café am ÜBERSEE")
    assert [s.id for s in await stores.sessions.list("ubersee cafe")] == ["a"]
    assert await stores.sessions.list("ubersee boat") == []
