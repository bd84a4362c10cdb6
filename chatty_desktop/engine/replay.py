"""A chat replayed offline under other kinds of memory, each on stores that are thrown away.

Nothing of the person's own is written: their messages are read, and copied into the stores of the
replay. No model answers; one is asked only by kinds of memory that are made by asking one.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace

from chatty_desktop.domain.agents import Agent
from chatty_desktop.domain.errors import ChattyError, Invalid
from chatty_desktop.domain.events import Level
from chatty_desktop.domain.ids import new_id
from chatty_desktop.domain.messages import Message, Scope
from chatty_desktop.domain.replaying import ReplayedPart, ReplayedTurn, ReplaySetup
from chatty_desktop.domain.runs import Run, Section
from chatty_desktop.domain.strategies import by_model
from chatty_desktop.domain.tokens import estimate
from chatty_desktop.engine.memory import build_memory
from chatty_desktop.engine.memory.contract import Surroundings
from chatty_desktop.engine.models import ModelChooser
from chatty_desktop.engine.ports import Embedders, MessageLog, ThrowawayStores
from chatty_desktop.engine.prompt import build_prompt


@dataclass(frozen=True, slots=True)
class ReplayedChat:
    """What is replayed: the agent's messages on the current branch, and their turns, which are the
    places of the person's messages."""

    agent: Agent
    messages: tuple[Message, ...]
    turns: tuple[int, ...]


class Replay:
    """Replays chats; `stores` makes throwaway ones."""

    def __init__(
        self,
        *,
        messages: MessageLog,
        models: ModelChooser,
        embedders: Embedders,
        prompts: Mapping[str, str],
        stores: Callable[[], AbstractAsyncContextManager[ThrowawayStores]],
    ) -> None:
        self._messages = messages
        self._models = models
        self._embedders = embedders
        self._prompts = prompts
        self._stores = stores

    async def chat(self, agent: Agent, scope: Scope) -> ReplayedChat:
        """What there is to replay. Raises `Invalid` when that is nothing."""
        branch = await self._messages.branch(scope.session_id)
        messages = tuple(branch.of_agent(scope.agent_id))
        turns = tuple(at for at, message in enumerate(messages) if message.role == "user")
        if not turns:
            raise Invalid("There is nothing to replay: the agent was told nothing in this chat.")
        return ReplayedChat(agent, messages, turns)

    async def run(
        self, chat: ReplayedChat, setup: ReplaySetup, model: str | None = None
    ) -> AsyncGenerator[ReplayedTurn, None]:
        """Turn after turn. `model` makes the memory of kinds that ask one. Leaving it early stops
        it. Raises `ChattyError` when it cannot go on."""
        if setup.asks_model and model is None:
            raise Invalid(f"{setup.name} asks a model for its memory: choose one.")
        strategy = by_model(setup.strategy, model) if model else setup.strategy
        places = {message.id: at for at, message in enumerate(chat.messages)}
        sizes = _Sizes()
        async with self._stores() as stores:
            session = await stores.sessions.create("Replay")
            scope = Scope(chat.agent.id, session.id)
            notes: list[str] = []

            async def tell(level: Level, text: str) -> None:
                if level != "info":
                    notes.append(text)

            around = Surroundings(
                scope=scope,
                layer=strategy.kind,
                messages=stores.messages,
                store=stores.memory,
                runs=stores.runs,
                models=self._models,
                episodes=stores.episodes,
                embedders=self._embedders,
                prompts=self._prompts,
                tell=tell,
            )
            parent: str | None = None
            ends = [*chat.turns[1:], len(chat.messages)]
            for at, end in zip(chat.turns, ends, strict=True):
                run_id = new_id()
                exchange: list[Message] = []
                for message in chat.messages[at:end]:
                    copy = replace(message, session_id=session.id, parent_id=parent, run_id=run_id)
                    exchange.append(copy)
                    parent = message.id
                incoming, *rest = exchange
                memory = build_memory(strategy, around)
                await stores.messages.append(incoming)
                recalled = await memory.recall(incoming)
                prompt = build_prompt(chat.agent.definition.system_prompt, recalled, incoming)
                tokens = await asyncio.to_thread(sizes.of, prompt.sections)
                run = Run(
                    run_id,
                    session.id,
                    chat.agent.id,
                    strategy.model_dump(mode="json"),
                    model or "",
                    time.time(),
                )
                await stores.runs.start(run)
                await memory.record(incoming)
                for message in rest:
                    await stores.messages.append(message)
                    await memory.record(message)
                before = len(await stores.memory.ledger(scope, None)) if setup.asks_model else 0
                await _settle(memory.settle(run), notes)
                asked = await stores.memory.ledger(scope, None) if setup.asks_model else []
                new = asked[: len(asked) - before]
                yield ReplayedTurn(
                    at,
                    tokens,
                    tuple(_part(section, places) for section in prompt.sections),
                    sum(entry.attempts for entry in new),
                    sum(entry.prompt_tokens + entry.completion_tokens for entry in new),
                    tuple(notes),
                )
                notes.clear()


async def _settle(settling: Awaitable[None], notes: list[str]) -> None:
    """Let memory settle; what is wrong is noted, and the replay goes on."""
    try:
        await settling
    except ChattyError as problem:
        notes.append(str(problem))


def _part(section: Section, places: Mapping[str, int]) -> ReplayedPart:
    if not section.messages:
        return ReplayedPart(section.origin, section.role, section.text)
    begin, last = places[section.messages[0].id], places[section.messages[-1].id]
    return ReplayedPart(section.origin, section.role, begin=begin, end=last + 1)


class _Sizes:
    """Estimated tokens; of each message only once, since a long chat is sent over and over."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}

    def of(self, sections: Sequence[Section]) -> int:
        total = 0
        for section in sections:
            if not section.messages:
                total += estimate(section.text)
            for message in section.messages:
                size = self._known.get(message.id)
                if size is None:
                    calls = "".join(f"{c.name}{c.arguments}" for c in message.tool_calls)
                    size = estimate(message.content) + (estimate(calls) if calls else 0)
                    self._known[message.id] = size
                total += size
        return total
