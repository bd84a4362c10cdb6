"""The queue of a layer that takes messages in: which of the scope's messages are still waiting.

Nothing is queued on the side. The message log is the truth, and the ledger says through which
message each batch left the queue. What waits is what stands after the last of those *on the
current branch*, so the queue follows an edit or a new branch by itself, and survives any crash.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from chatty_desktop.domain.messages import Message, last_exchange
from chatty_desktop.engine.memory.contract import Surroundings
from chatty_desktop.engine.ports import LayerStart

_LOOKED_AT_FIRST = 64
"""Batches: the last one on the branch is nearly always among the newest."""


@dataclass(frozen=True, slots=True)
class Queue:
    """The scope's messages on the current branch, of which the first `settled` are not waiting:
    they were taken in, or stand before `start`, where this memory began."""

    messages: Sequence[Message]
    settled: int
    start: int

    @property
    def waiting(self) -> Sequence[Message]:
        return self.messages[self.settled :]

    @property
    def starts_at(self) -> Message | None:
        """The first message this memory takes in, None when that is the first of the log."""
        return self.messages[self.start] if 0 < self.start < len(self.messages) else None


async def read_queue(around: Surroundings, before: str | None = None) -> Queue:
    """The queue now; with `before`, of the messages before that one."""
    messages = await around.log.messages(before=before)
    place = {message.id: index for index, message in enumerate(messages)}
    start = await _start(around, place)
    if start is None:
        start = len(messages) - len(last_exchange(messages))
    return Queue(messages, max(await _taken_in(around, place), start), start)


async def begin(around: Surroundings, queue: Queue, incoming: Message) -> None:
    """Note where this memory begins, when a run is its first one here: with the incoming message,
    or, when the strategy was changed in mid-session, with the last exchange before it."""
    place = {message.id: index for index, message in enumerate(queue.messages)}
    if await _start(around, place) is None:
        first = queue.messages[queue.start] if queue.start < len(queue.messages) else incoming
        await around.store.add_layer_start(
            around.scope, around.layer, LayerStart(first.id, time.time())
        )


async def _start(around: Surroundings, place: dict[str, int]) -> int | None:
    """Where this memory began on the branch; None when the run before had another strategy, or
    none of its beginnings is on the branch: it begins now, with the last exchange."""
    before = await around.runs.last_strategy(around.scope)
    if before is not None and not _holds(before, around.layer):
        return None
    for begun in await around.store.layer_starts(around.scope, around.layer):
        if begun.message_id in place:
            return place[begun.message_id]
    return None


async def _taken_in(around: Surroundings, place: dict[str, int]) -> int:
    """How many messages stand up to the end of the last batch that left the queue."""
    for limit in (_LOOKED_AT_FIRST, None):
        ends = await around.store.consumed_through(around.scope, around.layer, limit)
        on_branch = [place[end] + 1 for end in ends if end in place]
        if on_branch:
            return max(on_branch)
        if limit is not None and len(ends) < limit:
            return 0
    return 0


def _holds(strategy: dict[str, Any], layer: str) -> bool:
    """Whether a strategy, as a run recorded it, has the layer."""
    return layer in (strategy.get("kind"), *(each["kind"] for each in strategy.get("layers", ())))
