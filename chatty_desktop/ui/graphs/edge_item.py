"""An edge as a curve with an arrowhead."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPainterPathStroker, QPen, QPolygonF
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from chatty_desktop.ui.graphs.node_item import PORT
from chatty_desktop.ui.theme import Theme

_ARROW = 8.0


class EdgeItem(QGraphicsItem):
    """From one place on the canvas to another; `edge` None while it is being drawn."""

    def __init__(self, edge: tuple[str, str] | None, theme: Theme) -> None:
        super().__init__()
        self.edge = edge
        self._theme = theme
        self._end = QPointF()
        self._path = QPainterPath()
        if edge is not None:
            self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemIsSelectable)

    def draw(self, start: QPointF, end: QPointF) -> None:
        """Lead from one place to another."""
        self.prepareGeometryChange()
        start = start + QPointF(PORT, 0)
        self._end = end = end - QPointF(PORT + 1, 0)
        reach = max(40.0, abs(end.x() - start.x()) / 2)
        self._path = QPainterPath(start)
        near = end - QPointF(_ARROW - 1, 0)
        self._path.cubicTo(start + QPointF(reach, 0), near - QPointF(reach, 0), near)
        self.update()

    def boundingRect(self) -> QRectF:
        return self._path.boundingRect().adjusted(-8, -8, 8 + _ARROW, 8)

    def shape(self) -> QPainterPath:
        wide = QPainterPathStroker()
        wide.setWidth(12)
        return wide.createStroke(self._path)

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        tokens = self._theme.tokens
        chosen = self.isSelected() or self.edge is None
        colour = QColor(tokens.accent if chosen else tokens.control)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(colour, 2.0 if chosen else 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(self._path)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        back = self._end - QPointF(_ARROW, 0)
        half = QPointF(0, _ARROW / 2)
        painter.drawPolygon(QPolygonF([self._end, back + half, back - half]))
