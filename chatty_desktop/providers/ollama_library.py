"""The models of each Ollama in the settings: listed with their sizes, pulled, deleted."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING

from chatty_desktop.domain.downloads import Download, DownloadState
from chatty_desktop.domain.errors import ChattyError, Invalid
from chatty_desktop.domain.events import DownloadChanged
from chatty_desktop.domain.model_files import OllamaModel
from chatty_desktop.domain.settings import Settings
from chatty_desktop.engine.ports import Publish
from chatty_desktop.providers.addresses import ollama_root
from chatty_desktop.providers.contract import ProviderKey
from chatty_desktop.providers.ollama import OLLAMA_URL
from chatty_desktop.providers.patience import Patience

if TYPE_CHECKING:
    from chatty_desktop.providers.ollama_pulling import PullingConnection

log = logging.getLogger(__name__)

_CLOSE_SECONDS = 0.5
_SHOW_SECONDS = 0.1


class OllamaLibrary:
    """What the Ollamas of the settings have. A pull is shown as a `Download` whose id is
    `provider/model`, and `publish` is told of it by `DownloadChanged`."""

    def __init__(
        self,
        settings: Callable[[], Settings],
        key: ProviderKey,
        publish: Publish,
        *,
        patience: Patience = Patience(read=120.0),
    ) -> None:
        self._settings = settings
        self._key = key
        self._publish = publish
        self._patience = patience
        self._pulls: dict[str, Download] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def models(self, provider_id: str) -> list[OllamaModel]:
        """The models of one Ollama, by name. Raises `Invalid` for a provider that is none,
        `Unreachable` or `Refused`."""
        async with self._speaking(provider_id) as connection:
            return sorted(await connection.library(), key=lambda model: model.name)

    def pulls(self, provider_id: str) -> list[Download]:
        """The pulls of one Ollama as they stand."""
        return [pull for pull in self._pulls.values() if pull.id.startswith(f"{provider_id}/")]

    def pull(self, provider_id: str, name: str) -> Download:
        """Have an Ollama get a model, or go on with that. Raises `Invalid` for no name."""
        name = name.strip().removeprefix("ollama pull ").removeprefix("ollama run ").strip()
        if not name or any(character.isspace() for character in name):
            raise Invalid("write the name of one model, such as qwen3:4b")
        pull_id = f"{provider_id}/{name}"
        if pull_id in self._tasks:
            return self._pulls[pull_id]
        before = self._pulls.get(pull_id) or Download(pull_id, name, "", "waiting")
        self._show(replace(before, state="waiting", reason="", speed=0.0))
        task = asyncio.get_running_loop().create_task(self._work(provider_id, name, pull_id))
        self._tasks[pull_id] = task
        task.add_done_callback(lambda _done: self._tasks.pop(pull_id, None))
        return self._pulls[pull_id]

    async def stop(self, pull_id: str) -> None:
        """Stop a pull; Ollama keeps what it has for the next time."""
        task = self._tasks.get(pull_id)
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            self._show(replace(self._pulls[pull_id], state="paused", speed=0.0, seconds_left=None))

    async def dismiss(self, pull_id: str) -> None:
        """Stop a pull and tell of it no more."""
        await self.stop(pull_id)
        if pull := self._pulls.pop(pull_id, None):
            self._publish(DownloadChanged(replace(pull, state="gone")))

    async def delete(self, provider_id: str, name: str) -> None:
        """Delete a model of one Ollama. Raises `Invalid`, `Unreachable` or `Refused`."""
        async with self._speaking(provider_id) as connection:
            await connection.delete(name)
        await self.dismiss(f"{provider_id}/{name}")

    async def close(self) -> None:
        """Stop every pull, within half a second."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=_CLOSE_SECONDS)

    async def _work(self, provider_id: str, name: str, pull_id: str) -> None:
        try:
            async with self._speaking(provider_id) as connection:
                await self._get(connection, name, pull_id)
            done = self._pulls[pull_id]
            self._end(pull_id, "finished", done=done.total)
        except ChattyError as error:
            self._end(pull_id, "paused", str(error))
        except Exception as error:
            log.exception("A pull failed")
            self._end(pull_id, "paused", f"Something went wrong inside the app: {error}.")

    async def _get(self, connection: PullingConnection, name: str, pull_id: str) -> None:
        loop = asyncio.get_running_loop()
        began: tuple[float, int] | None = None
        shown_at = 0.0
        async with aclosing(connection.pull(name)) as steps:
            async for step in steps:
                now = loop.time()
                if began is None and step.total:
                    began = (now, step.done)
                state: DownloadState = "checking" if step.checking else "running"
                before = self._pulls[pull_id]
                same = (state, step.total) == (before.state, before.total)
                if same and now - shown_at < _SHOW_SECONDS and step.done < step.total:
                    continue  # Ollama tells every few milliseconds
                shown_at = now
                passed = now - began[0] if began else 0.0
                speed = (step.done - began[1]) / passed if began and passed > 0.5 else 0.0
                left = (step.total - step.done) / speed if speed > 0 else None
                self._show(
                    replace(
                        before,
                        state=state,
                        done=step.done,
                        total=step.total,
                        speed=speed,
                        seconds_left=left,
                    )
                )

    def _end(
        self, pull_id: str, state: DownloadState, reason: str = "", done: int | None = None
    ) -> None:
        pull = self._pulls[pull_id]
        done = pull.done if done is None else done
        self._show(
            replace(pull, state=state, reason=reason, done=done, speed=0.0, seconds_left=None)
        )

    def _show(self, pull: Download) -> None:
        self._pulls[pull.id] = pull
        self._publish(DownloadChanged(pull))

    @asynccontextmanager
    async def _speaking(self, provider_id: str) -> AsyncIterator[PullingConnection]:
        """A connection of its own, with the address and the key as they are now."""
        entry = self._settings().provider(provider_id)
        if entry is None or entry.kind != "ollama":
            raise Invalid(f"There is no Ollama {provider_id!r} in the settings.")
        url = ollama_root(entry.base_url or OLLAMA_URL)
        key = await self._key(provider_id)
        # In a thread: it imports the SDK and reads the certificates.
        wire = await asyncio.to_thread(import_module, "chatty_desktop.providers.ollama_pulling")
        connection: PullingConnection = await asyncio.to_thread(
            wire.PullingConnection, provider_id, url, key, self._patience
        )
        try:
            yield connection
        finally:
            await connection.close()
