"""Whatever is done to a graph, it stays one that can be stored, and what is wrong is at a node."""

from __future__ import annotations

import random

import pytest

from chatty_desktop.domain import graph_editing as edits
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.graph_layout import laid_out, places_of
from chatty_desktop.domain.graph_problems import problems_of, require_sound
from chatty_desktop.domain.graphs import Graph, Node, NodeKind, checked, read_graph, write_graph

_KINDS: tuple[NodeKind, ...] = ("input", "agent", "agent", "agent", "output")


def _step(graph: Graph, draw: random.Random) -> Graph:
    ids = [node.id for node in graph.nodes]
    act = draw.choice(("add", "add", "connect", "connect", "connect", "delete", "rename", "copy"))
    if act == "add" or not ids:
        kind = draw.choice(_KINDS)
        agent = draw.choice(("Ada", "Nobody", None)) if kind == "agent" else None
        node = Node(id=edits.free_id(graph, kind), kind=kind, agent=agent)
        return edits.added(graph, node, (0, 0))
    one, other = draw.choice(ids), draw.choice(ids)
    if act == "connect":
        made = edits.connected(graph, one, other)
        return edits.changed(made, other, prompt=f"{{input}} {{{one}}}")
    if act == "delete":
        return edits.without(graph, [one], graph.edges[:1])
    if act == "rename":
        return edits.called(graph, one, draw.choice((f"{one} x", "input", other, "a{b")))
    return edits.copied(graph, [one, other], places_of(graph), (40, 120))[0]


@pytest.mark.parametrize("seed", range(60))
def test_any_graph_that_can_be_drawn_is_sound_or_refused_with_its_nodes_named(seed: int) -> None:
    draw = random.Random(seed)
    graph = Graph(name="Any")
    for _ in range(50):
        try:
            graph = _step(graph, draw)
        except Invalid:
            continue
        assert read_graph(write_graph(checked(graph))) == graph
        graph.in_order()  # never a circle
        assert set(places_of(graph)) == {node.id for node in graph.nodes}
    found = problems_of(graph, {"Ada"})
    whole = ("no_input", "no_output")
    assert all(each.node or each.kind in whole for each in found)
    if not found:
        require_sound(graph, {"Ada"})
        return
    with pytest.raises(Invalid) as refused:
        require_sound(graph, {"Ada"})
    assert all(each.node in str(refused.value) for each in found)


@pytest.mark.parametrize("seed", range(20))
def test_a_layout_leads_from_left_to_right_with_no_two_nodes_in_one_place(seed: int) -> None:
    draw = random.Random(seed)
    graph = Graph(name="Any")
    for _ in range(60):
        try:
            graph = _step(graph, draw)
        except Invalid:
            continue
    places = laid_out(graph)
    assert len(set(places.values())) == len(graph.nodes)
    assert all(places[source][0] < places[target][0] for source, target in graph.edges)
