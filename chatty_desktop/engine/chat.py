"""The chat service: takes a message, runs the agent, lets memory settle behind the reply.

It owns every task of a run. One run at a time answers in a session, several sessions run at
once, and the next run of a scope waits until its memory has settled.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from chatty_desktop.domain.agents import Agent
from chatty_desktop.domain.episodes import EpisodesFound, searched_words
from chatty_desktop.domain.errors import Invalid, StorageFailed
from chatty_desktop.domain.events import (
    Event,
    Level,
    LogEntry,
    MemoryChanged,
    MessageCommitted,
    Notice,
    RunLogged,
    RunPhase,
    RunPhaseChanged,
    SessionsChanged,
)
from chatty_desktop.domain.ids import new_id
from chatty_desktop.domain.memory import MemorySnapshot
from chatty_desktop.domain.messages import DeletionCounts, Message, Scope
from chatty_desktop.domain.runs import SentRequest
from chatty_desktop.engine.memory import build_memory
from chatty_desktop.engine.memory.contract import MemoryLayer, Refolding, Surroundings
from chatty_desktop.engine.models import ModelChooser
from chatty_desktop.engine.ports import (
    Agents,
    Embedders,
    EpisodeStore,
    MemoryStore,
    MessageLog,
    Publish,
    Runs,
    Sessions,
)
from chatty_desktop.engine.run import AgentRun, Tell, Turn

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Answering:
    """A session's run in progress; all is None until the message is committed."""

    task: asyncio.Task[None] | None = None
    run: AgentRun | None = None
    scope: Scope | None = None


class ChatService:
    """Sends messages, answers them again, stops, and shows what memory holds."""

    def __init__(
        self,
        *,
        sessions: Sessions,
        messages: MessageLog,
        agents: Agents,
        memory: MemoryStore,
        runs: Runs,
        models: ModelChooser,
        episodes: EpisodeStore,
        embedders: Embedders,
        prompts: Mapping[str, str],
        publish: Publish,
    ) -> None:
        self._sessions = sessions
        self._messages = messages
        self._agents = agents
        self._memory = memory
        self._runs = runs
        self._models = models
        self._episodes = episodes
        self._embedders = embedders
        self._prompts = prompts
        self._publish_to_all = publish
        self._answering: dict[str, _Answering] = {}
        self._settling: dict[Scope, asyncio.Task[None]] = {}
        self._phases: dict[str, RunPhaseChanged] = {}
        self._closing = False

    # --- what a person does ------------------------------------------------------------------

    async def send(self, session_id: str, agent_id: str, text: str) -> Message:
        """Commit the person's message and start the answer; returns once it is committed.

        Raises `Invalid` when the text is empty, the chat is still answering, or the agent or its
        memory is not there; `StorageFailed` when it cannot be saved.
        """
        if not text.strip():
            raise Invalid("There is nothing to send: the message is empty.")
        agent = await self._usable_agent(agent_id, session_id)
        with self._answering_in(session_id) as answering:
            session = await self._sessions.get(session_id)
            if session is None:
                raise Invalid("That chat is no longer there.")
            message = Message(
                id=new_id(),
                session_id=session_id,
                parent_id=session.leaf_id,
                agent_id=agent_id,
                run_id=new_id(),
                role="user",
                content=text,
                at=time.time(),
            )
            await self._messages.append(message)
            self._publish(MessageCommitted(message))
            self._publish(SessionsChanged(session_id))
            self._start(answering, agent, message, message.run_id)
        return message

    async def retry(self, session_id: str) -> None:
        """Answer the newest message of the person again: the new reply is a sibling of the old.

        Raises `Invalid` when there is no such message, or the chat is still answering.
        """
        with self._answering_in(session_id) as answering:
            page = await self._messages.page(session_id, limit=100)
            asked = next((m for m in reversed(page) if m.role == "user"), None)
            if asked is None:
                raise Invalid("There is no message to answer again.")
            agent = await self._usable_agent(asked.agent_id, session_id)
            await self._messages.set_leaf(session_id, asked.id)
            self._start(answering, agent, asked, new_id())

    def stop(self, session_id: str) -> None:
        """Stop the answer of a session, keeping what has come of it; where there is none, stop
        its memory from settling (what is not folded stays queued)."""
        answering = self._answering.get(session_id)
        if answering:
            # Soon, not now: a task cancelled before its first step would leave no reply at all.
            asyncio.get_running_loop().call_soon(_cancel, answering)
            return
        for scope, task in self._settling.items():
            if scope.session_id == session_id:
                task.cancel()

    async def fold_again(self, ledger_id: str) -> None:
        """Fold the messages of a refused batch once more; the ledger tells how it went.

        Raises `Invalid` when the row or its agent is gone, or its memory does not fold.
        """
        entry = await self._memory.ledger_entry(ledger_id)
        if entry is None:
            raise Invalid("That ledger row is no longer there.")
        scope = Scope(entry.agent_id, entry.session_id)
        agent = await self._usable_agent(scope.agent_id, scope.session_id)
        memory = self._memory_of(agent, scope, entry.run_id)
        if not isinstance(memory, Refolding):
            raise Invalid(f"The memory of {agent.name} does not fold; choose State first.")
        await self._settled(scope)
        await self._settle_with(scope, memory.fold_again(entry))

    async def change_fact(self, scope: Scope, fact_id: str, text: str | None) -> None:
        """Correct a fact by hand, or forget it (None).

        Raises `Invalid` when there are no words, or the fact is no longer there.
        """
        words = None if text is None else " ".join(text.split())
        if words == "":
            raise Invalid("A fact needs words. To be rid of it, delete it.")
        await self._settled(scope)
        await self._memory.change_fact(fact_id, words)
        self._publish(MemoryChanged(scope))

    async def delete_session(self, session_id: str) -> DeletionCounts:
        """Stop what runs in a session, then delete it and everything derived from it."""
        await self._end(session_id)
        return await self._sessions.delete(session_id)

    async def delete_agent(self, agent_id: str) -> DeletionCounts:
        """Stop what an agent is at, then delete it with its memory in every session; what was
        said stays in the chats."""
        scopes = {answering.scope for answering in self._answering.values()} | set(self._settling)
        sessions = {s.session_id for s in scopes if s and s.agent_id == agent_id}
        await asyncio.gather(*(self._end(session_id) for session_id in sessions))
        return await self._agents.delete(agent_id)

    # --- what is shown -----------------------------------------------------------------------

    def phase(self, session_id: str) -> RunPhaseChanged | None:
        """Where the session's run stands, None when nothing runs."""
        return self._phases.get(session_id)

    def running(self) -> list[str]:
        """The sessions in which something runs."""
        return list(self._phases)

    def partial(self, session_id: str) -> tuple[str, str, str] | None:
        """(message id, text, reasoning) of the reply being written, None without one."""
        answering = self._answering.get(session_id)
        if answering is None or answering.run is None:
            return None
        reply = answering.run.reply
        return reply.id, reply.content, reply.reasoning

    async def inspect(self, scope: Scope, ledger_limit: int = 200) -> MemorySnapshot:
        """What the agent remembers in the session, its ledger newest first. Raises `Invalid`."""
        agent = await self._usable_agent(scope.agent_id, scope.session_id)
        snapshot = await self._memory_of(agent, scope, "").inspect()
        return replace(snapshot, ledger=tuple(await self._memory.ledger(scope, ledger_limit)))

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

    async def wait(self, session_id: str) -> None:
        """Return when the session's run has ended and its memory has settled."""
        while tasks := self._tasks_of(session_id):
            await asyncio.wait(tasks)

    async def close(self) -> None:
        """Stop every answer, keeping what has come of it, and every settling memory."""
        self._closing = True
        sessions = set(self._answering) | {scope.session_id for scope in self._settling}
        await asyncio.gather(*(self._end(session_id) for session_id in sessions))

    # --- how it is done ----------------------------------------------------------------------

    @contextmanager
    def _answering_in(self, session_id: str) -> Iterator[_Answering]:
        """Hold the session's place for one answer, from before its message is committed."""
        if session_id in self._answering:
            raise Invalid("This chat is still answering. Stop it first, or wait until it is done.")
        answering = self._answering[session_id] = _Answering()
        try:
            yield answering
        finally:
            if answering.task is None:
                del self._answering[session_id]

    def _start(self, answering: _Answering, agent: Agent, asked: Message, run_id: str) -> None:
        scope = Scope(agent.id, asked.session_id)
        tell = self._teller(scope, run_id)
        turn = Turn(
            run_id=run_id,
            scope=scope,
            agent=agent.definition,
            incoming=asked,
            strategy=agent.definition.memory_strategy.model_dump(mode="json"),
        )
        run = AgentRun(
            turn,
            memory=self._memory_of(agent, scope, run_id),
            messages=self._messages,
            runs=self._runs,
            models=self._models,
            publish=self._publish,
            tell=tell,
        )
        answering.run, answering.scope = run, scope
        settling = scope in self._settling
        self._enter(scope, "waiting_for_memory" if settling else "waiting_for_model")
        answering.task = asyncio.create_task(self._answer(scope, run))
        # In callbacks, not in the tasks: a task cancelled before its first step runs nothing.
        answering.task.add_done_callback(lambda task: self._answered(scope, task))
        self._publish(MemoryChanged(scope))

    async def _answer(self, scope: Scope, run: AgentRun) -> None:
        """One run to its reply; memory settles in a task of its own."""
        reply = await run.answer(self._settled(scope))
        self._publish(MemoryChanged(scope))
        if reply.counts and not self._closing:
            self._settle_with(scope, run.settle())

    def _answered(self, scope: Scope, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (problem := task.exception()):
            log.error("A run could not be ended", exc_info=problem)
            text = f"The answer could not be ended properly: {problem!r}"
            self._publish(Notice("error", text, scope.session_id))
        del self._answering[scope.session_id]
        if not self._settling_of(scope.session_id):
            self._leave(scope)

    def _settle_with(self, scope: Scope, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Let memory settle in a task; what runs next in the scope waits for it."""

        def settled(_task: asyncio.Task[None]) -> None:
            work.close()
            del self._settling[scope]
            self._publish(MemoryChanged(scope))
            if scope.session_id not in self._answering:
                self._leave(scope)

        task = self._settling[scope] = asyncio.create_task(work)
        task.add_done_callback(settled)
        self._enter(scope, "settling")
        return task

    async def _settled(self, scope: Scope) -> None:
        """Return when no memory of the scope is settling."""
        while task := self._settling.get(scope):
            await asyncio.wait([task])

    async def _end(self, session_id: str) -> None:
        self.stop(session_id)
        while tasks := self._tasks_of(session_id):
            for task in self._settling_of(session_id):
                task.cancel()
            await asyncio.wait(tasks)

    def _tasks_of(self, session_id: str) -> list[asyncio.Task[None]]:
        answering = self._answering.get(session_id)
        running = [answering.task] if answering and answering.task else []
        return running + self._settling_of(session_id)

    def _settling_of(self, session_id: str) -> list[asyncio.Task[None]]:
        return [task for scope, task in self._settling.items() if scope.session_id == session_id]

    async def _usable_agent(self, agent_id: str, session_id: str) -> Agent:
        """The agent, its memory known to work. Raises `Invalid`."""
        agent = await self._agents.get(agent_id)
        if agent is None:
            raise Invalid("That agent is no longer there; choose another one.")
        self._memory_of(agent, Scope(agent_id, session_id), "")
        return agent

    def _memory_of(self, agent: Agent, scope: Scope, run_id: str) -> MemoryLayer:
        strategy = agent.definition.memory_strategy
        around = Surroundings(
            scope=scope,
            layer=strategy.kind,
            messages=self._messages,
            store=self._memory,
            runs=self._runs,
            models=self._models,
            episodes=self._episodes,
            embedders=self._embedders,
            prompts=self._prompts,
            tell=self._teller(scope, run_id),
        )
        return build_memory(strategy, around)

    def _teller(self, scope: Scope, run_id: str) -> Tell:
        async def tell(level: Level, text: str) -> None:
            entry = LogEntry(run_id, time.time(), level, text)
            try:
                await self._runs.log(scope.session_id, entry)
            except StorageFailed as problem:
                log.error("The run log could not be written: %s", problem)
            self._publish(RunLogged(scope.session_id, entry))

        return tell

    def _enter(self, scope: Scope, phase: RunPhase) -> None:
        self._publish(RunPhaseChanged(scope.session_id, scope.agent_id, phase))

    def _leave(self, scope: Scope) -> None:
        self._publish(RunPhaseChanged(scope.session_id, scope.agent_id, "idle"))

    def _publish(self, event: Event) -> None:
        if isinstance(event, RunPhaseChanged):
            if event.phase == "idle":
                self._phases.pop(event.session_id, None)
            else:
                self._phases[event.session_id] = event
        self._publish_to_all(event)


def _cancel(answering: _Answering) -> None:
    """Cancel an answer that is neither over nor being cancelled already."""
    task, run = answering.task, answering.run
    if task and run and not (task.done() or task.cancelling() or run.ending):
        task.cancel()
