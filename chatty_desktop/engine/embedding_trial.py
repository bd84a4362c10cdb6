"""Trying an embedder before it is relied on: does it embed, how fast, and does it tell apart what
belongs together from what does not."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chatty_desktop.domain.embedding import EmbedderId
from chatty_desktop.domain.episodes import stored_text
from chatty_desktop.domain.errors import Refused, Unreachable
from chatty_desktop.engine.ports import Embedder

if TYPE_CHECKING:
    from chatty_desktop.engine.ports.models import Vectors

TRIAL_SECONDS = 60.0
"""A server may have to load the model first."""

QUESTION = "When does my train leave?"
RELATED = "The train to Kyoto departs at nine in the morning."
UNRELATED = "The soup needs a little more salt."

_SHORT = (
    "We could start early, walk up to the temple before the buses come, have noodles somewhere"
    " along the canal, and be back at the guesthouse in time for the bath at six.",
    "The loop reads one line after the other and adds the last word as a number. A line without"
    " a number stops it, so keep the notes in a file of their own, or skip what does not parse.",
    "Chapter two should begin with the question and not with the history of the field. What was"
    " tried before belongs into a section of its own, in the order in which it failed.",
    "A dough that will not rise is either too cold or too salty. Put the bowl on top of the"
    " fridge for two hours, and feed the starter twice a day until it doubles in four.",
)

PASSAGES = (*_SHORT, " ".join(_SHORT))
"""About as long as what people and models write: the time a text takes does not grow with its
length alone. Of our own, since a trial may go to a server elsewhere."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of it. `seconds` took the two sentences, the model loaded already; `related` and
    `unrelated` are their cosines with the question; `speed` is in characters a second."""

    embedder: EmbedderId
    seconds: float
    related: float
    unrelated: float
    speed: float


async def try_embedder(
    embedder: Embedder,
    *,
    limit: float = TRIAL_SECONDS,
    clock: Callable[[], float] = time.perf_counter,
) -> Trial:
    """Embed a few sentences. Raises `Unreachable` or `Refused` with the cause."""
    try:
        async with asyncio.timeout(limit):
            # First of all, so that loading the model is not counted.
            query = await embedder.embed_queries([QUESTION])
            began = clock()
            texts = await embedder.embed_texts(
                [stored_text("assistant", RELATED), stored_text("assistant", UNRELATED)]
            )
            seconds = clock() - began
            began = clock()
            await embedder.embed_texts([stored_text("assistant", text) for text in PASSAGES])
            longer = clock() - began
    except TimeoutError:
        raise Unreachable(
            f"The embedder {embedder.provider}/{embedder.model} did not answer within"
            f" {limit:g} s. It may be busy or loading its model; try again in a while.",
            cause="timeout",
        ) from None
    related, unrelated = await asyncio.to_thread(_cosines, embedder, query, texts)
    identity = EmbedderId(embedder.provider, embedder.model, int(query.shape[1]))
    speed = sum(len(text) for text in PASSAGES) / max(longer, 1e-6)
    return Trial(identity, seconds, related, unrelated, speed)


def _cosines(embedder: Embedder, query: Vectors, texts: Vectors) -> tuple[float, float]:
    if query.shape[1:] != texts.shape[1:]:
        raise Refused(
            f"{embedder.provider}/{embedder.model} gave vectors of {query.shape[1]} and of"
            f" {texts.shape[1]} numbers. Is it an embedding model? Choose another one."
        )
    related, unrelated = (texts @ query[0]).tolist()
    return float(related), float(unrelated)
