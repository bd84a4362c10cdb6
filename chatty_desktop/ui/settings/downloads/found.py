"""The model files that are on this computer already."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from chatty_desktop.domain.model_files import PLACE_NAMES, ModelFile, is_listed, uses_of
from chatty_desktop.domain.settings import Settings
from chatty_desktop.ui.language import number, tr, trn
from chatty_desktop.ui.pieces import TextButton, Words, clear
from chatty_desktop.ui.plain import tip
from chatty_desktop.ui.readable import size
from chatty_desktop.ui.settings.downloads.card import ModelCard
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import S

FIRST = 5
"""So many are shown before the person asks for all."""

NameOf = Callable[[ModelFile], str]
"""What a file is called in the settings."""


class FoundModels(QWidget):
    """use_wanted, add_wanted, delete_wanted: with the `ModelFile`."""

    use_wanted = Signal(object)
    add_wanted = Signal(object)
    delete_wanted = Signal(object)

    def __init__(self, theme: Theme, name_of: NameOf, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._name_of = name_of
        self._settings = Settings()
        self.files: list[ModelFile] | None = None
        self.cards: dict[str, ModelCard] = {}
        self.nothing = Words(tr("Looking …"), tone="muted")
        self.more = TextButton("")
        self.more.setCheckable(True)
        self.more.toggled.connect(lambda _on: self._build())
        self._rows = QVBoxLayout()
        self._rows.setSpacing(S)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(S)
        column.addWidget(self.nothing)
        column.addLayout(self._rows)
        column.addWidget(self.more)
        self.more.hide()

    def show_files(self, files: Sequence[ModelFile]) -> None:
        """Draw what was found; what can be used comes first."""
        ordered = sorted(files, key=lambda file: bool(file.problem))
        if ordered != self.files:
            self.files = ordered
            self._build()

    def show_settings(self, settings: Settings) -> None:
        """Draw which of them are used."""
        self._settings = settings
        for file in self.files or ():
            if card := self.cards.get(file.path):
                self._mark(card, file)

    def _build(self) -> None:
        files = self.files or []
        clear(self._rows)
        self.cards = {}
        self.nothing.setVisible(not files)
        self.nothing.setText(
            tr(
                "None found. Models of Ollama, LM Studio, Hugging Face, GPT4All, llama.cpp and Jan"
                " would be shown here."
            )
        )
        self.more.setVisible(len(files) > FIRST)
        all_of_them = trn("Show the one", "Show all {count}", len(files))
        self.more.setText(tr("Show fewer") if self.more.isChecked() else all_of_them)
        for file in files if self.more.isChecked() else files[:FIRST]:
            self.cards[file.path] = self._card(file)
            self._rows.addWidget(self.cards[file.path])

    def _card(self, file: ModelFile) -> ModelCard:
        card = ModelCard(self._theme, file.name)
        card.setToolTip(tip(file.path))
        card.say(facts=_facts(file), problem=file.problem)
        card.use_wanted.connect(lambda: self.use_wanted.emit(file))
        card.add_wanted.connect(lambda: self.add_wanted.emit(file))
        card.delete_wanted.connect(lambda: self.delete_wanted.emit(file))
        self._mark(card, file)
        return card

    def _mark(self, card: ModelCard, file: ModelFile) -> None:
        mark_use(card, self._settings, self._name_of(file), file.embeds, not file.problem)
        card.delete.setVisible(file.place == "chatty")


def mark_use(card: ModelCard, settings: Settings, name: str, embeds: bool, usable: bool) -> None:
    """Show what a model of the local engine is chosen for, and offer what is left."""
    uses, listed = uses_of(settings, name), is_listed(settings, name)
    chosen = "embedder" if embeds else "default"
    if chosen in uses:
        card.stand(tr("Finds episodes") if embeds else tr("Used for new chats"))
    else:
        card.stand(tr("In the list") if listed else "", "muted")
    card.offer(
        use=usable and chosen not in uses,
        add=usable and not listed and not embeds,
    )


def _facts(file: ModelFile) -> str:
    kind = tr("for embeddings") if file.embeds else ""
    context = ""
    if file.context_length:
        context = tr("up to {count} tokens", count=number(file.context_length))
    parts = [kind, file.parameters, file.quantization, size(file.size), context]
    return " · ".join([*(part for part in parts if part), PLACE_NAMES[file.place]])
