"""Episodes in SQLite, their index in LanceDB: nothing is lost, whatever happens to the index."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from chatty_desktop.domain.embedding import EmbedderId
from chatty_desktop.domain.episodes import LONGEST_TEXT, Candidate, Recall, SeenScores, ToEmbed
from chatty_desktop.domain.errors import Invalid, StorageFailed
from chatty_desktop.domain.events import Event, Notice
from chatty_desktop.domain.messages import Message, Scope
from chatty_desktop.storage.agents import StoredAgents
from chatty_desktop.storage.database import Database
from chatty_desktop.storage.episode_index import EpisodeIndex, table_name
from chatty_desktop.storage.episodes import StoredEpisodes
from chatty_desktop.storage.index_places import IndexFolder
from chatty_desktop.storage.messages import StoredMessages
from chatty_desktop.storage.sessions import StoredSessions
from tests.helpers.bag_of_words import bag_of_words
from tests.helpers.waiting import until
from tests.unit.storage.conftest import Place

BAG = EmbedderId("test", "bag", 32)
OTHER = EmbedderId("test", "other", 16)
SCOPE = Scope("ada", "s")


class Store:
    """The stores over one folder; `told` keeps what was published."""

    def __init__(
        self, folder: Path, database: Database, idle_seconds: float, collected_seconds: float
    ) -> None:
        self.folder = folder
        self.database = database
        self.told: list[Event] = []
        self.messages = StoredMessages(database)
        self.episodes = StoredEpisodes(
            database,
            IndexFolder(folder / "episodes"),
            self.told.append,
            idle_seconds=idle_seconds,
            collected_seconds=collected_seconds,
        )
        self.sessions = StoredSessions(database, self.told.append, self._gone)
        self.agents = StoredAgents(
            database, self.told.append, lambda gone: self.episodes.forget(agent_id=gone)
        )

    @classmethod
    @asynccontextmanager
    async def open(
        cls, place: Place, idle_seconds: float = 20.0, collected_seconds: float = 0.0
    ) -> AsyncIterator[Store]:
        database = await place.open()
        store = cls(place.folder, database, idle_seconds, collected_seconds)
        try:
            yield store
        finally:
            await store.episodes.close()
            await database.close()

    async def say(self, *texts: str, scope: Scope = SCOPE) -> list[Message]:
        """Record messages in a row, without vectors."""
        if await self.sessions.get(scope.session_id) is None:
            await self.sessions.create("S", scope.agent_id, scope.session_id)
        said: list[Message] = []
        branch = await self.messages.branch(scope.session_id)
        before = branch[-1].id if len(branch) else None
        for text in texts:
            message = Message(
                id=f"{scope.session_id}-{scope.agent_id}-{text}",
                session_id=scope.session_id,
                parent_id=before,
                agent_id=scope.agent_id,
                run_id="r",
                role="user",
                content=text,
                at=1.7e9 + len(said),
            )
            await self.messages.append(message)
            await self.episodes.record([(message, before)])
            before = message.id
            said.append(message)
        return said

    async def embed(self, messages: Sequence[Message], embedder: EmbedderId = BAG) -> None:
        vectors = [bag_of_words(message.content, embedder.dimension) for message in messages]
        await self.episodes.add_vectors(
            embedder, [message.id for message in messages], np.array(vectors, np.float32)
        )

    async def nearest(
        self, text: str, embedder: EmbedderId = BAG, scope: Scope = SCOPE
    ) -> list[str]:
        """Ids of the scope, nearest first."""
        vector = np.array([bag_of_words(text, embedder.dimension)], np.float32)
        scored = await self.episodes.score(embedder, scope, vector)
        return [scored.ids[place] for place in np.argsort(-scored.cosine, kind="stable")]

    def index(self) -> EpisodeIndex:
        """The index by itself, as another process would find it."""
        return EpisodeIndex(IndexFolder(self.folder / "episodes"))

    def _gone(self, session_id: str) -> None:
        self.messages.forget(session_id)
        self.episodes.forget(session_id=session_id)


@pytest.fixture
async def store(place: Place) -> AsyncIterator[Store]:
    async with Store.open(place) as opened:
        yield opened


async def test_what_is_near_comes_first_and_survives_a_restart(place: Place) -> None:
    async with Store.open(place) as store:
        said = await store.say("the train to Kyoto", "a cat on the roof", "tea with lemon")
        await store.embed(said)
        assert (await store.nearest("when does the Kyoto train leave"))[0] == said[0].id
    async with Store.open(place) as store:
        assert (await store.nearest("the cat"))[0] == said[1].id
        assert store.told == []


async def test_every_embedder_has_a_table_of_its_own_and_sees_its_own_episodes_only(
    store: Store,
) -> None:
    first, second = await store.say("one", "two")
    await store.embed([first], BAG)
    await store.embed([second], OTHER)
    assert await store.nearest("one", BAG) == [first.id]
    assert await store.nearest("one", OTHER) == [second.id]
    names = sorted(path.name for path in (store.folder / "episodes").iterdir())
    assert names == ["episodes__test__bag__32.lance", "episodes__test__other__16.lance"]
    counts = await store.episodes.counts(SCOPE)
    assert (counts.total, counts.without_vector) == (2, 0)
    assert counts.embedded == {BAG: 1, OTHER: 1}
    (waiting,) = await store.episodes.unembedded("test", "bag", 32)
    assert (waiting.message_id, waiting.content) == (second.id, "two")


async def test_scopes_are_apart(store: Store) -> None:
    mine = await store.say("the same words")
    theirs = await store.say("the same words", scope=Scope("bo", "s"))
    await store.embed([*mine, *theirs])
    assert await store.nearest("the same words") == [mine[0].id]


async def test_vectors_of_the_wrong_length_are_refused_and_nothing_is_stored(store: Store) -> None:
    said = await store.say("one")
    for wrong in (np.ones((1, 31), np.float32), np.full((1, 32), np.nan, np.float32)):
        with pytest.raises(Invalid, match="Nothing was stored"):
            await store.episodes.add_vectors(BAG, [said[0].id], wrong)
    counts = await store.episodes.counts()
    assert (counts.total, counts.embedded) == (1, {})


async def test_a_run_is_one_append_and_many_appends_are_compacted(store: Store) -> None:
    await store.nearest("open the index")
    for number in range(50):
        await store.embed(await store.say(f"a{number}", f"b{number}"))
    await until(lambda: any(o.compactions for o in store.episodes._index._index._open.values()))
    (size,) = await store.episodes.sizes()
    assert size.rows == 100
    assert size.appends <= 1
    fragments = list((store.folder / "episodes").rglob("data/*.lance"))
    assert len(fragments) <= 3
    assert len(await store.nearest("a7")) == 100


async def test_runs_close_together_are_one_append_and_closing_misses_none(place: Place) -> None:
    async with Store.open(place, collected_seconds=60) as store:
        await store.nearest("open the index")
        for number in range(5):
            await store.embed(await store.say(f"message {number}"))
        (size,) = await store.episodes.sizes()
        assert (size.rows, size.appends) == (5, 1)
        await store.embed(await store.say("the last one"))
    async with Store.open(place) as store:
        assert len(await store.nearest("the last one")) == 6
        (size,) = await store.episodes.sizes()
        assert (size.rows, size.appends) == (6, 2)


async def test_compaction_can_be_asked_for(store: Store) -> None:
    for number in range(5):
        await store.embed(await store.say(f"message {number}"))
    (before,) = await store.episodes.sizes()
    await store.episodes.compact()
    (after,) = await store.episodes.sizes()
    assert (before.rows, before.appends, before.compactions) == (5, 5, 0)
    assert (after.rows, after.appends, after.compactions) == (5, 0, 1)
    assert after.files < before.files


async def test_when_idle_a_table_with_a_few_appends_is_compacted_too(place: Place) -> None:
    async with Store.open(place, idle_seconds=0.05) as store:
        for number in range(10):
            await store.embed(await store.say(f"message {number}"))
        await until(lambda: any(o.compactions for o in store.episodes._index._index._open.values()))


async def test_the_index_is_built_again_when_its_folder_is_gone(place: Place) -> None:
    async with Store.open(place) as store:
        said = await store.say("the train", "the cat")
        await store.embed(said)
    shutil.rmtree(place.folder / "episodes")
    async with Store.open(place) as store:
        assert (await store.nearest("the cat"))[0] == said[1].id
    assert sorted(store.index().ids(BAG)) == sorted(each.id for each in said)


@pytest.mark.parametrize("broken", ["files gone", "rubbish in every file", "a file in its place"])
async def test_a_broken_index_is_told_of_and_built_again_without_a_model(
    tmp_path: Path, broken: str
) -> None:
    place = Place(tmp_path)
    async with Store.open(place) as store:
        said = await store.say("the train", "the cat")
        await store.embed(said)
    table = place.folder / "episodes" / f"{table_name(BAG)}.lance"
    if broken == "files gone":
        shutil.rmtree(table / "data")
    elif broken == "rubbish in every file":
        for file in [file for file in table.rglob("*") if file.is_file()]:
            file.write_bytes(b"rubbish")
    else:
        shutil.rmtree(table)
        table.write_text("not a folder")
    async with Store.open(place) as store:
        assert (await store.nearest("the cat"))[0] == said[1].id
        more = await store.say("a dog")
        await store.embed(more)
        assert (await store.nearest("a dog"))[0] == more[0].id
        while store.episodes._index._tasks:
            await asyncio.wait(tuple(store.episodes._index._tasks))
        if broken != "a file in its place":
            (notice,) = [event for event in store.told if isinstance(event, Notice)]
            assert "built again" in notice.text
    async with Store.open(place) as store:
        assert (await store.nearest("a dog"))[0] == more[0].id
        assert not [event for event in store.told if isinstance(event, Notice)]
    assert len(store.index().ids(BAG)) == 3


async def test_what_a_kill_left_out_of_the_index_is_added_and_what_it_left_in_is_deleted(
    place: Place,
) -> None:
    async with Store.open(place) as store:
        said = await store.say("the train", "the cat", "a dog")
        await store.embed(said)
    index = store.index()
    index.delete_where(BAG, "message_id", [said[0].id])
    index.append(BAG, ["ghost"], [SCOPE], np.ones((1, 32), np.float32))
    index.append(BAG, ["ghost too"], [SCOPE], np.ones((1, 32), np.float32))
    async with Store.open(place) as store:
        assert (await store.nearest("the train"))[0] == said[0].id
    assert sorted(store.index().ids(BAG)) == sorted(each.id for each in said)


async def test_deleting_a_session_or_an_agent_takes_its_episodes_along(place: Place) -> None:
    async with Store.open(place) as store:
        mine = await store.say("one", "two")
        other = await store.say("three", scope=Scope("ada", "t"))
        third = await store.say("four", scope=Scope("bo", "u"))
        await store.embed([*mine, *other, *third])
        assert (await store.sessions.delete("s")).episodes == 2
        assert (await store.agents.delete("ada")).episodes == 1
        assert await store.nearest("one") == []
        assert (await store.episodes.counts()).embedded == {BAG: 1}
        while store.episodes._index._tasks:
            await asyncio.wait(tuple(store.episodes._index._tasks))
    assert store.index().ids(BAG) == [third[0].id]


async def test_an_episode_deleted_while_it_was_embedded_is_passed_over(store: Store) -> None:
    said = await store.say("one", "two")
    await store.sessions.delete("s")
    await store.embed(said)
    assert (await store.episodes.counts()).embedded == {}
    assert await store.nearest("one") == []


async def test_an_episode_is_recorded_and_embedded_once(store: Store) -> None:
    said = await store.say("one")
    await store.episodes.record([(said[0], None)])
    await store.embed(said)
    await store.embed(said)
    assert (await store.episodes.counts()).embedded == {BAG: 1}
    assert await store.nearest("one") == [said[0].id]
    assert store.episodes._index._index.ids(BAG) == [said[0].id]


async def test_an_episode_of_a_message_that_is_back_is_recorded_again(store: Store) -> None:
    said = await store.say("one")
    await store.sessions.delete("s")
    assert (await store.episodes.counts()).total == 0
    assert await store.say("one") == said
    assert (await store.episodes.counts()).total == 1


async def test_an_episode_that_could_not_be_recorded_is_recorded_later(store: Store) -> None:
    lost = replace((await store.say("one"))[0], id="m2")
    with pytest.raises(StorageFailed):
        await store.episodes.record([(lost, None)])  # its message is not in the log yet
    await store.messages.append(lost)
    await store.episodes.record([(lost, None)])
    assert (await store.episodes.counts()).total == 2


async def test_what_waits_is_found_again_however_often_it_was_looked_for(store: Store) -> None:
    async def waiting(limit: int = 64) -> list[str]:
        found = await store.episodes.unembedded("test", "bag", 32, scope=SCOPE, limit=limit)
        return [each.content for each in found]

    said = await store.say("one", "two", "three")
    assert await waiting(limit=2) == ["one", "two"]
    await store.embed(said[1:2])
    assert await waiting() == ["one", "three"]
    await store.embed([said[0], said[2]])
    assert await waiting() == await waiting() == []
    await store.say("four")
    assert await waiting() == ["four"]
    other = await store.episodes.unembedded("test", "bag", 16, scope=SCOPE)
    assert len(other) == 4


async def test_what_an_embedder_refuses_waits_no_more_until_it_is_to_be_tried_again(
    store: Store,
) -> None:
    said = await store.say("one", "two")
    await store.episodes.refuse(BAG, said[0].id, "too odd")
    waiting = await store.episodes.unembedded("test", "bag", None)
    assert [each.message_id for each in waiting] == [said[1].id]
    await store.episodes.retry_refused("test", "bag")
    assert len(await store.episodes.unembedded("test", "bag", 32)) == 2


async def test_what_an_embedder_would_have_to_read_is_counted_in_messages_and_characters(
    store: Store,
) -> None:
    await store.embed(await store.say("one", "two"))
    await store.say("three", "x" * 3 * LONGEST_TEXT)
    waiting = await store.episodes.to_embed(BAG.provider, BAG.model, None)
    assert waiting == ToEmbed(2, len("three") + LONGEST_TEXT)
    assert (await store.episodes.to_embed(OTHER.provider, OTHER.model, None)).count == 4


async def test_words_are_matched_in_the_message_and_in_the_one_before(store: Store) -> None:
    said = await store.say("Where are the guinea pigs", "in the kitchen", "the bus is late")
    await store.embed(said[:2])
    vector = np.array([bag_of_words("guinea pig", 32)], np.float32)
    scored = await store.episodes.score(BAG, SCOPE, vector, "the guinea pig")
    assert scored.lexical is not None
    assert scored.lexical.own[0] > 0 == scored.lexical.own[1]
    assert scored.lexical.paired[1] > 0
    await store.embed(said[2:])
    scored = await store.episodes.score(BAG, SCOPE, vector, "late buses")
    assert scored.lexical is not None
    assert list(scored.lexical.own > 0) == [False, False, True]


async def test_the_last_recall_is_kept_and_replaced(store: Store) -> None:
    said = await store.say("one")
    left_out = Candidate("x", 0.1, 0.2, "below threshold")
    first, second = (
        Recall("q", BAG, (Candidate(said[0].id, score), left_out), 1.0) for score in (0.5, 0.75)
    )
    await store.episodes.keep_recall(SCOPE, "episodic", first)
    await store.episodes.keep_recall(SCOPE, "episodic", second)
    assert await store.episodes.last_recall(SCOPE, "episodic") == second
    assert await store.episodes.last_recall(SCOPE, "another") is None
    seen = await store.episodes.seen_scores("ada", "test", "bag")
    assert (seen.recalled, seen.left_out) == ((0.75,), (0.1,))
    assert await store.episodes.seen_scores("ada", "test", "other") == SeenScores()


def test_names_of_tables_are_safe_and_never_the_same_for_two_models() -> None:
    assert table_name(EmbedderId("local", "builtin", 384)) == "episodes__local__builtin__384"
    odd = ["a/b", "a:b", "a-b", "../a", "A-b", "Ä", "a" * 300]
    names = [table_name(EmbedderId("p", model, 8)) for model in odd]
    assert len({name.lower() for name in names}) == len(odd)
    for name in names:
        assert not set(name) & set("/\\: ") and ".." not in name and len(name) < 120
