"""The life of one engine process: started, ready, ended; never outliving the app."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import subprocess
from asyncio.subprocess import Process
from dataclasses import dataclass
from pathlib import Path

from chatty_desktop.domain.errors import Unreachable
from chatty_desktop.domain.json_text import read_json
from chatty_desktop.providers import own_process

_MODULE = "chatty_desktop.providers.llama_server"
_KILL_AFTER_SECONDS = 1.0
_LOG_TAIL_BYTES = 4000


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """What an engine is started with. `load_seconds`: how long loading may take at most.
    `embedding`: it embeds texts, and does nothing else. `threads` None: as many as suit the
    processor; `gpu_layers` None: as many as fit, where there is a GPU. `prompts`: the folder in
    which it may keep what it has read."""

    model: Path
    context_length: int
    log: Path
    load_seconds: float = 300.0
    embedding: bool = False
    threads: int | None = None
    gpu_layers: int | None = None
    prompts: Path | None = None


class LocalEngine:
    """One running engine. `address` and `key` say how to speak to it; `threads` is how many it
    works with."""

    def __init__(self, settings: EngineSettings, process: Process, key: str) -> None:
        self.settings = settings
        self.key = key
        self.address = ""
        self.threads = 0
        self._process = process

    @property
    def alive(self) -> bool:
        return self._process.returncode is None

    @property
    def exit_status(self) -> int | None:
        """Its exit status, negative for the signal that ended it; None while it runs."""
        return self._process.returncode

    @property
    def process_id(self) -> int:
        return self._process.pid

    @classmethod
    async def start(cls, settings: EngineSettings) -> LocalEngine:
        """Start a process and return once it answers requests.

        Raises `Unreachable` when the model cannot be loaded or loading takes too long. Cancelling
        ends the process.
        """
        key = secrets.token_urlsafe(32)
        engine = cls(settings, await _spawn(settings.log), key)
        try:
            async with asyncio.timeout(settings.load_seconds):
                await engine._configured()
        except TimeoutError:
            await engine.stop()
            raise Unreachable(
                f"Loading {settings.model.name} took longer than {settings.load_seconds:.0f} s."
                " Choose a smaller model, or try again when the computer is less busy.",
                cause="timeout",
            ) from None
        except BaseException:
            await engine.stop()
            raise
        return engine

    async def died(self, within: float) -> bool:
        """Whether it has ended, or ends within so many seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within):
                await self._process.wait()
        return not self.alive

    async def ended(self) -> None:
        """Wait until it has ended, for whatever reason."""
        await self._process.wait()

    async def stop(self) -> None:
        """End the process; it has a second to go by itself."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        if not await self.died(_KILL_AFTER_SECONDS):
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()

    async def last_words(self) -> str:
        """What it logged last as an error, or ""."""
        return await asyncio.to_thread(_last_error, self.settings.log)

    async def _configured(self) -> None:
        """Give the process its configuration; returns once it serves."""
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise RuntimeError("the engine was started without pipes")
        config = {
            "model": str(self.settings.model),
            "context_length": self.settings.context_length,
            "key": self.key,
            "embedding": self.settings.embedding,
            "threads": self.settings.threads,
            "gpu_layers": self.settings.gpu_layers,
            "prompts": None if self.settings.prompts is None else str(self.settings.prompts),
            "parent": os.getpid(),
        }
        with contextlib.suppress(ConnectionError):  # it died; its last line tells why
            stdin.write(json.dumps(config).encode() + b"\n")
            await stdin.drain()
        line = await stdout.readline()
        event = read_json(line) if line else {}
        if "ready" in event:
            self.address = str(event["ready"])
            self.threads = int(event["threads"])
            return
        reason = await self.last_words() or event.get("failed") or "it ended without a word"
        raise Unreachable(
            f"The local engine cannot load {self.settings.model.name}: {reason}."
            f" Choose another model or a shorter context. {self.settings.log} says more.",
            cause="server",
        )


async def _spawn(log: Path) -> Process:
    """A process with pipes, its stderr in the log. The log before is kept as `….1`.

    It is spawned from the thread of the event loop, as it is to end with that thread. Raises
    `Unreachable`.
    """
    try:
        stderr = await asyncio.to_thread(_open_log, log)
        try:
            return await own_process.started(
                _MODULE,
                stdin=subprocess.PIPE,
                stderr=stderr,
                # Ctrl+C in a terminal is for the app, which then ends the engine.
                start_new_session=True,
            )
        finally:
            os.close(stderr)
    except OSError as error:
        raise Unreachable(
            f"The local engine cannot be started: {error.strerror or error}.", cause="server"
        ) from error


def _open_log(log: Path) -> int:
    log.parent.mkdir(parents=True, exist_ok=True)
    if log.exists():
        log.replace(log.with_name(f"{log.name}.1"))
    return os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)


def _last_error(log: Path) -> str:
    """The first of the errors at the end of the log, less its time and place: the later ones
    only say that it went wrong."""
    try:
        with log.open("rb") as stream:
            stream.seek(max(0, log.stat().st_size - _LOG_TAIL_BYTES))
            lines = stream.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return ""
    errors = [line.partition(" E ")[2] for line in lines if " E " in line]
    words = errors[0].partition(": ")[2] or errors[0] if errors else ""
    return words.strip().rstrip(".")
