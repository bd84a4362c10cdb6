"""The test of an embedder: a button, and what came of it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from chatty_desktop.engine.embedding_trial import QUESTION, RELATED, UNRELATED, Trial
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import Problem, Words
from chatty_desktop.ui.plain import tip
from chatty_desktop.ui.settings.embedder.words import trial_lines
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import M, S


class TrialView(QWidget):
    """wanted: the person presses Test."""

    wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.button = QPushButton(tr("Test"))
        self.button.clicked.connect(self.wanted)
        self.result = Words(tone="muted")
        self.result.setToolTip(
            tip(
                tr(
                    "“{question}” with “{related}” and with “{unrelated}”",
                    question=QUESTION,
                    related=RELATED,
                    unrelated=UNRELATED,
                )
            )
        )
        self.problem = Problem(theme, "danger", "warning-circle")
        row = QHBoxLayout()
        row.setSpacing(M)
        row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.result, 1, Qt.AlignmentFlag.AlignVCenter)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(S)
        column.addLayout(row)
        column.addWidget(self.problem)
        self.begin("")

    def begin(self, name: str) -> None:
        """A model is being tried; "" when none is, and nothing is known of the one chosen."""
        self.button.setEnabled(not name)
        words = tr("Trying {name} with a few sentences …", name=name) if name else ""
        self.result.setText(words or tr("Embeds a few sentences and shows how near they are."))
        self.problem.say("")

    def show_trial(self, trial: Trial) -> None:
        self.button.setEnabled(True)
        self.result.setText("\n".join(trial_lines(trial)))
        self.problem.say("")

    def show_failure(self, reason: str) -> None:
        self.button.setEnabled(True)
        self.result.setText(tr("It does not work."))
        self.problem.say(reason)
