"""The changes that a person makes to a graph, each a new value; what can never run is refused."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from pydantic import ValidationError

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.graph_layout import Places
from chatty_desktop.domain.graph_prompts import INPUT, renamed
from chatty_desktop.domain.graphs import MOST_EDGES, MOST_NODES, Graph, Node
from chatty_desktop.domain.strategies import problems


def added(graph: Graph, node: Node, place: tuple[float, float]) -> Graph:
    """With one more node. Raises `Invalid` when the graph is full or the id is taken."""
    if len(graph.nodes) >= MOST_NODES:
        raise Invalid(f"A graph holds at most {MOST_NODES} nodes.")
    if graph.node(node.id) is not None:
        raise Invalid(f"Another node is called {node.id!r}.")
    return graph.model_copy(
        update={
            "nodes": (*graph.nodes, node),
            "positions": {**graph.positions, node.id: place},
        }
    )


def without(graph: Graph, nodes: Collection[str], edges: Collection[tuple[str, str]]) -> Graph:
    """Without some nodes, their edges, and some edges."""
    return graph.model_copy(
        update={
            "nodes": tuple(node for node in graph.nodes if node.id not in nodes),
            "edges": tuple(
                edge
                for edge in graph.edges
                if edge not in edges and edge[0] not in nodes and edge[1] not in nodes
            ),
            "positions": {id_: at for id_, at in graph.positions.items() if id_ not in nodes},
        }
    )


def connected(graph: Graph, source: str, target: str) -> Graph:
    """With an edge. Raises `Invalid` naming the nodes when it is there or could never be run."""
    first, second = graph.node(source), graph.node(target)
    if first is None or second is None:
        raise Invalid(f"{source!r} or {target!r} is no node of the graph.")
    if (source, target) in graph.edges:
        raise Invalid(f"{source!r} leads to {target!r} already.")
    if second.kind == "input":
        raise Invalid(f"Nothing can lead into the input {target!r}.")
    if first.kind == "output":
        raise Invalid(f"Nothing can come after the output {source!r}.")
    if source == target or source in graph.below([target]):
        raise Invalid(f"{target!r} would wait for itself: {source!r} comes after it.")
    if len(graph.edges) >= MOST_EDGES:
        raise Invalid(f"A graph holds at most {MOST_EDGES} edges.")
    return graph.model_copy(update={"edges": (*graph.edges, (source, target))})


def changed(graph: Graph, node_id: str, **values: Any) -> Graph:
    """With other values in a node. Raises `NodeInvalid`."""
    return graph.model_copy(
        update={
            "nodes": tuple(
                valid(node, **values) if node.id == node_id else node for node in graph.nodes
            )
        }
    )


def called(graph: Graph, old: str, new: str) -> Graph:
    """With another id of a node: its edges follow, and so do the prompts that name it. Raises
    `NodeInvalid`."""
    node = graph.node(old)
    if node is None or old == new:
        return graph
    made = valid(node, id=new)
    if graph.node(new) is not None:
        raise NodeInvalid([("id", f"Another node is called {new!r}.")])
    if new == INPUT and node.kind != "input":
        raise NodeInvalid([("id", f"{INPUT!r} names what the graph is given.")])

    def follow(each: Node) -> Node:
        if each.id == old:
            return made
        if (old, each.id) in graph.edges and old != INPUT:
            return each.model_copy(update={"prompt": renamed(each.prompt, old, new)})
        return each

    def end(id_: str) -> str:
        return new if id_ == old else id_

    return graph.model_copy(
        update={
            "nodes": tuple(map(follow, graph.nodes)),
            "edges": tuple((end(source), end(target)) for source, target in graph.edges),
            "positions": {end(id_): at for id_, at in graph.positions.items()},
        }
    )


def moved(graph: Graph, places: Places) -> Graph:
    """With nodes in other places."""
    known = {node.id for node in graph.nodes}
    places = {id_: at for id_, at in places.items() if id_ in known}
    return graph.model_copy(update={"positions": {**graph.positions, **places}})


def copied(
    graph: Graph, nodes: Collection[str], places: Places, shift: tuple[float, float]
) -> tuple[Graph, list[str]]:
    """With copies of some nodes and of the edges among them, and the ids of the copies. Raises
    `Invalid` when the graph is full."""
    names: dict[str, str] = {}
    for node in graph.nodes:
        if node.id in nodes:
            names[node.id] = free_id(graph, node.id, names.values())
    made = graph
    for old, new in names.items():
        original = graph.node(old)
        if original is not None:
            prompt = original.prompt
            for other, copy in names.items():
                if (other, old) in graph.edges and other != INPUT:
                    prompt = renamed(prompt, other, copy)
            x, y = places[old]
            twin = original.model_copy(update={"id": new, "prompt": prompt})
            made = added(made, twin, (x + shift[0], y + shift[1]))
    for source, target in graph.edges:
        if source in names and target in names:
            made = connected(made, names[source], names[target])
    return made, list(names.values())


def free_id(graph: Graph, wanted: str, taken: Collection[str] = ()) -> str:
    """`wanted`, or `wanted 2`, `wanted 3` … : the first that no node has."""
    plain = "".join(c for c in wanted if c.isprintable() and c not in '{}"').strip() or "node"
    base = plain.rstrip("0123456789").rstrip() or plain
    ids = {node.id for node in graph.nodes} | set(taken)
    candidate, number = plain[:60].strip(), 2
    while candidate in ids:
        candidate = f"{base[:56].strip()} {number}"
        number += 1
    return candidate


def valid(node: Node, **values: Any) -> Node:
    """The node with other values. Raises `NodeInvalid`."""
    try:
        return Node.model_validate({**node.model_dump(), **values})
    except ValidationError as error:
        raise NodeInvalid(problems(error)) from error


class NodeInvalid(Invalid):
    """A node cannot be so. `problems`: (dotted field path, what is wrong) of each fault."""

    def __init__(self, problems: list[tuple[str, str]]) -> None:
        super().__init__("; ".join(f"{path}: {why}" if path else why for path, why in problems))
        self.problems = problems
