"""The memory of every agent in every session: built for a run, looked at, changed by hand."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from chatty_desktop.domain.agents import Agent, AgentDefinition
from chatty_desktop.domain.episodes import EpisodesFound, searched_words
from chatty_desktop.domain.errors import Invalid, StorageFailed
from chatty_desktop.domain.events import (
    Level,
    LogEntry,
    RunLogged,
)
from chatty_desktop.domain.graph_runs import Slot, slots_of
from chatty_desktop.domain.ledger_export import LedgerForm, written
from chatty_desktop.domain.memory import (
    LayerStart,
    LedgerEntry,
    LedgerFilter,
    MemorySnapshot,
)
from chatty_desktop.domain.messages import Message, Scope
from chatty_desktop.domain.requests import ToolOffer
from chatty_desktop.domain.runs import AskedFor, NextRequest, Run, SentRequest
from chatty_desktop.domain.strategies import by_model, layer_keys, layers_of, slot_of
from chatty_desktop.engine.memory import build_memory
from chatty_desktop.engine.memory.contract import MemoryLayer, Refolding, Surroundings
from chatty_desktop.engine.models import ModelChooser
from chatty_desktop.engine.next_request import next_request
from chatty_desktop.engine.ports import (
    Agents,
    Embedders,
    EpisodeStore,
    GraphRunStore,
    MemoryStore,
    MessageLog,
    Runs,
)
from chatty_desktop.engine.run import settle
from chatty_desktop.engine.running import Running
from chatty_desktop.engine.turn import Tell

log = logging.getLogger(__name__)


class Memories:
    """Builds the memory of an agent in a session, and has what is done to it wait its turn: while
    a memory settles, nothing else touches it."""

    def __init__(
        self,
        *,
        messages: MessageLog,
        agents: Agents,
        memory: MemoryStore,
        runs: Runs,
        models: ModelChooser,
        episodes: EpisodeStore,
        embedders: Embedders,
        prompts: Mapping[str, str],
        running: Running,
        graph_runs: GraphRunStore,
        offers: Callable[[AgentDefinition], Sequence[ToolOffer]],
    ) -> None:
        """`offers`: the tools of an agent, as far as they are known without starting anything."""
        self._messages = messages
        self._agents = agents
        self._memory = memory
        self._runs = runs
        self._models = models
        self._episodes = episodes
        self._embedders = embedders
        self._prompts = prompts
        self._running = running
        self._graph_runs = graph_runs
        self._offers = offers
        self._publish = running.publish

    # --- building ----------------------------------------------------------------------------

    async def agent(self, agent_id: str) -> Agent:
        """The agent. Raises `Invalid` when it is no longer there."""
        agent = await self._agents.get(agent_id)
        if agent is None:
            raise Invalid("That agent is no longer there; choose another one.")
        return agent

    def of(
        self,
        agent: Agent,
        scope: Scope,
        run_id: str,
        *,
        slot: Slot | None = None,
        only_looks: bool = False,
    ) -> MemoryLayer:
        """The memory of an agent in a session, for the run of that id; in a graph run that of a
        `slot`. `only_looks`: it stores nothing and asks no model."""
        strategy = agent.definition.memory_strategy if slot is None else slot.strategy
        around = self.around(agent, scope, run_id, slot=slot, only_looks=only_looks)
        return build_memory(strategy, around)

    def around(
        self,
        agent: Agent,
        scope: Scope,
        run_id: str = "",
        *,
        slot: Slot | None = None,
        only_looks: bool = False,
    ) -> Surroundings:
        """What the memory of an agent in a session, or in a slot of its graph, works with."""
        strategy = agent.definition.memory_strategy if slot is None else slot.strategy
        node = "" if slot is None else slot.node
        return Surroundings(
            scope=scope,
            layer=layer_keys([strategy.kind], node)[0],
            messages=self._messages,
            store=self._memory,
            runs=self._runs,
            models=self._models,
            episodes=self._episodes,
            embedders=self._embedders,
            prompts=self._prompts,
            tell=_say_nothing if only_looks else self.teller(scope, run_id),
            only_looks=only_looks,
            approve=agent.definition.approve_memory,
            slot=node,
        )

    async def slots(self, scope: Scope) -> tuple[Slot, ...]:
        """Where the agent stands in the graph that the session ran last, with its memory there;
        empty in a chat. Raises `Invalid` when the agent is no longer there."""
        run = await self._graph_runs.newest(scope.session_id)
        return () if run is None else slots_of(run.graph, await self.agent(scope.agent_id))

    async def slot_with(self, agent: Agent, scope: Scope, layer: str) -> Slot | None:
        """The slot that the key of a layer is of, None in a chat. Raises `Invalid` when the graph
        no longer has it."""
        node = slot_of(layer)
        if not node:
            return None
        for slot in await self.slots(scope):
            if slot.node == node:
                return slot
        raise Invalid(f"The graph no longer has {agent.name} in the slot {node!r}.")

    def teller(self, scope: Scope, run_id: str) -> Tell:
        """What writes lines about a run into the log of its session."""

        async def tell(level: Level, text: str) -> None:
            entry = LogEntry(run_id, time.time(), level, text)
            try:
                await self._runs.log(scope.session_id, entry)
            except StorageFailed as problem:
                log.error("The run log could not be written: %s", problem)
            self._publish(RunLogged(scope.session_id, entry))

        return tell

    # --- looking -----------------------------------------------------------------------------

    async def inspect(
        self,
        scope: Scope,
        ledger_limit: int = 200,
        wanted: LedgerFilter = LedgerFilter(),
        node: str | None = None,
    ) -> MemorySnapshot:
        """What the agent remembers in the session, its ledger newest first, as far as it is
        wanted. In a graph run: in the slot of that `node`, None: the layers of all its slots, one
        slot after the other. Raises `Invalid`."""
        agent = await self.agent(scope.agent_id)
        slots = await self.slots(scope)
        if node is not None:
            slots = tuple(slot for slot in slots if slot.node == node)
            if not slots:
                raise Invalid(f"{agent.name} has no slot {node!r} in that graph run.")
        memories = [self.of(agent, scope, "", slot=slot) for slot in slots or (None,)]
        snapshot = joined([await memory.inspect() for memory in memories])
        ledger = await self._memory.ledger(scope, ledger_limit, wanted)
        if node is not None:
            ledger = [entry for entry in ledger if slot_of(entry.layer) == node]
        return replace(snapshot, ledger=tuple(ledger))

    async def ledger_row(self, entry_id: str) -> tuple[LedgerEntry, list[Message]] | None:
        """A whole row with the messages that went in and are still there; None when it is gone."""
        entry = await self._memory.ledger_entry(entry_id)
        if entry is None:
            return None
        known = await self._known(entry.session_id, [entry])
        return entry, [known[each] for each in entry.message_ids if each in known]

    async def export_ledger(self, scope: Scope, wanted: LedgerFilter, form: LedgerForm) -> str:
        """The wanted rows as text, oldest first."""
        listed = await self._memory.ledger(scope, None, wanted)
        whole = [await self._memory.ledger_entry(entry.id) for entry in reversed(listed)]
        entries = [entry for entry in whole if entry is not None]
        known = await self._known(scope.session_id, entries)
        return await asyncio.to_thread(written, entries, known, form)

    async def _known(self, session_id: str, entries: Sequence[LedgerEntry]) -> dict[str, Message]:
        """The messages that went into rows, also those of other branches."""
        wanted = {each for entry in entries for each in entry.message_ids}
        branch = await self._messages.branch(session_id)
        known = {message.id: message for message in branch if message.id in wanted}
        for message_id in wanted - known.keys():
            if (message := await self._messages.get(message_id)) is not None:
                known[message_id] = message
        return known

    async def search_episodes(self, scope: Scope, text: str, limit: int = 50) -> EpisodesFound:
        """The episodes of the scope that say every word of `text`, newest first; nothing where it
        has no words. Raises `StorageFailed`."""
        words = searched_words(text)
        if not words:
            return EpisodesFound()
        try:
            embedder = self._embedders.present()
        except Invalid:  # `inspect` tells of it
            embedder = None
        by = (embedder.provider, embedder.model) if embedder else None
        found = await self._episodes.search(scope, words, by, limit)
        branch = await self._messages.branch(scope.session_id)
        placed = (
            replace(each, on_branch=branch.place(each.episode.message_id) is not None)
            for each in found.shown
        )
        return replace(found, shown=tuple(placed))

    async def last_request(self, scope: Scope) -> SentRequest | None:
        """What was last sent to a model for the agent in the session, None before the first."""
        return await self._runs.last_request(scope)

    async def request_of(
        self, run_id: str, step: int | None = None
    ) -> tuple[SentRequest, SentRequest | None] | None:
        """What was sent in a step of a run, None: in its last; with what the run before it sent
        last. None where nothing is kept of it."""
        request = await self._runs.request_of(run_id, step)
        if request is None:
            return None
        before = await self._runs.run_before(run_id)
        return request, (await self._runs.request_of(before) if before else None)

    async def asked_for(self, scope: Scope) -> list[AskedFor]:
        """The runs of which can be shown what they sent, newest first."""
        return await self._runs.asked_for(scope)

    async def next_request(self, scope: Scope) -> NextRequest:
        """How much the next request to an agent is, without the new message. Stores nothing, asks
        no model for anything; a scope that nothing was said in yet will do, too. Raises
        `ChattyError` when it cannot be told."""
        agent = await self.agent(scope.agent_id)
        memory = self.of(agent, scope, "", only_looks=True)
        offers = self._offers(agent.definition)
        return await next_request(agent, scope, memory, self._models, offers)

    # --- changing ----------------------------------------------------------------------------

    async def fold_again(self, ledger_id: str, model: str | None = None) -> None:
        """Fold the messages of a refused batch once more, with another model when one is named;
        the ledger tells how it went, in a row of its own.

        Raises `Invalid` when the row or its agent is gone, or its memory does not fold.
        """
        entry = await self._memory.ledger_entry(ledger_id)
        if entry is None:
            raise Invalid("That ledger row is no longer there.")
        scope = Scope(entry.agent_id, entry.session_id)
        agent = await self.agent(scope.agent_id)
        slot = await self.slot_with(agent, scope, entry.layer)
        strategy = agent.definition.memory_strategy if slot is None else slot.strategy
        if model is not None:
            strategy = by_model(strategy, model)
        if slot is not None:
            slot = replace(slot, strategy=strategy)
        definition = agent.definition.model_copy(update={"memory_strategy": strategy})
        agent = agent.model_copy(update={"definition": definition})
        memory = self.of(agent, scope, entry.run_id, slot=slot)
        if not isinstance(memory, Refolding):
            raise Invalid(f"The memory of {agent.name} does not fold; choose State first.")
        await self._running.settled(scope)
        await self._running.settle_with(scope, memory.fold_again(entry))

    async def take_in(self, scope: Scope) -> None:
        """Let an agent's memory take in the whole branch, as of a chat that was imported; returns
        once it has begun. Stopping it leaves the rest queued. Raises `Invalid` while the chat is
        answering."""
        agent = await self.agent(scope.agent_id)
        with self._running.answering_in(scope.session_id):
            await self._running.settled(scope)
            branch = await self._messages.branch(scope.session_id)
            messages = branch.of_agent(scope.agent_id)
            if not messages:
                return
            begin = LayerStart(messages[0].id, time.time())
            for layer in layers_of(agent.definition.memory_strategy):
                await self._memory.add_layer_start(scope, layer, begin)
            memory = self.of(agent, scope, "")

            async def take_all() -> None:
                for message in messages:
                    await memory.record(message)
                await settle(memory, _run_of_none(agent, scope), self.teller(scope, ""))

            self._running.settle_with(scope, take_all())

    async def take_in_again(self, scope: Scope) -> None:
        """Let memory settle that lost something to a deletion; nothing where the agent is gone,
        or nothing of it waits."""
        try:
            agent = await self.agent(scope.agent_id)
        except Invalid:
            return
        run = _run_of_none(agent, scope)
        memories = [
            self.of(agent, scope, "", slot=slot) for slot in await self.slots(scope) or (None,)
        ]
        waiting = [
            memory
            for memory in memories
            if any(layer.pending for layer in (await memory.inspect()).layers)
        ]

        async def take_all() -> None:
            for memory in waiting:
                await settle(memory, run, self.teller(scope, ""))

        if waiting:
            self._running.settle_with(scope, take_all())


def joined(snapshots: Sequence[MemorySnapshot]) -> MemorySnapshot:
    """Of several slots: their layers as if they were one memory's."""
    if len(snapshots) == 1:
        return snapshots[0]
    layers: list[dict[str, Any]] = []
    for each in snapshots:
        layers += each.strategy.get("layers") or [each.strategy]
    shown = tuple(layer for each in snapshots for layer in each.layers)
    return MemorySnapshot({"kind": "composite", "layers": layers}, shown)


async def _say_nothing(_level: Level, _text: str) -> None:
    """For memory that only looks."""


def _run_of_none(agent: Agent, scope: Scope) -> Run:
    """What memory settles with when it is not after an answer."""
    strategy = agent.definition.memory_strategy.model_dump(mode="json")
    return Run("", scope.session_id, scope.agent_id, strategy, "", time.time())
