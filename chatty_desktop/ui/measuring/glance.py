"""One measurement at a glance: the verdict on top, then the numbers in plain words."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from chatty_desktop.domain.measurement import Measurement, verdict
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.measuring.words import (
    VERDICTS,
    explained,
    figures,
    judged_words,
    source_words,
)
from chatty_desktop.ui.pieces import IconLabel, Problem, Words, clear, emphasise
from chatty_desktop.ui.plain import Label
from chatty_desktop.ui.theme import Theme, set_tone
from chatty_desktop.ui.tokens import XS, L, M, S


class VerdictCard(QFrame):
    """What to make of a model."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("panel", "raised")
        self._icon = IconLabel(theme, "info")
        self.title = Words()
        self.title.setFont(theme.title())
        self.model = Words(tone="muted")
        self.why = Words()
        self.problem = Problem(theme, "danger", "warning-circle")
        words = QVBoxLayout()
        words.setSpacing(XS)
        words.addWidget(self.title)
        words.addWidget(self.model)
        words.addWidget(self.why)
        words.addWidget(self.problem)
        row = QHBoxLayout(self)
        row.setContentsMargins(L, M, L, M)
        row.setSpacing(M)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)

    def show_measurement(self, value: Measurement) -> None:
        said = VERDICTS[verdict(value)]
        self._icon.show_icon(said.icon, said.tone)
        self.title.setText(tr(said.title))
        set_tone(self.title, said.tone)
        self.model.setText(f"{value.model} · {source_words(value)}")
        self.why.setText(explained(value))
        self.problem.say(value.problem)


class Glance(QWidget):
    """The numbers of one measurement."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._judged = Words(tone="muted")
        self._judged.setFont(theme.small())
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(L)
        self._grid.setVerticalSpacing(S)
        self._grid.setColumnStretch(0, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(S, M, S, M)
        column.setSpacing(M)
        column.addLayout(self._grid)
        column.addWidget(self._judged)
        column.addStretch(1)

    def show_measurement(self, value: Measurement) -> None:
        clear(self._grid)
        for row, (what, how_much) in enumerate(figures(value)):
            amount = Label(how_much)
            emphasise(amount)
            amount.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self._grid.addWidget(Words(what), row, 0)
            self._grid.addWidget(amount, row, 1)
        self._judged.setText(judged_words(value))
