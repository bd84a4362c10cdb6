"""Two answers to the same message side by side: with all of memory, and with a part left out."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QHBoxLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.domain.comparing import Omission
from chatty_desktop.engine.comparing import Compared, Comparing
from chatty_desktop.ui.comparing.answer import AnswerColumn
from chatty_desktop.ui.controls import Choice, Field
from chatty_desktop.ui.inspector.prompt_list import TITLES
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import Words
from chatty_desktop.ui.readable import shortened
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import L, M, S

_NAME_CHARS: Final = 60


class CompareDialog(QDialog):
    """left: the answer with all of it. right: the one without. omission: what is left out."""

    def __init__(
        self,
        *,
        comparing: Comparing,
        compared: Compared,
        theme: Theme,
        tasks: Tasks,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Compare without a part of memory"))
        self._compared = compared
        self.omission = Choice()
        self.omission.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.omission.setMinimumContentsLength(20)
        for each in compared.omissions:
            self.omission.addItem(named(each))
        self.omission.currentIndexChanged.connect(self._name)
        field = Field(
            tr("Left out"),
            self.omission,
            theme,
            hint=tr("A part of what the model was given, a key of Σ, or a single fact."),
        )
        self.left = AnswerColumn(comparing, theme, tasks)
        self.right = AnswerColumn(comparing, theme, tasks)
        beside = QHBoxLayout()
        beside.setSpacing(L)
        for column in (self.left, self.right):
            column.ended.connect(self._show_running)
            beside.addWidget(column, 1)
        self.run = QPushButton(tr("Ask both"))
        self.run.setDefault(True)
        self.run.clicked.connect(self._pressed)
        self.close_ = QPushButton(tr("Close"))
        self.close_.setAutoDefault(False)
        self.close_.clicked.connect(self.reject)
        foot = QHBoxLayout()
        foot.setSpacing(S)
        foot.addStretch(1)
        foot.addWidget(self.run)
        foot.addWidget(self.close_)
        around = QVBoxLayout(self)
        around.setContentsMargins(L, L, L, L)
        around.setSpacing(M)
        around.addWidget(
            Words(
                tr(
                    "The message is sent to {model} twice, without tools. Nothing of it enters the"
                    " chat or the memory, unless you take an answer as a new version.",
                    model=compared.request.model,
                ),
                "muted",
            )
        )
        around.addWidget(field)
        around.addLayout(beside, 1)
        around.addLayout(foot)
        room = self.screen().availableSize()
        self.resize(min(room.width(), 860), min(room.height(), 600))
        self._name()

    @property
    def chosen(self) -> Omission | None:
        """What is left out; None where there is nothing that could be."""
        row = self.omission.currentIndex()
        return self._compared.omissions[row] if row >= 0 else None

    def done(self, result: int) -> None:
        """Closing it stops both."""
        for column in (self.left, self.right):
            column.stop()
        super().done(result)

    def _pressed(self) -> None:
        if self.left.running or self.right.running:
            self.left.stop()
            self.right.stop()
            return
        self._name()
        self.left.start(self._compared, None)
        self.right.start(self._compared, self.chosen)
        self._show_running()

    def _show_running(self) -> None:
        running = self.left.running or self.right.running
        self.run.setText(tr("Stop") if running else tr("Ask both"))
        self.omission.setEnabled(not running)

    def _name(self) -> None:
        chosen = self.chosen
        self.left.set_title(tr("With all of it"))
        self.right.set_title(tr("Without: {what}", what=named(chosen)) if chosen else "")
        self.run.setEnabled(chosen is not None)


def named(omission: Omission) -> str:
    """What is left out, in words."""
    match omission.kind:
        case "part":
            title = TITLES.get(omission.name)
            return tr(title) if title else omission.name.replace("_", " ").capitalize()
        case "key":
            return tr("Σ: {key}", key=omission.name)
        case "fact":
            return tr("Fact: {fact}", fact=shortened(omission.name[2:], _NAME_CHARS, 1))
