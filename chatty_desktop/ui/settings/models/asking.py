"""What the providers of the settings offer, each asked by itself: none waits for another."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from PySide6.QtCore import QObject, Signal

from chatty_desktop.app import App
from chatty_desktop.domain.engines import ModelNeeds
from chatty_desktop.domain.errors import ChattyError
from chatty_desktop.domain.models import ModelCard
from chatty_desktop.domain.settings import ProviderSettings, Settings
from chatty_desktop.ui.language import tr, translated
from chatty_desktop.ui.settings.models.rows import ModelRow
from chatty_desktop.ui.tasks import Tasks

_STARTER = "starter"


class Offers(QObject):
    """The models of every provider, as far as they are known at the moment.

    changed: something was learnt. problems: why a provider could not be asked, by its id.
    asking: the ids of those that were asked and have not answered yet.
    """

    changed = Signal()

    def __init__(self, app: App, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._app, self._tasks = app, tasks
        self._listed: dict[str, dict[str, ModelCard]] = {}
        self._told: dict[str, ModelCard] = {}
        self._needs: dict[str, ModelNeeds | None] = {}
        self._entries: dict[str, object] = {}
        self.problems: dict[str, str] = {}
        self.asking: set[str] = set()
        self._asked: dict[str, int] = {}

    def ask_all(self) -> None:
        """Ask every provider."""
        for entry in self._app.settings.current.providers:
            self.ask(entry.id)

    def follow(self, settings: Settings) -> None:
        """Ask those anew whose entry is not what it was, and forget those that are gone."""
        entries = {entry.id: _asked_by(entry) for entry in settings.providers}
        for gone in self._entries.keys() - entries.keys():
            self._listed.pop(gone, None)
            self.problems.pop(gone, None)
        changed = [name for name in entries if entries[name] != self._entries.get(name)]
        first = not self._entries
        self._entries = dict(entries)
        if first:
            return
        for name in changed:
            self.ask(name)
            for reference in [each for each in self._told if each.startswith(f"{name}/")]:
                self.ask_about(reference)

    def ask(self, provider_id: str) -> None:
        """Ask a provider for its models."""
        self.asking.add(provider_id)
        self._asked[provider_id] = asked = self._asked.get(provider_id, 0) + 1
        self._tasks.start(self._ask(provider_id, asked))
        self.changed.emit()

    def ask_about(self, reference: str) -> None:
        """Ask about one model: some servers tell more of it then than in their list."""
        self._tasks.start(self._ask_about(reference))

    def learn(self, reference: str, card: ModelCard) -> None:
        """Take in what a provider told of one model."""
        self._told[reference] = card
        self.changed.emit()

    def rows(self, settings: Settings) -> Iterator[tuple[ProviderSettings, list[ModelRow]]]:
        """The providers in their order, each with its models: those named by hand come first."""
        for entry in settings.providers:
            listed = self._listed.get(entry.id, {})
            names = dict.fromkeys([*entry.models, *listed])
            yield entry, [self._row(settings, entry, name, listed) for name in names]

    def _row(
        self,
        settings: Settings,
        entry: ProviderSettings,
        name: str,
        listed: dict[str, ModelCard],
    ) -> ModelRow:
        reference = f"{entry.id}/{name}"
        there: bool | None = entry.listed_as(name, listed) is not None
        # A server need not list all that it has; files are there or they are not.
        if entry.id not in self._listed or (entry.kind != "llama_cpp" and not listed):
            there = None
        return ModelRow(
            provider=entry.id,
            kind=entry.kind,
            name=name,
            label=_label(entry, name),
            card=_together(listed.get(name), self._told.get(reference)) or ModelCard(name),
            options=entry.options_of(name),
            by_hand=name in entry.models,
            there=there,
            default=settings.default_model == reference,
            memory=settings.memory_extractor_model == reference,
            needs=self._needs.get(reference),
        )

    async def _ask(self, provider_id: str, asked: int) -> None:
        problem, cards = "", list[ModelCard]()
        try:
            cards = await self._app.models.cards(provider_id)
        except ChattyError as failure:
            problem = translated(str(failure))
        finally:
            # It may have been asked anew meanwhile, at another address.
            newest = self._asked[provider_id] == asked
            if newest:
                self.asking.discard(provider_id)
        if not newest or provider_id not in self._entries:
            return
        if problem:
            self.problems[provider_id] = problem
        else:
            self.problems.pop(provider_id, None)
            self._listed[provider_id] = {card.name: card for card in cards}
        self.changed.emit()

    async def _ask_about(self, reference: str) -> None:
        try:
            card = await self._app.models.card(reference)
            self._needs[reference] = await self._app.engines.needs(reference)
        except ChattyError:
            return  # the provider's own trouble is shown where its models are
        self.learn(reference, card)


def _asked_by(entry: ProviderSettings) -> object:
    """What of an entry an answer depends on."""
    contexts = {name: of.context_length for name, of in entry.model_options.items()}
    asked = entry.model_copy(update={"model_options": {}})
    return asked, {name: context for name, context in contexts.items() if context}


def _together(listed: ModelCard | None, told: ModelCard | None) -> ModelCard | None:
    """What is known from the list and from asking about the model itself, which says it better."""
    if listed is None or told is None:
        return told or listed
    return ModelCard(
        told.name,
        context_length=told.context_length or listed.context_length,
        longest_context=told.longest_context or listed.longest_context,
        size=told.size or listed.size,
        parameters=told.parameters or listed.parameters,
        tools=listed.tools if told.tools is None else told.tools,
        json_schema=listed.json_schema if told.json_schema is None else told.json_schema,
        embeds=listed.embeds if told.embeds is None else told.embeds,
        vision=listed.vision if told.vision is None else told.vision,
    )


def _label(entry: ProviderSettings, name: str) -> str:
    if entry.kind != "llama_cpp":
        return name
    return tr("Starter model") if name == _STARTER else PurePath(name).stem
