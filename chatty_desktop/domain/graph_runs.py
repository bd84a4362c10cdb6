"""Runs of graphs as values: where each node stands, and what it came to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from chatty_desktop.domain.agents import Agent
from chatty_desktop.domain.graphs import Graph, effective_strategy
from chatty_desktop.domain.strategies import Strategy

NodeState = Literal["waiting", "running", "done", "failed", "skipped", "stopped"]
"""`skipped`: something it depends on failed. `stopped`: the person, or the end of the app, did."""

GraphRunStatus = Literal["running", "done", "failed", "stopped"]


@dataclass(frozen=True, slots=True)
class NodeRun:
    """One node of a run. `run_id` is its agent's run; `prompt_id` and `reply_id` are the messages
    it was sent and it came to (an input's is what was given, an output's the result). `error` is
    for the person. Times are seconds since 1970 UTC; tokens as the server counted them."""

    node: str
    state: NodeState = "waiting"
    run_id: str = ""
    prompt_id: str | None = None
    reply_id: str | None = None
    error: str = ""
    started_at: float | None = None
    finished_at: float | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None

    @property
    def seconds(self) -> float | None:
        """How long it took, None where it has not ended."""
        if self.started_at is None or self.finished_at is None:
            return None
        return max(0.0, self.finished_at - self.started_at)


@dataclass(frozen=True, slots=True)
class GraphRun:
    """One run of a graph as it was then; `input_id` is the message with what it was given. A run
    that is resumed stays the same."""

    id: str
    session_id: str
    graph: Graph
    input_id: str
    nodes: tuple[NodeRun, ...]
    started_at: float
    status: GraphRunStatus = "running"
    finished_at: float | None = None

    def node(self, node_id: str) -> NodeRun:
        """Where a node of the graph stands."""
        return next(each for each in self.nodes if each.node == node_id)

    def with_node(self, node: NodeRun) -> GraphRun:
        """The same, with a node in the place of the one of its id."""
        nodes = tuple(node if each.node == node.node else each for each in self.nodes)
        return replace(self, nodes=nodes)

    @property
    def can_resume(self) -> bool:
        """Whether there is something left to run."""
        return self.status in ("failed", "stopped")


@dataclass(frozen=True, slots=True)
class Slot:
    """A node of a graph with the memory its agent has there. `overridden`: that of the slot, not
    the agent's own."""

    node: str
    strategy: Strategy
    overridden: bool


def slots_of(graph: Graph, agent: Agent) -> tuple[Slot, ...]:
    """Where an agent stands in a graph, in the order of the nodes."""
    own = agent.definition.memory_strategy
    return tuple(
        Slot(node.id, effective_strategy(node, own), node.memory_override is not None)
        for node in graph.of_kind("agent")
        if node.agent in (agent.name, agent.id)
    )
