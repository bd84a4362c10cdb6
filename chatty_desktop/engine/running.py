"""The tasks of runs: one answer at a time in a session, memory settling behind it.

Several sessions run at once. The next run of a scope waits until its memory has settled.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.events import Event, MemoryChanged, Notice, RunPhase, RunPhaseChanged
from chatty_desktop.domain.messages import Message, Scope
from chatty_desktop.engine.ports import Publish
from chatty_desktop.engine.run import AgentRun

log = logging.getLogger(__name__)


class GraphWork(Protocol):
    """A run of a graph: the ids of its agents, and whether it is ending, so that there is nothing
    left to stop."""

    agent_ids: frozenset[str]
    ending: bool


@dataclass(slots=True)
class Answering:
    """A session's run in progress; all is None until the message is committed. A run of a graph
    has neither `run` nor `scope`."""

    task: asyncio.Task[None] | None = None
    run: AgentRun | None = None
    scope: Scope | None = None
    graph: GraphWork | None = None


class Running:
    """Owns the tasks of all sessions until they end, and knows where each stands."""

    def __init__(self, publish: Publish) -> None:
        self._publish_to_all = publish
        self._answering: dict[str, Answering] = {}
        self._settling: dict[Scope, asyncio.Task[None]] = {}
        self._phases: dict[str, RunPhaseChanged] = {}
        self._closing = False

    # --- what runs ---------------------------------------------------------------------------

    def phase(self, session_id: str) -> RunPhaseChanged | None:
        """Where the session's run stands, None when nothing runs."""
        return self._phases.get(session_id)

    def sessions(self) -> list[str]:
        """The sessions in which something runs."""
        return list(self._phases)

    def of_agent(self, agent_id: str) -> set[str]:
        """The sessions in which the agent is at something."""
        scopes = {answering.scope for answering in self._answering.values()} | set(self._settling)
        graphs = {
            session_id
            for session_id, each in self._answering.items()
            if each.graph and agent_id in each.graph.agent_ids
        }
        return graphs | {s.session_id for s in scopes if s and s.agent_id == agent_id}

    def reply(self, session_id: str) -> Message | None:
        """The reply being written in the session, as far as it has come."""
        answering = self._answering.get(session_id)
        return answering.run.reply if answering and answering.run else None

    async def wait(self, session_id: str) -> None:
        """Return when the session's run has ended and its memory has settled."""
        while tasks := self._tasks_of(session_id):
            await asyncio.wait(tasks)

    async def settled(self, scope: Scope) -> None:
        """Return when no memory of the scope is settling."""
        while task := self._settling.get(scope):
            await asyncio.wait([task])

    async def ended(self, session_id: str) -> None:
        """Return when no answer of the session is just being ended: it is shown as it ended a
        moment before the next one can begin."""
        answering = self._answering.get(session_id)
        if answering and answering.task and answering.run and answering.run.ending:
            await asyncio.wait([answering.task])

    # --- beginning ---------------------------------------------------------------------------

    @contextmanager
    def answering_in(self, session_id: str) -> Iterator[Answering]:
        """Hold the session's place for one answer, from before its message is committed. Raises
        `Invalid` when the session is still answering."""
        if session_id in self._answering:
            raise Invalid("This chat is still answering. Stop it first, or wait until it is done.")
        answering = self._answering[session_id] = Answering()
        try:
            yield answering
        finally:
            if answering.task is None:
                del self._answering[session_id]

    def start(self, answering: Answering, scope: Scope, run: AgentRun) -> None:
        """Let a run answer, in the place held for it."""
        answering.run, answering.scope = run, scope
        settling = scope in self._settling
        self._enter(scope, "waiting_for_memory" if settling else "waiting_for_model")
        answering.task = asyncio.create_task(self._answer(scope, run))
        # In callbacks, not in the tasks: a task cancelled before its first step runs nothing.
        answering.task.add_done_callback(lambda task: self._answered(scope, task))
        self.publish(MemoryChanged(scope))

    def start_graph(
        self,
        answering: Answering,
        session_id: str,
        graph: GraphWork,
        work: Coroutine[Any, Any, None],
    ) -> None:
        """Let a graph run, in the place held for it. It ends its own nodes when it is cancelled."""
        scope = Scope("", session_id)
        answering.graph = graph
        self._enter(scope, "streaming")
        answering.task = asyncio.create_task(work)
        answering.task.add_done_callback(lambda task: self._answered(scope, task))

    def settle_with(
        self, scope: Scope, work: Coroutine[Any, Any, None], *, shown: bool = True
    ) -> asyncio.Task[None]:
        """Let memory settle in a task, once what settles in the scope already has; what runs next
        in it waits. `shown`: the session says so meanwhile."""
        before = self._settling.get(scope)

        def settled(_task: asyncio.Task[None]) -> None:
            work.close()
            if self._settling.get(scope) is task:
                del self._settling[scope]
            self.publish(MemoryChanged(scope))
            free = scope.session_id not in self._answering
            if shown and free and not self._settling_of(scope.session_id):
                self._leave(scope)

        task = self._settling[scope] = asyncio.create_task(_after(before, work))
        task.add_done_callback(settled)
        if shown:
            self._enter(scope, "settling")
        return task

    # --- ending ------------------------------------------------------------------------------

    def stop(self, session_id: str) -> None:
        """Stop the answer of a session, keeping what has come of it; where there is none, stop
        its memory from settling (what is not folded stays queued)."""
        answering = self._answering.get(session_id)
        if answering:
            # Soon, not now: a task cancelled before its first step would leave no reply at all.
            asyncio.get_running_loop().call_soon(_cancel, answering)
            return
        for task in self._settling_of(session_id):
            task.cancel()

    async def end(self, session_id: str) -> None:
        """Stop all that runs in a session, and return when it has ended."""
        self.stop(session_id)
        while tasks := self._tasks_of(session_id):
            for task in self._settling_of(session_id):
                task.cancel()
            await asyncio.wait(tasks)

    async def close(self) -> None:
        """Stop every answer, keeping what has come of it, and every settling memory."""
        self._closing = True
        await self.end_all()

    async def end_all(self) -> None:
        """Stop all that runs, and return when it has ended."""
        sessions = set(self._answering) | {scope.session_id for scope in self._settling}
        await asyncio.gather(*(self.end(session_id) for session_id in sessions))

    # --- how it is done ----------------------------------------------------------------------

    async def _answer(self, scope: Scope, run: AgentRun) -> None:
        """One run to its reply; memory settles in a task of its own."""
        await run.answer(self.settled(scope))
        self.publish(MemoryChanged(scope))
        if run.for_memory and not self._closing:
            self.settle_with(scope, run.settle())

    def _answered(self, scope: Scope, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (problem := task.exception()):
            log.error("A run could not be ended", exc_info=problem)
            text = f"The answer could not be ended properly: {problem!r}"
            self.publish(Notice("error", text, scope.session_id))
        ended = self._answering.pop(scope.session_id)
        settling = [each for each in self._settling if each.session_id == scope.session_id]
        if not settling:
            self._leave(scope)
        elif ended.graph:
            self._enter(settling[0], "settling")

    def _tasks_of(self, session_id: str) -> list[asyncio.Task[None]]:
        answering = self._answering.get(session_id)
        running = [answering.task] if answering and answering.task else []
        return running + self._settling_of(session_id)

    def _settling_of(self, session_id: str) -> list[asyncio.Task[None]]:
        return [task for scope, task in self._settling.items() if scope.session_id == session_id]

    def _enter(self, scope: Scope, phase: RunPhase) -> None:
        self.publish(RunPhaseChanged(scope.session_id, scope.agent_id, phase))

    def _leave(self, scope: Scope) -> None:
        self.publish(RunPhaseChanged(scope.session_id, scope.agent_id, "idle"))

    def publish(self, event: Event) -> None:
        """Tell everybody, and take note of where a run stands."""
        if isinstance(event, RunPhaseChanged):
            if event.phase == "idle":
                self._phases.pop(event.session_id, None)
            else:
                self._phases[event.session_id] = event
        self._publish_to_all(event)


async def _after(before: asyncio.Task[None] | None, work: Coroutine[Any, Any, None]) -> None:
    """Do work once another task has ended; who stops this one stops that, too."""
    if before is not None and not before.done():
        try:
            await asyncio.wait([before])
        except asyncio.CancelledError:
            before.cancel()
            await asyncio.wait([before])
            raise
    await work


def _cancel(answering: Answering) -> None:
    """Cancel an answer that is neither over nor being cancelled already."""
    task, run = answering.task, answering.run or answering.graph
    if task and not (task.done() or task.cancelling() or (run and run.ending)):
        task.cancel()
