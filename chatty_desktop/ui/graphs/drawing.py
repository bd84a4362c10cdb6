"""The boxes and curves of a graph on a scene, kept in step with it."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtWidgets import QGraphicsScene

from chatty_desktop.domain.graph_layout import Places
from chatty_desktop.domain.graphs import Edge, Graph
from chatty_desktop.ui.graphs.edge_item import EdgeItem
from chatty_desktop.ui.graphs.node_item import PORT, WIDTH, NodeItem
from chatty_desktop.ui.graphs.seen import SeenNode
from chatty_desktop.ui.theme import Theme


class Drawing:
    """nodes, edges: what is drawn, by the nodes' ids and by the ends. order: the ids of the nodes
    as reading goes, from left to right."""

    def __init__(self, scene: QGraphicsScene, theme: Theme) -> None:
        self.scene = scene
        self.nodes: dict[str, NodeItem] = {}
        self.edges: dict[Edge, EdgeItem] = {}
        self._theme = theme
        self._filling = False

    @property
    def order(self) -> list[str]:
        places = self.places()
        return sorted(places, key=lambda each: places[each])

    def show(self, graph: Graph, seen: Mapping[str, SeenNode], places: Places) -> None:
        """Draw a graph; what is drawn already and still in it is kept, and stays selected."""
        self._filling = True
        for gone in set(self.nodes) - set(seen):
            self.scene.removeItem(self.nodes.pop(gone))
        for node_id, each in seen.items():
            item = self.nodes.get(node_id)
            if item is None:
                item = self.nodes[node_id] = NodeItem(each, self._theme, self._moved)
                self.scene.addItem(item)
            item.show_node(each)
            item.setPos(QPointF(*places[node_id]))
        wanted = {edge for edge in graph.edges if edge[0] in seen and edge[1] in seen}
        for left in set(self.edges) - wanted:
            self.scene.removeItem(self.edges.pop(left))
        for edge in wanted - set(self.edges):
            self.edges[edge] = EdgeItem(edge, self._theme)
            self.scene.addItem(self.edges[edge])
        self._filling = False
        for edge in self.edges:
            self._lead(edge)

    def show_nodes(self, seen: Mapping[str, SeenNode]) -> None:
        """Show what is known of nodes that are drawn."""
        for node_id, each in seen.items():
            if node_id in self.nodes:
                self.nodes[node_id].show_node(each)
        for edge in self.edges:
            self._lead(edge)

    def places(self) -> dict[str, tuple[float, float]]:
        """Where each node stands."""
        return {id_: (item.x(), item.y()) for id_, item in self.nodes.items()}

    def bounds(self) -> QRectF:
        """The room that all nodes take together."""
        found = QRectF()
        for item in self.nodes.values():
            found = found.united(item.mapRectToScene(item.box))
        return found

    def node_at(self, point: QPointF) -> str | None:
        """The node at a place, its ports included."""
        for node_id, item in self.nodes.items():
            if item.sceneBoundingRect().contains(point):
                return node_id
        return None

    def port_at(self, point: QPointF, reach: float) -> tuple[str, bool] | None:
        """The port within reach of a place: its node, and whether edges begin there."""
        for node_id, item in self.nodes.items():
            ends = (
                (item.outlet(), True, item.seen.kind != "output"),
                (item.inlet(), False, item.seen.kind != "input"),
            )
            for place, begins, there in ends:
                away = place - point
                if there and away.manhattanLength() <= reach:
                    return node_id, begins
        return None

    def toward(self, node_id: str, across: int, down: int) -> str | None:
        """The nearest node in a direction: one of `across` and `down` is -1 or 1, the other 0."""
        here = self.nodes[node_id].pos()
        best, nearest = None, float("inf")
        for other, item in self.nodes.items():
            away = item.pos() - here
            along = away.x() * across + away.y() * down
            aside = abs(away.x() * down) + abs(away.y() * across)
            if other != node_id and along > PORT and along + 2 * aside < nearest:
                best, nearest = other, along + 2 * aside
        return best

    def middle(self, node_id: str) -> QPointF:
        """The middle of a node, on the canvas."""
        item = self.nodes[node_id]
        return item.mapToScene(QPointF(WIDTH / 2, item.box.height() / 2))

    def _moved(self, node_id: str) -> None:
        if not self._filling:
            for edge in self.edges:
                if node_id in edge:
                    self._lead(edge)

    def _lead(self, edge: Edge) -> None:
        source, target = (self.nodes.get(each) for each in edge)
        if source is not None and target is not None:
            self.edges[edge].draw(source.outlet(), target.inlet())
