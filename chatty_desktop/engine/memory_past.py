"""Memory as it was: at any message of the current branch, and how it came to be what it is."""

from __future__ import annotations

from dataclasses import replace

from chatty_desktop.domain.branch import Branch
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.history import Change
from chatty_desktop.domain.memory import MemorySnapshot
from chatty_desktop.domain.messages import Message, Scope
from chatty_desktop.engine.memories import Memories, joined
from chatty_desktop.engine.memory import build_memory, origins
from chatty_desktop.engine.memory.contract import Surroundings
from chatty_desktop.engine.ports import MessageLog


class MemoryPast:
    """Looks back; changes nothing."""

    def __init__(self, memories: Memories, messages: MessageLog) -> None:
        self._memories = memories
        self._messages = messages

    async def timeline(self, scope: Scope) -> list[Message]:
        """The agent's messages on the current branch, in order: the points to look back to."""
        branch = await self._messages.branch(scope.session_id)
        return branch.of_agent(scope.agent_id)

    async def at(self, scope: Scope, message_id: str) -> MemorySnapshot:
        """What the agent remembered once it had taken a message of the current branch in; without
        a ledger. Every rule is the one of the present, on a branch that ends there. Raises
        `Invalid` when the message is not on the branch."""
        agent = await self._memories.agent(scope.agent_id)
        branch = await self._messages.branch(scope.session_id)
        place = branch.place(message_id)
        if place is None:
            raise Invalid("That message is not on the current branch of the chat.")
        cut = _Until(self._messages, Branch(branch[: place + 1]))
        snapshots = []
        for slot in await self._memories.slots(scope) or (None,):
            strategy = agent.definition.memory_strategy if slot is None else slot.strategy
            around = self._memories.around(agent, scope, slot=slot, only_looks=True)
            memory = build_memory(strategy, replace(around, messages=cut))
            snapshots.append(await memory.inspect())
        return joined(snapshots)

    async def now(self, scope: Scope) -> MemorySnapshot:
        """What the agent remembers, without a ledger."""
        return await self._memories.inspect(scope, 0)

    async def of_key(self, scope: Scope, layer: str, key: str) -> list[Change]:
        """Every change of a key of Σ on the current branch, newest first."""
        return await origins.of_key(await self._around(scope, layer), key)

    async def of_fact(self, scope: Scope, layer: str, fact_id: str) -> list[Change]:
        """Every change of a fact, newest first."""
        return await origins.of_fact(await self._around(scope, layer), fact_id)

    async def of_summary(self, scope: Scope, layer: str, sentence: str = "") -> list[Change]:
        """The summaries that hold a sentence, or all, newest first."""
        return await origins.of_summary(await self._around(scope, layer), sentence)

    async def _around(self, scope: Scope, layer: str) -> Surroundings:
        agent = await self._memories.agent(scope.agent_id)
        slot = await self._memories.slot_with(agent, scope, layer)
        around = self._memories.around(agent, scope, slot=slot, only_looks=True)
        return replace(around, layer=layer)


class _Until:
    """`contract.Said` in which the branch of the session ends early."""

    def __init__(self, log: MessageLog, branch: Branch) -> None:
        self._log = log
        self._branch = branch

    async def branch(self, session_id: str) -> Branch:
        return self._branch

    async def get(self, message_id: str) -> Message | None:
        return await self._log.get(message_id)
