"""The local engine as a provider: a model file, loaded on first use, served on loopback."""

from __future__ import annotations

import asyncio
import importlib.util
import time
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from chatty_desktop.domain.errors import Unreachable
from chatty_desktop.domain.events import ModelProgress, Notice
from chatty_desktop.domain.models import ModelCard
from chatty_desktop.domain.requests import ChatRequest, Delta
from chatty_desktop.domain.settings import ProviderSettings
from chatty_desktop.engine.ports import Publish
from chatty_desktop.paths import Paths
from chatty_desktop.providers.contract import ProvidedModel
from chatty_desktop.providers.llama_embedding import LocalEmbedding
from chatty_desktop.providers.local_engine import EngineSettings, LocalEngine
from chatty_desktop.providers.model_files import available_memory, check_memory, check_model_file
from chatty_desktop.providers.patience import Patience
from chatty_desktop.providers.starter import STARTER, StarterModel

if TYPE_CHECKING:
    from chatty_desktop.providers.openai_connection import OpenAIConnection

STARTER_NAME = "starter"
DEFAULT_CONTEXT = 8192
LOG_NAME = "llama-engine.log"

_MOST_CRASHES = 3
_CRASHES_COUNT_SECONDS = 300.0
_DEATH_SHOWS_SECONDS = 2.0
"""A connection breaks a moment before the process is seen to have ended."""


class LlamaCppProvider:
    """Model files on this computer. One is loaded at a time and stays loaded; asking another one
    waits until the first is idle, then takes its place."""

    def __init__(
        self,
        settings: ProviderSettings,
        paths: Paths,
        publish: Publish,
        *,
        starter: StarterModel | None = None,
        patience: Patience = Patience(),
    ) -> None:
        self.settings = settings
        self._paths = paths
        self._publish = publish
        self._patience = patience
        self._starter = starter or StarterModel(
            paths.models, publish, reference=f"{settings.id}/{STARTER_NAME}"
        )
        self._embedding = LocalEmbedding(settings.id, paths.logs, self._model_file, patience)
        self._choosing = asyncio.Lock()
        self._loaded: _Loaded | None = None
        self._closed = False
        self._crashes: deque[float] = deque(maxlen=_MOST_CRASHES)

    def context_of(self, name: str) -> int:
        """The context the engine is started with for a model, in tokens."""
        own = self.settings.options_of(name).context_length
        return own or self.settings.context_length or DEFAULT_CONTEXT

    async def context_length(self, name: str) -> int:
        return self.context_of(name)

    def take(self, settings: ProviderSettings) -> bool:
        """A model that runs otherwise than is set now is loaded anew when it is next asked, once
        it is idle."""
        if settings.kind != self.settings.kind:
            return False
        self.settings = settings
        return True

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
        return await asyncio.to_thread(self._card, name)

    async def close(self) -> None:
        """End the engine, within about a second."""
        self._closed = True
        loaded, self._loaded = self._loaded, None
        await asyncio.gather(self._embedding.close(), *([] if loaded is None else [loaded.close()]))

    async def embed(self, model: str, texts: Sequence[str]) -> list[list[float]]:
        """A vector for each text, by a model file loaded beside the one that chats. Raises
        `Unreachable` or `Refused`."""
        return await self._embedding.embed(model, texts)

    async def stream(self, name: str, request: ChatRequest) -> AsyncIterator[Delta]:
        """One answer of a model, loaded first when need be; closing the iterator stops it.

        An engine that crashes before the answer has begun is started again and asked again.
        Raises `Unreachable` or `Refused`.
        """
        while True:
            begun = False
            async with self._using(name) as loaded:
                try:
                    async with aclosing(loaded.connection.stream(name, request)) as deltas:
                        async for delta in deltas:
                            begun = True
                            yield delta
                    self._crashes.clear()
                    return
                except Unreachable as error:
                    if not await loaded.engine.died(_DEATH_SHOWS_SECONDS):
                        raise
                    if begun:
                        raise Unreachable(
                            f"The local engine stopped in mid-answer with {_label(name)}."
                            " It is started again with the next message.",
                            cause="connection",
                        ) from error

    @asynccontextmanager
    async def _using(self, name: str) -> AsyncIterator[_Loaded]:
        """The engine with a model loaded, held so that no other model takes its place."""
        async with self._choosing:
            loaded = await self._load(name)
            loaded.users += 1
            loaded.idle.clear()
        try:
            yield loaded
        finally:
            loaded.users -= 1
            if not loaded.users:
                loaded.idle.set()

    async def _load(self, name: str) -> _Loaded:
        """The engine with the model: the one that runs, or a new one in its place."""
        if self._closed:
            raise _shut_down()
        old = self._loaded
        if old is not None and old.name == name and old.engine.alive and self._as_set(old):
            return old
        crashed = old is not None and not old.engine.alive
        if old is not None and crashed:
            await self._drop(old)
            self._count_crash(name)
        model = await self._model_file(name)
        if old is not None and not crashed:
            await old.idle.wait()
            await self._drop(old)
        loaded = await self._start(name, model)
        if crashed:
            self._publish(
                Notice("warning", "The local engine stopped unexpectedly; it was restarted.")
            )
        return loaded

    async def _drop(self, loaded: _Loaded) -> None:
        self._loaded = None
        await loaded.close()

    async def _start(self, name: str, model: Path) -> _Loaded:
        """A new engine with the model. Raises `Unreachable`."""
        size = await asyncio.to_thread(check_model_file, model)
        check_memory(model, size, await asyncio.to_thread(available_memory))
        reference = f"{self.settings.id}/{name}"
        self._publish(ModelProgress(reference, f"Loading {_label(name)}"))
        try:
            engine = await LocalEngine.start(self._engine_settings(name, model))
        finally:
            self._publish(ModelProgress(reference, ""))
        loaded = _Loaded(name, engine, await asyncio.to_thread(self._connect, engine))
        if self._closed:
            await loaded.close()
            raise _shut_down()
        self._loaded = loaded
        return loaded

    def _engine_settings(self, name: str, model: Path) -> EngineSettings:
        """What an engine is started with for a model."""
        return EngineSettings(model, self.context_of(name), self._paths.logs / LOG_NAME)

    def _as_set(self, loaded: _Loaded) -> bool:
        """Whether a running engine is what would be started now."""
        running = loaded.engine.settings
        return running == self._engine_settings(loaded.name, running.model)

    def _count_crash(self, name: str) -> None:
        """Take note of a crash. Raises `Unreachable` when there were too many of late; the try
        after that is let through again."""
        now = time.monotonic()
        self._crashes.append(now)
        in_a_row = len(self._crashes) == _MOST_CRASHES
        if in_a_row and now - self._crashes[0] < _CRASHES_COUNT_SECONDS:
            self._crashes.clear()
            raise Unreachable(
                f"The local engine stopped {_MOST_CRASHES} times in a row with {_label(name)}."
                " Choose a smaller model or a shorter context."
                f" {self._paths.logs / LOG_NAME} says more.",
                cause="server",
            )

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
        return ModelCard(name, context_length=self.context_of(name), size=size, json_schema=True)

    def _is_there(self, name: str) -> bool:
        if name == STARTER_NAME:
            return self._starter.obtainable()
        return self._path(name).is_file()

    def _connect(self, engine: LocalEngine) -> OpenAIConnection:
        from chatty_desktop.providers.openai_connection import OpenAIConnection

        async def key() -> str:
            return engine.key

        return OpenAIConnection(self.settings.id, engine.address, key, self._patience)


class _Loaded:
    """An engine with a model in it, and how many answers it is giving."""

    def __init__(self, name: str, engine: LocalEngine, connection: OpenAIConnection) -> None:
        self.name = name
        self.engine = engine
        self.connection = connection
        self.users = 0
        self.idle = asyncio.Event()
        self.idle.set()

    async def close(self) -> None:
        await asyncio.gather(self.connection.close(), self.engine.stop())


def _check_engine_installed() -> None:
    if importlib.util.find_spec("xllamacpp") is None:
        raise Unreachable(
            "The local engine, xllamacpp, is not installed on this computer, or there is none for"
            " it. Use Ollama or an OpenAI-compatible server instead.",
            cause="missing",
        )


def _shut_down() -> Unreachable:
    return Unreachable("The local engine is being shut down.", cause="server")


def _label(name: str) -> str:
    return "the starter model" if name == STARTER_NAME else Path(name).name
