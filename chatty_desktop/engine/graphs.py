"""Runs of graphs: begins, resumes and stops them, and tells how they stand."""

from __future__ import annotations

import time
from collections.abc import Callable

from chatty_desktop.domain.agents import Agent
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.events import MessageCommitted, SessionsChanged
from chatty_desktop.domain.graph_problems import require_sound
from chatty_desktop.domain.graph_runs import GraphRun, NodeRun
from chatty_desktop.domain.graphs import Graph
from chatty_desktop.domain.ids import new_id
from chatty_desktop.domain.messages import Message, Session
from chatty_desktop.domain.settings import Settings
from chatty_desktop.domain.titles import title_from
from chatty_desktop.engine.agent_runs import AgentRuns
from chatty_desktop.engine.graph_run import RunningGraph
from chatty_desktop.engine.ports import Agents, GraphRunStore, MessageLog, Runs, Sessions
from chatty_desktop.engine.running import Answering, Running


class GraphRuns:
    """Runs graphs, each run in a session of its own kind. Running the same graph again in its
    session lets each agent go on with what it remembers there."""

    def __init__(
        self,
        *,
        sessions: Sessions,
        messages: MessageLog,
        agents: Agents,
        runs: Runs,
        graph_runs: GraphRunStore,
        running: Running,
        agent_runs: AgentRuns,
        settings: Callable[[], Settings],
    ) -> None:
        self._sessions = sessions
        self._messages = messages
        self._agents = agents
        self._runs = runs
        self._graph_runs = graph_runs
        self._running = running
        self._agent_runs = agent_runs
        self._settings = settings
        self._open: dict[str, RunningGraph] = {}

    async def new_session(self, text: str) -> Session:
        """A session for runs of a graph, called by the first words of what it is given."""
        return await self._sessions.create(title_from(text), kind="graph")

    async def start(self, session_id: str, graph: Graph, text: str) -> GraphRun:
        """Commit what the graph is given and let it run; returns once that is committed.

        Raises `Invalid` when there is no text, the graph cannot run (naming each node and why), or
        the session is a chat, gone, or still running; `StorageFailed`.
        """
        if not text.strip():
            raise Invalid("There is nothing to run the graph with: the input is empty.")
        agents = await self._agents_of(graph)
        with self._running.answering_in(session_id) as answering:
            await self._require_graph_session(session_id)
            now = time.time()
            run_id = new_id(now)
            given = Message(
                id=new_id(now),
                session_id=session_id,
                parent_id=None,
                agent_id="",
                run_id=run_id,
                role="user",
                content=text,
                at=now,
                node=graph.of_kind("input")[0].id,
            )
            await self._messages.append(given)
            nodes = tuple(NodeRun(node.id) for node in graph.nodes)
            run = GraphRun(run_id, session_id, graph, given.id, nodes, now)
            await self._graph_runs.add(run)
            self._running.publish(MessageCommitted(given))
            self._running.publish(SessionsChanged(session_id))
            self._begin(run, text, agents, answering)
            return run

    async def resume(self, session_id: str) -> GraphRun:
        """Run what the last run of a session has left: what failed, was skipped or stopped. What
        is done is kept. Raises `Invalid` when nothing is left, or as `start` does."""
        with self._running.answering_in(session_id) as answering:
            await self._require_graph_session(session_id)
            run = await self._graph_runs.newest(session_id)
            given = None if run is None else await self._messages.get(run.input_id)
            if run is None or given is None or not run.can_resume:
                raise Invalid("There is no run to go on with: run the graph again instead.")
            agents = await self._agents_of(run.graph)
            self._begin(run, given.content, agents, answering)
            return run

    def stop(self, session_id: str) -> None:
        """Stop every node that runs, keeping what has come of it; where none does, stop memory
        from settling."""
        self._running.stop(session_id)

    async def wait(self, session_id: str) -> None:
        """Return when the session's run has ended and all memory in it has settled."""
        await self._running.wait(session_id)

    async def newest(self, session_id: str) -> GraphRun | None:
        """The last run of a session as it stands now, None in a chat."""
        running = self._open.get(session_id)
        return running.run if running else await self._graph_runs.newest(session_id)

    async def list(self, session_id: str) -> list[GraphRun]:
        """All runs of a session, oldest first."""
        return await self._graph_runs.list(session_id)

    async def _agents_of(self, graph: Graph) -> dict[str, Agent]:
        """The agent of each node that has one, by the nodes' ids. Raises `Invalid`."""
        known = {}
        for agent in await self._agents.list():
            known[agent.id] = agent
        known |= {agent.name: agent for agent in list(known.values())}
        require_sound(graph, known)
        return {node.id: known[node.agent or ""] for node in graph.of_kind("agent")}

    async def _require_graph_session(self, session_id: str) -> None:
        session = await self._sessions.get(session_id)
        if session is None:
            raise Invalid("That session is no longer there.")
        if session.kind != "graph":
            raise Invalid(
                f"{session.title or 'That session'!r} is a chat; run the graph in a session of"
                " its own."
            )

    def _begin(
        self, run: GraphRun, text: str, agents: dict[str, Agent], answering: Answering
    ) -> None:
        graph = RunningGraph(
            run,
            text,
            agents,
            seats=self._settings().graph_nodes_at_once,
            messages=self._messages,
            runs=self._runs,
            graph_runs=self._graph_runs,
            running=self._running,
            agent_runs=self._agent_runs,
            publish=self._running.publish,
        )
        self._open[run.session_id] = graph

        async def work() -> None:
            try:
                await graph.work()
            finally:
                del self._open[run.session_id]

        self._running.start_graph(answering, run.session_id, graph, work())
