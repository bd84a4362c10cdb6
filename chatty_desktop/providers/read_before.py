"""What an engine has read of the app's own prompts, kept in a file over its end.

A fold begins with worked examples that are the same each time, some 2,000 tokens: an engine that
has just been started would read them for 16 s on two slow cores. The file holds these alone, none
of what the person or a model said; it can be deleted at any time.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chatty_desktop.domain.requests import WireMessage
from chatty_desktop.providers.clients import new_client
from chatty_desktop.providers.local_engine import LocalEngine

if TYPE_CHECKING:
    import httpx

log = logging.getLogger(__name__)

_SUFFIX, _TRIED = ".read", ".tried"
_MOST_FILES = 3
_LARGEST = 400_000_000
"""Bytes of a file; those of a model with half a billion parameters have 25 MB."""

_SPARE = 2_000_000_000
"""Bytes that stay free on the disk: a chat must still be able to save."""

_RESTORE_SECONDS = 10.0
_KEEP_SECONDS = 300.0
_DEATH_SHOWS_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class ReadBefore:
    """The files of all models, in a folder that `EngineSettings.prompts` names too."""

    folder: Path

    async def restore(self, engine: LocalEngine) -> bool:
        """Give an engine that has read nothing yet what one before it had read of the same model;
        whether there was such a thing. Raises nothing: the engine merely reads it anew, or has
        ended over it, and another one does not meet it again."""
        tried: Path | None = None
        try:
            file = await asyncio.to_thread(self._newest, engine)
            if file is None:
                return False
            # Out of the way, should the engine end over it.
            tried = await asyncio.to_thread(file.rename, file.with_suffix(_TRIED))
            async with await _client(engine, _RESTORE_SECONDS) as client:
                await _act(client, "restore", tried.name)
            await asyncio.to_thread(tried.rename, file)
        except _failures() as problem:
            log.info("What was read before could not be restored: %s", problem)
            if tried is not None:
                await engine.died(_DEATH_SHOWS_SECONDS)
                await asyncio.to_thread(tried.unlink, missing_ok=True)
            return False
        return True

    async def keep(self, engine: LocalEngine, own: Sequence[WireMessage]) -> None:
        """Keep what an engine has read of a prompt's own words, unless it is kept already. Takes
        the engine a moment once it has read them. Raises nothing."""
        try:
            name = await asyncio.to_thread(self._name, engine, own)
            if await asyncio.to_thread(self._is_settled, name):
                return
            unfinished = f".{name}.{os.getpid()}.new"
            try:
                async with await _client(engine, _KEEP_SECONDS) as client:
                    await _read(client, own)
                    await _act(client, "save", unfinished)
                await asyncio.to_thread(self._finish, unfinished, name)
            finally:
                await asyncio.to_thread((self.folder / unfinished).unlink, missing_ok=True)
        except _failures() as problem:
            log.info("What was read could not be kept: %s", problem)

    # --- in a thread --------------------------------------------------------------------------

    def _newest(self, engine: LocalEngine) -> Path | None:
        """The newest file for an engine that is whole: it does not look at what it reads."""
        found = list(self.folder.glob(f"{_key(engine)}-*{_SUFFIX}"))
        for file in sorted(found, key=lambda each: each.stat().st_mtime, reverse=True):
            if file.stem.endswith(_digest_of(file)):
                return file
            file.unlink()
        return None

    def _name(self, engine: LocalEngine, own: Sequence[WireMessage]) -> str:
        words = json.dumps([_told(message) for message in own])
        return f"{_key(engine)}-{_digest(words.encode())}"

    def _is_settled(self, name: str) -> bool:
        """Whether it is there, or there is no room for it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        there = any(self.folder.glob(f"{name}-*{_SUFFIX}"))
        return there or shutil.disk_usage(self.folder).free < _SPARE

    def _finish(self, unfinished: str, name: str) -> None:
        """Put a file in its place, named after what is in it, and let the oldest go."""
        made = self.folder / unfinished
        if made.stat().st_size > _LARGEST:
            return  # and is taken away
        made.replace(self.folder / f"{name}-{_digest_of(made)}{_SUFFIX}")
        files = sorted(
            self.folder.glob(f"*{_SUFFIX}"), key=lambda each: each.stat().st_mtime, reverse=True
        )
        for old in files[_MOST_FILES:]:
            old.unlink(missing_ok=True)


def _key(engine: LocalEngine) -> str:
    """What must be the same for one engine to go on from what another has read."""
    settings = engine.settings
    status = settings.model.stat()
    try:
        release = version("xllamacpp")
    except PackageNotFoundError:
        release = ""
    told: list[object] = [str(settings.model), status.st_size, status.st_mtime_ns, release]
    told += [settings.context_length, settings.gpu_layers]
    return _digest(json.dumps(told).encode())


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def _digest_of(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()[:16]


def _told(message: WireMessage) -> dict[str, str]:
    return {"role": message.role, "content": message.content or ""}


async def _client(engine: LocalEngine, seconds: float) -> httpx.AsyncClient:
    return await new_client(
        base_url=engine.address,
        headers={"Authorization": f"Bearer {engine.key}"},
        timeout=seconds,
        trust_env=False,
    )


async def _read(client: httpx.AsyncClient, own: Sequence[WireMessage]) -> None:
    """Leave the own words, and a token after them, as what the engine read last."""
    body: dict[str, Any] = {
        "messages": [_told(message) for message in own],
        "max_tokens": 1,
        "temperature": 0,
    }
    (await client.post("/v1/chat/completions", json=body)).raise_for_status()


async def _act(client: httpx.AsyncClient, action: str, name: str) -> None:
    answer = await client.post("/slots/0", params={"action": action}, json={"filename": name})
    answer.raise_for_status()


def _failures() -> tuple[type[Exception], ...]:
    import httpx

    return (httpx.HTTPError, OSError)
