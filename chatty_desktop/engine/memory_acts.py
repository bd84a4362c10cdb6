"""What a person does to memory by hand. Every act waits until memory has settled, and is a
revision with a row of its own in the ledger, as a fold is.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from chatty_desktop.domain.agents import Agent
from chatty_desktop.domain.by_hand import way_back
from chatty_desktop.domain.episodes import EPISODIC
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.graph_runs import Slot
from chatty_desktop.domain.memory import LayerSnapshot
from chatty_desktop.domain.messages import Scope
from chatty_desktop.domain.strategies import (
    Composite,
    Semantic,
    State,
    Strategy,
    Summarized,
    layers_of,
)
from chatty_desktop.engine.memories import Memories
from chatty_desktop.engine.memory import origins
from chatty_desktop.engine.memory.by_hand import (
    FactsByHand,
    StateByHand,
    SummaryByHand,
    hand_row,
    last_message,
)
from chatty_desktop.engine.memory.contract import Surroundings
from chatty_desktop.engine.memory_past import MemoryPast
from chatty_desktop.engine.ports import EpisodeStore, MemoryStore
from chatty_desktop.engine.running import Running


class MemoryActs:
    """Changes memory by hand. A layer is named by its key (`LayerSnapshot.key`). All raise
    `Invalid` when the agent or its layer is gone, or nothing was said yet; a change of Σ also
    `PatchRefused`, with the reason."""

    def __init__(
        self,
        memories: Memories,
        past: MemoryPast,
        store: MemoryStore,
        episodes: EpisodeStore,
        running: Running,
    ) -> None:
        self._memories = memories
        self._past = past
        self._store = store
        self._episodes = episodes
        self._running = running

    # --- Σ -----------------------------------------------------------------------------------

    async def change_state(
        self, scope: Scope, layer: str, patch: Mapping[str, Any], reason: str = ""
    ) -> None:
        """Set keys, or forget those whose value is None."""
        state = await self._state(scope, layer)
        await self._in_turn(scope, lambda: state.change(patch, reason))

    async def pin(self, scope: Scope, layer: str, key: str, pinned: bool) -> None:
        """Keep folds from changing a key, or let them again."""
        state = await self._state(scope, layer)
        await self._in_turn(scope, lambda: state.pin(key, pinned))

    async def undo(self, scope: Scope, layer: str, key: str, revision_id: str) -> None:
        """Give a key the value it had before a change; what changed since in other keys stays."""
        for change in await self._past.of_key(scope, layer, key):
            if change.revision_id == revision_id:
                reason = f'A change of "{key}" was undone.'
                await self.change_state(scope, layer, {key: change.before}, reason)
                return
        raise Invalid("That change is not on the current branch of the chat.")

    async def bring_back(self, scope: Scope, layer: str, key: str, revision_id: str) -> None:
        """Give a key the value that a change gave it."""
        for change in await self._past.of_key(scope, layer, key):
            if change.revision_id == revision_id:
                reason = f'An earlier value of "{key}" was restored.'
                await self.change_state(scope, layer, {key: change.value}, reason)
                return
        raise Invalid("That change is not on the current branch of the chat.")

    async def decide(
        self, scope: Scope, layer: str, entry_id: str, patch: Mapping[str, Any] | None
    ) -> None:
        """Keep a change that waits, as `patch` has it, or refuse it (None). What was said meanwhile
        is folded then."""
        state = await self._state(scope, layer)

        async def deciding() -> None:
            waiting = await self._store.waiting(scope, layer)
            entry = next((each for each in waiting if each.id == entry_id), None)
            if entry is None:
                raise Invalid("That change does not wait any more.")
            if patch is None:
                await state.refuse(entry)
            elif patch:
                await state.accept(entry, patch, patch != entry.patch)
            else:
                raise Invalid("Nothing of the change is left. Refuse it instead.")

        await self._in_turn(scope, deciding)
        await self._memories.take_in_again(scope)

    # --- summaries and facts -----------------------------------------------------------------

    async def change_summary(self, scope: Scope, layer: str, text: str) -> None:
        around = await self._around(scope, layer, Summarized)
        await self._in_turn(scope, lambda: SummaryByHand(around).change(text))

    async def restore_summary(self, scope: Scope, layer: str, revision_id: str) -> None:
        around = await self._around(scope, layer, Summarized)
        await self._in_turn(scope, lambda: SummaryByHand(around).restore(revision_id))

    async def change_fact(self, scope: Scope, layer: str, fact_id: str, text: str | None) -> None:
        """Correct a fact, or forget it (None)."""
        around = await self._around(scope, layer, Semantic)
        await self._in_turn(scope, lambda: FactsByHand(around).change(fact_id, text))

    async def add_fact(self, scope: Scope, layer: str, subject: str, text: str) -> None:
        around = await self._around(scope, layer, Semantic)
        await self._in_turn(scope, lambda: FactsByHand(around).add(subject, text))

    # --- episodes ----------------------------------------------------------------------------

    async def remove_episode(self, scope: Scope, message_id: str) -> None:
        """Have a message never recalled again; it stays in the chat. The same message of other
        agents is not touched, for each has episodes of its own."""
        agent = await self._memories.agent(scope.agent_id)
        around = replace(self._memories.around(agent, scope), layer=EPISODIC)

        async def removing() -> None:
            if not await self._episodes.remove(scope, message_id):
                raise Invalid("That episode is no longer there.")
            # The row names the message: for it, the episode is not recorded anew.
            entry = hand_row(around, "An episode was removed.", message_id, None)
            await self._store.settle_extraction(entry, ())

        await self._in_turn(scope, removing)

    # --- back to an earlier point ------------------------------------------------------------

    async def restore(self, scope: Scope, message_id: str) -> None:
        """Make Σ, the facts and the summary what they were after a message of the branch. What is
        so already stays; pins stay. Episodes are messages, and stay."""
        agent = await self._memories.agent(scope.agent_id)
        then = await self._past.at(scope, message_id)

        async def restoring() -> None:
            for layer in then.layers:
                slot = await self._memories.slot_with(agent, scope, layer.key)
                config = _config(agent, slot, layer.key)
                around = self._memories.around(agent, scope, slot=slot)
                of_layer = replace(around, layer=layer.key)
                if isinstance(config, State):
                    await _restore_state(config, of_layer, layer)
                elif isinstance(config, Semantic):
                    facts = {fact.id: fact for fact in layer.facts or ()}
                    await FactsByHand(of_layer).restore(facts)
                elif isinstance(config, Summarized) and layer.summaries:
                    newest = await origins.of_summary(of_layer, "")
                    if newest[0].revision_id != layer.summaries[0].id:
                        await SummaryByHand(of_layer).restore(layer.summaries[0].id)

        await self._in_turn(scope, restoring)

    # --- how it is done ----------------------------------------------------------------------

    async def _in_turn(self, scope: Scope, act: Callable[[], Awaitable[None]]) -> None:
        """Do something once memory has settled, nothing else touching it meanwhile."""

        async def work() -> None:
            await act()

        await self._running.settle_with(scope, work(), shown=False)

    async def _state(self, scope: Scope, layer: str) -> StateByHand:
        agent = await self._memories.agent(scope.agent_id)
        slot = await self._memories.slot_with(agent, scope, layer)
        config = _config(agent, slot, layer)
        if not isinstance(config, State):
            raise Invalid("The agent's memory no longer has that layer.")
        around = self._memories.around(agent, scope, slot=slot)
        return StateByHand(config, replace(around, layer=layer))

    async def _around(
        self, scope: Scope, layer: str, kind: type[Semantic] | type[Summarized]
    ) -> Surroundings:
        agent = await self._memories.agent(scope.agent_id)
        slot = await self._memories.slot_with(agent, scope, layer)
        if not isinstance(_config(agent, slot, layer), kind):
            raise Invalid("The agent's memory no longer has that layer.")
        return replace(self._memories.around(agent, scope, slot=slot), layer=layer)


async def _restore_state(config: State, around: Surroundings, then: LayerSnapshot) -> None:
    branch, _last = await last_message(around)
    by_hand = StateByHand(config, around)
    now = await by_hand.now(branch)
    patch = way_back(now, then.state or {}, [field.name for field in config.fields])
    if patch:
        await by_hand.change(patch, "Restored to an earlier point.")


def _configs(strategy: Strategy) -> tuple[Strategy, ...]:
    return strategy.layers if isinstance(strategy, Composite) else (strategy,)


def _config(agent: Agent, slot: Slot | None, layer: str) -> Strategy | None:
    strategy = agent.definition.memory_strategy if slot is None else slot.strategy
    keys = layers_of(strategy, slot.node if slot else "")
    return dict(zip(keys, _configs(strategy), strict=True)).get(layer)
