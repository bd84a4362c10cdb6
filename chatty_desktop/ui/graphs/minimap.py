"""A small map of a graph that is larger than what is seen of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QTransform
from PySide6.QtWidgets import QWidget

from chatty_desktop.ui.language import tr
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import S

if TYPE_CHECKING:
    from chatty_desktop.ui.graphs.canvas import Canvas


class Minimap(QWidget):
    """All nodes and a frame around what is seen; a press goes there."""

    def __init__(self, canvas: Canvas, theme: Theme) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self._theme = theme
        self.setFixedSize(168, 108)
        self.setAccessibleName(tr("Map of the graph"))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.hide()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._go(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._go(event.position())

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QColor(tokens.border))
        painter.setBrush(QColor(tokens.window))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        to_map = self._to_map()
        painter.setPen(Qt.PenStyle.NoPen)
        for item in self._canvas.drawing.nodes.values():
            seen = item.seen
            tone = tokens.danger if seen.problem else tokens.control
            if seen.live:
                tone = tokens.colour(seen.live.tone)
            painter.setBrush(QColor(tokens.accent if item.isSelected() else tone))
            box = to_map.mapRect(item.mapRectToScene(item.box))
            painter.drawRoundedRect(box, 1.5, 1.5)
        painter.setPen(QPen(QColor(tokens.accent), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        frame = to_map.mapRect(self._seen()).intersected(QRectF(self.rect()))
        painter.drawRect(frame.adjusted(1, 1, -2, -2))

    def _seen(self) -> QRectF:
        view = self._canvas.viewport().rect()
        return self._canvas.mapToScene(view).boundingRect()

    def _to_map(self) -> QTransform:
        bounds = self._canvas.drawing.bounds()
        room = QRectF(self.rect()).adjusted(S, S, -S, -S)
        wide, high = max(bounds.width(), 1.0), max(bounds.height(), 1.0)
        share = min(room.width() / wide, room.height() / high)
        middle, centre = room.center(), bounds.center()
        return QTransform(
            share, 0, 0, share, middle.x() - share * centre.x(), middle.y() - share * centre.y()
        )

    def _go(self, to: QPointF) -> None:
        back, _possible = self._to_map().inverted()
        self._canvas.centerOn(back.map(to))
