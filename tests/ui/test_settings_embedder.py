"""The page of the embedder: over real stores, its models on a loopback server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from chatty_desktop.domain.agents import AgentDefinition
from chatty_desktop.domain.embedding import EmbedderId
from chatty_desktop.domain.messages import Message
from chatty_desktop.domain.settings import EmbedderSettings
from chatty_desktop.domain.strategies import Composite, Episodic, Window
from chatty_desktop.ui.settings.page_embedder import SettingsPage
from chatty_desktop.ui.theme import Theme
from tests.helpers.servers import Answer, OpenAIServer
from tests.ui.opened import Opened, opened, stored
from tests.ui.panels import button, says, until

OLD = EmbedderId("lab", "small", 64)


class OnPage:
    """The page in the open window, and what stands behind it."""

    def __init__(self, at: Opened) -> None:
        self.at = at
        at.window.others.open_settings("embedder")
        dialog = at.window.others.open_settings("embedder")
        self.page = cast(SettingsPage, dialog.page("embedder"))

    @property
    def present(self) -> EmbedderSettings | None:
        return self.at.app.settings.current.embedder

    async def choose(self, reference: str) -> None:
        """Type the name of a model as a person does."""
        self.page.choice.cards["model"].radio.click()
        picker = self.page.choice.picker
        line = picker.lineEdit()
        assert line is not None
        picker.setFocus()
        line.selectAll()
        QTest.keyClicks(line, reference)
        QTest.keyClick(line, Qt.Key.Key_Return)

    async def asked(self) -> str:
        """What the question before the change says, once the model was tried."""
        await until(self.page.change.isVisible, "the question")
        await until(self.page.trial.button.isEnabled, "the trial")
        return self.page.change.words.text()

    async def episodes(self, count: int, embedded: int) -> list[Message]:
        """Store episodes, of which the old model has embedded the first ones."""
        agent = await self.at.agent()
        session = await self.at.app.sessions.create("Talk", agent)
        made: list[Message] = []
        for number in range(count):
            parent = made[-1].id if made else None
            message = stored(session.id, parent, agent, "user", f"train number {number}")
            await self.at.app.messages.append(message)
            made.append(message)
        store = self.at.app.episodes
        await store.record([(message, None) for message in made])
        ids = [message.id for message in made[:embedded]]
        await store.add_vectors(OLD, ids, np.eye(embedded, 64, dtype=np.float32))
        self.page.entered()
        return made


@pytest.fixture
async def on_page(data_dir: Path, theme: Theme, server: OpenAIServer) -> AsyncIterator[OnPage]:
    """The embedder of the settings is the server's model "small"."""
    server.models = ("small", "nomic-embed-text", "big")
    value = {
        "providers": [{"id": "lab", "kind": "openai", "base_url": server.base_url}],
        "default_model": "lab/small",
        "embedder": {"provider": "lab", "model": "small"},
    }
    await asyncio.to_thread(data_dir.mkdir)
    (data_dir / "settings.json").write_text(json.dumps(value))
    async with opened(data_dir, theme, server) as at:
        yield OnPage(at)
        # The first append loads LanceDB, which on a busy machine takes longer than closing may.
        await at.app.episodes.close()


async def test_models_that_embed_are_offered_first(on_page: OnPage) -> None:
    picker = on_page.page.choice.picker
    await until(lambda: picker.count() == 4, "the server's models")
    names = [picker.itemText(row) for row in range(1, 4)]
    assert names == ["lab/nomic-embed-text", "lab/small", "lab/big"]
    assert picker.value() == "lab/small"


async def test_the_test_shows_dimension_time_and_both_scores(on_page: OnPage) -> None:
    on_page.page.trial.button.click()
    await until(lambda: says(on_page.page, "64 numbers"), "the dimension")
    said = on_page.page.trial.result.text()
    assert " ms." in said
    assert "scored 0." in said


async def test_the_test_shows_the_real_cause_when_it_fails(
    on_page: OnPage, server: OpenAIServer
) -> None:
    server.script_embeddings(Answer.fail(400, "small does not support embeddings"))
    on_page.page.trial.button.click()
    await until(on_page.page.trial.problem.isVisible, "the cause")
    assert "small does not support embeddings" in on_page.page.trial.problem.text()
    assert on_page.page.trial.button.isEnabled()


async def test_before_a_change_it_says_what_stops_matching_and_changes_nothing(
    on_page: OnPage,
) -> None:
    await on_page.episodes(5, embedded=3)
    await on_page.choose("lab/nomic-embed-text")
    said = await on_page.asked()
    assert "3 episodes embedded by lab/small will no longer be found" in said
    assert "5 episodes have to be embedded by it" in said
    assert "Nothing is lost" in said
    assert "Re-embedding takes a few seconds" in said
    assert on_page.present == EmbedderSettings(provider="lab", model="small")


async def test_cancel_leaves_the_embedder_as_it_was(on_page: OnPage) -> None:
    await on_page.episodes(2, embedded=2)
    await on_page.choose("lab/nomic-embed-text")
    await on_page.asked()
    on_page.page.change.cancel.click()
    assert on_page.page.change.isHidden()
    assert on_page.page.choice.picker.value() == "lab/small"
    assert on_page.present == EmbedderSettings(provider="lab", model="small")


async def test_change_and_re_embed_brings_every_episode_along(
    on_page: OnPage, data_dir: Path
) -> None:
    await on_page.episodes(20, embedded=20)
    await on_page.choose("lab/nomic-embed-text")
    await on_page.asked()
    on_page.page.change.both.click()
    await until(
        lambda: says(on_page.page, "20 episodes by lab/nomic-embed-text (64 numbers), searched"),
        "all are embedded",
    )
    assert says(on_page.page, "20 episodes by lab/small (64 numbers), not searched")
    written = json.loads((data_dir / "settings.json").read_text("utf-8"))
    assert written["embedder"]["model"] == "nomic-embed-text"


async def test_a_change_alone_leaves_the_episodes_and_offers_to_re_embed(on_page: OnPage) -> None:
    await on_page.episodes(4, embedded=4)
    await on_page.choose("lab/nomic-embed-text")
    await on_page.asked()
    on_page.page.change.only.click()
    changed = EmbedderSettings(provider="lab", model="nomic-embed-text")
    await until(lambda: on_page.present == changed, "the change")
    offer = on_page.page.episodes.button
    await until(lambda: offer.isVisible() and offer.text() == "Re-embed 4 episodes", "the offer")
    assert not on_page.at.app.reembedding.running


async def test_re_embedding_shows_its_progress_and_can_be_stopped(
    on_page: OnPage, server: OpenAIServer
) -> None:
    await on_page.episodes(40, embedded=0)
    view = on_page.page.episodes
    await until(view.button.isVisible, "the offer")
    held = asyncio.Event()
    server.script_embeddings(Answer(), Answer(held=held))
    view.button.click()
    await until(lambda: view.progress.text() == "16 of 40", "the progress")
    view.stop.click()
    assert not view.stop.isEnabled()
    held.set()
    await until(lambda: view.button.text() == "Re-embed 8 episodes", "what is left")
    await until(view.button.isVisible, "it can go on")
    assert not on_page.at.app.reembedding.running


async def test_a_failing_re_embedding_says_why_on_the_page(
    on_page: OnPage, server: OpenAIServer
) -> None:
    await on_page.episodes(3, embedded=0)
    view = on_page.page.episodes
    await until(view.button.isVisible, "the offer")
    server.script_embeddings(*[Answer.fail(400, "no embeddings here")] * 3)
    view.button.click()
    await until(view.problem.isVisible, "the cause")
    assert "no embeddings here" in view.problem.text()


async def test_without_episodes_a_choice_applies_at_once_and_is_tried(on_page: OnPage) -> None:
    await on_page.choose("lab/nomic-embed-text")
    await until(lambda: says(on_page.page, "It works"), "the trial")
    assert on_page.present == EmbedderSettings(provider="lab", model="nomic-embed-text")
    assert on_page.page.change.isHidden()


async def test_a_model_that_is_not_listed_can_be_typed_and_what_is_no_name_is_told(
    on_page: OnPage,
) -> None:
    await on_page.choose("nonsense")
    assert "provider/model" in on_page.page.choice.field.problem
    await on_page.choose("lab/my-own")
    assert on_page.page.choice.field.problem == ""
    await until(lambda: on_page.present and on_page.present.model == "my-own", "the change")


async def test_no_embedder_says_what_stops_working_and_needs_no_test(on_page: OnPage) -> None:
    await on_page.episodes(2, embedded=2)
    assert "recalls nothing" in on_page.page.choice.cards["none"].words()
    on_page.page.choice.cards["none"].radio.click()
    await until(on_page.page.change.isVisible, "the question")
    assert on_page.page.change.both.isHidden()
    assert on_page.page.trial.isHidden()
    on_page.page.change.only.click()
    await until(lambda: on_page.present is None, "the change")
    await until(
        lambda: says(on_page.page, "2 episodes by lab/small (64 numbers), not searched"),
        "the counts",
    )


async def test_the_prefixes_of_a_known_kind_are_shown_and_can_be_changed(on_page: OnPage) -> None:
    await on_page.choose("lab/nomic-embed-text")
    prefixes = on_page.page.prefixes
    prefixes.open.click()
    await until(lambda: prefixes.query.text() == "search_query: ", "the prefixes")
    assert prefixes.text.text() == "search_document: "
    prefixes.query.setFocus()
    prefixes.query.selectAll()
    QTest.keyClicks(prefixes.query, "find: ")
    QTest.keyClick(prefixes.query, Qt.Key.Key_Return)
    await until(lambda: on_page.present and on_page.present.query_prefix == "find: ", "it is kept")
    assert on_page.present and on_page.present.text_prefix is None
    await until(prefixes.reset.isVisible, "the way back")
    prefixes.reset.click()
    await until(lambda: on_page.present and on_page.present.query_prefix is None, "it is back")
    await until(lambda: prefixes.query.text() == "search_query: ", "it is shown")


async def test_agents_with_thresholds_of_another_kind_are_named_and_take_the_suggestion_over(
    on_page: OnPage,
) -> None:
    agents = on_page.at.app.agents
    far = Episodic(threshold=0.82)
    layers = Composite(layers=(Window(), Episodic(threshold=0.1)))
    await agents.save(AgentDefinition(name="Ada", memory_strategy=far))
    two = await agents.save(AgentDefinition(name="Bo", memory_strategy=layers))
    await agents.save(AgentDefinition(name="Near", memory_strategy=Episodic(threshold=0.58)))
    await on_page.choose("lab/nomic-embed-text")
    thresholds = on_page.page.thresholds
    await until(lambda: says(thresholds, "Ada recalls from 0.82 on"), "Ada is named")
    assert says(thresholds, "Bo recalls from 0.1 on")
    assert not says(thresholds, "Near recalls")
    button(thresholds, "Use 0.6 for Bo").click()
    await until(lambda: not says(thresholds, "Bo recalls"), "Bo's is set")
    button(thresholds, "Use 0.6 for all").click()
    await until(lambda: says(thresholds, "No agent is far off"), "all are set")
    changed = await agents.get(two.id)
    assert changed is not None
    memory = changed.definition.memory_strategy
    assert isinstance(memory, Composite)
    assert memory.layers == (Window(), Episodic(threshold=0.6))
