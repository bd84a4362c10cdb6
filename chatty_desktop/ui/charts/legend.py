"""The names of a chart's series beside a piece of their line or bar."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from chatty_desktop.ui.charts.data import Kind
from chatty_desktop.ui.charts.look import look_of
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XS, L

_PIECE = 20


class Legend(QWidget):
    """Draws the names in rows, as many as the width asks for."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._kind: Kind = "line"
        self._names: tuple[str, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setFont(theme.small())
        theme.changed.connect(self.update)

    def show_names(self, kind: Kind, names: tuple[str, ...]) -> None:
        """Draw these; one alone needs no legend."""
        self._kind, self._names = kind, names
        self.setVisible(len(names) > 1)
        self._fit()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        places = self._placed(self.width())
        self.setFixedHeight(max((place.bottom() + 1 for place, _name in places), default=0))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tokens = self._theme.tokens
        for index, (place, name) in enumerate(self._placed(self.width())):
            look = look_of(index, tokens)
            middle = place.center().y() + 0.5
            if self._kind == "bar":
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(look.colour))
                painter.drawRoundedRect(QRectF(place.left() + 4, middle - 5, 11, 11), 2, 2)
            else:
                painter.setPen(QPen(QColor(look.colour), 2, look.dash))
                left = float(place.left())
                painter.drawLine(QPointF(left, middle), QPointF(left + _PIECE, middle))
            painter.setPen(QColor(tokens.text))
            words = place.adjusted(_PIECE + XS, 0, 0, 0)
            shown = self.fontMetrics().elidedText(
                name, Qt.TextElideMode.ElideMiddle, words.width() + 1
            )
            painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, shown)
        painter.end()

    def _placed(self, width: int) -> Iterator[tuple[QRect, str]]:
        metrics = self.fontMetrics()
        x = y = 0
        height = metrics.height() + XS
        for name in self._names:
            needed = min(_PIECE + XS + metrics.horizontalAdvance(name) + 2, width)
            if x and x + needed > width:
                x, y = 0, y + height
            yield QRect(x, y, needed, height), name
            x += needed + L
