"""The message tree in a real SQLite file."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.messages import Message, Status, ToolCall
from chatty_desktop.storage.database import Database
from chatty_desktop.storage.messages import StoredMessages
from chatty_desktop.storage.sessions import StoredSessions


def message(number: int, parent: int | None, session: str = "s") -> Message:
    return Message(
        id=f"{session}{number:04}",
        session_id=session,
        parent_id=None if parent is None else f"{session}{parent:04}",
        agent_id="a",
        run_id="r",
        role="user",
        content=f"message {number}",
        at=float(number),
    )


class Stores:
    def __init__(self, database: Database) -> None:
        self.messages = StoredMessages(database)
        self.sessions = StoredSessions(database, lambda _event: None, self.messages.forget)


@pytest.fixture
async def stores(database: Database) -> Stores:
    stores = Stores(database)
    await stores.sessions.create("Talk", session_id="s")
    return stores


async def test_a_message_comes_back_as_it_was_stored(stores: Stores, database: Database) -> None:
    stored = Message(
        id="m",
        session_id="s",
        parent_id=None,
        agent_id="a",
        run_id="r",
        role="assistant",
        content="naïve 你好 \U0001f600\x00",
        at=12.5,
        status=Status.TRUNCATED,
        model="lab/small",
        reasoning="hm",
        error="too long",
        seconds=1.5,
        tool_calls=(ToolCall("c1", "clock", '{"zone": "UTC"}'),),
        tool_call_id="c0",
        thought_seconds=0.5,
    )
    await stores.messages.append(stored)
    if database.backend.engine.dialect.name == "postgresql":
        # A server's text holds no zero byte.
        stored = replace(stored, content="naïve 你好 \U0001f600\ufffd")
    assert await Stores(database).messages.get("m") == stored
    assert list(await Stores(database).messages.branch("s")) == [stored]


@given(
    st.lists(
        st.tuples(st.integers(0, 30), st.sampled_from(["append", "leaf", "edit"])), max_size=25
    )
)
async def test_the_branch_kept_in_memory_is_the_one_in_the_file(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, str]]
) -> None:
    folder = tmp_path_factory.mktemp("branch")
    database = await Database.open(folder / "chatty.db", folder / "backups")
    stores = Stores(database)
    await stores.sessions.create("Talk", session_id="s")
    count, leaf = 0, None
    for where, step in steps:
        if step == "append":
            await stores.messages.append(message(count, leaf))
            leaf, count = count, count + 1
        elif step == "leaf" and count:
            leaf = where % count
            await stores.messages.set_leaf("s", f"s{leaf:04}")
        elif count:
            old = await stores.messages.get(f"s{where % count:04}")
            assert old is not None
            await stores.messages.update(
                message(where % count, None if old.parent_id is None else int(old.parent_id[1:]))
            )
        kept = list(await stores.messages.branch("s"))
        assert kept == list(await Stores(database).messages.branch("s"))
        assert (kept[-1].id if kept else None) == (None if leaf is None else f"s{leaf:04}")
        assert all(b.parent_id == a.id for a, b in pairwise(kept))
    await database.close()


async def test_pages_end_at_the_leaf_and_go_back_without_gaps(stores: Stores) -> None:
    for number in range(25):
        await stores.messages.append(message(number, number - 1 if number else None))
    pages = []
    before = None
    while page := await stores.messages.page("s", before, limit=10):
        pages.append([m.content for m in page])
        before = page[0].id
    assert [len(page) for page in pages] == [10, 10, 5]
    assert sum(reversed(pages), []) == [f"message {n}" for n in range(25)]  # noqa: RUF017


async def test_a_page_follows_the_branch_not_the_order_of_writing(stores: Stores) -> None:
    await stores.messages.append(message(0, None))
    await stores.messages.append(message(1, 0))
    await stores.messages.append(message(2, 0))
    assert [m.id for m in await stores.messages.page("s")] == ["s0000", "s0002"]


async def test_the_leaf_cannot_be_a_message_of_another_chat(stores: Stores) -> None:
    await stores.sessions.create("Other", session_id="t")
    await stores.messages.append(message(0, None, "t"))
    with pytest.raises(Invalid):
        await stores.messages.set_leaf("s", "t0000")


async def test_a_half_written_reply_is_cut_at_the_next_start(
    stores: Stores, database: Database
) -> None:
    from dataclasses import replace

    await stores.messages.append(replace(message(0, None), status=Status.STREAMING))
    assert await Stores(database).messages.close_interrupted() == 1
    (left,) = await Stores(database).messages.branch("s")
    assert (left.status, left.content) == (Status.CUT, "message 0")
    assert "closed" in left.error


async def test_deleting_a_session_deletes_its_messages_and_tells_how_many(
    stores: Stores, database: Database
) -> None:
    for number in range(3):
        await stores.messages.append(message(number, number - 1 if number else None))
    counts = await stores.sessions.delete("s")
    assert counts.messages == 3
    assert list(await stores.messages.branch("s")) == []
    assert await stores.messages.get("s0001") is None


async def test_sessions_are_found_by_title_in_any_case_and_newest_first(stores: Stores) -> None:
    await stores.sessions.create("ÄPFEL und Birnen", session_id="t")
    assert [s.id for s in await stores.sessions.list("äpfel")] == ["t"]
    assert [s.id for s in await stores.sessions.list()] == ["t", "s"]
    await stores.sessions.create("Talk")
    with pytest.raises(Invalid, match="Several"):
        await stores.sessions.find("Talk")


def test_tests_work_in_a_folder_of_their_own(tmp_path: Path) -> None:
    assert not list(tmp_path.iterdir())
