"""A place for one model in the local engine: loaded on first use, kept while it is wanted, never
ended in the middle of an answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chatty_desktop.domain.engines import LoadedModel, Purpose
from chatty_desktop.domain.errors import Refused, Unreachable
from chatty_desktop.domain.events import EnginesChanged, ModelProgress, Notice
from chatty_desktop.domain.requests import WireMessage
from chatty_desktop.domain.settings import ProviderSettings
from chatty_desktop.engine.ports import Publish
from chatty_desktop.providers.crashes import Crashes
from chatty_desktop.providers.local_engine import EngineSettings, LocalEngine
from chatty_desktop.providers.patience import Patience
from chatty_desktop.providers.read_before import ReadBefore
from chatty_desktop.providers.starter import STARTER_NAME

if TYPE_CHECKING:
    from chatty_desktop.providers.openai_connection import OpenAIConnection

SHORTEST_STAY_SECONDS = 1.0
"""How long a model stays that is to go right after each answer: a fold that follows the answer
would otherwise wait for it to be loaded again."""

FINISH_SECONDS = 1.0
"""How long an end waits for what was read to be kept: without a window, a fold comes last."""

SettingsFor = Callable[[str, Path], EngineSettings]
"""What the engine is started with for a model of that name in that file, as it is set now."""

Check = Callable[[EngineSettings], Awaitable[None]]
"""Raises `Unreachable` when a model cannot be loaded as things stand."""


class Loaded:
    """An engine with a model in it, and how many answers it is giving."""

    def __init__(self, name: str, engine: LocalEngine, connection: OpenAIConnection) -> None:
        self.name = name
        self.engine = engine
        self.connection = connection
        self.since = time.time()
        self.unload_at: float | None = None
        self.kept = False
        self.users = 0
        self.idle = asyncio.Event()
        self.idle.set()

    async def close(self) -> None:
        await asyncio.gather(self.connection.close(), self.engine.stop())


class EnginePlace:
    """One model at a time for one purpose; asking another waits until the first is idle, then it
    takes its place. What is set otherwise meanwhile is taken over when the model is idle."""

    def __init__(
        self,
        purpose: Purpose,
        *,
        entry: Callable[[], ProviderSettings],
        file_of: Callable[[str], Awaitable[Path]],
        settings_for: SettingsFor,
        check: Check,
        publish: Publish,
        patience: Patience,
        finish_seconds: float = FINISH_SECONDS,
    ) -> None:
        """`entry` gives the provider's settings as they are now, `file_of` the file of a model
        by its name; it raises `Unreachable`."""
        self._purpose = purpose
        self._entry = entry
        self._file_of = file_of
        self._settings_for = settings_for
        self._check = check
        self._publish = publish
        self._patience = patience
        self._finish_seconds = finish_seconds
        self._choosing = asyncio.Lock()
        self._loading: LoadedModel | None = None
        self._loaded: Loaded | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._keeping: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._crashes = Crashes()
        self._closed = False

    @property
    def model(self) -> LoadedModel | None:
        """What it holds now, or is loading."""
        loaded = self._loaded
        if loaded is None or not loaded.engine.alive:
            return self._loading
        settings = loaded.engine.settings
        return LoadedModel(
            reference=f"{self._entry().id}/{loaded.name}",
            purpose=self._purpose,
            state="busy" if loaded.users else "ready",
            since=loaded.since,
            process_id=loaded.engine.process_id,
            context_length=settings.context_length,
            threads=loaded.engine.threads,
            gpu_layers=settings.gpu_layers,
            unload_at=loaded.unload_at,
        )

    @asynccontextmanager
    async def using(self, name: str) -> AsyncIterator[Loaded]:
        """The engine with a model loaded, held so that no other model takes its place.

        Raises `Unreachable`.
        """
        async with self._choosing:
            loaded = await self._load(name)
            self._hold(loaded)
        try:
            yield loaded
            if loaded.engine.alive:
                self._crashes.forget()
        finally:
            self._release(loaded)

    def keep_read(self, loaded: Loaded, own: Sequence[WireMessage]) -> None:
        """Keep what an engine has just read of a prompt's own words for the next one; once for
        each engine, in the background."""
        folder = loaded.engine.settings.prompts
        if folder is not None and not loaded.kept and loaded is self._loaded:
            loaded.kept = True
            self._hold(loaded)
            self._keeping = self._begin(self._keep(loaded, ReadBefore(folder), own))

    def reconsider(self) -> None:
        """The settings changed: what they change of the engine happens when it is idle, and a
        model that is to stay for another time stays for that long."""
        if self._loaded is not None and not self._loaded.users:
            self._plan_end(self._loaded)
            self._changed()

    async def unload(self, name: str) -> None:
        """Unload a model by its name, if it is loaded. Raises `Refused` while it is at work."""
        async with self._choosing:
            loaded = self._loaded
            if loaded is None or loaded.name != name:
                return
            if loaded.users:
                raise Refused(f"{label(name)} is at work. Stop it first, or wait until it is done.")
            await self._drop(loaded)

    async def close(self) -> None:
        """End the engine, within about two seconds."""
        self._closed = True
        self._stop_waiting()
        if self._keeping is not None:
            await asyncio.wait([self._keeping], timeout=self._finish_seconds)
        loaded, self._loaded = self._loaded, None
        if loaded is not None:
            await loaded.close()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # --- loading ------------------------------------------------------------------------------

    async def _load(self, name: str) -> Loaded:
        """The engine with the model: the one that runs, or a new one in its place."""
        if self._closed:
            raise _shut_down()
        old = self._loaded
        if old is not None and old.name == name and old.engine.alive and not self._outdated(old):
            return old
        crashed = old is not None and not old.engine.alive
        if old is not None and crashed:
            await self._drop(old)
            self._crashes.count(label(name), self._settings_for(name, Path()).log)
        model = await self._file_of(name)
        if old is not None and not crashed:
            await old.idle.wait()
            if self._loaded is old:
                await self._drop(old)
        loaded = await self._start(name, model)
        if crashed:
            self._publish(
                Notice("warning", "The local engine stopped unexpectedly; it was restarted.")
            )
        return loaded

    async def _start(self, name: str, model: Path) -> Loaded:
        """A new engine with the model. Raises `Unreachable`."""
        settings = self._settings_for(name, model)
        await self._check(settings)
        reference = f"{self._entry().id}/{name}"
        self._loading = LoadedModel(
            reference=reference,
            purpose=self._purpose,
            state="loading",
            since=time.time(),
            process_id=0,
            context_length=settings.context_length,
            threads=settings.threads or 0,
            gpu_layers=settings.gpu_layers,
        )
        self._publish(ModelProgress(reference, f"Loading {label(name)}"))
        self._changed()
        try:
            engine = await _started(settings)
            loaded = Loaded(name, engine, await asyncio.to_thread(self._connect, engine))
            if self._closed:
                await loaded.close()
                raise _shut_down()
            self._loaded = loaded
        finally:
            self._loading = None
            self._publish(ModelProgress(reference, ""))
            self._changed()
        self._begin(self._tell_of_end(loaded))
        return loaded

    def _connect(self, engine: LocalEngine) -> OpenAIConnection:
        from chatty_desktop.providers.openai_connection import OpenAIConnection

        async def key() -> str:
            return engine.key

        return OpenAIConnection(self._entry().id, engine.address, key, self._patience)

    def _outdated(self, loaded: Loaded) -> bool:
        """Whether it was started with other settings than hold now."""
        started_with = loaded.engine.settings
        return self._settings_for(loaded.name, started_with.model) != started_with

    # --- holding and letting go ---------------------------------------------------------------

    def _hold(self, loaded: Loaded) -> None:
        self._stop_waiting()
        loaded.unload_at = None
        loaded.users += 1
        loaded.idle.clear()
        self._changed()

    def _release(self, loaded: Loaded) -> None:
        loaded.users -= 1
        if not loaded.users:
            loaded.idle.set()
            self._plan_end(loaded)
        self._changed()

    def _plan_end(self, loaded: Loaded) -> None:
        """Have a model that is idle unloaded when its time has come."""
        self._stop_waiting()
        if self._closed or loaded is not self._loaded:
            return
        minutes = self._entry().keep_alive_minutes
        seconds = None if minutes is None else minutes * 60 or SHORTEST_STAY_SECONDS
        if self._outdated(loaded):
            seconds = 0.0
        loaded.unload_at = None if seconds is None else time.time() + seconds
        if seconds is not None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(seconds, lambda: self._begin(self._let_go(loaded)))

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def _let_go(self, loaded: Loaded) -> None:
        """Unload a model, unless it was asked again meanwhile."""
        async with self._choosing:
            if loaded is self._loaded and loaded.unload_at is not None:
                await self._drop(loaded)

    async def _drop(self, loaded: Loaded) -> None:
        self._stop_waiting()
        self._loaded = None
        self._changed()
        await loaded.close()

    async def _keep(self, loaded: Loaded, read: ReadBefore, own: Sequence[WireMessage]) -> None:
        try:
            await read.keep(loaded.engine, own)
        finally:
            self._release(loaded)

    async def _tell_of_end(self, loaded: Loaded) -> None:
        """Say so when an engine ends that nobody ended."""
        await loaded.engine.ended()
        if loaded is self._loaded:
            self._changed()

    def _begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _changed(self) -> None:
        self._publish(EnginesChanged())


async def _started(settings: EngineSettings) -> LocalEngine:
    """A new engine that knows what one before it has read. Raises `Unreachable`."""
    engine = await LocalEngine.start(settings)
    if settings.prompts is None:
        return engine
    try:
        await ReadBefore(settings.prompts).restore(engine)
    except BaseException:
        await engine.stop()
        raise
    return engine if engine.alive else await LocalEngine.start(settings)


def label(name: str) -> str:
    """What a model is called in a sentence."""
    return "the starter model" if name == STARTER_NAME else Path(name).name


def _shut_down() -> Unreachable:
    return Unreachable("The local engine is being shut down.", cause="server")
