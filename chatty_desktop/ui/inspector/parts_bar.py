"""How much of a request each part is: a bar, and a legend that can be read without its colours."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from chatty_desktop.ui.elided import ElidedLabel
from chatty_desktop.ui.inspector.prompt_parts import Part
from chatty_desktop.ui.language import number, tr
from chatty_desktop.ui.pieces import IconLabel, clear
from chatty_desktop.ui.plain import Label, tip
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XS, S

_HEIGHT = 10
_GAP = 2.0


class PartsBar(QWidget):
    """The bar above its legend."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._shares: list[tuple[Part, int]] = []
        self._bar = _Bar(theme)
        self._legend = QGridLayout()
        self._legend.setContentsMargins(0, 0, 0, 0)
        self._legend.setHorizontalSpacing(S)
        self._legend.setVerticalSpacing(2)
        self._legend.setColumnStretch(1, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(S)
        column.addWidget(self._bar)
        column.addLayout(self._legend)

    def show_shares(self, shares: Sequence[tuple[Part, int]]) -> None:
        """Draw the parts with their tokens."""
        if list(shares) == self._shares:
            return
        self._shares = list(shares)
        self._bar.show_shares(self._shares)
        clear(self._legend)
        total = sum(tokens for _part, tokens in shares) or 1
        said = []
        for row, (part, tokens) in enumerate(self._shares):
            percent = tr("{percent} %", percent=round(100 * tokens / total))
            name = ElidedLabel()
            name.setText(tr(part.name))
            size = Label(f"{number(tokens)} · {percent}")
            size.setProperty("tone", "muted")
            for label in (name, size):
                label.setFont(self._theme.small())
            self._legend.addWidget(IconLabel(self._theme, part.icon, part.tone), row, 0)
            self._legend.addWidget(name, row, 1)
            self._legend.addWidget(size, row, 2, Qt.AlignmentFlag.AlignRight)
            said.append(f"{tr(part.name)} {percent}")
        self._bar.setAccessibleName(tr("Parts of the request: {parts}", parts=", ".join(said)))
        self._bar.setToolTip(tip("\n".join(said)))


class _Bar(QWidget):
    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._shares: list[tuple[Part, int]] = []
        self.setFixedHeight(_HEIGHT + XS)
        theme.changed.connect(self.update)

    def show_shares(self, shares: Sequence[tuple[Part, int]]) -> None:
        self._shares = list(shares)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        total = sum(tokens for _part, tokens in self._shares)
        if not total:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        whole = QPainterPath()
        whole.addRoundedRect(QRectF(0, XS, self.width(), _HEIGHT), 4, 4)
        painter.setClipPath(whole)
        room = self.width() - _GAP * (len(self._shares) - 1)
        left = 0.0
        for part, tokens in self._shares:
            wide = room * tokens / total
            painter.fillRect(
                QRectF(left, XS, max(wide, 1.0), _HEIGHT),
                QColor(self._theme.tokens.colour(part.tone)),
            )
            left += wide + _GAP
        painter.end()
