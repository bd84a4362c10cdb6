"""A chart: title, legend, drawing, what it says at one place, and the same numbers as a table."""

from __future__ import annotations

import asyncio
import importlib
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QStackedWidget,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from chatty_desktop.ui.charts.data import ChartData
from chatty_desktop.ui.charts.legend import Legend
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import TextButton, caption, emphasise
from chatty_desktop.ui.plain import Label
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XS

if TYPE_CHECKING:
    from chatty_desktop.ui.charts.plot import Plot

HEIGHT = 240


class Chart(QWidget):
    """Draws `ChartData`. The drawing comes a moment after the first data: its library is loaded
    then, beside the event loop. The table is there at once.

    chosen: the person went to a place on the x axis, by its index; by a click or by the keyboard.
    plot: the drawing, None until it is there. table: the numbers.
    """

    chosen = Signal(int)

    def __init__(self, theme: Theme, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._tasks = theme, tasks
        self._data: ChartData | None = None
        self._place: int | None = None
        self._drawing: Any = None
        self.plot: Plot | None = None
        self._title = Label()
        emphasise(self._title)
        self.toggle = TextButton(tr("Show as table"))
        self.toggle.setCheckable(True)
        self.toggle.toggled.connect(self._show_table)
        head = QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(self.toggle)
        self._legend = Legend(theme)
        self.table = _table()
        self._empty = QWidget()
        self._stack = QStackedWidget()
        self._stack.setMinimumHeight(HEIGHT)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.table)
        self._said = caption(theme)
        self._said.setWordWrap(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(XS)
        column.addLayout(head)
        column.addWidget(self._legend)
        column.addWidget(self._stack, 1)
        column.addWidget(self._said)
        theme.changed.connect(self._draw)

    def show_data(self, data: ChartData) -> None:
        """Draw these numbers in place of what was there."""
        if data == self._data:
            return
        self._data = data
        self._place = None
        self._title.setText(data.title)
        self._legend.show_names(data.kind, tuple(each.name for each in data.series))
        self._fill_table(data)
        self._said.setText(tr("The arrow keys or a click on the chart say its numbers."))
        if self._drawing is None:
            self._tasks.start(self._load())
        else:
            self._draw()

    def go(self, place: int) -> None:
        """Mark a place on the x axis and say its numbers, as the keyboard does; tells nobody."""
        if self._data is None or not 0 <= place < len(self._data.labels):
            return
        self._place = place
        if self.plot is not None:
            self.plot.go(place)
        said = self._data.said(place)
        self._said.setText(said)
        if self.plot is not None:
            self.plot.setAccessibleDescription(said)

    def said(self) -> str:
        """The line under the drawing."""
        return self._said.text()

    async def _load(self) -> None:
        self._drawing = await asyncio.to_thread(
            importlib.import_module, "chatty_desktop.ui.charts.plot"
        )
        if isValid(self):  # what it stands in may have been closed meanwhile
            self._draw()

    def _draw(self) -> None:
        if self._data is None or self._drawing is None:
            return
        old = self.plot
        had_focus = old is not None and old.hasFocus()
        self.plot = plot = self._drawing.Plot(self._data, self._theme)
        plot.went.connect(self._went)
        self._stack.addWidget(plot)
        if not self.toggle.isChecked():
            self._stack.setCurrentWidget(plot)
        if old is not None:
            self._stack.removeWidget(old)
            old.close()
            old.deleteLater()
        if self._place is not None:
            self.go(self._place)
        if had_focus:
            plot.setFocus()

    def _went(self, place: int) -> None:
        self.go(place)
        self.chosen.emit(place)

    def _show_table(self, wanted: bool) -> None:
        self.toggle.setText(tr("Show as chart") if wanted else tr("Show as table"))
        self._stack.setCurrentWidget(self.table if wanted else self.plot or self._empty)
        self._legend.setVisible(
            not wanted and self._data is not None and len(self._data.series) > 1
        )
        self._said.setVisible(not wanted)

    def _fill_table(self, data: ChartData) -> None:
        self.table.setAccessibleName(data.title)
        self.table.setColumnCount(1 + len(data.series))
        self.table.setRowCount(len(data.labels))
        names = [data.label_title, *(each.name for each in data.series)]
        self.table.setHorizontalHeaderLabels(names)
        for row, label in enumerate(data.labels):
            self.table.setItem(row, 0, QTableWidgetItem(label))
            for column, series in enumerate(data.series, 1):
                cell = QTableWidgetItem(data.number(series.values[row]))
                right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
                cell.setTextAlignment(right)
                self.table.setItem(row, column, cell)
        self.table.resizeColumnsToContents()


def _table() -> QTableWidget:
    table = QTableWidget()
    table.setProperty("panel", "framed")
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setTabKeyNavigation(False)
    table.setShowGrid(False)
    table.verticalHeader().hide()
    return table
