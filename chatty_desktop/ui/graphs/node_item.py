"""A node as a box on the canvas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import (
    QGraphicsItem,
    QGraphicsSceneHoverEvent,
    QStyleOptionGraphicsItem,
    QWidget,
)

from chatty_desktop.domain.graph_layout import snapped
from chatty_desktop.ui.graphs.seen import SeenNode
from chatty_desktop.ui.plain import tip
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XS, M, S, Tone

WIDTH: Final = 200.0
LETTERS: Final = 13
"""Pixels of the letters, in the canvas's own units; the canvas scales them to the window's."""
PORT: Final = 5.0
_ROUND: Final = 8.0
_ICONS = {"input": "sign-in", "agent": "robot", "output": "sign-out"}


class NodeItem(QGraphicsItem):
    """Draws what a node shows. Its ports are where its edges begin and end.

    `moved` is called while it is being moved.
    """

    def __init__(self, seen: SeenNode, theme: Theme, moved: Callable[[str], None]) -> None:
        super().__init__()
        self.seen = seen
        self._theme = theme
        self._moved = moved
        self._hovered = False
        self.has_keyboard = False
        flag = QGraphicsItem.GraphicsItemFlag
        self.setFlags(flag.ItemIsMovable | flag.ItemIsSelectable | flag.ItemSendsGeometryChanges)
        self.setAcceptHoverEvents(True)
        self.setZValue(1)
        self._lines = self._count()

    def show_node(self, seen: SeenNode) -> None:
        """Show something else of the same node."""
        if seen != self.seen:
            self.prepareGeometryChange()
            self.seen = seen
            self._lines = self._count()
            self.update()
        self.setToolTip(tip(seen.problem))

    @property
    def box(self) -> QRectF:
        """The frame, without ports."""
        line = QFontMetricsF(self._font()).height() + XS
        return QRectF(0, 0, WIDTH, 2 * M + self._lines * line)

    def inlet(self) -> QPointF:
        """Where edges end, on the canvas."""
        return self.mapToScene(QPointF(0, self.box.height() / 2))

    def outlet(self) -> QPointF:
        """Where edges begin, on the canvas."""
        return self.mapToScene(QPointF(WIDTH, self.box.height() / 2))

    def boundingRect(self) -> QRectF:
        around = PORT + 3
        return self.box.adjusted(-around, -around, around, around)

    def itemChange(self, change: QGraphicsItem.GraphicsItemChange, value: Any) -> Any:
        kinds = QGraphicsItem.GraphicsItemChange
        if change == kinds.ItemPositionChange and isinstance(value, QPointF):
            return QPointF(snapped(value.x()), snapped(value.y()))
        if change == kinds.ItemPositionHasChanged:
            self._moved(self.seen.id)
        return super().itemChange(change, value)

    def hoverEnterEvent(self, event: QGraphicsSceneHoverEvent) -> None:
        self._hovered = True
        self.update()

    def hoverLeaveEvent(self, event: QGraphicsSceneHoverEvent) -> None:
        self._hovered = False
        self.update()

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        tokens, box, seen = self._theme.tokens, self.box, self.seen
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(tokens.colour(self._frame())), 2 if self._strong() else 1))
        painter.setBrush(QColor(tokens.hover if self._hovered else tokens.raised))
        painter.drawRoundedRect(box, _ROUND, _ROUND)
        if self.has_keyboard:
            painter.setPen(QPen(QColor(tokens.accent), 1, Qt.PenStyle.DotLine))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box.adjusted(-5, -5, 5, 5), _ROUND + 4, _ROUND + 4)
        self._ports(painter)
        line = QFontMetricsF(self._font()).height() + XS
        row = QRectF(M, M, WIDTH - 2 * M, line)
        tone: Tone = "accent" if seen.kind != "agent" else "muted"
        self._row(painter, row, _ICONS[seen.kind], tone, seen.id, "text", strong=True)
        if seen.problem:
            self._icon(painter, row, "warning-circle", "danger", at_end=True)
        if seen.kind == "agent":
            row.translate(0, line)
            self._row(painter, row, "", "muted", seen.who, "muted")
            row.translate(0, line)
            self._memory(painter, row)
        if seen.problem:
            row.translate(0, line)
            self._row(painter, row, "", "danger", seen.problem, "danger")
        if seen.live:
            row.translate(0, line)
            live = seen.live
            self._row(painter, row, live.icon, live.tone, live.words, live.tone)

    def _count(self) -> int:
        seen = self.seen
        return (3 if seen.kind == "agent" else 1) + bool(seen.problem) + bool(seen.live)

    def _frame(self) -> Tone:
        if self.isSelected():
            return "accent"
        if self.seen.problem:
            return "danger"
        return self.seen.live.tone if self.seen.live else "border"

    def _strong(self) -> bool:
        return self.isSelected() or self._frame() in ("accent", "success", "danger")

    def _memory(self, painter: QPainter, row: QRectF) -> None:
        """The word of the memory; in a pill of memory's colour where it is the slot's own."""
        seen = self.seen
        if not seen.memory:
            return
        if not seen.own:
            self._row(painter, row, "brain", "memory", seen.memory, "muted")
            return
        wide = QFontMetricsF(self._font()).horizontalAdvance(seen.memory) + 16 + 3 * S
        pill = QRectF(row.x() - XS, row.y() - 1, min(wide, row.width() + XS), row.height())
        painter.setPen(QPen(QColor(self._theme.tokens.memory), 1))
        painter.setBrush(QColor(self._theme.tokens.memory_soft))
        painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2)
        inside = row.adjusted(XS, 0, 0, 0)
        self._row(painter, inside, "brain", "memory", seen.memory, "memory")

    def _ports(self, painter: QPainter) -> None:
        tokens, middle = self._theme.tokens, self.box.height() / 2
        painter.setPen(QPen(QColor(tokens.control), 1.5))
        painter.setBrush(QColor(tokens.surface))
        if self.seen.kind != "input":
            painter.drawEllipse(QPointF(0, middle), PORT, PORT)
        if self.seen.kind != "output":
            painter.drawEllipse(QPointF(WIDTH, middle), PORT, PORT)

    def _row(
        self,
        painter: QPainter,
        row: QRectF,
        icon: str,
        icon_tone: Tone,
        text: str,
        tone: Tone,
        *,
        strong: bool = False,
    ) -> None:
        rest = QRectF(row)
        if icon:
            self._icon(painter, row, icon, icon_tone)
            rest.setLeft(row.left() + 16 + S)
        if strong and self.seen.problem:
            rest.setRight(row.right() - 16 - XS)
        font = self._font(strong=strong)
        painter.setFont(font)
        painter.setPen(QColor(self._theme.tokens.colour(tone)))
        cut = Qt.TextElideMode.ElideRight
        elided = QFontMetricsF(font).elidedText(" ".join(text.split()), cut, rest.width())
        painter.drawText(rest, int(Qt.AlignmentFlag.AlignVCenter), elided)

    def _icon(
        self, painter: QPainter, row: QRectF, name: str, tone: Tone, *, at_end: bool = False
    ) -> None:
        side = QRectF(row.right() - 16 if at_end else row.left(), row.center().y() - 8, 16, 16)
        self._theme.icon(name, tone).paint(painter, side.toRect())

    def _font(self, *, strong: bool = False) -> QFont:
        font = QFont(self._theme.words())
        font.setPixelSize(LETTERS)
        if strong:
            font.setWeight(QFont.Weight.DemiBold)
        return font
