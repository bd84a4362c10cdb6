"""The steps by which a graph is drawn, each of which can be undone."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QPointF

from chatty_desktop.domain import graph_editing as edits
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.graph_layout import GRID, laid_out, places_of, snapped
from chatty_desktop.domain.graphs import Graph, Node, NodeKind
from chatty_desktop.ui.graphs.canvas import Canvas
from chatty_desktop.ui.graphs.draft import Draft
from chatty_desktop.ui.graphs.node_item import WIDTH
from chatty_desktop.ui.language import tr


class GraphSteps:
    """Changes the draft by what the person does on the canvas."""

    def __init__(self, draft: Draft, canvas: Canvas, say: Callable[[str], None]) -> None:
        """`say` shows why a step could not be taken, "" takes that away."""
        self._draft, self._canvas, self._say = draft, canvas, say

    def add(self, kind: NodeKind, agent: str | None = None, at: QPointF | None = None) -> None:
        """Add a node, in the middle of what is seen unless a place is given."""
        names = {"input": tr("input"), "output": tr("output")}
        node_id = edits.free_id(self._draft.graph, agent or names.get(kind) or tr("agent"))
        place = at or self._canvas.middle()
        taken = places_of(self._draft.graph).values()
        x, y = snapped(place.x() - WIDTH / 2), snapped(place.y() - 2 * GRID)
        while any(abs(x - left) < WIDTH and abs(y - top) < 6 * GRID for left, top in taken):
            y += GRID
        node = Node(id=node_id, kind=kind, agent=agent)
        if self._try(lambda graph: edits.added(graph, node, (x, y)), tr("Add a node")):
            self._canvas.go_to(node_id)
            self._canvas.setFocus()

    def move(self, to: Mapping[str, tuple[float, float]]) -> None:
        """Put nodes elsewhere."""
        self._draft.change(edits.moved(self._draft.graph, to), tr("Move"))

    def connect(self, source: str, target: str) -> None:
        """Let a node lead to another."""
        self._try(lambda graph: edits.connected(graph, source, target), tr("Connect"))

    def join(self, source: str, target: str, *, connect: bool) -> None:
        """Let a node lead to another, or no longer."""
        if connect:
            self.connect(source, target)
        else:
            edge = (source, target)
            self._try(lambda graph: edits.without(graph, (), [edge]), tr("Disconnect"))

    def delete(self) -> None:
        """Delete the nodes and edges that are chosen."""
        nodes, lines = self._canvas.chosen, self._canvas.chosen_edges
        self._try(lambda graph: edits.without(graph, nodes, lines), tr("Delete"))

    def duplicate(self) -> None:
        """Add a copy of the nodes that are chosen, and choose it."""
        try:
            graph, made = edits.copied(
                self._draft.graph,
                self._canvas.chosen,
                places_of(self._draft.graph),
                (2 * GRID, 6 * GRID),
            )
        except Invalid as error:
            self._say(str(error))
            return
        self._draft.change(graph, tr("Duplicate"))
        self._canvas.choose(made)

    def lay_out(self) -> None:
        """Put all nodes from left to right, as the edges lead."""
        self._try(lambda graph: edits.moved(graph, laid_out(graph)), tr("Lay out"))
        self._canvas.fit()

    def align(self, axis: int) -> None:
        """Put the chosen nodes in line with the first: 0 in a column, 1 in a row."""
        places, chosen = places_of(self._draft.graph), self._canvas.chosen
        if chosen:
            first = places[chosen[0]]
            to = {
                each: (first[0], places[each][1]) if axis == 0 else (places[each][0], first[1])
                for each in chosen
            }
            self._try(lambda graph: edits.moved(graph, to), tr("Align"))

    def name(self, name: str) -> None:
        """Call the graph something else."""
        graph = self._draft.graph.model_copy(update={"name": name})
        self._draft.change(graph, tr("Rename the graph"), "name")

    def _try(self, change: Callable[[Graph], Graph], words: str) -> bool:
        """Take a step, or say why it cannot be."""
        try:
            self._draft.change(change(self._draft.graph), words)
        except Invalid as error:
            self._say(str(error))
            return False
        self._say("")
        return True
