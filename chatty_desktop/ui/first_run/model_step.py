"""The first step: which model answers."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from chatty_desktop.domain.first_run import (
    STARTER,
    ChosenModel,
    LocalModel,
    PresentModel,
    ServerModel,
)
from chatty_desktop.domain.model_files import ModelFile, OllamaFound, OllamaModel
from chatty_desktop.domain.settings import ProviderSettings
from chatty_desktop.ui.choice_cards import ChoiceCard, ChoiceCards
from chatty_desktop.ui.controls import Choice
from chatty_desktop.ui.first_run.server_form import ServerForm
from chatty_desktop.ui.first_run.words import file_label, file_lines, ollama_label
from chatty_desktop.ui.language import tr, trn
from chatty_desktop.ui.pieces import Problem, caption
from chatty_desktop.ui.theme import Theme

PRESENT, COMES_WITH, OLLAMA, FILE, SERVER = "present", "starter", "ollama", "file", "server"


class ModelStep(ChoiceCards):
    """The places a model can come from, all there from the start, so that nothing moves when what
    is looked for is found. `present` is the model that answers now, None where none was chosen.

    changed: there is a model to go on with now, or none any more.
    """

    changed = Signal()

    def __init__(
        self, theme: Theme, present: str | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(theme, parent)
        self._present = present
        self._touched = present is not None
        self._ollama: OllamaFound | None = None
        if present is not None:
            self.add(PRESENT, tr("As it is now"), tr("{model} answers.", model=present))
        self.add(
            COMES_WITH,
            tr("The model that comes with the app"),
            tr("Small and quick. Works without a network. Ready, nothing to download."),
        )
        ollama = self.add(OLLAMA, "Ollama", tr("Looking whether it runs on this computer …"))
        files = self.add(
            FILE,
            tr("A model file on this computer"),
            tr("Looking in the folders of LM Studio, Ollama and other programs …"),
        )
        server = self.add(
            SERVER,
            tr("A server"),
            tr("One of your own or a service: an address, and a key if it wants one."),
        )
        self.ollama = _list_in(ollama, tr("Model of Ollama"))
        self.files = _list_in(files, tr("Model file"))
        self._about = caption(theme)
        self._about.setWordWrap(True)
        self._warning = Problem(theme, "warning")
        files.details.addWidget(self._about)
        files.details.addWidget(self._warning)
        self.server = ServerForm(theme)
        server.details.addWidget(self.server)
        for key in (OLLAMA, FILE):
            self.cards[key].allow(False)
        self.set(PRESENT if present is not None else COMES_WITH)
        self.taken.connect(self._touch)
        self.files.currentIndexChanged.connect(self._describe)
        self.server.changed.connect(self.changed)

    def chosen(self) -> ChosenModel | None:
        """The model to go on with, None while there is none."""
        match self.key:
            case "present":
                return PresentModel(self._present or "")
            case "starter":
                return LocalModel(STARTER)
            case "ollama":
                model = self.ollama.currentData()
                if self._ollama is None or not isinstance(model, OllamaModel):
                    return None
                return ServerModel(ollama_entry(self._ollama), model.name)
            case "file":
                file = self.files.currentData()
                return LocalModel(file.path, file) if isinstance(file, ModelFile) else None
            case "server":
                return self.server.chosen()
            case _:
                return None

    # --- what was found ----------------------------------------------------------------------

    def show_starter(self, there: bool) -> None:
        """Whether the model that comes with the app is there."""
        card = self.cards[COMES_WITH]
        card.allow(there)
        if not there:
            card.say(tr("It was not installed with the app here."))
        self._settle()

    def show_ollama(self, found: OllamaFound | None, models: list[OllamaModel]) -> None:
        """An Ollama and its models to chat with, or that there is none."""
        self._ollama = found
        card = self.cards[OLLAMA]
        for model in models:
            self.ollama.addItem(ollama_label(model), model)
        card.allow(bool(models))
        if models:
            card.say(
                trn(
                    "Runs on this computer, with {count} model.",
                    "Runs on this computer, with {count} models.",
                    len(models),
                )
            )
        elif found is not None:
            card.say(tr("Runs on this computer, but has no model to chat with yet."))
        else:
            card.say(tr("Does not run on this computer."))
        self._settle()

    def show_files(self, files: list[ModelFile]) -> None:
        """Model files to chat with."""
        card = self.cards[FILE]
        for file in files:
            self.files.addItem(file_label(file), file)
        card.allow(bool(files))
        if files:
            card.say(
                trn(
                    "{count} file that can be used was found.",
                    "{count} files that can be used were found.",
                    len(files),
                )
            )
        else:
            card.say(tr("None was found. Models can be downloaded in the settings."))
        self._settle()

    def _touch(self) -> None:
        self._touched = True
        self.changed.emit()

    def _settle(self) -> None:
        """Until the person chooses: the first that is there."""
        if not self._touched:
            there = [key for key, card in self.cards.items() if card.radio.isEnabled()]
            if self.key != there[0] and there[0] != SERVER:
                self.set(there[0])
        self.changed.emit()

    def _describe(self) -> None:
        file = self.files.currentData()
        if isinstance(file, ModelFile):
            self._about.setText(file_lines(file))
            self._warning.say(
                ""
                if file.has_chat_template
                else tr(
                    "This file does not say how a chat is written for it (it has no chat template):"
                    " answers may be odd, or not end."
                )
            )


def ollama_entry(found: OllamaFound) -> ProviderSettings:
    """The provider for an Ollama that was found."""
    return ProviderSettings(id="ollama", kind="ollama", base_url=found.base_url)


def _list_in(card: ChoiceCard, name: str) -> Choice:
    """A list of models in a choice's details."""
    models = Choice()
    models.setSizeAdjustPolicy(Choice.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    models.setMinimumContentsLength(24)
    models.setAccessibleName(name)
    card.details.addWidget(models)
    return models
