"""Where the nodes of a graph stand when nobody has put them anywhere: from left to right."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.graphs import Graph

Places = Mapping[str, tuple[float, float]]
"""Where nodes stand, by their ids."""

COLUMN, ROW = 280.0, 140.0
"""From one node to the next, in the units of `Graph.positions`."""

GRID = 20.0
"""Nodes stand on multiples of this."""


def laid_out(graph: Graph) -> dict[str, tuple[float, float]]:
    """A place for each node: right of all it depends on, near their middle, no two in one place."""
    before: defaultdict[str, list[str]] = defaultdict(list)
    for source, target in graph.edges:
        before[target].append(source)
    try:
        ordered = graph.in_order()
    except Invalid:
        ordered = graph.nodes
    column: dict[str, int] = {}
    columns: defaultdict[int, list[str]] = defaultdict(list)
    for node in ordered:
        if node.id in column:
            continue
        at = 1 + max((column[each] for each in before[node.id] if each in column), default=-1)
        column[node.id] = at
        columns[at].append(node.id)
    heights: dict[str, float] = {}
    places: dict[str, tuple[float, float]] = {}
    for at in sorted(columns):

        def middle(node_id: str) -> float:
            found = [heights[each] for each in before[node_id] if each in heights]
            return sum(found) / len(found) if found else 0.0

        standing = sorted(columns[at], key=middle)
        top = -(len(standing) - 1) * ROW / 2
        for row, node_id in enumerate(standing):
            heights[node_id] = top + row * ROW
            places[node_id] = (at * COLUMN, snapped(heights[node_id]))
    return places


def places_of(graph: Graph) -> dict[str, tuple[float, float]]:
    """Where each node stands: as it was put, else as it is laid out. Where only some were put,
    the others stand below those."""
    if not graph.positions:
        return laid_out(graph)
    put = {node.id: graph.positions[node.id] for node in graph.nodes if node.id in graph.positions}
    left = [node.id for node in graph.nodes if node.id not in put]
    below = max((y for _x, y in put.values()), default=0.0) + ROW
    start = min((x for x, _y in put.values()), default=0.0)
    return put | {each: (start + i * COLUMN, snapped(below)) for i, each in enumerate(left)}


def snapped(value: float) -> float:
    """The nearest place on the grid."""
    return round(value / GRID) * GRID
