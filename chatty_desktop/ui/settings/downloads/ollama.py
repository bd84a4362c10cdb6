"""The models of one Ollama: what it has, and getting others by name."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from chatty_desktop.domain.downloads import Download
from chatty_desktop.domain.model_files import OllamaModel
from chatty_desktop.domain.settings import Settings
from chatty_desktop.ui.controls import Field
from chatty_desktop.ui.language import tr, translated
from chatty_desktop.ui.pieces import Words, clear
from chatty_desktop.ui.readable import size
from chatty_desktop.ui.settings.downloads.address import OtherDownloads
from chatty_desktop.ui.settings.downloads.card import ModelCard
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import M, S


class OllamaModels(QWidget):
    """get_wanted: with a model's name. use_wanted, delete_wanted: with the `OllamaModel`.
    again_wanted: ask it once more."""

    get_wanted = Signal(str)
    use_wanted = Signal(object)
    delete_wanted = Signal(object)
    again_wanted = Signal()

    def __init__(self, theme: Theme, provider_id: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.provider_id = provider_id
        self._settings = Settings()
        self._models: list[OllamaModel] | None = None
        self.cards: dict[str, ModelCard] = {}
        self.told = Words(tr("Looking …"), tone="muted")
        self.again = QPushButton(tr("Try again"))
        self.again.clicked.connect(self.again_wanted)
        self.again.hide()
        self.pulls = OtherDownloads(theme)
        self.name = QLineEdit()
        self.name.setPlaceholderText("qwen3:4b")
        self.field = Field(
            tr("Get a model by its name"),
            self.name,
            theme,
            tr("As Ollama's library calls it, such as qwen3:4b or nomic-embed-text."),
        )
        self.button = QPushButton(tr("Get"))
        self.button.setAccessibleName(tr("Get the model for {provider}", provider=provider_id))
        self.button.setAutoDefault(False)
        self.button.setEnabled(False)
        self.button.clicked.connect(self._get)
        self.name.returnPressed.connect(self._get)
        self.name.textChanged.connect(self._typed)
        self._rows = QVBoxLayout()
        self._rows.setSpacing(S)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(M)
        column.addWidget(self.told)
        column.addLayout(self._left(self.again))
        column.addLayout(self._rows)
        column.addWidget(self.pulls)
        column.addWidget(self.field)
        column.addLayout(self._left(self.button))

    def show_models(self, models: Sequence[OllamaModel]) -> None:
        """Draw what it has."""
        self.again.hide()
        self.told.setText(tr("It has no models yet."))
        self.told.setVisible(not models)
        if list(models) != self._models:
            self._models = list(models)
            clear(self._rows)
            self.cards = {model.name: self._card(model) for model in models}
            for card in self.cards.values():
                self._rows.addWidget(card)
        self.show_settings(self._settings)

    def show_problem(self, reason: str) -> None:
        """It could not be asked."""
        self._models = None
        clear(self._rows)
        self.cards = {}
        self.told.setText(translated(reason))
        self.told.show()
        self.again.show()

    def show_settings(self, settings: Settings) -> None:
        """Draw which of them are used."""
        self._settings = settings
        embedder = settings.embedder
        embeds_with = f"{embedder.provider}/{embedder.model}" if embedder else ""
        for model in self._models or ():
            reference = f"{self.provider_id}/{model.name}"
            chosen = reference == (embeds_with if model.embeds else settings.default_model)
            words = tr("Finds episodes") if model.embeds else tr("Used for new chats")
            self.cards[model.name].stand(words if chosen else "")
            self.cards[model.name].offer(use=not chosen, delete=True)

    def show_pulls(self, pulls: Sequence[Download]) -> None:
        """Draw the pulls under way."""
        self.pulls.show_downloads(pulls)

    def _card(self, model: OllamaModel) -> ModelCard:
        card = ModelCard(self._theme, model.name)
        kind = tr("for embeddings") if model.embeds else ""
        parts = [kind, model.parameters, model.quantization, size(model.size)]
        card.say(facts=" · ".join(part for part in parts if part))
        card.use_wanted.connect(lambda: self.use_wanted.emit(model))
        card.delete_wanted.connect(lambda: self.delete_wanted.emit(model))
        return card

    def _left(self, button: QPushButton) -> QHBoxLayout:
        row = QHBoxLayout()
        row.addWidget(button)
        row.addStretch(1)
        return row

    def _typed(self, text: str) -> None:
        self.field.say("")
        self.button.setEnabled(bool(text.strip()))

    def _get(self) -> None:
        if self.name.text().strip():
            self.get_wanted.emit(self.name.text())
