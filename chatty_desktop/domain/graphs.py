"""Graphs of agents as values: nodes, edges, the file they are kept in, and what holds them back.

A graph that is being drawn may be wrong in any way and is kept all the same; `problems_of` says
what keeps it from running, each fault at its node.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from graphlib import CycleError, TopologicalSorter
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.json_places import described_by_line
from chatty_desktop.domain.json_text import WRITTEN_BY_HAND, NotJson, read_json
from chatty_desktop.domain.strategies import Strategy, describe

NodeKind = Literal["input", "agent", "output"]
MOST_NODES = 1_000
MOST_EDGES = 10_000


class Node(BaseModel):
    """One box. `agent` is an agent's name (or id), of agent nodes alone; `prompt` the template of
    what is sent to it, or of what an output shows: "" puts the texts of the edges that lead here
    one below the other. `memory_override` None: the agent's own memory."""

    model_config = ConfigDict(defer_build=True, extra="forbid", frozen=True)

    id: str = Field(min_length=1, max_length=64)
    kind: NodeKind
    agent: str | None = None
    prompt: str = ""
    memory_override: Strategy | None = None

    @field_validator("id")
    @classmethod
    def _plain(cls, value: str) -> str:
        if value != value.strip() or any(c in '{}"' or not c.isprintable() for c in value):
            raise ValueError("must not hold braces, quotes, line breaks or spaces at its ends")
        return value

    @field_validator("prompt", mode="before")
    @classmethod
    def _null_is_empty(cls, value: Any) -> Any:
        return "" if value is None else value


Edge = tuple[str, str]
"""(from, to), ids of nodes."""


class Graph(BaseModel):
    """What a graph file holds. `positions` is where the editor drew the nodes, by their ids, in
    its own units; it is in a file only where something is in it, and no run looks at it."""

    model_config = ConfigDict(defer_build=True, extra="forbid", frozen=True)

    name: str = Field(min_length=1, max_length=200)
    nodes: tuple[Node, ...] = Field(default=(), max_length=MOST_NODES)
    edges: tuple[Edge, ...] = Field(default=(), max_length=MOST_EDGES)
    positions: dict[str, tuple[float, float]] = Field(default_factory=dict)

    @field_validator("name")
    @classmethod
    def _trimmed(cls, name: str) -> str:
        if not name.strip():
            raise ValueError("give the graph a name")
        return name.strip()

    @field_validator("positions")
    @classmethod
    def _on_the_canvas(
        cls, value: dict[str, tuple[float, float]]
    ) -> dict[str, tuple[float, float]]:
        for node, place in value.items():
            if not all(abs(each) <= 1e9 for each in place):  # also of what is no number
                raise ValueError(f"the place of {node!r} is not on the canvas")
        return value

    def node(self, node_id: str) -> Node | None:
        """The node of that id."""
        return next((node for node in self.nodes if node.id == node_id), None)

    def before(self, node_id: str) -> tuple[Node, ...]:
        """The nodes whose edges lead to one, in the order of the nodes."""
        sources = {source for source, target in self.edges if target == node_id}
        return tuple(node for node in self.nodes if node.id in sources)

    def after(self, node_id: str) -> tuple[Node, ...]:
        """The nodes that the edges of one lead to, in the order of the nodes."""
        targets = {target for source, target in self.edges if source == node_id}
        return tuple(node for node in self.nodes if node.id in targets)

    def of_kind(self, kind: NodeKind) -> tuple[Node, ...]:
        """The nodes of a kind, in their order."""
        return tuple(node for node in self.nodes if node.kind == kind)

    def below(self, node_ids: Iterable[str]) -> set[str]:
        """The ids of all nodes that depend on some, those not among them unless they do."""
        return _spread(node_ids, _neighbours(self.edges))

    def in_order(self) -> tuple[Node, ...]:
        """The nodes, each after those it depends on; otherwise as they stand. Raises `Invalid`
        when that cannot be."""
        ids = {node.id: index for index, node in enumerate(self.nodes)}
        sorter: TopologicalSorter[int] = TopologicalSorter(
            dict.fromkeys(range(len(self.nodes)), ())
        )
        for source, target in self.edges:
            if source in ids and target in ids:
                sorter.add(ids[target], ids[source])
        try:
            sorter.prepare()
        except CycleError as error:
            raise Invalid("The graph runs in a circle.") from error
        ordered: list[Node] = []
        while sorter.is_active():
            ready = sorted(sorter.get_ready())
            sorter.done(*ready)
            ordered += [self.nodes[index] for index in ready]
        return tuple(ordered)


class StoredGraph(BaseModel):
    """A graph under an id that survives renaming."""

    model_config = ConfigDict(defer_build=True, frozen=True)

    id: str
    graph: Graph
    created_at: float

    @property
    def name(self) -> str:
        return self.graph.name


def effective_strategy(node: Node, agents_own: Strategy) -> Strategy:
    """The slot's `memory_override` if set, else the agent's."""
    return agents_own if node.memory_override is None else node.memory_override


def _neighbours(edges: Iterable[Edge]) -> dict[str, set[str]]:
    leads: dict[str, set[str]] = {}
    for source, target in edges:
        leads.setdefault(source, set()).add(target)
    return leads


def _spread(begin: Iterable[str], leads: dict[str, set[str]]) -> set[str]:
    found: set[str] = set()
    waiting = list(begin)
    while waiting:
        for each in leads.get(waiting.pop(), ()):
            if each not in found:
                found.add(each)
                waiting.append(each)
    return found


def read_graph(text: str) -> Graph:
    """Read a graph file. Raises `Invalid` with the line and the field that is wrong. A graph that
    can be read need not be one that can run: see `graph_problems.problems_of`."""
    try:
        value = read_json(text, WRITTEN_BY_HAND)
    except NotJson as error:
        raise Invalid(error.by_line) from error
    if not isinstance(value, dict):
        raise Invalid("A graph file holds one JSON object.")
    try:
        return Graph.model_validate(value)
    except ValidationError as error:
        raise Invalid(described_by_line(text, error)) from error


def write_graph(graph: Graph) -> str:
    """The graph as indented JSON, ready for `read_graph`."""
    value = graph.model_dump(mode="json")
    if not value["positions"]:
        del value["positions"]
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def checked(graph: Graph) -> Graph:
    """The graph again, once every rule of its file is seen to hold: a copy with other values need
    not. Raises `Invalid` naming the field that is wrong."""
    try:
        return Graph.model_validate(graph.model_dump())
    except ValidationError as error:
        raise Invalid(describe(error)) from error
