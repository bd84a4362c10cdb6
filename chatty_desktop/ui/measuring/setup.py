"""What is to be measured: a conversation and models; start, stop, and how far it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.domain.measurement import Measurement
from chatty_desktop.domain.measuring import Script, best_script, judged_fields
from chatty_desktop.domain.messages import Session
from chatty_desktop.domain.strategies import State
from chatty_desktop.domain.titles import UNTITLED
from chatty_desktop.ui.controls import Choice, Field, ModelChoices
from chatty_desktop.ui.language import number, tr
from chatty_desktop.ui.measuring.words import SCRIPTS
from chatty_desktop.ui.pieces import Problem, Words
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import M, S


class Setup(QWidget):
    """started, stopped: the person pressed the button. problem: what keeps it from going on."""

    started = Signal()
    stopped = Signal()

    def __init__(self, theme: Theme, choices: ModelChoices, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choices = choices
        self._preferred: set[str] = set()
        self._possible = False
        self.source = Choice()
        self.source.setSizeAdjustPolicy(
            Choice.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.source.setMinimumContentsLength(18)
        self.models = QListWidget()
        self.models.setProperty("panel", "framed")
        self.models.setMinimumHeight(96)
        self.start_button = QPushButton(tr("Start"))
        self.start_button.setProperty("kind", "primary")
        self.start_button.setAutoDefault(False)
        self.stop_button = QPushButton(tr("Stop"))
        self.stop_button.setAutoDefault(False)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(tr("Progress of measuring"))
        self.bar.setProperty("tone", "memory")
        self.said = Words(tone="muted")
        self.said.setFont(theme.small())
        self.problem = Problem(theme, "danger", "warning-circle")
        buttons = QHBoxLayout()
        buttons.setSpacing(S)
        buttons.addWidget(self.start_button)
        buttons.addWidget(self.stop_button)
        buttons.addStretch(1)
        self._source_field = Field(tr("Conversation"), self.source, theme)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(M)
        column.addWidget(self._source_field)
        column.addWidget(Field(tr("Models"), self.models, theme), 1)
        column.addLayout(buttons)
        column.addWidget(self.bar)
        column.addWidget(self.said)
        column.addWidget(self.problem)
        self.start_button.clicked.connect(self.started)
        self.stop_button.clicked.connect(self.stopped)
        self.models.itemChanged.connect(lambda _item: self._enable())
        self.source.currentIndexChanged.connect(lambda _at: self._hint())
        choices.changed.connect(self._fill_models)
        self._hints: list[str] = []
        self.show_running(False)

    def begin(
        self,
        config: State | None,
        scripts: Mapping[str, Script],
        chats: Sequence[Session],
        model: str | None,
    ) -> None:
        """For an agent: its state, the scripts there are, its chats, and the model that folds."""
        self._possible = config is not None
        self._preferred = {model} if model else set()
        fields = config.fields if config else ()
        self.source.clear()
        self._hints = []
        for name, script in scripts.items():
            known = len(judged_fields(script, fields))
            self._hints.append(
                tr(
                    "Right answers are known for {known} of the {all} fields.",
                    known=number(known),
                    all=number(len(fields)),
                )
            )
            self.source.addItem(tr(SCRIPTS.get(name, script.title)), ("script", name))
        for session in chats:
            title = session.title or tr(UNTITLED)
            self._hints.append(tr("Your own words, but nobody wrote down the right answers."))
            self.source.addItem(tr("Your chat “{title}”", title=title), ("chat", session.id))
        best = best_script(scripts, fields)
        self.source.setCurrentIndex(max(list(scripts).index(best) if best else 0, 0))
        self._hint()
        self.problem.say(
            ""
            if self._possible
            else tr(
                "This agent keeps no notes with fields, so there is nothing to measure. Give it a"
                " State memory with fields first."
            )
        )
        self._fill_models()

    def chosen(self) -> tuple[str, str]:
        """("script", its name) or ("chat", the id of a session)."""
        kind, name = self.source.currentData()
        return str(kind), str(name)

    def chosen_models(self) -> list[str]:
        """The models that are ticked, in order."""
        items = (self.models.item(row) for row in range(self.models.count()))
        return [
            str(item.data(Qt.ItemDataRole.UserRole))
            for item in items
            if item.checkState() == Qt.CheckState.Checked
        ]

    def show_running(self, running: bool) -> None:
        """Whether it measures now."""
        self._running = running
        self.bar.setVisible(running)
        self.said.setVisible(running)
        self.bar.setRange(0, 0)
        self.said.setText(tr("Making the model ready …") if running else "")
        self.stop_button.setText(tr("Stop"))
        self._enable()

    def show_stopping(self) -> None:
        """Stop was pressed: the step under way still ends."""
        self.stop_button.setEnabled(False)
        self.stop_button.setText(tr("Stopping …"))

    def show_progress(self, value: Measurement) -> None:
        """A step further."""
        done, total = len(value.folds), max(value.planned, len(value.folds), 1)
        self.bar.setRange(0, total if done else 0)
        self.bar.setValue(done)
        if done:
            self.said.setText(
                tr(
                    "{model}: step {done} of {all}",
                    model=value.model,
                    done=number(done),
                    all=number(total),
                )
            )

    def _enable(self) -> None:
        ready = self._possible and not self._running
        self.start_button.setEnabled(ready and bool(self.chosen_models()))
        self.stop_button.setEnabled(self._running)
        self.source.setEnabled(ready)
        self.models.setEnabled(ready)

    def _hint(self) -> None:
        at = self.source.currentIndex()
        self._source_field.hint(self._hints[at] if 0 <= at < len(self._hints) else "")

    def _fill_models(self) -> None:
        ticked = set(self.chosen_models()) or self._preferred
        if not ticked and self._choices.default:
            ticked = {self._choices.default}
        self.models.blockSignals(True)
        self.models.clear()
        there = [choice.reference for choice in self._choices.choices]
        for reference in [*there, *sorted(ticked - set(there))]:
            item = QListWidgetItem(reference)
            item.setData(Qt.ItemDataRole.UserRole, reference)
            item.setFlags(
                Qt.ItemFlag.ItemIsEnabled
                | Qt.ItemFlag.ItemIsUserCheckable
                | Qt.ItemFlag.ItemIsSelectable
            )
            on = reference in ticked
            item.setCheckState(Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)
            self.models.addItem(item)
        self.models.blockSignals(False)
        if self.models.count():
            self.models.setCurrentRow(0)
        self._enable()
