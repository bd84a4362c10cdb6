"""Embedding by a model file on this computer: an engine of its own, beside the one that chats."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from chatty_desktop.domain.errors import Unreachable
from chatty_desktop.providers.local_engine import EngineSettings, LocalEngine
from chatty_desktop.providers.model_files import available_memory, check_memory, check_model_file
from chatty_desktop.providers.patience import Patience

if TYPE_CHECKING:
    from chatty_desktop.providers.openai_connection import OpenAIConnection

LOG_NAME = "llama-embedder.log"

CONTEXT = 2048
"""Tokens of the longest text; more than is embedded of a message, whatever the language."""


@dataclass(slots=True)
class _Running:
    name: str
    engine: LocalEngine
    connection: OpenAIConnection

    async def close(self) -> None:
        await asyncio.gather(self.connection.close(), self.engine.stop())


class LocalEmbedding:
    """One embedding model at a time, loaded at first use, so that no chat waits for its model to
    be loaded again after each message. `file_of` gives the file of a model by its name."""

    def __init__(
        self,
        provider_id: str,
        logs: Path,
        file_of: Callable[[str], Awaitable[Path]],
        patience: Patience,
    ) -> None:
        self._provider_id = provider_id
        self._log = logs / LOG_NAME
        self._file_of = file_of
        self._patience = patience
        self._one_at_a_time = asyncio.Lock()
        self._running: _Running | None = None
        self._closed = False

    async def embed(self, name: str, texts: Sequence[str]) -> list[list[float]]:
        """A vector for each text. Raises `Unreachable` or `Refused`."""
        async with self._one_at_a_time:
            running = await self._loaded(name)
            return await running.connection.embed(name, texts)

    async def close(self) -> None:
        """End the engine."""
        self._closed = True
        running, self._running = self._running, None
        if running is not None:
            await running.close()

    async def _loaded(self, name: str) -> _Running:
        if self._closed:
            raise Unreachable("The local engine is being shut down.", cause="server")
        if self._running and self._running.name == name and self._running.engine.alive:
            return self._running
        file = await self._file_of(name)
        if self._running is not None:
            old, self._running = self._running, None
            await old.close()
        size = await asyncio.to_thread(check_model_file, file)
        check_memory(file, size, await asyncio.to_thread(available_memory))
        engine = await LocalEngine.start(EngineSettings(file, CONTEXT, self._log, embedding=True))
        running = _Running(name, engine, await asyncio.to_thread(self._connect, engine))
        if self._closed:
            await running.close()
            raise Unreachable("The local engine is being shut down.", cause="server")
        self._running = running
        return running

    def _connect(self, engine: LocalEngine) -> OpenAIConnection:
        from chatty_desktop.providers.openai_connection import OpenAIConnection

        async def key() -> str:
            return engine.key

        return OpenAIConnection(self._provider_id, engine.address, key, self._patience)
