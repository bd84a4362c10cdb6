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
from chatty_desktop.domain.memory import LayerStart, QueueMarks
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
    marks = await _marks(around, _READ_AT_FIRST)
    start = _start(around, branch, marks, resumes=taken_in is not None)
    begins = start is None
    if start is None:
        first = branch.place(exchange[0].id) if exchange else end
        start = first or 0
    if taken_in is None:
        taken_in = await _taken_in(around, branch, marks)
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


async def _marks(around: Surroundings, limit: int | None) -> QueueMarks:
    return await around.store.queue_marks(around.scope, around.layer, around.slot, limit)


def _start(around: Surroundings, branch: Branch, marks: QueueMarks, *, resumes: bool) -> int | None:
    """The place where this memory began; None when the run before had another strategy, or no
    beginning is on the branch: then it begins now, with the last exchange. One that `resumes`
    began where it first did, whatever was used since."""
    if not resumes and marks.strategy is not None and not _holds(marks.strategy, around):
        return None
    places = [place for each in marks.starts if (place := branch.place(each)) is not None]
    if not places:
        return None
    return min(places) if resumes else places[0]


async def _taken_in(around: Surroundings, branch: Branch, marks: QueueMarks) -> int:
    """The place after the last batch that left the queue."""
    places = [place for end in marks.ends if (place := branch.place(end)) is not None]
    if not places and len(marks.ends) == _READ_AT_FIRST:
        every = await _marks(around, None)
        places = [place for end in every.ends if (place := branch.place(end)) is not None]
    return max(places, default=-1) + 1


def _holds(strategy: dict[str, Any], around: Surroundings) -> bool:
    """Whether a strategy, as a run recorded it, has the layer."""
    layers = strategy.get("layers") or [strategy]
    return around.layer in layer_keys((each["kind"] for each in layers), around.slot)
