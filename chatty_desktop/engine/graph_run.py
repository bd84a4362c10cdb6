"""One run of a graph, from what it is given to the result in its session.

Every node is a task that waits for those before it. An agent's node is an ordinary run of that
agent, in the scope (agent, session of the graph) and with the memory of its slot. Nodes without
dependence run at the same time, as many as the seats allow; those of the same agent one after the
other, since they write one message log. Where each node stands is in the database as it changes,
so that a run that is killed can be resumed.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from chatty_desktop.domain.agents import Agent
from chatty_desktop.domain.errors import ChattyError, Invalid, StorageFailed
from chatty_desktop.domain.events import (
    GraphNodeChanged,
    GraphRunChanged,
    MessageCommitted,
    SessionsChanged,
)
from chatty_desktop.domain.graph_prompts import prompt_of
from chatty_desktop.domain.graph_runs import GraphRun, GraphRunStatus, NodeRun, NodeState, slots_of
from chatty_desktop.domain.graphs import Graph, Node
from chatty_desktop.domain.ids import new_id
from chatty_desktop.domain.messages import Message, Scope, Status
from chatty_desktop.domain.timing import Began
from chatty_desktop.engine.agent_runs import AgentRuns
from chatty_desktop.engine.ports import GraphRunStore, MessageLog, Publish, Runs
from chatty_desktop.engine.run import AgentRun
from chatty_desktop.engine.running import Running
from chatty_desktop.engine.turn import Turn

log = logging.getLogger(__name__)

_ENDINGS: dict[GraphRunStatus, Status] = {
    "done": Status.COMPLETE,
    "stopped": Status.STOPPED,
    "failed": Status.FAILED,
}


class RunningGraph:
    """A run of a graph under way; `run` is how it stands. `ending`: there is nothing left to
    stop."""

    def __init__(
        self,
        run: GraphRun,
        given: str,
        agents: Mapping[str, Agent],
        *,
        seats: int,
        messages: MessageLog,
        runs: Runs,
        graph_runs: GraphRunStore,
        agent_runs: AgentRuns,
        running: Running,
        publish: Publish,
    ) -> None:
        """`agents` are those of the nodes, by the nodes' ids; `seats` so many run at once."""
        self.run = run
        self.agent_ids = frozenset(agent.id for agent in agents.values())
        self.ending = False
        self._given = given
        self._agents = agents
        self._seats = asyncio.Semaphore(seats)
        self._messages = messages
        self._runs = runs
        self._graph_runs = graph_runs
        self._agent_runs = agent_runs
        self._running = running
        self._publish = publish
        self._texts: dict[str, str] = {}
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._answering: dict[str, AgentRun] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._saving = asyncio.Lock()
        self._stopped = False
        self._began = Began()
        self._nodes_began: dict[str, Began] = {}

    @property
    def _graph(self) -> Graph:
        return self.run.graph

    async def work(self) -> None:
        """Run every node that is not done. Cancelling stops those that run, keeping what has come
        of them."""
        self._publish(GraphRunChanged(self.run.session_id, self.run.id, "running"))
        try:
            await self._remember_done()
            for node in self._graph.in_order():
                before = [self._tasks[each.id] for each in self._graph.before(node.id)]
                self._tasks[node.id] = asyncio.create_task(self._one(node, before))
            await asyncio.wait(self._tasks.values())
        except asyncio.CancelledError:
            if (task := asyncio.current_task()) is not None:
                task.uncancel()
            await self._stop()
        finally:
            await self._end()

    async def _remember_done(self) -> None:
        """Of a run that is resumed: what the nodes came to that are done. One whose message was
        deleted since runs again."""
        kept: dict[str, str] = {}
        for node in self._graph.of_kind("agent"):
            done = self.run.node(node.id)
            said = await self._messages.get(done.reply_id or "") if done.state == "done" else None
            if said is not None:
                kept[node.id] = said.content
        again = {node.id for node in self._graph.of_kind("agent")} - set(kept)
        for node_id in set(kept) - self._graph.below(again):
            self._texts[node_id] = kept[node_id]
        begin = {n.node: n if n.node in self._texts else NodeRun(n.node, prompt_id=n.prompt_id)
                 for n in self.run.nodes}  # fmt: skip
        self.run = replace(self.run, nodes=tuple(begin.values()), status="running")
        await self._graph_runs.save(self.run)
        for each in self.run.nodes:
            self._publish(GraphNodeChanged(self.run.session_id, self.run.id, each))

    # --- one node ----------------------------------------------------------------------------

    async def _one(self, node: Node, before: list[asyncio.Task[None]]) -> None:
        """A node, once those before it have ended. What goes wrong is told in its state."""
        try:
            if before:
                await asyncio.wait(before)
            if node.id in self._texts:
                return
            states = {self.run.node(each.id).state for each in self._graph.before(node.id)}
            if states <= {"done"}:
                await (self._agent(node) if node.kind == "agent" else self._end_of_graph(node))
            else:
                await self._set(node, "stopped" if self._stopped else "skipped")
        except asyncio.CancelledError:
            await self._set(node, "stopped")
        except ChattyError as problem:
            await self._set(node, "failed", error=str(problem))
        except Exception as problem:  # the other nodes go on
            log.exception("A node of a graph failed")
            text = f"Something unexpected went wrong: {problem!r}"
            await self._set(node, "failed", error=text)

    async def _end_of_graph(self, node: Node) -> None:
        """An input takes what the graph was given; an output shows what came to it."""
        text = self._given
        if node.kind == "output":
            text = prompt_of(self._graph, node, self._given, self._texts)
        self._texts[node.id] = text
        began = self._nodes_began[node.id] = Began()
        given = self.run.input_id if node.kind == "input" else None
        await self._set(node, "done", started_at=began.at, reply_id=given)

    async def _agent(self, node: Node) -> None:
        agent = self._agents[node.id]
        async with self._turns[agent.id], self._seats:
            run_id = new_id()
            began = self._nodes_began[node.id] = Began()
            await self._set(node, "running", started_at=began.at, run_id=run_id)
            asked = await self._ask(node, agent, run_id)
            await self._set(node, "running", prompt_id=asked.id)
            reply = await self._answer(node, agent, asked, run_id)
        sent = await self._runs.request_of(run_id)
        state: NodeState = "failed"
        if reply.status in (Status.COMPLETE, Status.TRUNCATED):
            self._texts[node.id] = reply.content
            state = "done"
        elif reply.status is Status.STOPPED:
            state = "stopped"
        await self._set(
            node,
            state,
            reply_id=reply.id,
            error=reply.error,
            prompt_tokens=sent.run_usage.prompt_tokens if sent else None,
            completion_tokens=sent.run_usage.completion_tokens if sent else None,
        )

    async def _ask(self, node: Node, agent: Agent, run_id: str) -> Message:
        """Commit what the node is sent. One that failed before is asked by the same message, when
        that still says the same."""
        text = prompt_of(self._graph, node, self._given, self._texts)
        if not text.strip():
            raise Invalid("There is nothing to send to this node: what comes before it is empty.")
        earlier = await self._messages.get(self.run.node(node.id).prompt_id or "")
        if earlier is not None and earlier.content == text:
            return earlier
        message = Message(
            id=new_id(),
            session_id=self.run.session_id,
            parent_id=None,  # the log knows what it comes after
            agent_id=agent.id,
            run_id=run_id,
            role="user",
            content=text,
            at=Began().at,
            node=node.id,
        )
        await self._messages.append(message)
        self._publish(MessageCommitted(message))
        return message

    async def _answer(self, node: Node, agent: Agent, asked: Message, run_id: str) -> Message:
        scope = Scope(agent.id, self.run.session_id)
        slot = next(each for each in slots_of(self._graph, agent) if each.node == node.id)
        turn = Turn(
            run_id=run_id,
            scope=scope,
            agent=agent.definition,
            incoming=asked,
            strategy=slot.strategy.model_dump(mode="json"),
        )
        run = self._answering[node.id] = self._agent_runs.new(agent, turn, slot)
        reply = await run.answer(self._running.settled(scope))
        if run.for_memory:
            self._running.settle_with(scope, run.settle())
        return reply

    async def _set(self, node: Node, state: NodeState, **values: Any) -> None:
        """Note where a node stands, and tell."""
        if state in ("done", "failed", "stopped"):
            values["finished_at"] = self._nodes_began.get(node.id, self._began).now
        changed = replace(self.run.node(node.id), state=state, **values)
        self.run = self.run.with_node(changed)
        self._publish(GraphNodeChanged(self.run.session_id, self.run.id, changed))
        async with self._saving:
            try:
                await self._graph_runs.save(self.run)
            except StorageFailed as problem:
                log.error("Where a node of a graph stands could not be kept: %s", problem)

    # --- ending ------------------------------------------------------------------------------

    async def _stop(self) -> None:
        """Cancel the nodes that have not ended, and wait for them."""
        self._stopped = self.ending = True
        for node_id, task in self._tasks.items():
            run = self._answering.get(node_id)
            if not task.done() and not (run and run.ending):
                task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks.values())

    async def _end(self) -> None:
        """The result as the graph's reply, and how the run ended."""
        self.ending = True
        states = {node.state for node in self.run.nodes}
        status: GraphRunStatus = "done"
        if self._stopped:
            status = "stopped"
        elif states - {"done"}:
            status = "failed"
        outputs = self._graph.of_kind("output")
        said = [self._texts[node.id] for node in outputs if node.id in self._texts]
        result = Message(
            id=new_id(),
            session_id=self.run.session_id,
            parent_id=None,
            agent_id="",
            run_id=self.run.id,
            role="assistant",
            content="\n\n".join(said),
            at=self._began.now,
            status=_ENDINGS[status] if status != "failed" or not said else Status.CUT,
            error="" if status == "done" else self._why(),
            seconds=self._began.seconds,
            node=outputs[0].id,
        )
        await self._messages.append(result)
        for node in outputs:
            if node.id in self._texts:
                self.run = self.run.with_node(replace(self.run.node(node.id), reply_id=result.id))
        self.run = replace(self.run, status=status, finished_at=self._began.now)
        await self._graph_runs.save(self.run)
        self._publish(MessageCommitted(result))
        self._publish(SessionsChanged(self.run.session_id))
        self._publish(GraphRunChanged(self.run.session_id, self.run.id, status))

    def _why(self) -> str:
        """What failed, each with its node."""
        failed = [node for node in self.run.nodes if node.state == "failed"]
        return "\n".join(f"{node.node}: {node.error}" for node in failed)
