"""Settings: Get models."""

from __future__ import annotations

from pathlib import Path

from chatty_desktop.domain.downloads import CatalogueModel, WrongChecksumText
from chatty_desktop.domain.errors import ChattyError
from chatty_desktop.domain.events import DownloadChanged, Event
from chatty_desktop.domain.model_files import (
    ModelFile,
    OllamaFound,
    is_listed,
    uses_of,
    with_local_model,
    with_ollama,
    without_local_model,
)
from chatty_desktop.domain.settings import Settings
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.questions import confirm
from chatty_desktop.ui.readable import size
from chatty_desktop.ui.settings.downloads.address import AddressForm, OtherDownloads
from chatty_desktop.ui.settings.downloads.found import FoundModels
from chatty_desktop.ui.settings.downloads.ollamas import Ollamas
from chatty_desktop.ui.settings.downloads.suggested import SuggestedModels
from chatty_desktop.ui.settings.downloads.transfer import TransferView
from chatty_desktop.ui.settings.page import Page, Surroundings
from chatty_desktop.ui.throttle import Throttle

DRAW_MS = 100


class SettingsPage(Page):
    """What is on this computer, what can be got, and what is on its way."""

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around)
        theme = around.theme
        self.found = FoundModels(theme, self._name_of)
        self.chat = SuggestedModels(theme, self._name_of)
        self.embedding = SuggestedModels(theme, self._name_of)
        self.form = AddressForm(theme)
        self.others = OtherDownloads(theme)
        self.ollamas = Ollamas(around)
        self._catalogue: tuple[CatalogueModel, ...] | None = None
        self._drawing = Throttle(DRAW_MS, self._draw_downloads, self)
        self._lay_out()
        for part in (self.found, self.chat, self.embedding):
            part.use_wanted.connect(self._use)
            part.add_wanted.connect(self._add)
            part.delete_wanted.connect(self._ask_delete)
        for suggested in (self.chat, self.embedding):
            suggested.get_wanted.connect(self._get)
        self.form.get_wanted.connect(
            lambda url, checksum: self.tasks.start(self._get_address(url, checksum))
        )
        self.others.made.connect(lambda card: self._follow(card.transfer))
        self.ollamas.use_wanted.connect(self._use_reference)
        self.ollamas.add_wanted.connect(self._add_ollama)
        self.ollamas.failed.connect(self.say)

    # --- what the dialog asks of it ------------------------------------------------------------

    def show_settings(self, settings: Settings) -> None:
        for part in (self.found, self.chat, self.embedding, self.ollamas):
            part.show_settings(settings)

    def entered(self) -> None:
        self.say("")
        self.tasks.start(self._look(), failed=self.say)
        self.tasks.start(self._look_for_ollama(), failed=self.say)
        self.ollamas.look()

    def event_happened(self, event: Event) -> None:
        if isinstance(event, DownloadChanged):
            self._drawing.request()
            if event.download.state == "finished":
                if event.download.path:
                    self.tasks.start(self._look_for_files(), failed=self.say)
                else:
                    self.ollamas.look()

    # --- looking -------------------------------------------------------------------------------

    async def _look(self) -> None:
        if self._catalogue is None:
            models = await self.app.downloads.catalogue()
            _loaded, memory = await self.app.engines.measured()
            if self._catalogue is None:
                self._catalogue = models
                self._fill(memory.total or None)
        await self.app.downloads.load()
        self._draw_downloads()
        await self._look_for_files()

    async def _look_for_files(self) -> None:
        files = await self.app.discovery.model_files()
        for part in (self.found, self.chat, self.embedding):
            part.show_files(files)

    async def _look_for_ollama(self) -> None:
        self.ollamas.show_found(await self.app.discovery.ollama())

    def _fill(self, memory: int | None) -> None:
        for part, kind in ((self.chat, "chat"), (self.embedding, "embedding")):
            part.show_models([m for m in self._catalogue or () if m.kind == kind], memory)
            part.show_settings(self.settings)
            for transfer in part.transfers:
                self._follow(transfer)

    def _draw_downloads(self) -> None:
        downloads = self.app.downloads.all()
        by_url = {download.url: download for download in downloads}
        known = {model.url for model in self._catalogue or ()}
        for part in (self.chat, self.embedding):
            part.show_downloads(by_url)
        self.others.show_downloads([d for d in downloads if d.url not in known])
        self.ollamas.show_pulls()

    # --- getting -------------------------------------------------------------------------------

    def _get(self, model: CatalogueModel) -> None:
        self.say("")
        start = self.app.downloads.start(model.url, sha256=model.sha256, size=model.size)
        self.tasks.start(start, failed=self.say)

    async def _get_address(self, url: str, checksum: str) -> None:
        try:
            await self.app.downloads.start(url, sha256=checksum or None)
        except WrongChecksumText as problem:
            self.form.checksum_field.say(str(problem))
        except ChattyError as problem:
            self.form.field.say(str(problem))
        else:
            self.form.clear()

    def _follow(self, transfer: TransferView) -> None:
        downloads = self.app.downloads
        for signal, call in (
            (transfer.pause_wanted, downloads.pause),
            (transfer.resume_wanted, downloads.resume),
            (transfer.cancel_wanted, downloads.cancel),
        ):
            signal.connect(lambda which, call=call: self.tasks.start(call(which), failed=self.say))

    # --- using ---------------------------------------------------------------------------------

    def _use(self, file: ModelFile) -> None:
        self.tasks.start(self._take(file, default=not file.embeds), failed=self.say)

    def _add(self, file: ModelFile) -> None:
        self.tasks.start(self._take(file, default=False), failed=self.say)

    async def _take(self, file: ModelFile, *, default: bool) -> None:
        self.say("")
        name = await self.app.downloads.adopt(file)
        await self.app.settings.change(
            lambda now: with_local_model(now, name, embeds=file.embeds, default=default)[0]
        )
        if file.embeds:
            # What a change of embedder does to recall is shown there, before it is made.
            self.page_wanted.emit("embedder")
        await self._look_for_files()

    def _use_reference(self, reference: str, embeds: bool) -> None:
        if embeds:
            self.page_wanted.emit("embedder")
        else:
            self.apply(lambda now: now.model_copy(update={"default_model": reference}))

    def _add_ollama(self, found: OllamaFound) -> None:
        self.apply(lambda now: with_ollama(now, found.base_url))

    # --- deleting ------------------------------------------------------------------------------

    def _ask_delete(self, file: ModelFile) -> None:
        self.tasks.start(self._weigh_deletion(file), failed=self.say)

    async def _weigh_deletion(self, file: ModelFile) -> None:
        """Ask, with all that the model is chosen for."""
        words = {
            "default": tr("New chats use it."),
            "memory": tr("Memory is made with it."),
            "embedder": tr("Episodes are found with it."),
        }
        told = [words[use] for use in uses_of(self.settings, self._name_of(file))]
        references = self._references(file)
        agents = [
            a.definition.name
            for a in await self.app.agents.list()
            if a.definition.model in references
        ]
        if agents:
            told.append(tr("It is the model of {agents}.", agents=", ".join(agents)))
        if any(model.reference in references for model in self.app.engines.loaded):
            told.append(tr("It is loaded now."))
        told.append(
            tr("Only its entry here goes; the file stays with the program it belongs to.")
            if file.linked
            else tr("{size} become free. It can be downloaded again.", size=size(file.size))
        )
        confirm(
            self,
            tr("Delete {model}?", model=file.name),
            " ".join(told),
            tr("Delete"),
            lambda: self.tasks.start(self._delete(file), failed=self.say),
            danger=True,
        )

    async def _delete(self, file: ModelFile) -> None:
        name = self._name_of(file)
        for reference in self._references(file):
            await self.app.engines.unload(reference)
        if is_listed(self.settings, name) or uses_of(self.settings, name):
            await self.app.settings.change(lambda now: without_local_model(now, name))
        try:
            await self.app.downloads.delete_model(file.path)
        finally:
            await self._look_for_files()

    def _references(self, file: ModelFile) -> list[str]:
        name = self._name_of(file)
        return [f"{e.id}/{name}" for e in self.settings.providers if e.kind == "llama_cpp"]

    def _name_of(self, file: ModelFile) -> str:
        """What a file is called in the settings: its path, from the app's own folder on if it
        lies there."""
        path, folder = Path(file.path), self.app.paths.models
        return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else file.path

    def _lay_out(self) -> None:
        groups = (
            (
                tr("On this computer"),
                tr("Models that you have already, from this app and from others."),
                (self.found,),
            ),
            (
                tr("Models to chat with"),
                tr(
                    "A small choice for usual computers. The larger, the better the answers, and"
                    " the longer they take. Tokens are what a model reads at once: the beginning"
                    " of a long chat drops out; a hundred tokens are about seventy words. Nothing"
                    " is downloaded before you ask for it."
                ),
                (self.chat,),
            ),
            (
                tr("Models that find past messages"),
                tr(
                    "For agents with episodic memory. One for many languages comes with the app;"
                    " these are for those who want another."
                ),
                (self.embedding,),
            ),
            (
                tr("From an address"),
                tr("Any model in GGUF form, the one the local engine reads."),
                (self.form, self.others),
            ),
            (
                tr("Ollama"),
                tr("A program of its own that runs models. What it has stays with it."),
                (self.ollamas,),
            ),
        )
        for title, hint, parts in groups:
            column = self.group(title, hint)
            for part in parts:
                column.addWidget(part)
        self.close_column()
