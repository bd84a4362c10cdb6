"""The engine's own time and the size of its prompts; the model answers at once."""

from __future__ import annotations

import gc
import json
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np

from chatty_desktop.domain.embedding import EmbedderId
from tests.bench.filled import Size, fill
from tests.bench.table import Measured
from tests.helpers.bag_of_words import BagOfWords
from tests.helpers.desk import STATE, Desk
from tests.helpers.scripted import ScriptedModel, ScriptedModels

TURNS = 60
STRATEGIES: tuple[dict[str, Any], ...] = (
    {"kind": "none"},
    {"kind": "window"},
    {"kind": "full_transcript"},
    {"kind": "episodic"},
    {"kind": "episodic", "ranking": "hybrid"},
    STATE,
    {"kind": "summarized"},
    {"kind": "semantic"},
    {"kind": "composite", "layers": [STATE, {"kind": "semantic"}, {"kind": "window"}]},
)
CALLS: tuple[tuple[str, dict[str, Any], float], ...] = (
    ("State", STATE, 30.0),
    ("Semantic", {"kind": "semantic"}, 30.0),
    ("Summarized, every 20 messages", {"kind": "summarized", "every": 20}, 3.0),
    ("Window", {"kind": "window"}, 0.0),
)
"""Strategies with the extra model calls that thirty runs of two messages may cost."""


ANSWERS = {
    "state": '{"changes": {}}',
    "semantic": '{"facts": []}',
    "summarized": "All of it.",
}
"""What the model answers when a layer of that kind asks it."""


async def time_per_turn() -> list[Measured]:
    """From sending to settled memory with 10,000 messages in scope, model calls taking no time."""
    return [await _turns(strategy) for strategy in STRATEGIES]


async def _turns(strategy: dict[str, Any]) -> Measured:
    layers = [layer["kind"] for layer in strategy.get("layers", (strategy,))]
    answers = [ANSWERS[kind] for kind in layers if kind in ANSWERS]
    async with desk_with(strategy) as (desk, model):
        await desk.say("warm up")
        gc.collect()
        gc.freeze()  # as the window does
        spent = []
        for number in range(TURNS):
            model.folds.clear()
            model.folds.extend(answers)
            model.requests.clear()  # 10,000 messages a turn, which nobody else would keep
            begun = time.perf_counter()
            await desk.chat.send(desk.session.id, desk.agent.id, f"message {number}")
            await desk.chat.wait(desk.session.id)
            spent.append((time.perf_counter() - begun) * 1000)
        gc.unfreeze()
    ranking = f" {strategy['ranking']}" if "ranking" in strategy else ""
    what = f"engine's own time per turn, {' + '.join(layers)}{ranking}, 10,000 messages"
    return Measured(what, "ms", tuple(spent), 10.0)


@asynccontextmanager
async def desk_with(strategy: dict[str, Any]) -> AsyncIterator[tuple[Desk, ScriptedModel]]:
    """A desk whose agent has that memory and a session of 10,000 messages, all taken in."""
    with tempfile.TemporaryDirectory() as name:
        folder, model = Path(name), ScriptedModel(context=1_000_000, prompt_tokens=None)
        desk = await Desk.open(folder, ScriptedModels(model), strategy)
        await desk.close()
        await fill(folder, Size(1, 10_000, 10_000, folded=True), desk.agent.id)
        desk = await Desk.open(folder, ScriptedModels(model))
        try:
            found = await desk.sessions.get("s0")
            assert found is not None
            desk.session = found
            if strategy["kind"] == "episodic":
                await _embed_all(desk)
            yield desk, model
        finally:
            await desk.close()


async def calls_per_run() -> list[Measured]:
    """The extra model calls that thirty runs cost, for each strategy."""
    return [await _calls(*each) for each in CALLS]


async def _calls(name: str, strategy: dict[str, Any], budget: float) -> Measured:
    with tempfile.TemporaryDirectory() as folder:
        model = ScriptedModel()
        desk = await Desk.open(Path(folder), ScriptedModels(model), strategy)
        model.folds.extend([ANSWERS.get(strategy["kind"], "")] * 30)
        for number in range(30):
            await desk.say(f"message {number}")
        await desk.close()
    calls = float(len(model.fold_requests))
    return Measured(f"extra model calls in 30 runs, {name}", "calls", (calls,), budget)


async def _embed_all(desk: Desk) -> None:
    """Have every message be an episode, with a vector of no meaning."""
    bag = desk.embedders.embedder = BagOfWords(dimension=384)
    said = await desk.messages.branch(desk.session.id)
    await desk.episodes.record([(message, message.parent_id) for message in said])
    vectors = np.random.default_rng(1).standard_normal((len(said), 384), np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    embedder = EmbedderId(bag.provider, bag.model, bag.dimension)
    await desk.episodes.add_vectors(embedder, [message.id for message in said], vectors)


async def state_prompt() -> list[Measured]:
    """Size of State's prompt at turns 20, 200 and 500, on messages of equal length, Σ kept
    busy."""
    sizes: dict[int, int] = {}
    with tempfile.TemporaryDirectory() as name:
        model = ScriptedModel()
        desk = await Desk.open(Path(name), ScriptedModels(model), STATE)
        for turn in range(1, 501):
            key = ("goal", "working_on", "open")[turn % 3]
            text = f"point {turn:04} " + "and so on " * 20
            model.folds.append(json.dumps({"changes": [{"key": key, "value": text}]}))
            await desk.say(text)
            if turn in (20, 200, 500):
                request = await desk.memories.last_request(desk.scope)
                assert request is not None
                sizes[turn] = request.estimated_tokens
        await desk.close()
    rows = [
        Measured(f"State prompt at turn {turn}", "tokens", (float(size),))
        for turn, size in sizes.items()
    ]
    ratio = sizes[500] / sizes[20]
    return [
        *rows,
        Measured("State prompt at turn 500 over turn 20", "ratio", (ratio,), 1.1),
    ]
