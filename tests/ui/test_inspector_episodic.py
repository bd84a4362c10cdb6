"""The inspector on episodic memory: counts, what came back and why not, embedding again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from chatty_desktop.domain.errors import Unreachable
from chatty_desktop.ui.inspector.episodic_view import EpisodicView, count_lines
from chatty_desktop.ui.inspector.panel import InspectorPanel
from chatty_desktop.ui.theme import Theme
from tests.helpers.bag_of_words import BagOfWords
from tests.helpers.wire import openai_wire
from tests.ui.panels import Bench, bench, button, says, until

EPISODIC: dict[str, Any] = {"kind": "episodic", "top_k": 1, "threshold": 0.3}


@pytest.fixture
async def at(tmp_path: Path, theme: Theme) -> AsyncIterator[Bench]:
    async with bench(tmp_path / "data", theme, EPISODIC) as made:
        made.desk.embedders.embedder = BagOfWords(dimension=256)
        yield made


async def inspector(at: Bench) -> InspectorPanel:
    panel = at.show(
        InspectorPanel(
            memories=at.desk.memories,
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
    await until(lambda: says(panel, "episode"))
    return panel


async def test_what_came_back_and_what_did_not_are_shown_with_scores_and_reasons(
    at: Bench,
) -> None:
    await at.desk.say("My cat is called Mio")
    await at.desk.say("My cat Mio is called on Sundays")
    await at.desk.say("What is my cat called?")
    panel = await inspector(at)
    await until(lambda: says(panel, "Recalled for “What is my cat called?” (1)"))
    assert says(panel, "My cat is called Mio")
    assert says(panel, "Cosine 0.")
    assert says(panel, "Others are nearer")
    assert says(panel, "Not near enough")
    assert says(panel, "6 episodes by test/bag")
    wanted: list[str] = []
    panel.message_wanted.connect(wanted.append)
    view = next(view for view in panel.findChildren(EpisodicView) if view.isVisible())
    layer = await at.desk.layer()
    assert layer.recalled
    view.message_wanted.emit(layer.recalled[0]["id"])
    assert wanted == [layer.recalled[0]["id"]]


async def test_without_an_embedder_it_says_that_nothing_is_recalled_or_lost(at: Bench) -> None:
    at.desk.embedders.embedder = None
    await at.desk.say("Hello")
    panel = await inspector(at)
    assert says(panel, "No embedder is configured")
    assert says(panel, "2 episodes without a vector, not searched")
    view = next(view for view in panel.findChildren(EpisodicView) if view.isVisible())
    assert view.reembed.isHidden()


async def test_after_a_switch_the_old_are_counted_and_can_be_embedded_again(at: Bench) -> None:
    for number in range(10):
        await at.desk.say(f"message {number}")
    going, go_on = asyncio.Event(), asyncio.Event()

    class Slow(BagOfWords):
        async def embed_texts(self, texts: Any) -> Any:
            going.set()
            await go_on.wait()
            return await super().embed_texts(texts)

    at.desk.embedders.embedder = Slow(model="all-minilm", dimension=128)
    panel = await inspector(at)
    await until(lambda: says(panel, "20 episodes by test/bag, not searched"))
    button(panel, "Re-embed").click()
    await going.wait()
    await until(lambda: says(panel, "0 of 20"))
    button(panel, "Stop").click()
    go_on.set()
    await until(lambda: says(panel, "16 episodes by test/all-minilm"))
    await until(lambda: not at.desk.reembedding.running)
    button(panel, "Re-embed").click()
    await until(lambda: says(panel, "20 episodes by test/all-minilm"))
    view = next(view for view in panel.findChildren(EpisodicView) if view.isVisible())
    await until(lambda: view.reembed.isHidden() and not says(panel, " of 20"))


async def test_embedding_again_that_fails_says_why_and_can_be_tried_again(at: Bench) -> None:
    bag = at.desk.embedders.embedder
    assert bag is not None
    bag.failure = Unreachable("The embedding server is down.")
    await at.desk.say("Hello")
    panel = await inspector(at)
    button(panel, "Re-embed").click()
    await until(lambda: at.failures)
    assert "is down" in at.failures.pop()
    bag.failure = None
    button(panel, "Re-embed").click()
    await until(lambda: says(panel, "2 episodes by test/bag"))


def test_counts_are_told_in_numbers_a_person_reads() -> None:
    lines = count_lines(
        {
            "embedder": "local/builtin",
            "total": 1412,
            "without_vector": 1,
            "by_embedder": [
                {"embedder": "ollama/all-minilm", "count": 412, "searched": False},
                {"embedder": "local/builtin", "count": 1000, "searched": True},
            ],
        }
    )
    assert lines == [
        "412 episodes by ollama/all-minilm, not searched",
        "1,000 episodes by local/builtin",
        "1 episode without a vector, not searched",
    ]
