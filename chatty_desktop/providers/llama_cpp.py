"""The local engine as a provider: model files, loaded on first use, served on loopback."""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

from chatty_desktop.domain.engines import LoadedModel, ModelNeeds, Purpose
from chatty_desktop.domain.errors import Unreachable
from chatty_desktop.domain.models import ModelCard
from chatty_desktop.domain.requests import ChatRequest, Delta
from chatty_desktop.domain.settings import ProviderSettings
from chatty_desktop.engine.ports import Publish
from chatty_desktop.paths import Paths
from chatty_desktop.providers.contract import ProvidedModel
from chatty_desktop.providers.discovery import describe
from chatty_desktop.providers.engine_place import FINISH_SECONDS, EnginePlace, label
from chatty_desktop.providers.local_engine import EngineSettings
from chatty_desktop.providers.memory import mapped_by, memory
from chatty_desktop.providers.model_files import check_memory, check_model_file, needs_of
from chatty_desktop.providers.patience import Patience
from chatty_desktop.providers.starter import (
    STARTER,
    STARTER_NAME,
    STARTER_OPTIONS,
    StarterModel,
    brought_along,
    not_installed,
)

DEFAULT_CONTEXT = 8192
STARTER_PER_TOKEN = 12_288
"""Bytes of context a token, of the starter model."""

EMBEDDING_CONTEXT = 2048
"""Tokens of the longest text to embed; more than is embedded of a message, whatever the
language."""

CHAT_LOG = "llama-engine.log"
EMBEDDING_LOG = "llama-embedder.log"

_DEATH_SHOWS_SECONDS = 2.0
"""A connection breaks a moment before the process is seen to have ended."""


class LlamaCppProvider:
    """Model files on this computer. One that chats and one that embeds can be loaded side by side,
    each in an engine of its own; asking another one waits until the first is idle, then takes its
    place."""

    def __init__(
        self,
        settings: ProviderSettings,
        paths: Paths,
        publish: Publish,
        *,
        starter: StarterModel | None = None,
        patience: Patience = Patience(),
        finish_seconds: float = FINISH_SECONDS,
    ) -> None:
        self.settings = settings
        self._paths = paths
        self._publish = publish
        self._patience = patience
        self._finish_seconds = finish_seconds
        self._starter = starter or StarterModel(
            paths.models,
            publish,
            reference=f"{settings.id}/{STARTER_NAME}",
            whole=brought_along(),
        )
        self._chatting = self._place("chat")
        self._embedding = self._place("embedding")

    def take(self, settings: ProviderSettings) -> bool:
        """A model that runs otherwise than is set now is unloaded once it is idle, and loaded anew
        when it is next asked."""
        if settings.kind != self.settings.kind:
            return False
        self.settings = settings
        for place in self._places:
            place.reconsider()
        return True

    def context_of(self, name: str) -> int:
        """The context the engine is started with for a model, in tokens."""
        own = self.settings.options_of(name).context_length
        return own or self.settings.context_length or DEFAULT_CONTEXT

    async def context_length(self, name: str) -> int:
        return self.context_of(name)

    async def sees_images(self, name: str) -> bool:
        """The engine is started without the projector that looking takes."""
        return False

    def chat_model(self, name: str) -> ProvidedModel:
        return ProvidedModel(self, name)

    async def prepare(self) -> None:
        """Nothing is needed before the first request."""

    async def listed(self) -> list[str]:
        """Those of the named models that are there; the starter model when none is named.

        Raises `Unreachable` when the engine itself is not installed. Starts nothing.
        """
        return await asyncio.to_thread(self._present)

    async def cards(self) -> list[ModelCard]:
        """Those of `listed` with their size and context. Raises the same."""
        return await asyncio.to_thread(lambda: [self._card(name) for name in self._present()])

    async def card(self, name: str) -> ModelCard:
        """What the model file says of itself; little for the starter model before its first use,
        and for a file that is not there."""
        return await asyncio.to_thread(self._read_card, name)

    def loaded(self) -> list[LoadedModel]:
        """The models in memory, and those being loaded."""
        return [model for place in self._places if (model := place.model) is not None]

    async def unload(self, name: str, purpose: Purpose | None = None) -> None:
        """Unload a model; None: whatever it is loaded for. Raises `Refused` while it is at work."""
        if purpose != "embedding":
            await self._chatting.unload(name)
        if purpose != "chat":
            await self._embedding.unload(name)

    async def check(self, name: str) -> None:
        """Raise `Unreachable` when a model could not be loaded for want of its file or of the
        engine. Makes and loads nothing."""
        await asyncio.to_thread(self._check, name)

    async def needs(self, name: str) -> ModelNeeds:
        """What a model takes in memory. Raises `Unreachable` when its file cannot be read; makes
        and loads nothing."""
        path = self._starter.file if name == STARTER_NAME else self._path(name)
        if name == STARTER_NAME and not await asyncio.to_thread(path.is_file):
            return ModelNeeds(STARTER.size, STARTER_PER_TOKEN)
        return await asyncio.to_thread(needs_of, path)

    async def close(self) -> None:
        """End the engines, within about two seconds."""
        await asyncio.gather(*(place.close() for place in self._places))

    async def embed(self, model: str, texts: Sequence[str]) -> list[list[float]]:
        """A vector for each text, by a model file loaded beside the one that chats. Raises
        `Unreachable` or `Refused`."""
        async with self._embedding.using(model) as loaded:
            return await loaded.connection.embed(model, texts)

    async def stream(self, name: str, request: ChatRequest) -> AsyncIterator[Delta]:
        """One answer of a model, loaded first when need be; closing the iterator stops it.

        An engine that crashes before the answer has begun is started again and asked again.
        Raises `Unreachable` or `Refused`.
        """
        if name == STARTER_NAME:
            request = request.as_set(STARTER_OPTIONS)
        while True:
            begun = False
            async with self._chatting.using(name) as loaded:
                try:
                    async with aclosing(loaded.connection.stream(name, request)) as deltas:
                        async for delta in deltas:
                            begun = True
                            yield delta
                    if request.own_turns:
                        self._chatting.keep_read(loaded, request.messages[: request.own_turns])
                    return
                except Unreachable as error:
                    if not await loaded.engine.died(_DEATH_SHOWS_SECONDS):
                        raise
                    if begun:
                        raise Unreachable(
                            f"The local engine stopped in mid-answer with {label(name)}."
                            " It is started again with the next message.",
                            cause="connection",
                        ) from error

    # --- its places ---------------------------------------------------------------------------

    @property
    def _places(self) -> tuple[EnginePlace, EnginePlace]:
        return self._chatting, self._embedding

    def _place(self, purpose: Purpose) -> EnginePlace:
        def settings_for(name: str, model: Path) -> EngineSettings:
            embeds = purpose == "embedding"
            return EngineSettings(
                model=model,
                context_length=EMBEDDING_CONTEXT if embeds else self.context_of(name),
                log=self._paths.logs / (EMBEDDING_LOG if embeds else CHAT_LOG),
                embedding=embeds,
                threads=self.settings.threads,
                gpu_layers=self.settings.gpu_layers,
                prompts=None if embeds else self._paths.read_before,
            )

        return EnginePlace(
            purpose,
            entry=lambda: self.settings,
            file_of=self._model_file,
            settings_for=settings_for,
            check=self._check_memory,
            publish=self._publish,
            patience=self._patience,
            finish_seconds=self._finish_seconds,
        )

    async def _check_memory(self, wanted: EngineSettings) -> None:
        """Raise `Unreachable` when a model does not fit beside those that are loaded."""
        running = [model.process_id for model in self.loaded() if model.process_id]
        await asyncio.to_thread(_check_fits, wanted, running)

    async def _model_file(self, name: str) -> Path:
        """The file of a model, checked. Raises `Unreachable`."""
        await asyncio.to_thread(_check_engine_installed)
        if name == STARTER_NAME:
            path = await self._starter.ready()
        else:
            path = self._path(name)
        await asyncio.to_thread(check_model_file, path)
        return path

    def _path(self, name: str) -> Path:
        """Where a model file lies; a relative name is one in the folder of models."""
        return self._paths.models / Path(name).expanduser()

    def _present(self) -> list[str]:
        _check_engine_installed()
        named = self.settings.models or (STARTER_NAME,)
        return [name for name in named if self._is_there(name)]

    def _card(self, name: str) -> ModelCard:
        size: int | None = STARTER.size
        if name != STARTER_NAME:
            try:
                size = self._path(name).stat().st_size
            except OSError:
                size = None
        # The engine holds any model to a form.
        held = None if size is None else True
        return ModelCard(
            name, context_length=self.context_of(name), size=size, json_schema=held, vision=False
        )

    def _read_card(self, name: str) -> ModelCard:
        card = self._card(name)
        try:
            file = describe(self._starter.file if name == STARTER_NAME else self._path(name))
        except OSError:
            return card
        return replace(
            card,
            longest_context=file.context_length,
            parameters=file.parameters,
            json_schema=None if file.embeds or file.problem else card.json_schema,
            embeds=None if file.problem else file.embeds,
        )

    def _check(self, name: str) -> None:
        _check_engine_installed()
        if name != STARTER_NAME:
            check_model_file(self._path(name))
        elif not self._starter.obtainable():
            raise not_installed()

    def _is_there(self, name: str) -> bool:
        if name == STARTER_NAME:
            return self._starter.obtainable()
        return self._path(name).is_file()


def _check_engine_installed() -> None:
    if importlib.util.find_spec("xllamacpp") is None:
        raise Unreachable(
            "The local engine, xllamacpp, is not installed on this computer, or there is none for"
            " it. Use Ollama or an OpenAI-compatible server instead.",
            cause="missing",
        )


def _check_fits(wanted: EngineSettings, running: Sequence[int]) -> None:
    needed = needs_of(wanted.model).of(wanted.context_length)
    available = memory().available - sum(mapped_by(process_id) for process_id in running)
    check_memory(wanted.model, needed, available)
