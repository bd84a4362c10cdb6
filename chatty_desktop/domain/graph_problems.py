"""What keeps a graph from running, each fault at its node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.graph_prompts import INPUT, names_for, names_in
from chatty_desktop.domain.graphs import Graph, Node

ProblemKind = Literal[
    "no_input",
    "no_output",
    "duplicate_id",
    "reserved_id",
    "edge_to_nothing",
    "edge_into_input",
    "edge_from_output",
    "cycle",
    "unreachable",
    "no_agent",
    "missing_agent",
    "unknown_name",
]


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault. `node` is the id of the node it stands at, "" for the graph as a whole; `about`
    what it names: a template name, an agent, the other end of an edge, "" for nothing. `text` says
    it to the person."""

    node: str
    kind: ProblemKind
    text: str
    about: str = ""


def problems_of(graph: Graph, agents: Collection[str] | None = None) -> tuple[Problem, ...]:
    """All that is wrong, in the order of the nodes; nothing of a graph that can run. `agents` are
    the names and ids of those there are, None where that is not to be looked at."""
    found = [*_of_the_whole(graph), *_of_edges(graph)]
    found += _in_circles(graph)
    found += _unreachable(graph)
    for node in graph.nodes:
        found += _of_node(graph, node, agents)
    order = {"": -1} | {node.id: index for index, node in enumerate(graph.nodes)}
    return tuple(sorted(dict.fromkeys(found), key=lambda each: order.get(each.node, -1)))


def require_sound(graph: Graph, agents: Collection[str] | None = None) -> None:
    """Raises `Invalid` naming every fault and its node."""
    found = problems_of(graph, agents)
    if found:
        said = (f"{each.node}: {each.text}" if each.node else each.text for each in found)
        raise Invalid(f"The graph {graph.name!r} cannot run. " + " ".join(said))


def _of_the_whole(graph: Graph) -> Iterator[Problem]:
    if not graph.of_kind("input"):
        yield Problem("", "no_input", "The graph has no input: add one.")
    if not graph.of_kind("output"):
        yield Problem("", "no_output", "The graph has no output: add one.")


def _of_edges(graph: Graph) -> Iterator[Problem]:
    for source, target in graph.edges:
        first, second = graph.node(source), graph.node(target)
        for node_id, node, other in ((source, first, target), (target, second, source)):
            if node is None:
                at = other if graph.node(other) else ""
                text = f"An edge names {node_id!r}, which is no node of the graph."
                yield Problem(at, "edge_to_nothing", text, node_id)
        if second is not None and second.kind == "input":
            text = f"Nothing can lead into an input; the edge from {source!r} does."
            yield Problem(target, "edge_into_input", text, source)
        if first is not None and first.kind == "output":
            text = f"Nothing can come after an output; the edge to {target!r} does."
            yield Problem(source, "edge_from_output", text, target)


def _in_circles(graph: Graph) -> Iterator[Problem]:
    try:
        graph.in_order()
    except Invalid:
        pass
    else:
        return
    for node in graph.nodes:
        if node.id in graph.below([node.id]):
            yield Problem(node.id, "cycle", "This node would wait for itself: it is in a circle.")


def _unreachable(graph: Graph) -> Iterator[Problem]:
    inputs = [node.id for node in graph.of_kind("input")]
    if not inputs:
        return
    reached = graph.below(inputs)
    for node in graph.nodes:
        if node.kind != "input" and node.id not in reached:
            yield Problem(node.id, "unreachable", "No path of edges leads here from an input.")


def _of_node(graph: Graph, node: Node, agents: Collection[str] | None) -> Iterator[Problem]:
    if Counter(each.id for each in graph.nodes)[node.id] > 1:
        yield Problem(node.id, "duplicate_id", f"Several nodes are called {node.id!r}.")
    if node.id == INPUT and node.kind != "input":
        text = f"{INPUT!r} names what the graph is given: call this node something else."
        yield Problem(node.id, "reserved_id", text)
    if node.kind == "agent":
        if not node.agent:
            yield Problem(node.id, "no_agent", "Choose an agent for this node.")
        elif agents is not None and node.agent not in agents:
            text = f"There is no agent called {node.agent!r}."
            yield Problem(node.id, "missing_agent", text, node.agent)
    if node.kind != "input":
        known = names_for(graph, node)
        for name in names_in(node.prompt):
            if name not in known:
                may = ", ".join(f"{{{each}}}" for each in known)
                text = (
                    f"The prompt uses {{{name}}}, which does not reach this node; it may use {may}."
                    " Write {{ for a brace."
                )
                yield Problem(node.id, "unknown_name", text, name)
