"""The controls of forms: labelled, with the problem beside the field."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QLocale, QObject, QPointF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QComboBox,
    QCompleter,
    QDoubleSpinBox,
    QPlainTextEdit,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.domain.embedding import suggested_threshold
from chatty_desktop.domain.episodes import SeenScores
from chatty_desktop.domain.errors import ChattyError
from chatty_desktop.domain.hidden import revealed
from chatty_desktop.domain.requests import ModelChoice
from chatty_desktop.domain.settings import EmbedderSettings
from chatty_desktop.engine.ports import Models
from chatty_desktop.ui.language import translated
from chatty_desktop.ui.pieces import caption, emphasise
from chatty_desktop.ui.plain import Label, tip
from chatty_desktop.ui.theme import Theme, restyle, set_tone
from chatty_desktop.ui.tokens import XS, S


class Field(QWidget):
    """A label, what it labels, a hint, and the problem with what is in it, if there is one."""

    def __init__(
        self,
        label: str,
        control: QWidget,
        theme: Theme,
        hint: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.control = control
        name = self._name = Label(label)
        emphasise(name)
        name.setBuddy(control)
        control.setAccessibleName(label)
        self._hint = caption(theme, hint)
        self._hint.setWordWrap(True)
        self._problem = caption(theme, tone="danger")
        self._problem.setWordWrap(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(XS)
        column.addWidget(name)
        column.addWidget(control)
        column.addWidget(self._problem)
        column.addWidget(self._hint)
        self._hint.setVisible(bool(hint))
        self._problem.hide()

    @property
    def problem(self) -> str:
        """What is wrong with the field, "" when nothing is."""
        return self._problem.text().removeprefix("⚠ ")

    def say(self, problem: str) -> None:
        """Show what is wrong; "" takes it away."""
        problem = translated(problem)
        problem = problem[:1].upper() + problem[1:]
        self._problem.setText(f"⚠ {problem}" if problem else "")
        self._problem.setVisible(bool(problem))
        self.control.setAccessibleDescription(problem or self._hint.text())
        if bool(self.control.property("invalid")) != bool(problem):
            restyle(self.control, "invalid", bool(problem))

    def point_out(self, meant: bool) -> None:
        """Mark the field's label: a search means it."""
        set_tone(self._name, "accent" if meant else "text")

    def hint(self, text: str) -> None:
        """Show another hint; "" takes it away."""
        self._hint.setText(text)
        self._hint.setVisible(bool(text))


class GrowingText(QPlainTextEdit):
    """Text over several lines, as high as it needs between two numbers of lines; Tab leaves it."""

    def __init__(self, least: int, most: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._least, self._most = least, most
        self.setTabChangesFocus(True)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self._fit()

    def _fit(self) -> None:
        # A plain text document counts its height in lines.
        lines = min(max(int(self.document().size().height()), self._least), self._most)
        around = 2 * (self.frameWidth() + int(self.document().documentMargin()) + S)
        self.setFixedHeight(lines * self.fontMetrics().lineSpacing() + around)


def _dress(number: QAbstractSpinBox) -> None:
    """The look of a number: the arrow keys and the wheel step it; the style has no arrows that
    suit the frame."""
    number.setProperty("kind", "plain")
    number.lineEdit().setTextMargins(6, 0, 0, 0)
    number.setMaximumWidth(120)
    number.setFocusPolicy(Qt.FocusPolicy.StrongFocus)


class _ScrollsPast:
    """For a control in a form: the wheel scrolls the form unless the control has the focus."""

    def wheelEvent(self: Any, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)  # type: ignore[misc]
        else:
            event.ignore()


class Number(_ScrollsPast, QSpinBox):
    """A whole number."""

    def __init__(self, least: int, most: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setRange(least, most)
        _dress(self)


class Cosine(_ScrollsPast, QDoubleSpinBox):
    """A number from -1 to 1 in steps of 0.01."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setRange(-1.0, 1.0)
        self.setDecimals(2)
        self.setSingleStep(0.01)
        # "0.30" in every country, as in the agent's file.
        self.setLocale(QLocale.c())
        _dress(self)


class Choice(_ScrollsPast, QComboBox):
    """A combo box. What `addItem` adds is shown with nothing hidden in it; the data is as it is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "chevron")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def addItem(self, text: str, data: object = None) -> None:  # type: ignore[override]
        super().addItem(revealed(text), data)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self.palette().placeholderText(), 1.5))
        right, middle = self.width() - 14.0, self.height() / 2
        painter.drawPolyline(
            [
                QPointF(right - 4, middle - 2),
                QPointF(right, middle + 2),
                QPointF(right + 4, middle - 2),
            ]
        )
        painter.end()


class ModelChoices(QObject):
    """The models that can be picked, asked for in the background and shared by every picker.

    changed: choices, problems or the default are not what they were.
    choices: what the providers offer. problems: a line for each that could not be asked.
    default: the default model of the settings, None where there is none.
    embedder: the embedding model of the settings, "" where there is none.
    seen: the scores that the agent's last messages got with it.
    suggested_threshold: the cosine to start from with it, None where that is not known.
    """

    changed = Signal()

    def __init__(self, models: Models, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._models = models
        self.choices: list[ModelChoice] = []
        self.problems: list[str] = []
        self.default: str | None = None
        self.embedder = ""
        self.suggested_threshold: float | None = None
        self.seen = SeenScores()

    async def load(
        self,
        default: str | None,
        embedder: EmbedderSettings | None = None,
        seen: SeenScores = SeenScores(),
    ) -> None:
        """Ask every provider for its models."""
        self.default = default
        self.seen = seen
        self.embedder = f"{embedder.provider}/{embedder.model}" if embedder else ""
        self.suggested_threshold = suggested_threshold(embedder.model) if embedder else None
        self.changed.emit()
        try:
            self.choices, self.problems = await self._models.choices()
        except ChattyError as error:
            self.choices, self.problems = [], [translated(str(error))]
        self.changed.emit()


class ModelPicker(Choice):
    """A model by name, picked or typed; the first entry leaves the choice to the settings.

    edited: the person picked or typed something.
    """

    edited = Signal()

    def __init__(
        self,
        choices: ModelChoices,
        nothing: str,
        *,
        names_default: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        """`nothing` names the first entry, which stands for no model of its own; with
        `names_default` the default model of the settings is named in it."""
        super().__init__(parent)
        self._choices = choices
        self._nothing = nothing
        self._names_default = names_default
        self._reference: str | None = None
        self.setEditable(True)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(24)
        completer = QCompleter(self.model(), self)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        self.setCompleter(completer)
        choices.changed.connect(self._fill)
        self._fill()
        self.editTextChanged.connect(self._typed)

    def value(self) -> str | None:
        """`provider/model`, None for the first entry."""
        return self._reference

    def set(self, reference: str | None) -> None:
        """Show a model, also one that no provider offers."""
        self._reference = reference
        self._show()

    def _fill(self) -> None:
        self.blockSignals(True)
        self.clear()
        self.addItem(self._none_label())
        for choice in self._choices.choices:
            self.insertItem(self.count(), choice.reference)  # to the letter: it is the value
            self.setItemData(self.count() - 1, tip(choice.label), Qt.ItemDataRole.ToolTipRole)
        self.blockSignals(False)
        self._show()

    def _show(self) -> None:
        wanted = self._reference or self._none_label()
        if self.currentText() != wanted:
            self.blockSignals(True)
            self.setCurrentIndex(self.findText(wanted, Qt.MatchFlag.MatchExactly))
            self.setEditText(wanted)
            self.blockSignals(False)

    def _none_label(self) -> str:
        default = self._choices.default if self._names_default else None
        return f"{self._nothing} ({default})" if default else self._nothing

    def _typed(self, text: str) -> None:
        text = text.strip()
        self._reference = None if text in ("", self._none_label()) else text
        self.edited.emit()
