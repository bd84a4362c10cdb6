"""Trying an embedder before it is relied on."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import count

import numpy as np
import pytest
from numpy.typing import NDArray

from chatty_desktop.domain.embedding import EmbedderId
from chatty_desktop.domain.errors import Refused, Unreachable
from chatty_desktop.engine.embedding_trial import PASSAGES, try_embedder
from tests.helpers.bag_of_words import BagOfWords


async def test_it_tells_dimension_time_scores_and_speed() -> None:
    bag = BagOfWords(dimension=4096)
    ticks = map(float, count())
    trial = await try_embedder(bag, clock=lambda: next(ticks))
    assert trial.embedder == EmbedderId("test", "bag", 4096)
    assert trial.seconds == 1.0
    assert trial.related > trial.unrelated + 0.1
    assert trial.speed == sum(map(len, PASSAGES))


async def test_a_failure_comes_out_as_it_is() -> None:
    bag = BagOfWords()
    bag.failure = Refused("no embeddings here")
    with pytest.raises(Refused, match="no embeddings here"):
        await try_embedder(bag)


class Odd(BagOfWords):
    """Its queries are longer than its texts."""

    async def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.ones((len(texts), self.dimension + 1), np.float32)


async def test_queries_and_texts_of_different_lengths_are_refused() -> None:
    with pytest.raises(Refused, match="65 and of 64 numbers"):
        await try_embedder(Odd())


class Silent(BagOfWords):
    """It never answers."""

    async def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        await asyncio.Event().wait()
        raise AssertionError


async def test_one_that_does_not_answer_is_given_up_with_a_clear_message() -> None:
    with pytest.raises(Unreachable, match=r"test/bag did not answer within 0\.01 s"):
        await try_embedder(Silent(), limit=0.01)
