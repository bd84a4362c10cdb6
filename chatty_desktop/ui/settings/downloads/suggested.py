"""The models that are suggested, with their downloads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from chatty_desktop.domain.downloads import CatalogueModel, Download
from chatty_desktop.domain.model_files import ModelFile
from chatty_desktop.domain.settings import Settings
from chatty_desktop.ui.language import number, tr
from chatty_desktop.ui.readable import size
from chatty_desktop.ui.settings.downloads.card import ModelCard
from chatty_desktop.ui.settings.downloads.found import NameOf, mark_use
from chatty_desktop.ui.settings.downloads.transfer import TransferView
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import S

_FITS = 0.85
"""The share of a computer's memory that a model may take beside everything else."""


class SuggestedModels(QWidget):
    """get_wanted: with the `CatalogueModel`. use_wanted, add_wanted, delete_wanted: with the
    `ModelFile` of one that is there. card_made: with the transfer of each card."""

    get_wanted = Signal(object)
    use_wanted = Signal(object)
    add_wanted = Signal(object)
    delete_wanted = Signal(object)

    def __init__(self, theme: Theme, name_of: NameOf, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._name_of = name_of
        self._models: dict[str, CatalogueModel] = {}
        self._memory: int | None = None
        self._files: dict[str, ModelFile] = {}
        self._downloads: dict[str, Download] = {}
        self._settings = Settings()
        self.cards: dict[str, ModelCard] = {}
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(S)

    @property
    def transfers(self) -> list[TransferView]:
        return [card.transfer for card in self.cards.values()]

    def show_models(self, models: Sequence[CatalogueModel], memory: int | None) -> None:
        """Make the cards; `memory` is what this computer has, in bytes, None when not known."""
        self._models = {model.id: model for model in models}
        self._memory = memory
        for model in models:
            card = ModelCard(self._theme, model.name)
            card.say(purpose=tr(model.purpose), facts=_facts(model), problem=self._too_large(model))
            self._connect(card, model)
            self.cards[model.id] = card
            self._rows.addWidget(card)
            self._draw(model)

    def show_files(self, files: Sequence[ModelFile]) -> None:
        """What of it is on this computer already: a file of that name and size."""
        there = {(_plain(file.path), file.size): file for file in files if not file.problem}
        self._files = {
            model.id: there[key]
            for model in self._models.values()
            if (key := (model.file_name.lower(), model.size)) in there
        }
        self._draw_all()

    def show_settings(self, settings: Settings) -> None:
        self._settings = settings
        self._draw_all()

    def show_downloads(self, by_url: Mapping[str, Download]) -> None:
        """The downloads as they stand, by address."""
        self._downloads = {
            model.id: by_url[model.url] for model in self._models.values() if model.url in by_url
        }
        self._draw_all()

    def _draw_all(self) -> None:
        for model in self._models.values():
            self._draw(model)

    def _draw(self, model: CatalogueModel) -> None:
        card, file = self.cards[model.id], self._files.get(model.id)
        download = self._downloads.get(model.id)
        card.show_download(download)
        under_way = download is not None and download.state not in ("finished", "gone")
        if file is None:
            card.stand("")
            card.offer(get=not under_way)
            return
        embeds = model.kind == "embedding"
        mark_use(card, self._settings, self._name_of(file), embeds, usable=True)
        card.delete.setVisible(file.place == "chatty")

    def _connect(self, card: ModelCard, model: CatalogueModel) -> None:
        card.get_wanted.connect(lambda: self.get_wanted.emit(model))
        for signal, told in (
            (card.use_wanted, self.use_wanted),
            (card.add_wanted, self.add_wanted),
            (card.delete_wanted, self.delete_wanted),
        ):
            signal.connect(lambda told=told: told.emit(self._files[model.id]))

    def _too_large(self, model: CatalogueModel) -> str:
        if self._memory is None or model.memory <= _FITS * self._memory:
            return ""
        return tr(
            "This computer has {memory} of memory, too little for it.", memory=size(self._memory)
        )


def _facts(model: CatalogueModel) -> str:
    return " · ".join(
        [
            model.parameters,
            tr("{size} to download", size=size(model.size)),
            tr("takes {memory} of memory", memory=size(model.memory)),
            tr("up to {count} tokens", count=number(model.context_length)),
            tr("licence {name}", name=model.licence),
        ]
    )


def _plain(path: str) -> str:
    """The name of a file, without its folders."""
    return path.replace("\\", "/").rpartition("/")[2].lower()
