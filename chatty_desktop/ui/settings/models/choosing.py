"""What holds for all: the model that answers, the one that remembers and, when that is wanted,
names new chats, and how many agents of a graph are at work at once."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QLineEdit, QVBoxLayout, QWidget

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.requests import ModelChoice
from chatty_desktop.domain.settings import Settings, split_model
from chatty_desktop.engine.ports import Models
from chatty_desktop.ui.controls import Field, ModelChoices, ModelPicker, Number
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import M

Use = Literal["default_model", "memory_extractor_model"]


class ChosenModels(QWidget):
    """A picker for each, and a number.

    chosen: (the field of the settings, the model's reference or None).
    titles_wanted: whether the model for memory names new chats.
    at_once_set: so many agents of a graph may be at work at the same time.
    """

    chosen = Signal(str, object)
    titles_wanted = Signal(bool)
    at_once_set = Signal(int)

    def __init__(self, models: Models, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._offered = ModelChoices(models, self)
        self._settings: Settings | None = None
        self._sent: dict[Use, str | None] = {}
        self.default = ModelPicker(self._offered, tr("First available"))
        self.memory = ModelPicker(self._offered, tr("First available"))
        self.fields: dict[Use, Field] = {
            "default_model": Field(
                tr("Model for chats"),
                self.default,
                theme,
                tr("Answers when an agent has no model of its own."),
            ),
            "memory_extractor_model": Field(
                tr("Model for memory"),
                self.memory,
                theme,
                tr(
                    "Reads along after each answer and keeps what matters. A small, fast one"
                    " will do, and one that runs here keeps it private."
                ),
            ),
        }
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(M)
        for use, field in self.fields.items():
            column.addWidget(field)
            self._picker(use).activated.connect(lambda _index, use=use: self._done(use))
            self._line(use).editingFinished.connect(lambda use=use: self._done(use))

        self.titles = QCheckBox(tr("It also names new chats, after their first answer"))
        self.titles.setToolTip(tr("Without it a chat is called by its first words."))
        self.titles.clicked.connect(self.titles_wanted)
        column.addWidget(self.titles)
        self.at_once = Number(1, 64)
        # Steps apply at once, what is typed when it is done.
        self.at_once.setKeyboardTracking(False)
        self.at_once.valueChanged.connect(self.at_once_set)
        column.addWidget(
            Field(
                tr("Agents of a graph at work at once"),
                self.at_once,
                theme,
                tr(
                    "Branches that do not wait for each other run side by side. A model on this"
                    " computer answers them in turn all the same."
                ),
            )
        )

    def show_settings(self, settings: Settings) -> None:
        """Draw what is chosen; what is being typed stays."""
        self._settings = settings
        self.titles.setChecked(settings.automatic_titles)
        if not self.at_once.hasFocus():
            with QSignalBlocker(self.at_once):
                self.at_once.setValue(settings.graph_nodes_at_once)
        self._sent.clear()
        for use in self.fields:
            line = self._line(use)
            if not (line.hasFocus() and line.isModified()):
                self._picker(use).set(getattr(settings, use))

    def offer(self, choices: list[ModelChoice]) -> None:
        """Take over what can be picked."""
        if choices != self._offered.choices:
            self._offered.choices = choices
            self._offered.changed.emit()

    def _picker(self, use: Use) -> ModelPicker:
        return self.default if use == "default_model" else self.memory

    def _line(self, use: Use) -> QLineEdit:
        line = self._picker(use).lineEdit()
        assert line is not None
        return line

    def _done(self, use: Use) -> None:
        """The person picked or typed one."""
        settings = self._settings
        reference = self._picker(use).value()
        self._line(use).setModified(False)
        # Picking from the list and leaving the field both end here.
        if settings is None or reference == self._sent.get(use, getattr(settings, use)):
            self.fields[use].say("")
            return
        if reference is not None:
            try:
                provider_id, _name = split_model(reference)
            except Invalid as problem:
                self.fields[use].say(str(problem))
                return
            if settings.provider(provider_id) is None:
                self.fields[use].say(tr("There is no provider {name}.", name=provider_id))
                return
        self.fields[use].say("")
        self._sent[use] = reference
        self.chosen.emit(use, reference)
