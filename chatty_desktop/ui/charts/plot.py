"""The drawing of a chart, by pyqtgraph. Imported once a chart is on the screen: with numpy, it
takes a third of a second."""

from __future__ import annotations

from html import escape
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QWidget

from chatty_desktop.ui.charts.data import ChartData
from chatty_desktop.ui.charts.look import look_of
from chatty_desktop.ui.language import decimal
from chatty_desktop.ui.readable import shortened
from chatty_desktop.ui.theme import Theme

# Its own cleaning up at the end of the process looks through every object there is.
pg.setConfigOption("exitCleanup", False)

_MARKED = 24
"""Points of a line that still get marks of their own."""

_VALUED = 16
"""Bars that still get their numbers written above them."""

_LABELS = 12
"""Labels written on the x axis at most; each where there are fewer."""

_LABEL_CHARS = 22

_GROUP = 0.76
"""The part of the room of a label that its bars take."""


class _Numbers(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no types
    """A y axis that writes its numbers as the window's language does."""

    def __init__(self, data: ChartData) -> None:
        super().__init__("left")
        self._data = data
        self.enableAutoSIPrefix(False)

    def tickSpacing(self, low: float, high: float, size: float) -> list[tuple[float, float]]:
        # A step below the last digit shown would write the same number twice.
        least = 10.0**-self._data.digits
        found = [each for each in super().tickSpacing(low, high, size) if each[0] >= least]
        return found or [(least, 0.0)]

    def tickStrings(self, values: Any, _scale: float, spacing: float) -> list[str]:
        digits = self._data.digits if spacing < 1 else 0
        return [decimal(each, digits) for each in values]


class Plot(pg.PlotWidget):  # type: ignore[misc]  # pyqtgraph has no types
    """Lines or bars. The arrow keys, Home and End, and a click go to a place on the x axis.

    went: to that place, by its index.
    """

    went = Signal(int)

    def __init__(self, data: ChartData, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent, background=None, axisItems={"left": _Numbers(data)})
        self._data = data
        self._place: int | None = None
        self.setAccessibleName(data.title)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        item = self.getPlotItem()
        item.setMenuEnabled(False)
        item.setMouseEnabled(False, False)
        item.hideButtons()
        self._colour(theme)
        values = [each for series in data.series for each in series.values if each is not None]
        if data.kind == "bar":
            self._bars(theme, sum(1 for _ in values) <= _VALUED)
        else:
            self._lines(theme)
        top, bottom = max(values, default=1.0), min(values, default=0.0)
        item.setYRange(min(bottom, 0.0), top * 1.12 if top > 0 else 1.0, padding=0)
        item.setXRange(-0.5, max(len(data.labels) - 0.5, 0.5), padding=0.01)
        self._mark = pg.InfiniteLine(angle=90, pen=pg.mkPen(theme.tokens.text, width=1))
        self._mark.hide()
        item.addItem(self._mark)

    def go(self, place: int | None) -> None:
        """Mark a place on the x axis; None takes the mark away. Says nothing."""
        self._place = place
        self._mark.setVisible(place is not None)
        if place is not None:
            self._mark.setValue(place)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        last = len(self._data.labels) - 1
        here = self._place
        to = {
            Qt.Key.Key_Left: last if here is None else max(here - 1, 0),
            Qt.Key.Key_Right: 0 if here is None else min(here + 1, last),
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }.get(Qt.Key(event.key()))
        if to is None or last < 0:
            event.ignore()
            return
        self._step(to)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        at = self.getPlotItem().vb.mapSceneToView(self.mapToScene(event.position().toPoint()))
        place = round(at.x())
        if event.button() == Qt.MouseButton.LeftButton and 0 <= place < len(self._data.labels):
            self._step(place)

    def wheelEvent(self, event: Any) -> None:
        event.ignore()  # scrolls the page

    def _step(self, place: int) -> None:
        self.go(place)
        self.went.emit(place)

    def _colour(self, theme: Theme) -> None:
        self.setStyleSheet("background: transparent; border: none;")
        tokens = theme.tokens
        item = self.getPlotItem()
        item.showGrid(y=True, alpha=0.15)
        for side in ("left", "bottom"):
            axis = item.getAxis(side)
            axis.setZValue(-1)  # its grid lies behind the bars
            axis.setPen(pg.mkPen(tokens.control))
            axis.setTextPen(pg.mkPen(tokens.muted))
            axis.setStyle(tickFont=theme.small(), tickLength=0 if side == "bottom" else -4)
            axis.label.setFont(theme.small())
        item.getAxis("bottom").setTicks([self._ticks()])
        # They are drawn as HTML.
        item.setLabel("left", escape(self._data.value_title))
        item.setLabel("bottom", escape(self._data.label_title))

    def _ticks(self) -> list[tuple[int, str]]:
        labels = self._data.labels
        step = -(-len(labels) // _LABELS) or 1
        return [
            (place, shortened(label, _LABEL_CHARS, 1))
            for place, label in enumerate(labels)
            if place % step == 0
        ]

    def _lines(self, theme: Theme) -> None:
        for index, series in enumerate(self._data.series):
            look = look_of(index, theme.tokens)
            if all(each is None for each in series.values):
                continue
            values = [float("nan") if each is None else each for each in series.values]
            marked = look.mark if len(values) <= _MARKED else None
            self.plot(
                list(range(len(values))),
                values,
                connect="finite",
                pen=pg.mkPen(look.colour, width=2, style=look.dash),
                symbol=marked,
                symbolSize=7,
                symbolPen=None,
                symbolBrush=look.colour,
            )

    def _bars(self, theme: Theme, valued: bool) -> None:
        data = self._data
        width = _GROUP / max(len(data.series), 1)
        for index, series in enumerate(data.series):
            shift = (index - (len(data.series) - 1) / 2) * width
            there = [(x, each) for x, each in enumerate(series.values) if each is not None]
            bars = pg.BarGraphItem(
                x=[x + shift for x, _each in there],
                height=[each for _x, each in there],
                width=width * 0.86,
                pen=None,
                brush=look_of(index, theme.tokens).colour,
            )
            self.addItem(bars)
            for x, each in there if valued else ():
                text = pg.TextItem(data.number(each), color=theme.tokens.text, anchor=(0.5, 1))
                text.setFont(theme.small())
                text.setPos(x + shift, each)
                self.addItem(text)
