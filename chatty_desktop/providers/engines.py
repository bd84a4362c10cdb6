"""What the engines of this computer hold, take and could use."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from dataclasses import replace

from chatty_desktop.domain.engines import GpuDevice, LoadedModel, Memory, ModelNeeds, Purpose
from chatty_desktop.domain.settings import split_model
from chatty_desktop.providers.gpu import gpu_devices
from chatty_desktop.providers.llama_cpp import LlamaCppProvider
from chatty_desktop.providers.memory import memory, memory_of


class LocalEngines:
    """All local engines together; `local` gives their providers as they are now."""

    def __init__(self, local: Callable[[], Sequence[LlamaCppProvider]]) -> None:
        self._local = local
        self._gpus: list[GpuDevice] | None = None
        self._asking_gpus = asyncio.Lock()

    @property
    def cores(self) -> int:
        """How many processor cores this computer has, threads of one core counted too."""
        return os.cpu_count() or 1

    @property
    def loaded(self) -> list[LoadedModel]:
        """The models they hold now, and those being loaded; `memory` is not measured."""
        return [model for provider in self._local() for model in provider.loaded()]

    async def measured(self) -> tuple[list[LoadedModel], Memory]:
        """`loaded` with the memory that each takes, and the memory of this computer."""
        return await asyncio.to_thread(_measured, self.loaded)

    async def check(self, reference: str) -> None:
        """Raise `Unreachable` when a model could not be loaded for want of its file, or of the
        engine itself. Loads nothing."""
        provider_id, name = split_model(reference)
        for provider in self._local():
            if provider.settings.id == provider_id:
                await provider.check(name)

    async def needs(self, reference: str) -> ModelNeeds | None:
        """What a model takes in memory, before it is loaded; None for a model of another kind of
        provider. Raises `Unreachable` when its file cannot be read."""
        provider_id, name = split_model(reference)
        for provider in self._local():
            if provider.settings.id == provider_id:
                return await provider.needs(name)
        return None

    async def gpus(self) -> list[GpuDevice]:
        """The graphics processors that they can use; asked once while the app runs. Raises
        `Unreachable` when that cannot be told."""
        async with self._asking_gpus:
            if self._gpus is None:
                self._gpus = await gpu_devices()
            return self._gpus

    async def unload(self, reference: str, purpose: Purpose | None = None) -> None:
        """Unload a model, if it is loaded; `purpose` None: whatever for. Raises `Refused` while
        it is at work."""
        provider_id, name = split_model(reference)
        for provider in self._local():
            if provider.settings.id == provider_id:
                await provider.unload(name, purpose)


def _measured(models: Sequence[LoadedModel]) -> tuple[list[LoadedModel], Memory]:
    with_memory = [replace(model, memory=memory_of(model.process_id)) for model in models]
    return with_memory, memory()
