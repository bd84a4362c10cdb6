"""The canvas on which a graph is drawn, by mouse and by keyboard."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QFocusEvent,
    QFontInfo,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QGraphicsScene, QGraphicsView, QWidget

from chatty_desktop.domain.graph_layout import GRID, Places
from chatty_desktop.domain.graphs import Edge, Graph
from chatty_desktop.ui.agents.agent_row import AGENT_MIME
from chatty_desktop.ui.graphs.drawing import Drawing
from chatty_desktop.ui.graphs.edge_item import EdgeItem
from chatty_desktop.ui.graphs.minimap import Minimap
from chatty_desktop.ui.graphs.node_item import LETTERS
from chatty_desktop.ui.graphs.seen import SeenNode
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XL, M, S

_LEAST, _MOST = 0.1, 3.0
_STEP = 1.2
_PORT_REACH = 12.0
_ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}


class Canvas(QGraphicsView):
    """Shows a graph and says what the person does to it; it changes nothing itself.

    current: the node the keyboard is on, None on none.
    chosen_changed: others are selected. moved: selected nodes were put somewhere else.
    connect_wanted: from, to. form_wanted: the person wants to fill in the current node.
    agent_dropped: the id of an agent and where. menu_wanted: where on the screen.
    told: what the keyboard came to, in words.
    """

    chosen_changed = Signal()
    moved = Signal(object)
    connect_wanted = Signal(str, str)
    form_wanted = Signal()
    agent_dropped = Signal(str, QPointF)
    menu_wanted = Signal(QPoint)
    told = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.current: str | None = None
        self.zoom = 1.0
        self._before: Places = {}
        self._wire: EdgeItem | None = None
        self._wire_from: tuple[str, bool] = ("", True)
        self._pan: QPoint | None = None
        self._scene = QGraphicsScene(self)
        # The index is of no use for items that move, and costs at each move.
        self._scene.setItemIndexMethod(QGraphicsScene.ItemIndexMethod.NoIndex)
        self.setScene(self._scene)
        self.drawing = Drawing(self._scene, theme)
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setDragMode(QGraphicsView.DragMode.RubberBandDrag)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.AnchorUnderMouse)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAcceptDrops(True)
        self.setAccessibleName(tr("Graph"))
        self.setMinimumSize(240, 180)
        self.minimap = Minimap(self, theme)
        self._scene.selectionChanged.connect(self._select_told)
        for bar in (self.horizontalScrollBar(), self.verticalScrollBar()):
            bar.valueChanged.connect(self.minimap.update)
        theme.changed.connect(self._dress)
        self._dress()

    # --- what is shown -----------------------------------------------------------------------

    def show_graph(self, graph: Graph, seen: Mapping[str, SeenNode], places: Places) -> None:
        """Draw a graph: each of its nodes as it is `seen`, where its `places` say."""
        self.drawing.show(graph, seen, places)
        if self.current not in self.drawing.nodes:
            self.current = None
        self._mark_current()
        self._fit_scene()

    def show_nodes(self, seen: Mapping[str, SeenNode]) -> None:
        """Show what is known of the nodes now."""
        self.drawing.show_nodes(seen)
        self._describe()

    @property
    def chosen(self) -> list[str]:
        """The ids of the selected nodes, as reading goes."""
        nodes = self.drawing.nodes
        return [each for each in self.drawing.order if nodes[each].isSelected()]

    @property
    def chosen_edges(self) -> list[Edge]:
        return [edge for edge, item in self.drawing.edges.items() if item.isSelected()]

    def choose(self, node_ids: Collection[str]) -> None:
        """Select these nodes alone; the keyboard is on the last."""
        self._scene.blockSignals(True)
        self._scene.clearSelection()
        for node_id in node_ids:
            if node_id in self.drawing.nodes:
                self.drawing.nodes[node_id].setSelected(True)
                self.current = node_id
        self._scene.blockSignals(False)
        self._select_told()

    def choose_all(self) -> None:
        self.choose(self.drawing.order)

    def go_to(self, node_id: str) -> None:
        """Select a node and bring it into sight."""
        self.choose([node_id])
        self._see(node_id)

    def middle(self) -> QPointF:
        """The place in the middle of what is seen."""
        return self.mapToScene(self.viewport().rect().center())

    # --- zoom --------------------------------------------------------------------------------

    def zoom_in(self) -> None:
        self.zoom_to(self.zoom * _STEP)

    def zoom_out(self) -> None:
        self.zoom_to(self.zoom / _STEP)

    def zoom_to(self, zoom: float) -> None:
        """1.0: letters as large as those of the window."""
        self.zoom = min(max(zoom, _LEAST), _MOST)
        self.resetTransform()
        self.scale(self.zoom * self._letters(), self.zoom * self._letters())
        self._fit_scene()

    def fit(self) -> None:
        """Bring all nodes into sight, never larger than the window's letters."""
        bounds = self.drawing.bounds().adjusted(-XL, -XL, XL, XL)
        room = self.viewport().rect()
        if bounds.isEmpty() or room.isEmpty():
            return
        share = min(room.width() / bounds.width(), room.height() / bounds.height())
        self.zoom_to(min(1.0, share / self._letters()))
        self.centerOn(self.drawing.bounds().center())
        self.minimap.update()

    # --- mouse -------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = self.mapToScene(event.position().toPoint())
        if event.button() == Qt.MouseButton.MiddleButton:
            self._pan = event.position().toPoint()
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
            return
        port = self.drawing.port_at(at, _PORT_REACH)
        if event.button() == Qt.MouseButton.LeftButton and port is not None:
            self._wire_from = port
            self._wire = EdgeItem(None, self._theme)
            self._scene.addItem(self._wire)
            self._draw_wire(at)
            return
        if event.button() == Qt.MouseButton.LeftButton:
            self._before = self.drawing.places()
            if (under := self.drawing.node_at(at)) is not None:
                self.current = under
        super().mousePressEvent(event)
        self._mark_current()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        here = event.position().toPoint()
        if self._pan is not None:
            step, self._pan = here - self._pan, here
            across, down = self.horizontalScrollBar(), self.verticalScrollBar()
            across.setValue(across.value() - step.x())
            down.setValue(down.value() - step.y())
        elif self._wire is not None:
            self._draw_wire(self.mapToScene(here))
        else:
            super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._pan is not None:
            self._pan = None
            self.viewport().unsetCursor()
        elif self._wire is not None:
            self._scene.removeItem(self._wire)
            self._wire = None
            over = self.drawing.node_at(self.mapToScene(event.position().toPoint()))
            begun, forward = self._wire_from
            if over is not None and over != begun:
                self.connect_wanted.emit(*((begun, over) if forward else (over, begun)))
        else:
            super().mouseReleaseEvent(event)
            self._say_moved()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self.drawing.node_at(self.mapToScene(event.position().toPoint())) is not None:
            self.form_wanted.emit()
        else:
            super().mouseDoubleClickEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            turns = event.angleDelta().y() / 120
            self.zoom_to(self.zoom * _STEP**turns)
        else:
            super().wheelEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        place = event.globalPos()
        if event.reason() == QContextMenuEvent.Reason.Mouse:
            under = self.drawing.node_at(self.mapToScene(event.pos()))
            if under is not None and under not in self.chosen:
                self.choose([under])
        elif self.current is not None:
            at = self.mapFromScene(self.drawing.middle(self.current))
            place = self.viewport().mapToGlobal(at)
        self.menu_wanted.emit(place)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        event.setAccepted(event.mimeData().hasFormat(AGENT_MIME))

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        event.setAccepted(event.mimeData().hasFormat(AGENT_MIME))

    def dropEvent(self, event: QDropEvent) -> None:
        agent_id = bytes(event.mimeData().data(AGENT_MIME).data()).decode()
        self.agent_dropped.emit(agent_id, self.mapToScene(event.position().toPoint()))
        event.acceptProposedAction()

    # --- keyboard ----------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, keys = Qt.Key(event.key()), event.modifiers()
        arrow = _ARROWS.get(key)
        if arrow and keys & Qt.KeyboardModifier.AltModifier:
            self._before = self.drawing.places()
            for node_id in self.chosen:
                item = self.drawing.nodes[node_id]
                item.moveBy(GRID * arrow[0], GRID * arrow[1])
            self._say_moved()
        elif arrow and self.drawing.nodes:
            start = self.current or self.drawing.order[0]
            to = self.drawing.toward(start, *arrow) if self.current else start
            self._walk_to(to, also=bool(keys & Qt.KeyboardModifier.ShiftModifier))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.current:
            self.form_wanted.emit()
        elif key == Qt.Key.Key_Space and self.current:
            item = self.drawing.nodes[self.current]
            item.setSelected(not item.isSelected())
        elif key == Qt.Key.Key_Escape and (self.chosen or self.chosen_edges):
            self.choose([])
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Tab goes from node to node, and on from the last."""
        order = self.drawing.order
        at = order.index(self.current) if self.current in order else (-1 if forward else len(order))
        at += 1 if forward else -1
        if 0 <= at < len(order):
            self._walk_to(order[at])
            return True
        return self.window().focusNextPrevChild(forward)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        order = self.drawing.order
        if event.reason() == Qt.FocusReason.TabFocusReason and order:
            self._walk_to(order[0])
        elif event.reason() == Qt.FocusReason.BacktabFocusReason and order:
            self._walk_to(order[-1])
        self._mark_current()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._mark_current()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_scene()

    def drawBackground(self, painter: QPainter, rect: QRectF | QRect) -> None:
        """A light grid of dots; none where they would run together."""
        super().drawBackground(painter, rect)
        if self.zoom < 0.6:
            return
        painter.setPen(QColor(self._theme.tokens.border))
        step = 2 * GRID
        x = step * (rect.left() // step)
        while x < rect.right():
            y = step * (rect.top() // step)
            while y < rect.bottom():
                painter.drawPoint(QPointF(x, y))
                y += step
            x += step

    # --- inside ------------------------------------------------------------------------------

    def _walk_to(self, node_id: str | None, *, also: bool = False) -> None:
        if node_id is None:
            return
        if also:
            self.current = node_id
            self.drawing.nodes[node_id].setSelected(True)
        else:
            self.choose([node_id])
        self._see(node_id)
        self.told.emit(self.drawing.nodes[node_id].seen.spoken)

    def _see(self, node_id: str) -> None:
        self.ensureVisible(self.drawing.nodes[node_id].sceneBoundingRect(), M, M)

    def _say_moved(self) -> None:
        now = self.drawing.places()
        places = {each: now[each] for each in now if now[each] != self._before.get(each)}
        if places and self._before:
            self.moved.emit(places)
        self._before = {}

    def _draw_wire(self, to: QPointF) -> None:
        node, forward = self._wire_from
        item = self.drawing.nodes[node]
        if self._wire is not None:
            ends = (item.outlet(), to) if forward else (to, item.inlet())
            self._wire.draw(*ends)

    def _select_told(self) -> None:
        chosen = self.chosen
        if chosen and self.current not in chosen:
            self.current = chosen[-1]
        self._mark_current()
        self.chosen_changed.emit()

    def _mark_current(self) -> None:
        for node_id, item in self.drawing.nodes.items():
            has = self.hasFocus() and node_id == self.current
            if item.has_keyboard != has:
                item.has_keyboard = has
                item.update()
        self._describe()

    def _describe(self) -> None:
        item = self.drawing.nodes.get(self.current or "")
        self.setAccessibleDescription(item.seen.spoken if item else "")

    def _fit_scene(self) -> None:
        """Room to move in around the nodes, and the small map where they do not all fit."""
        seen = self.mapToScene(self.viewport().rect()).boundingRect()
        half_w, half_h = seen.width() / 2, seen.height() / 2
        bounds = self.drawing.bounds()
        self._scene.setSceneRect(bounds.adjusted(-half_w, -half_h, half_w, half_h))
        place = self.viewport().rect().bottomRight() - self.minimap.rect().bottomRight()
        self.minimap.move(place - QPoint(S, S))
        self.minimap.setVisible(bounds.width() > seen.width() or bounds.height() > seen.height())
        self.minimap.update()

    def _letters(self) -> float:
        return QFontInfo(self._theme.words()).pixelSize() / LETTERS

    def _dress(self) -> None:
        self.setBackgroundBrush(QColor(self._theme.tokens.surface))
        self.zoom_to(self.zoom)
        self.viewport().update()
