"""Words in the messages of all chats, in real files."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatty_desktop.domain.messages import Message, Role, Status
from chatty_desktop.domain.search import MessageHits, parse_query
from chatty_desktop.storage.database import Database
from chatty_desktop.storage.messages import StoredMessages
from chatty_desktop.storage.search import StoredSearch
from chatty_desktop.storage.sessions import StoredSessions
from chatty_desktop.storage.word_index import forget_all


class Stores:
    def __init__(self, database: Database) -> None:
        self.database = database
        self.messages = StoredMessages(database)
        self.sessions = StoredSessions(database, lambda _event: None, self.messages.forget)
        self.search = StoredSearch(database)
        self._last: dict[str, str] = {}

    async def say(
        self,
        content: str,
        session: str = "s",
        role: Role = "user",
        status: Status = Status.COMPLETE,
    ) -> Message:
        parent = self._last.get(session)
        number = sum(1 for _ in self._last) if parent is None else int(parent[-4:]) + 1
        message = Message(
            id=f"{session}{number:04}",
            session_id=session,
            parent_id=parent,
            agent_id="a",
            run_id="r",
            role=role,
            content=content,
            at=float(number),
            status=status,
        )
        await self.messages.append(message)
        self._last[session] = message.id
        return message

    async def find(self, typed: str, **page: int) -> MessageHits:
        return await self.search.messages(parse_query(typed), **page)

    async def found(self, typed: str) -> list[str]:
        """The ids of what is found, newest first."""
        return [hit.message_id for hit in (await self.find(typed)).hits]


@pytest.fixture
async def stores(database: Database) -> Stores:
    return await with_two_chats(database)


@pytest.fixture
async def in_a_file(sqlite_database: Database) -> Stores:
    return await with_two_chats(sqlite_database)


async def with_two_chats(database: Database) -> Stores:
    stores = Stores(database)
    await stores.sessions.create("Talk", session_id="s")
    await stores.sessions.create("Trip", session_id="t")
    return stores


async def test_a_hit_says_where_it_is_and_marks_what_was_found(stores: Stores) -> None:
    said = await stores.say("Book a night train to Kyoto, please.", session="t")
    (hit,) = (await stores.find("kyo")).hits
    assert (hit.session_id, hit.message_id, hit.title) == ("t", said.id, "Trip")
    assert (hit.role, hit.at) == ("user", said.at)
    assert [hit.excerpt.text[a:b] for a, b in hit.excerpt.marks] == ["Kyoto"]


async def test_all_words_have_to_be_there_and_phrases_in_order(stores: Stores) -> None:
    first = await stores.say("the night train")
    second = await stores.say("a train in the night")
    assert await stores.found("train night") == [second.id, first.id]
    assert await stores.found('"night train"') == [first.id]
    assert await stores.found("train boat") == []


async def test_case_and_accents_make_no_difference(stores: Stores) -> None:
    said = await stores.say("Die ÜBUNGEN im Café")
    assert await stores.found("ubung café") == [said.id]


@pytest.mark.parametrize(
    ("content", "typed"),
    [
        ("我明天去東京出差", "東京"),
        ("我明天去東京出差", "出"),
        ("これは長い文章です", "長い文章"),
        ("ฉันอยากไปเที่ยวทะเล", "เที่ยว"),
        ("100 % sure_thing C:\\dir", "%"),
        ("nice 😀", "😀"),
        ("안녕하세요 여러분", "안녕"),
        ("שלום עולם", "עולם"),
        ("привет мир", "ПРИВ"),
    ],
)
async def test_every_script_is_found(stores: Stores, content: str, typed: str) -> None:
    await stores.say("nothing of it 1")
    said = await stores.say(content)
    await stores.say("nothing of it 2")
    assert await stores.found(typed) == [said.id]


async def test_words_and_runs_together_have_to_be_there(stores: Stores) -> None:
    await stores.say("東京")
    both = await stores.say("hotel 東京都")
    await stores.say("hotel")
    assert await stores.found("hotel 東京") == [both.id]


async def test_pages_follow_without_gap_or_repeat(stores: Stores) -> None:
    said = [(await stores.say(f"apple {n}")).id for n in range(7)]
    first = await stores.find("apple", limit=3)
    assert first.more
    second = await stores.find("apple", before=first.hits[-1].number, limit=3)
    third = await stores.find("apple", before=second.hits[-1].number, limit=3)
    assert not third.more
    pages = (*first.hits, *second.hits, *third.hits)
    assert [hit.message_id for hit in pages] == said[::-1]


async def test_only_messages_that_count_are_found(stores: Stores) -> None:
    await stores.say("pear", role="assistant", status=Status.FAILED)
    reply = await stores.say("pea", role="assistant", status=Status.STREAMING)
    assert await stores.found("pea") == []
    await stores.messages.update(replace(reply, content="pear tree"))
    assert await stores.found("pear") == []
    await stores.messages.update(replace(reply, content="pear tree", status=Status.COMPLETE))
    assert await stores.found("pear") == [reply.id]


async def test_what_was_edited_away_is_not_found_any_more(stores: Stores) -> None:
    said = await stores.say("plum")
    await stores.messages.update(replace(said, content="cherry"))
    assert await stores.found("plum") == []
    assert await stores.found("cherry") == [said.id]


async def test_a_chat_put_away_is_not_searched_until_it_is_back(stores: Stores) -> None:
    said = await stores.say("plum")
    await stores.sessions.put_away(["s"])
    assert await stores.found("plum") == []
    await stores.sessions.restore(["s"])
    assert await stores.found("plum") == [said.id]


async def test_an_archived_chat_is_searched_and_says_that_it_is_archived(stores: Stores) -> None:
    await stores.say("plum")
    await stores.sessions.archive(["s"], True)
    (hit,) = (await stores.find("plum")).hits
    assert hit.archived


async def test_deletion_leaves_nothing_in_the_index(in_a_file: Stores) -> None:
    for number in range(50):
        await in_a_file.say(f"plum{number} peach{number}")
    kept = await in_a_file.say("apple", session="t")
    await in_a_file.sessions.delete("s")
    assert await in_a_file.found("plum1") == []
    await in_a_file.search.tidy()

    def words(connection: object) -> list[str]:
        run = connection.exec_driver_sql  # type: ignore[attr-defined]
        run("CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, message_search, row)")
        return [row[0] for row in run("SELECT term FROM temp.words")]

    assert await in_a_file.database.write(words) == ["apple"]
    blocks = await in_a_file.database.read(
        lambda c: c.exec_driver_sql("SELECT block FROM message_search_data").scalars().all()
    )
    assert not [block for block in blocks if b"plum" in block or b"peach" in block]
    assert await in_a_file.found("apple") == [kept.id]


async def test_compacting_the_file_does_not_mix_up_what_is_found(in_a_file: Stores) -> None:
    said = [await in_a_file.say(f"word{n} common") for n in range(20)]
    await in_a_file.database.write(
        lambda c: c.exec_driver_sql("DELETE FROM messages WHERE id = 's0003'")
    )
    await in_a_file.database.read(lambda c: c.exec_driver_sql("VACUUM"))
    assert await in_a_file.found("word15") == [said[15].id]


@pytest.mark.parametrize(
    "typed",
    ['"', "a AND", "NOT a", "NEAR(a b)", "a*", "^a", "col:a", "a OR", "(", "-a", "a\0b", "\ud800",
     "{a b}: c", "*", "''", "a+b", "'; DROP TABLE messages --", "\u0301", "\u200d", "ª", "𞤀"],
)  # fmt: skip
async def test_nothing_that_is_typed_is_an_error(stores: Stores, typed: str) -> None:
    await stores.say("a b c")
    await stores.find(typed)


async def test_whatever_is_typed_is_no_error(stores: Stores) -> None:
    await stores.say("a b c")
    typed: list[str] = []

    @given(st.text(max_size=40))
    def collect(text: str) -> None:
        typed.append(text)

    collect()
    for text_ in typed:
        await stores.find(text_)


async def test_an_index_that_is_emptied_takes_in_what_comes_after(in_a_file: Stores) -> None:
    await in_a_file.say("plum")
    await in_a_file.database.write(forget_all)
    assert await in_a_file.found("plum") == []
    await in_a_file.database.write(lambda c: c.exec_driver_sql("DELETE FROM messages"))
    later = await in_a_file.say("plum again", session="t")
    assert await in_a_file.found("plum") == [later.id]
