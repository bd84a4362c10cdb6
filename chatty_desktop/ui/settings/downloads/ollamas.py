"""Every Ollama of the settings on the page, and one that runs and is not among them."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from chatty_desktop.domain.errors import ChattyError, Invalid
from chatty_desktop.domain.model_files import OllamaFound, OllamaModel
from chatty_desktop.domain.settings import ProviderSettings, Settings
from chatty_desktop.ui.language import tr, trn
from chatty_desktop.ui.pieces import Words, clear, emphasise
from chatty_desktop.ui.questions import confirm
from chatty_desktop.ui.readable import size
from chatty_desktop.ui.settings.downloads.card import ModelCard
from chatty_desktop.ui.settings.downloads.ollama import OllamaModels
from chatty_desktop.ui.settings.page import Surroundings
from chatty_desktop.ui.tokens import M


class Ollamas(QWidget):
    """One part for each Ollama, under its name.

    use_wanted: with the reference of a model and whether it embeds. add_wanted: with the
    `OllamaFound` to be put into the settings. failed: with what went wrong.
    """

    use_wanted = Signal(str, bool)
    add_wanted = Signal(object)
    failed = Signal(str)

    def __init__(self, around: Surroundings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._around = around
        self._library = around.app.ollama_library
        self._tasks = around.tasks
        self._entries: list[tuple[str, str | None]] = []
        self._found: OllamaFound | None = None
        self._looked = False
        self.parts: dict[str, OllamaModels] = {}
        self._told = Words(tone="muted")
        self.add = QPushButton(tr("Add it"))
        self.add.setAccessibleName(tr("Add Ollama to the providers"))
        self.add.clicked.connect(lambda: self.add_wanted.emit(self._found))
        row = QHBoxLayout()
        row.addWidget(self.add)
        row.addStretch(1)
        self._column = QVBoxLayout()
        self._column.setSpacing(M)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(M)
        column.addWidget(self._told)
        column.addLayout(row)
        column.addLayout(self._column)
        self._say_found()

    def show_settings(self, settings: Settings) -> None:
        """One part for each Ollama there is; those that stay keep what is typed in them."""
        mine = [entry for entry in settings.providers if entry.kind == "ollama"]
        entries = [(entry.id, entry.base_url) for entry in mine]
        if entries != self._entries:
            self._entries = entries
            self._build(mine)
            if self._looked:
                self.look()
        for part in self.parts.values():
            part.show_settings(settings)
        self._say_found()

    def show_found(self, found: OllamaFound | None) -> None:
        """An Ollama that runs on this computer, None for none."""
        self._found = found
        self._say_found()

    def show_pulls(self) -> None:
        """Draw the pulls as they stand."""
        for provider_id, part in self.parts.items():
            part.show_pulls(self._library.pulls(provider_id))

    def look(self) -> None:
        """Ask every one for its models; nobody is asked before the page is first seen."""
        self._looked = True
        for part in self.parts.values():
            self._tasks.start(self._ask(part))
        self.show_pulls()

    def _say_found(self) -> None:
        offered = not self._entries and self._found is not None
        self.add.setVisible(offered)
        self._told.setVisible(not self._entries)
        if self._found is not None:
            self._told.setText(
                trn(
                    "Ollama runs on this computer with one model. Add it to use it here.",
                    "Ollama runs on this computer with {count} models. Add it to use them here.",
                    len(self._found.models),
                )
            )
        else:
            self._told.setText(
                tr("There is no Ollama in the list of providers, and none runs here.")
            )

    def _build(self, entries: list[ProviderSettings]) -> None:
        clear(self._column)
        self.parts = {}
        for entry in entries:
            name = Words(f"{entry.id} · {entry.base_url}" if entry.base_url else entry.id)
            emphasise(name)
            part = OllamaModels(self._around.theme, entry.id)
            self.parts[entry.id] = part
            self._column.addWidget(name)
            self._column.addWidget(part)
            self._connect(part)

    def _connect(self, part: OllamaModels) -> None:
        part.again_wanted.connect(lambda: self._tasks.start(self._ask(part)))
        part.get_wanted.connect(lambda name: self._pull(part, name))
        part.use_wanted.connect(
            lambda model: self.use_wanted.emit(f"{part.provider_id}/{model.name}", model.embeds)
        )
        part.delete_wanted.connect(lambda model: self._ask_delete(part, model))
        part.pulls.made.connect(lambda card: self._follow(part, card))

    def _follow(self, part: OllamaModels, card: ModelCard) -> None:
        transfer = card.transfer
        transfer.pause_wanted.connect(lambda pull: self._tasks.start(self._library.stop(pull)))
        transfer.resume_wanted.connect(lambda _pull: self._pull(part, card.name))
        transfer.cancel_wanted.connect(lambda pull: self._tasks.start(self._library.dismiss(pull)))

    async def _ask(self, part: OllamaModels) -> None:
        try:
            part.show_models(await self._library.models(part.provider_id))
        except ChattyError as problem:
            part.show_problem(str(problem))

    def _pull(self, part: OllamaModels, name: str) -> None:
        try:
            self._library.pull(part.provider_id, name)
        except Invalid as problem:
            part.field.say(str(problem))
            return
        part.name.clear()

    def _ask_delete(self, part: OllamaModels, model: OllamaModel) -> None:
        confirm(
            self,
            tr("Delete {model} from {provider}?", model=model.name, provider=part.provider_id),
            tr("{size} become free. It can be got again.", size=size(model.size)),
            tr("Delete"),
            lambda: self._tasks.start(self._delete(part, model), failed=self.failed.emit),
            danger=True,
        )

    async def _delete(self, part: OllamaModels, model: OllamaModel) -> None:
        await self._library.delete(part.provider_id, model.name)
        await self._ask(part)
