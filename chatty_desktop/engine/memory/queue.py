"""The queue of a layer that takes messages in: which of the scope's messages are still waiting.

Nothing is queued on the side. The message log is the truth, and the ledger says through which
message each batch left the queue. What waits is what stands after the last of those *on the
current branch*, so the queue follows an edit or a new branch by itself, and survives any crash.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

from chatty_desktop.domain.branch import Branch
from chatty_desktop.domain.memory import LayerStart
from chatty_desktop.domain.messages import Message
from chatty_desktop.domain.strategies import layer_keys
from chatty_desktop.engine.memory.contract import Surroundings

_READ_AT_FIRST = 16
"""Batches: the last one on the branch is nearly always among the newest."""


@dataclass(frozen=True, slots=True)
class Queue:
    """A branch of a session, as far as the layer of one scope has taken it in.

    `exchange` is the scope's last exchange, `waiting` what is not taken in yet: both are ends of
    the scope's messages. `start` is the place from which on messages are taken in, `settled` that
    from which on they wait. `starts_at` is the
    first message the memory takes in, None when that is the scope's first. `begins` says that
    the next run is the first of this memory here.
    """

    branch: Branch
    start: int
    settled: int
    exchange: list[Message]
    waiting: list[Message]
    starts_at: Message | None
    begins: bool


async def read_queue(
    around: Surroundings, before: str | None = None, *, taken_in: int | None = None
) -> Queue:
    """The queue now; with `before`, as if that message and what follows were not there.

    `taken_in` is for a layer that knows itself up to which place it has taken the branch in. It
    goes on from there also when another strategy was in use meanwhile: it leaves no gap.
    """
    agent_id = around.scope.agent_id
    branch = await around.messages.branch(around.scope.session_id)
    end = len(branch) if before is None else branch.place(before)
    exchange = branch.last_exchange(agent_id, end)
    start = await _start(around, branch, resumes=taken_in is not None)
    begins = start is None
    if start is None:
        first = branch.place(exchange[0].id) if exchange else end
        start = first or 0
    if taken_in is None:
        taken_in = await _taken_in(around, branch)
    settled = max(start, taken_in)
    begun_later = any(m.agent_id == agent_id and m.counts for m in branch[:start])
    return Queue(
        branch,
        start,
        settled,
        exchange,
        branch.of_agent(agent_id, settled, end),
        branch[start] if begun_later and start < len(branch) else None,
        begins,
    )


async def read_again(around: Surroundings, queue: Queue) -> Queue:
    """The queue after more was said, when nothing has left it meanwhile."""
    branch = await around.messages.branch(around.scope.session_id)
    waiting = branch.of_agent(around.scope.agent_id, queue.settled)
    return replace(queue, branch=branch, waiting=waiting)


async def begin(around: Surroundings, queue: Queue, incoming: Message) -> None:
    """Note where a memory begins, at its first run here: with the incoming message, or, when the
    strategy was changed in mid-session, with the last exchange before it."""
    if queue.begins and not around.only_looks:
        first = queue.exchange[0] if queue.exchange else incoming
        await around.store.add_layer_start(
            around.scope, around.layer, LayerStart(first.id, time.time())
        )


async def _start(around: Surroundings, branch: Branch, *, resumes: bool) -> int | None:
    """The place where this memory began; None when the run before had another strategy, or no
    beginning is on the branch: then it begins now, with the last exchange. One that `resumes`
    began where it first did, whatever was used since."""
    if not resumes:
        before = await around.runs.last_strategy(around.scope, around.slot)
        if before is not None and not _holds(before, around):
            return None
    starts = await around.store.layer_starts(around.scope, around.layer)
    places = [p for start in starts if (p := branch.place(start.message_id)) is not None]
    if not places:
        return None
    return min(places) if resumes else places[0]


async def _taken_in(around: Surroundings, branch: Branch) -> int:
    """The place after the last batch that left the queue."""
    for limit in (_READ_AT_FIRST, None):
        ends = await around.store.consumed_through(around.scope, around.layer, limit)
        places = [place for end in ends if (place := branch.place(end)) is not None]
        if places:
            return max(places) + 1
        if limit is not None and len(ends) < limit:
            break
    return 0


def _holds(strategy: dict[str, Any], around: Surroundings) -> bool:
    """Whether a strategy, as a run recorded it, has the layer."""
    layers = strategy.get("layers") or [strategy]
    return around.layer in layer_keys((each["kind"] for each in layers), around.slot)
