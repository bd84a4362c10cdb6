"""Models side by side: the newest measurement of each with the same conversation."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QVBoxLayout, QWidget

from chatty_desktop.domain.measurement import Measurement, totals
from chatty_desktop.ui.charts.chart import Chart
from chatty_desktop.ui.charts.data import ChartData, Series
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import Words
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XL, M, S


def comparable(shown: Measurement, known: Sequence[Measurement]) -> list[Measurement]:
    """The newest of each model with the conversation of `shown`, `known` being newest first; by
    the time they were measured."""
    newest: dict[str, Measurement] = {}
    for each in (shown, *known):
        same = (each.source, each.session_id) == (shown.source, shown.session_id)
        if same and each.fields == shown.fields and each.folds:
            newest.setdefault(each.model, each)
    return sorted(newest.values(), key=lambda each: each.at)


class Compare(QWidget):
    """Charts of what each model got right, of its mistakes, and of the time it took; each can be
    shown as a table."""

    def __init__(self, theme: Theme, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._said = Words(tone="muted")
        self.right = Chart(theme, tasks)
        self.mistakes = Chart(theme, tasks)
        self.seconds = Chart(theme, tasks)
        column = QVBoxLayout(self)
        column.setContentsMargins(S, M, S, M)
        column.setSpacing(XL)
        column.addWidget(self._said)
        for chart in (self.right, self.mistakes, self.seconds):
            column.addWidget(chart)
        column.addStretch(1)

    def show_measurements(self, values: Sequence[Measurement]) -> None:
        self._said.setText(
            tr("Measure a second model with the same conversation to compare them here.")
            if len(values) < 2
            else tr("The newest result of each model with this conversation.")
        )
        labels = tuple(each.model.rpartition("/")[2] for each in values)
        if len(set(labels)) < len(labels):
            labels = tuple(each.model for each in values)
        sums = [totals(each.folds) for each in values]
        judged = bool(values) and bool(values[0].judged)
        used = tuple(100 * each.accepted / each.folds if each.folds else None for each in sums)
        good = tuple(100 * each.good / each.folds if each.folds else None for each in sums)
        series = [Series(tr("Answer could be used"), used)]
        if judged:
            series.append(Series(tr("Without any mistake"), good))
        model, percent = tr("Model"), tr("per cent of the steps")
        self.right.show_data(
            ChartData("bar", tr("What went well"), model, percent, labels, tuple(series))
        )
        mistakes = [Series(tr("Replaced everything"), tuple(each.overwrites for each in sums))]
        if judged:
            mistakes = [
                Series(tr("Missed"), tuple(each.missed for each in sums)),
                Series(tr("Changed wrongly"), tuple(each.touched for each in sums)),
                Series(tr("Forgotten"), tuple(each.forgotten for each in sums)),
                *mistakes,
            ]
        self.mistakes.show_data(
            ChartData("bar", tr("Mistakes"), model, tr("mistakes"), labels, tuple(mistakes))
        )
        took = Series(tr("Seconds a step"), tuple(each.seconds for each in sums))
        self.seconds.show_data(
            ChartData("bar", tr("Time"), model, tr("seconds a step"), labels, (took,), digits=1)
        )
