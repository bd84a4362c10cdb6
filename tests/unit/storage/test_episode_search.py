"""Episodes found by the words in them: all of the scope, whatever has a vector."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from chatty_desktop.domain.embedding import EmbedderId
from chatty_desktop.domain.episodes import EpisodesFound, Recall, searched_words
from chatty_desktop.domain.messages import Scope
from tests.unit.storage.conftest import Place
from tests.unit.storage.test_episodes import BAG, OTHER, SCOPE, Store


@pytest.fixture
async def store(place: Place) -> AsyncIterator[Store]:
    async with Store.open(place) as opened:
        yield opened


async def search(
    store: Store, text: str, by: EmbedderId | None = BAG, limit: int = 100
) -> EpisodesFound:
    embedder = (by.provider, by.model) if by else None
    return await store.episodes.search(SCOPE, searched_words(text), embedder, limit)


def said(found: EpisodesFound) -> list[str]:
    return [each.episode.content for each in found.shown]


async def test_every_word_has_to_be_said_in_any_case_and_order_the_newest_comes_first(
    store: Store,
) -> None:
    await store.say("A train to Kyoto", "kyoto by bus", "The KYOTO trains", "ÄRGER im Zug")
    assert said(await search(store, " kyoto  TRAIN ")) == ["The KYOTO trains", "A train to Kyoto"]
    assert said(await search(store, "kyo")) == [
        "The KYOTO trains",
        "kyoto by bus",
        "A train to Kyoto",
    ]
    assert said(await search(store, "ärger")) == ["ÄRGER im Zug"]
    assert await search(store, "kyoto boat") == EpisodesFound()
    assert said(await search(store, "%")) == []


async def test_other_scopes_are_not_searched(store: Store) -> None:
    await store.say("my cat")
    await store.say("your cat", scope=Scope("ada", "t"))
    await store.say("his cat", scope=Scope("bob", "s"))
    assert said(await search(store, "cat")) == ["my cat"]


async def test_of_many_the_newest_are_read_and_all_are_counted(store: Store) -> None:
    await store.say(*(f"cat {number:02}" for number in range(12)))
    found = await search(store, "cat", limit=3)
    assert said(found) == ["cat 11", "cat 10", "cat 09"]
    assert found.total == 12


async def test_what_the_present_embedder_has_not_embedded_is_found_and_told_apart(
    store: Store,
) -> None:
    first, second, third = await store.say("cat one", "cat two", "cat three")
    await store.embed([first], BAG)
    await store.embed([second], OTHER)
    await store.episodes.refuse(BAG, third.id, "too long")

    async def embedded(by: EmbedderId | None) -> list[bool]:
        return [each.embedded for each in (await search(store, "cat", by)).shown]

    assert await embedded(BAG) == [False, False, True]
    assert await embedded(OTHER) == [False, True, False]
    assert await embedded(None) == [False, False, False]
    assert await embedded(EmbedderId("test", "never used", 8)) == [False, False, False]


async def test_vectors_of_a_dimension_that_recall_no_longer_uses_do_not_count(
    store: Store,
) -> None:
    longer = EmbedderId(BAG.provider, BAG.model, 64)
    first, second = await store.say("cat one", "cat two")
    await store.embed([first], BAG)
    await store.embed([second], longer)
    assert [each.embedded for each in (await search(store, "cat")).shown] == [True, True]
    await store.episodes.keep_recall(SCOPE, "episodic", Recall(second.id, longer, (), 1.0))
    assert [each.embedded for each in (await search(store, "cat")).shown] == [True, False]
