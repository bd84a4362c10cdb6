"""Settings: Local engine."""

from __future__ import annotations

import time
from functools import partial
from pathlib import PurePath

from PySide6.QtCore import QTimer, QUrl
from PySide6.QtGui import QDesktopServices, QHideEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout

from chatty_desktop.domain.engines import LoadedModel
from chatty_desktop.domain.errors import ChattyError
from chatty_desktop.domain.events import EnginesChanged, Event
from chatty_desktop.domain.settings import ProviderSettings, Settings
from chatty_desktop.ui.controls import Field
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import TextButton, Words, clear
from chatty_desktop.ui.plain import Label
from chatty_desktop.ui.settings.engine.loaded import LoadedModels
from chatty_desktop.ui.settings.engine.options import EngineOptions
from chatty_desktop.ui.settings.page import Page, Surroundings
from chatty_desktop.ui.throttle import Throttle
from chatty_desktop.ui.tokens import M, S

LOOK_AGAIN_MS = 2_000
"""How often memory is measured while the page is in front."""

_MEASURE_MS = 250


class SettingsPage(Page):
    """How models on this computer are run, and what they take of it."""

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        self.options: dict[str, EngineOptions] = {}
        column = self.group(
            tr("How models run"),
            tr(
                "The local engine runs model files on this computer. What you change here holds"
                " from the next answer on; none under way is cut off."
            ),
        )
        self._providers = QVBoxLayout()
        self._providers.setSpacing(M)
        column.addLayout(self._providers)
        self.none = Words(tr("No provider of the settings runs models on this computer."), "muted")
        self.to_providers = TextButton(tr("Add one under Providers"))
        self.to_providers.clicked.connect(lambda: self.page_wanted.emit("providers"))
        column.addWidget(self.none)
        column.addWidget(self.to_providers)
        self.loaded = LoadedModels(around.theme)
        self.loaded.unload_wanted.connect(self._unload)
        self.group(tr("In memory now")).addWidget(self.loaded)
        self._lay_out_log()
        self.close_column()
        self._measuring = Throttle(_MEASURE_MS, self._measure, self)
        self._again = QTimer(self)
        self._again.setInterval(LOOK_AGAIN_MS)
        self._again.timeout.connect(self._measuring.request)

    # --- what the dialog asks of it ------------------------------------------------------------

    def show_settings(self, settings: Settings) -> None:
        entries = [entry for entry in settings.providers if entry.kind == "llama_cpp"]
        if [entry.id for entry in entries] != list(self.options):
            self._build(entries)
        for entry in entries:
            self.options[entry.id].show_entry(entry)
        self.none.setVisible(not entries)
        self.to_providers.setVisible(not entries)
        if self.isVisible():
            self._learn_models()

    def entered(self) -> None:
        self._measuring.request()
        self._learn_models()
        self.tasks.start(self._ask_gpus())

    def event_happened(self, event: Event) -> None:
        if isinstance(event, EnginesChanged) and self.isVisible():
            self._measuring.request()

    @property
    def looking(self) -> bool:
        """Whether it measures memory now and then."""
        return self._again.isActive()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._again.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._again.stop()

    # --- putting together --------------------------------------------------------------------

    def _build(self, entries: list[ProviderSettings]) -> None:
        clear(self._providers)
        self.options = {}
        for entry in entries:
            options = EngineOptions(self.app.engines.cores, self.theme)
            options.changed.connect(partial(self._changed, entry.id))
            if len(entries) > 1:
                name = Label(entry.id)
                name.setFont(self.theme.heading())
                self._providers.addWidget(name)
            self._providers.addWidget(options)
            self.options[entry.id] = options

    def _lay_out_log(self) -> None:
        logs = self.app.paths.logs
        column = self.group(tr("When something goes wrong"))
        self.log = Words(
            tr(
                "What the engine has to say is in llama-engine.log, and of embedding in"
                " llama-embedder.log, in the folder {folder}",
                folder=logs,
            ),
            "muted",
        )
        open_folder = TextButton(tr("Open the folder"))
        open_folder.clicked.connect(lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(logs))))
        inner = QVBoxLayout()
        inner.setSpacing(S)
        inner.addWidget(self.log)
        inner.addWidget(open_folder)
        column.addLayout(inner)

    # --- what is changed ---------------------------------------------------------------------

    def _changed(self, provider_id: str, name: str, value: object, field: Field) -> None:
        def change(now: Settings) -> Settings:
            entry = now.provider(provider_id)
            if entry is None:
                return now
            return now.with_provider(entry.model_copy(update={name: value}))

        self.apply(change, field)

    def _unload(self, model: LoadedModel) -> None:
        self.say("")
        self.tasks.start(
            self.app.engines.unload(model.reference, model.purpose), failed=self.problem.say
        )

    # --- what is learnt ----------------------------------------------------------------------

    def _measure(self) -> None:
        self.tasks.start(self._measured())

    async def _measured(self) -> None:
        models, memory = await self.app.engines.measured()
        self.loaded.show_models(models, memory, time.time())

    async def _ask_gpus(self) -> None:
        try:
            devices, problem = await self.app.engines.gpus(), ""
        except ChattyError as error:
            devices, problem = [], str(error)
        for options in self.options.values():
            options.show_gpus(devices, problem)

    def _learn_models(self) -> None:
        for provider_id in self.options:
            entry = self.settings.provider(provider_id)
            if entry is not None:
                self.tasks.start(self._learn_model(provider_id, _usual_model(self.settings, entry)))

    async def _learn_model(self, provider_id: str, name: str) -> None:
        reference = f"{provider_id}/{name}"
        try:
            needs = await self.app.engines.needs(reference)
            made_for = (await self.app.models.card(reference)).longest_context
        except ChattyError:
            needs, made_for = None, None  # its file is not there: the status line says so
        if provider_id in self.options:
            label = tr("The starter model") if name == "starter" else PurePath(name).stem
            self.options[provider_id].show_model(label, needs, made_for)


def _usual_model(settings: Settings, entry: ProviderSettings) -> str:
    """Of a provider's models the one that is most likely meant: the default, else the first."""
    prefix, default = f"{entry.id}/", settings.default_model or ""
    if default.startswith(prefix):
        return default.removeprefix(prefix)
    return next(iter(entry.models), "starter")
