"""Searching the episodes in the inspector by their words."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit

from chatty_desktop.domain.episodes import Episode, EpisodesFound, FoundEpisode
from chatty_desktop.domain.errors import StorageFailed
from chatty_desktop.domain.messages import Scope
from chatty_desktop.engine.memories import Memories
from chatty_desktop.ui.inspector.episode_card import EpisodeCard
from chatty_desktop.ui.inspector.episode_search import EpisodeSearch, sentence
from chatty_desktop.ui.inspector.panel import InspectorPanel
from chatty_desktop.ui.readable import around
from chatty_desktop.ui.theme import Theme
from tests.helpers.bag_of_words import BagOfWords
from tests.helpers.wire import openai_wire
from tests.ui.panels import Bench, bench, says, texts, until

EPISODIC: dict[str, Any] = {"kind": "episodic", "top_k": 2, "threshold": 0.3}


@pytest.fixture
async def at(tmp_path: Path, theme: Theme) -> AsyncIterator[Bench]:
    async with bench(tmp_path / "data", theme, EPISODIC) as made:
        made.desk.embedders.embedder = BagOfWords(dimension=256)
        yield made


class Waiting:
    """The memories, their searches held until they are let go, and then failing on demand."""

    def __init__(self, memories: Memories) -> None:
        self._memories = memories
        self.asked: list[str] = []
        self.let_go = asyncio.Event()
        self.failure: Exception | None = None

    async def search_episodes(self, scope: Scope, text: str, limit: int) -> EpisodesFound:
        self.asked.append(text)
        await self.let_go.wait()
        if self.failure:
            raise self.failure
        return await self._memories.search_episodes(scope, text, limit)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._memories, name)


async def inspector(at: Bench, memories: Waiting | None = None) -> InspectorPanel:
    panel = at.show(
        InspectorPanel(
            memories=cast("Memories", memories or at.desk.memories),
            acts=at.desk.acts,
            past=at.desk.past,
            reembedding=at.desk.reembedding,
            models=at.models,
            wire=openai_wire,
            events=at.desk.bus,
            theme=at.theme,
            tasks=at.tasks,
        )
    )
    panel.resize(360, 800)
    panel.set_scope(at.desk.scope)
    await until(lambda: says(panel, "episodes by test/bag"))
    return panel


def box(panel: InspectorPanel) -> QLineEdit:
    (found,) = [s.box for s in panel.findChildren(EpisodeSearch) if s.isVisible()]
    return found


def cards(panel: InspectorPanel) -> list[EpisodeCard]:
    return [card for card in panel.findChildren(EpisodeCard) if card.isVisibleTo(panel)]


async def test_typing_lists_what_says_the_words_and_clearing_shows_memory_again(
    at: Bench,
) -> None:
    at.model.answers.append("Mio is a fine name")
    await at.desk.say("My cat is called Mio")
    await at.desk.say("The bus leaves at nine")
    panel = await inspector(at)
    QTest.keyClicks(box(panel), "mio")
    await until(lambda: says(panel, "2 episodes found, newest first"))
    assert not says(panel, "episodes by test/bag")
    newest, oldest = cards(panel)
    assert "Mio is a fine name" in texts(newest)
    assert [text for text in texts(oldest) if ":" not in text] == [
        "You",
        "My cat is called Mio",
        "Embedded",
    ]
    wanted: list[str] = []
    panel.message_wanted.connect(wanted.append)
    label = next(each for each in oldest.findChildren(QLabel) if "Mio" in each.text())
    QTest.mouseClick(label, Qt.MouseButton.LeftButton)
    branch = await at.desk.messages.branch(at.desk.session.id)
    assert wanted == [branch[0].id]
    QTest.keyClicks(box(panel), " submarine")
    await until(lambda: says(panel, "No episode says all the words of “mio submarine”."))
    assert cards(panel) == []
    box(panel).clear()
    assert says(panel, "episodes by test/bag")
    assert not says(panel, "submarine")


async def test_what_is_said_meanwhile_is_found_without_typing_again(at: Bench) -> None:
    await at.desk.say("My cat is called Mio")
    panel = await inspector(at)
    QTest.keyClicks(box(panel), "Mio")
    await until(lambda: says(panel, "1 episode found"))
    await at.desk.say("Mio sleeps")
    await until(lambda: says(panel, "2 episodes found"))


async def test_what_is_not_embedded_or_on_another_branch_says_so(at: Bench) -> None:
    at.model.answers.append("a first answer")
    at.model.answers.append("a second answer")
    await at.desk.say("Hello")
    at.desk.embedders.embedder = BagOfWords(model="later", dimension=128)
    await at.desk.chat.retry(at.desk.session.id)
    await at.desk.chat.wait(at.desk.session.id)
    panel = await inspector(at)
    QTest.keyClicks(box(panel), "answer")
    await until(lambda: says(panel, "2 episodes found"))
    remarks = [texts(card)[-1] for card in cards(panel)]
    assert len(remarks) == 2
    assert "other branch" not in remarks[0]
    assert remarks[1].endswith("Said on another branch")


async def test_an_answer_that_comes_late_is_not_shown_and_the_last_words_are_searched(
    at: Bench,
) -> None:
    await at.desk.say("one two")
    chat = Waiting(at.desk.memories)
    panel = await inspector(at, chat)
    for text in ("one", "one tw", "nothing"):
        box(panel).setText(text)
        QTest.keyClick(box(panel), Qt.Key.Key_Return)
        await until(lambda: chat.asked)
    chat.let_go.set()
    await until(lambda: says(panel, "No episode says “nothing”."))
    assert chat.asked == ["one", "nothing"]
    assert cards(panel) == []


async def test_a_search_that_fails_says_why_in_its_place(at: Bench) -> None:
    await at.desk.say("one two")
    chat = Waiting(at.desk.memories)
    chat.failure = StorageFailed("The database did not answer.")
    chat.let_go.set()
    panel = await inspector(at, chat)
    box(panel).setText("one")
    await until(lambda: says(panel, "The database did not answer."))
    box(panel).clear()
    assert says(panel, "episodes by test/bag")


async def test_another_chat_begins_with_an_empty_box(at: Bench) -> None:
    await at.desk.say("one two")
    panel = await inspector(at)
    box(panel).setText("one")
    await until(lambda: says(panel, "1 episode found"))
    other = await at.desk.sessions.create("Other")
    panel.set_scope(Scope(at.desk.agent.id, other.id))
    await until(lambda: says(panel, "0 episodes"))
    assert box(panel).text() == ""
    assert cards(panel) == []


def test_the_count_says_what_is_not_shown() -> None:
    one = FoundEpisode(Episode("m", Scope("a", "s"), "user", "x", 0.0), embedded=True)
    assert sentence("x", EpisodesFound((one,), 1)) == "1 episode found"
    assert sentence("x", EpisodesFound((one, one), 1_402)) == (
        "1,402 episodes found; here are the newest 2"
    )


def test_a_long_message_is_shown_from_where_the_words_are() -> None:
    long = "The weather was fine. " * 20 + "Then the train to Kyoto came in."
    shown = around(long, ("kyoto",))
    assert shown.startswith("… ")
    assert "train to Kyoto" in shown[:100]
    assert around(long, ("weather",)) == long
    assert around("x" * 300 + "kyoto", ("kyoto",)).startswith("… xxx")
