"""Which model embeds: the one that comes with the app, one of a provider, or none."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from chatty_desktop.domain.embedder_choice import (
    built_in,
    embedding_first,
    is_built_in,
)
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.settings import EmbedderSettings, Settings, split_model
from chatty_desktop.engine.ports import Models
from chatty_desktop.ui.choice_cards import ChoiceCards
from chatty_desktop.ui.controls import Field, ModelChoices, ModelPicker
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.theme import Theme

BUILT_IN, MODEL, NONE = "built_in", "model", "none"


class EmbedderChoice(ChoiceCards):
    """The three choices, with a list of models in the second.

    chosen: an `EmbedderSettings`, or None for no embedder: what the person chose. Of a provider's
    model it is told once there is a name; until then `undecided` is.
    """

    chosen = Signal(object)
    undecided = Signal()

    def __init__(self, models: Models, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._settings = Settings()
        self._told: EmbedderSettings | None = None
        self.models = ModelChoices(models, self)
        self.add(
            BUILT_IN,
            tr("Built-in"),
            tr(
                "Comes with the app. Needs no network and no other program, knows some 100"
                " languages, and makes 384 numbers of each message."
            ),
        )
        card = self.add(
            MODEL, tr("A model of a provider"), tr("An embedding model of a server or of Ollama.")
        )
        self.add(
            NONE,
            tr("None"),
            tr(
                "Episodic memory then recalls nothing, and is not searched by meaning. All other"
                " memory works as before, and what is said is kept and can be embedded later."
            ),
        )
        self.picker = ModelPicker(self.models, tr("Choose a model"))
        self.field = Field(
            tr("Embedding model"),
            self.picker,
            theme,
            tr("Those that embed come first. One that is not listed can be typed: provider/model."),
        )
        card.details.addWidget(self.field)
        self.taken.connect(self._take)
        self.picker.activated.connect(lambda _row: self._name())
        if (line := self.picker.lineEdit()) is not None:
            line.editingFinished.connect(self._name)

    async def load(self, settings: Settings) -> None:
        """Ask the providers for their models, and put those that embed first."""
        await self.models.load(None)
        self.offer(settings)

    def offer(self, settings: Settings) -> None:
        """Put the models that embed first."""
        self.models.choices = embedding_first(self.models.choices, settings)
        self.models.changed.emit()

    def show_embedder(self, settings: Settings, embedder: EmbedderSettings | None) -> None:
        """Show what is chosen."""
        self._settings = settings
        self._told = embedder
        self.field.say("")
        if embedder is None:
            self.set(NONE)
        elif is_built_in(settings, embedder):
            self.set(BUILT_IN)
        else:
            self.set(MODEL)
            line = self.picker.lineEdit()
            # Not over what is being typed.
            if line is None or not (line.hasFocus() and line.isModified()):
                self.picker.set(f"{embedder.provider}/{embedder.model}")

    def _take(self, key: str) -> None:
        if key == BUILT_IN:
            self._tell(built_in(self._settings))
        elif key == NONE:
            self._tell(None)
        else:
            self.undecided.emit()
            self._name()

    def _name(self) -> None:
        """The name in the picker, once it is one."""
        reference = self.picker.value()
        if (line := self.picker.lineEdit()) is not None:
            line.setModified(False)
        if self.key != MODEL or reference is None:
            return
        try:
            provider, model = split_model(reference)
        except Invalid as problem:
            self.field.say(str(problem))
            return
        self.field.say("")
        named = EmbedderSettings(provider=provider, model=model)
        if self._told is not None and (self._told.provider, self._told.model) == (provider, model):
            named = self._told
        self._tell(named)

    def _tell(self, embedder: EmbedderSettings | None) -> None:
        self._told = embedder
        self.chosen.emit(embedder)
