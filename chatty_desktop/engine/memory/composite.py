"""Composite: several layers, consulted and written in order.

Each layer is a strategy as it would be alone, under a key of its own. What one layer shows word
for word no other shows again, and a layer in trouble does not take the others along.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from chatty_desktop.domain.branch import Branch
from chatty_desktop.domain.errors import ChattyError, Invalid
from chatty_desktop.domain.memory import LayerSnapshot, LedgerEntry, MemorySnapshot
from chatty_desktop.domain.messages import Message
from chatty_desktop.domain.runs import Run, Section
from chatty_desktop.domain.strategies import Composite, layer_keys
from chatty_desktop.engine.memory import build_memory
from chatty_desktop.engine.memory.contract import MemoryLayer, Recalling, Refolding, Surroundings

log = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Part:
    """One layer: its kind, the key it keeps its memory under, and the memory itself."""

    kind: str
    key: str
    memory: MemoryLayer


class Layer:
    """The layers of one agent in one session."""

    def __init__(self, config: Composite, around: Surroundings) -> None:
        self._config = config
        self._around = around
        keys = layer_keys((layer.kind for layer in config.layers), around.slot)
        self._parts = [
            _Part(layer.kind, key, build_memory(layer, replace(around, layer=key)))
            for layer, key in zip(config.layers, keys, strict=True)
        ]

    async def recall(self, incoming: Message) -> list[Section]:
        """The sections of each layer in order; no message is shown twice.

        Layers that pick from the past are asked last, when it is known what the others show.
        """
        found: dict[str, list[Section]] = {}
        shown: set[str] = set()
        for part in sorted(self._parts, key=lambda part: isinstance(part.memory, Recalling)):
            if isinstance(part.memory, Recalling):
                part.memory.leave_out(shown)
            sections = await self._guarded(part, part.memory.recall(incoming), "consulted")
            found[part.key] = sections or []
            for section in found[part.key]:
                shown.update(message.id for message in section.messages)
                shown.update(section.message_ids)
        branch = await self._around.messages.branch(self._around.scope.session_id)
        in_order = [section for part in self._parts for section in found[part.key]]
        return once(in_order, branch, self._around.scope.agent_id)

    async def record(self, message: Message) -> None:
        for part in self._parts:
            await self._guarded(part, part.memory.record(message), "written")

    async def settle(self, run: Run) -> None:
        """Each layer in order, one after the other: they may ask the same model."""
        for part in self._parts:
            await self._guarded(part, part.memory.settle(run), "updated")

    async def fold_again(self, entry: LedgerEntry) -> None:
        """Have the layer that a ledger row is of take its messages in once more. Raises `Invalid`
        when the agent no longer has that layer, or for the layer's own reasons."""
        for part in self._parts:
            if part.key == entry.layer and isinstance(part.memory, Refolding):
                await part.memory.fold_again(entry)
                return
        raise Invalid("The agent's memory no longer has the layer that this row is of.")

    async def inspect(self) -> MemorySnapshot:
        """All layers in order. Of one in trouble there is nothing but what the trouble is."""
        layers: list[LayerSnapshot] = []
        for part in self._parts:
            try:
                layers.extend((await part.memory.inspect()).layers)
            except ChattyError as problem:
                layers.append(LayerSnapshot(part.kind, badge=str(problem)))
        return MemorySnapshot(self._config.model_dump(mode="json"), tuple(layers))

    async def _guarded(self, part: _Part, work: Awaitable[T], what: str) -> T | None:
        """What a layer's work gives; None when it failed, which the run log tells."""
        name = part.kind.replace("_", " ").capitalize()
        try:
            return await work
        except ChattyError as problem:
            reason = str(problem)
        except Exception as problem:  # whatever it was, the other layers go on
            log.exception("The layer %s failed", part.key)
            reason = repr(problem)
        text = f"The {name} layer of memory could not be {what}: {reason}"
        await self._around.tell("warning", text)
        return None


def once(sections: Sequence[Section], branch: Branch, agent_id: str) -> list[Section]:
    """The sections less what an earlier one shows word for word; those with messages come in the
    order of the chat among themselves.

    A section that loses messages in its middle becomes two, since each is a gapless run.
    """
    shown: set[str] = set()
    kept: list[Section] = []
    for section in sections:
        if not section.messages:
            kept.append(section)
            continue
        fresh = [message for message in section.messages if message.id not in shown]
        shown.update(message.id for message in fresh)
        whole = len(fresh) == len(section.messages)
        runs = [fresh] if whole else _gapless(fresh, branch, agent_id)
        kept.extend(replace(section, messages=tuple(run)) for run in runs)
    in_time = iter(
        sorted(
            (section for section in kept if section.messages),
            key=lambda section: branch.place(section.messages[0].id) or 0,
        )
    )
    return [next(in_time) if section.messages else section for section in kept]


def _gapless(
    messages: Sequence[Message], branch: Branch, agent_id: str
) -> Iterator[Sequence[Message]]:
    """The messages in runs between which the agent has others on the branch."""
    begin = 0
    for index in range(1, len(messages)):
        before, after = (branch.place(messages[i].id) or 0 for i in (index - 1, index))
        if after - before > 1 and branch.of_agent(agent_id, before + 1, after):
            yield messages[begin:index]
            begin = index
    if messages:
        yield messages[begin:]
