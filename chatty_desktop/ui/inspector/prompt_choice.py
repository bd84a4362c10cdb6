"""Which request is shown: the newest, or that of any reply before."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QSizePolicy, QWidget

from chatty_desktop.domain.runs import AskedFor
from chatty_desktop.ui.controls import Choice
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import icon_button
from chatty_desktop.ui.plain import tip
from chatty_desktop.ui.readable import shortened, when
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XS


class RequestChoice(QWidget):
    """A list of the runs, and a step to the one before and after.

    chosen: the id of a run; "" for the newest, whichever that is by then.
    """

    chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._runs: tuple[AskedFor, ...] = ()
        self.list = Choice()
        self.list.setAccessibleName(tr("Reply whose request is shown"))
        self.list.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.list.setMinimumContentsLength(8)
        self.list.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.list.activated.connect(self._picked)
        self.older = icon_button(theme, "caret-left", tr("The request before"))
        self.newer = icon_button(theme, "caret-right", tr("The request after"))
        self.older.clicked.connect(lambda: self._step(1))
        self.newer.clicked.connect(lambda: self._step(-1))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(XS)
        row.addWidget(self.older)
        row.addWidget(self.list, 1)
        row.addWidget(self.newer)

    def show_runs(self, runs: Sequence[AskedFor], shown: str) -> None:
        """Fill the list, newest first, with the one that is shown chosen; one that is not among
        them, such as that of another agent, stands below."""
        if tuple(runs) != self._runs:
            self._runs = tuple(runs)
            self.list.clear()
            now = time.time()
            for run in runs:
                words = shortened(" ".join(run.words.split()), 60, 1) or tr("(deleted message)")
                self.list.addItem(f"{words} · {when(run.at, now)}", run.run_id)
                self.list.setItemData(
                    self.list.count() - 1, tip(run.words), Qt.ItemDataRole.ToolTipRole
                )
        if self.list.findData(shown) < 0:
            self.list.addItem(tr("Another reply"), shown)
        self.list.setCurrentIndex(self.list.findData(shown))
        self._enable()

    def _picked(self, row: int) -> None:
        self._enable()
        self.chosen.emit("" if row == 0 else self.list.itemData(row))

    def _step(self, by: int) -> None:
        row = self.list.currentIndex() + by
        if 0 <= row < self.list.count():
            self.list.setCurrentIndex(row)
            self._picked(row)

    def _enable(self) -> None:
        row = self.list.currentIndex()
        self.older.setEnabled(row + 1 < self.list.count())
        self.newer.setEnabled(row > 0)


class StepChoice(Choice):
    """Which of the requests of one run: a run with tools sends one for each step.

    chosen: the step, counted from 1; None for the last, whichever that is by then.
    """

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Step whose request is shown"))
        self.activated.connect(self._picked)
        self.hide()

    def show_steps(self, steps: int, shown: int) -> None:
        """Offer so many, with one chosen; nothing where there is no choice."""
        words = [tr("Step {step} of {steps}", step=at + 1, steps=steps) for at in range(steps)]
        if words != [self.itemText(row) for row in range(self.count())]:
            self.clear()
            self.addItems(words)
        self.setCurrentIndex(shown - 1)
        self.setVisible(steps > 1)

    def _picked(self, row: int) -> None:
        self.chosen.emit(None if row + 1 == self.count() else row + 1)
