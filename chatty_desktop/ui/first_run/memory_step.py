"""The second step: which model embeds, so that memory finds what was said before."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtWidgets import QWidget

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.first_run import ServerModel
from chatty_desktop.domain.requests import ModelChoice
from chatty_desktop.domain.settings import EmbedderSettings, Settings
from chatty_desktop.engine.ports import Models
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.settings.embedder.choice import BUILT_IN, MODEL, NONE, EmbedderChoice
from chatty_desktop.ui.theme import Theme


class MemoryStep(EmbedderChoice):
    """The choice of the settings, among models of servers that are not in the settings yet."""

    def __init__(self, models: Models, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(models, theme, parent)
        self._found: Mapping[str, ServerModel] = {}
        self._embedder: EmbedderSettings | None = None
        self._decided = True
        built_in, model, none = (self.cards[key] for key in (BUILT_IN, MODEL, NONE))
        built_in.say(
            tr("Comes with the app, works without a network, and knows some 100 languages.")
        )
        model.radio.setText(tr("Another model"))
        model.say(tr("One of Ollama, or of a server."))
        none.radio.setText(tr("Not at all"))
        none.say(tr("Agents that look up what was said long ago then find nothing."))
        self.chosen.connect(self._decide)
        self.undecided.connect(self._hesitate)

    def begin(self, settings: Settings, found: Mapping[str, ServerModel]) -> None:
        """Show the present embedder, and offer what was found by its reference."""
        self._found = found
        self._embedder = settings.embedder
        self.models.choices = [
            ModelChoice(
                reference, reference, reference.partition("/")[0], model.server.kind, model.listed
            )
            for reference, model in found.items()
        ]
        self.offer(settings)
        self.show_embedder(settings, settings.embedder)

    @property
    def decided(self) -> bool:
        """Whether there is something to go on with."""
        return self._decided

    def value(self, settings: Settings) -> EmbedderSettings | ServerModel | None:
        """What was chosen, None for no embedder; `settings` are those it is to go into. Raises
        `Invalid` for a model of a provider that is not there."""
        chosen = self._embedder
        if chosen is None:
            return None
        found = self._found.get(f"{chosen.provider}/{chosen.model}")
        if found is not None:
            return found
        if self.key == MODEL and settings.provider(chosen.provider) is None:
            raise Invalid(
                tr(
                    "There is no provider {name} yet. Choose a model from the list, or the"
                    " built-in one for now.",
                    name=chosen.provider,
                )
            )
        return chosen

    def _decide(self, embedder: EmbedderSettings | None) -> None:
        self._embedder, self._decided = embedder, True

    def _hesitate(self) -> None:
        self._decided = False
