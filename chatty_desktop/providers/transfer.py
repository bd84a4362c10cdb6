"""One model file from a server to the disk: as far as it comes, and on from there.

Importing this module imports httpx: `downloads` does it in a thread, on first use.
"""

from __future__ import annotations

import asyncio
import errno
import re
import shutil
import threading
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar, cast

import httpx

import chatty_desktop
from chatty_desktop.providers.clients import way_to
from chatty_desktop.providers.gguf import NotGGUF, read_header
from chatty_desktop.providers.part_file import PartFile
from chatty_desktop.providers.patience import retry_after

_T = TypeVar("_T")

SPARE = 256 * 1024 * 1024
"""Bytes that stay free on the disk: a chat must still be able to save."""

_MAGIC = b"GGUF"
_PIECE = 1024 * 1024
_FLUSH_SECONDS = 0.2
_RANGE = re.compile(r"bytes (?:(\d+)-\d+|\*)/(\d+|\*)")
_FULL = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))

Stage = Literal["checking", "running"]
Progress = Callable[[Stage, str], None]
"""Told where the transfer stands, with a remark for the person or "". Called in the loop."""


class Dropped(Exception):
    """It broke off; another try may go on. `wait`: seconds the server asked for, or None."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


class Halted(Exception):
    """It cannot go on until the person has done something; what has come is kept."""


class Worthless(Exception):
    """What came is not the file that was wanted; it is removed."""


@dataclass(frozen=True, slots=True)
class TransferPatience:
    """Times in seconds. `waits` lie between tries that brought nothing new; `read` is the longest
    silence in the middle of a file."""

    connect: float = 15.0
    read: float = 45.0
    waits: tuple[float, ...] = (1.0, 3.0, 10.0, 30.0)
    longest_wait: float = 120.0


def new_client(patience: TransferPatience, url: str) -> httpx.AsyncClient:
    """A client for transfers from an address. Raises `Unreachable` when the certificates that are
    trusted cannot be read."""
    return httpx.AsyncClient(
        timeout=httpx.Timeout(patience.read, connect=patience.connect),
        follow_redirects=True,
        **way_to(url),
        headers={
            "User-Agent": f"chatty-desktop/{chatty_desktop.__version__}",
            "Accept-Encoding": "identity",  # a range of bytes is one of the file's own
        },
    )


class Transfer:
    """Gets the file of a part file's note. `total` is in bytes, 0 while not known."""

    def __init__(
        self, part: PartFile, folder: Path, progress: Progress, *, spare: int = SPARE
    ) -> None:
        self._part = part
        self._folder = folder
        self._progress = progress
        self._spare = spare
        self._stop = threading.Event()
        self._remark = ""
        self.total = part.note.total or part.note.size or 0

    async def attempt(self, client: httpx.AsyncClient) -> Path:
        """Get what is missing, check the whole and give it its name. Raises `Dropped`, `Halted`
        and `Worthless`; the files are closed after it, however it ends."""
        part = self._part
        loop = asyncio.get_running_loop()

        def read(_done: int) -> None:
            loop.call_soon_threadsafe(self._progress, "checking", "")

        try:
            await self._in_thread(part.open, self._stop, read)
            if not self.total or part.done < self.total:
                await self._fetch(client)
            return await self._finish()
        except OSError as error:
            raise Halted(self._disk_trouble(error)) from error
        finally:
            await asyncio.to_thread(part.close)

    async def _fetch(self, client: httpx.AsyncClient) -> None:
        part, note = self._part, self._part.note
        headers = {}
        if part.done and (note.validator or note.sha256):
            headers["Range"] = f"bytes={part.done}-"
            if note.validator:
                headers["If-Range"] = note.validator
        elif part.done:
            await self._begin_again("The server does not say which file it was, so it began again.")
        try:
            async with client.stream("GET", note.url, headers=headers) as response:
                if response.status_code == 416 and part.done:
                    found = _RANGE.match(response.headers.get("Content-Range", ""))
                    if found and found[2] == str(part.done):
                        self.total = part.done  # all of it is there
                        return
                    await self._begin_again("The file on the server is another one now.")
                    raise Dropped(self._remark, 0.0)
                self._check_answer(response)
                await self._take_note(response)
                await self._receive(response)
        except httpx.TimeoutException as error:
            raise Dropped(f"{_host(note.url)} does not answer.") from error
        except httpx.TransportError as error:
            what = "broke off" if part.done else "could not be made"
            raise Dropped(
                f"The connection to {_host(note.url)} {what} ({_words(error)})."
            ) from error
        except (httpx.InvalidURL, httpx.RequestError) as error:
            raise Halted(f"{_host(note.url)} cannot be asked: {_words(error)}.") from error

    def _check_answer(self, response: httpx.Response) -> None:
        status, host = response.status_code, response.url.host
        if response.url.scheme == "http" and self._part.note.url.startswith("https:"):
            raise Halted(f"{host} wants to send the file unprotected (http); nothing was taken.")
        if status in (200, 206):
            return
        if status in (401, 403):
            raise Halted(
                f"{host} does not give the file to everyone (status {status}). It may want you to"
                " sign in and accept its terms: do so in a browser, download the file there, and"
                " put it into the folder of models."
            )
        if status in (404, 410):
            raise Halted(
                f"{host} does not have the file (any more) (status {status}). Check the address."
            )
        if status in (408, 429) or status >= 500:
            wait = retry_after(response.headers.get("Retry-After"))
            raise Dropped(f"{host} is busy or out of order (status {status}).", wait)
        raise Halted(f"{host} did not send the file (status {status}). Check the address.")

    async def _take_note(self, response: httpx.Response) -> None:
        """Make out what comes: the rest of the file or all of it, and how much."""
        part, note = self._part, self._part.note
        etag = response.headers.get("ETag")
        modified = response.headers.get("Last-Modified")
        if response.status_code == 206:
            found = _RANGE.match(response.headers.get("Content-Range", ""))
            if not found or found[1] is None or int(found[1]) != part.done:
                await self._begin_again("The server sent another piece than it was asked for.")
                note.etag = note.last_modified = None
                await self._in_thread(part.save_note)
                raise Dropped(self._remark, 0.0)
            total = int(found[2]) if found[2] != "*" else 0
        else:
            if part.done:
                same = (etag, modified) == (note.etag, note.last_modified) and (etag or modified)
                await self._begin_again(
                    "The server cannot go on in the middle of a file, so it began again."
                    if same
                    else "The file on the server has changed, so it began again."
                )
            length = response.headers.get("Content-Length", "")
            total = int(length) if length.isdigit() else 0
        if total and note.size and total != note.size:
            raise Worthless(
                f"The file at this address is not the one that was meant: it has {total:,} bytes"
                f" in place of {note.size:,}."
            )
        self.total = total or note.size or 0
        note.total, note.etag, note.last_modified = total or None, etag, modified
        await self._in_thread(part.save_note)
        await self._check_room()

    async def _check_room(self) -> None:
        free = (await asyncio.to_thread(shutil.disk_usage, self._folder)).free
        need = max(0, self.total - self._part.done) + self._spare
        if free < need:
            raise Halted(
                f"The disk has {_bytes(free)} free, and the rest of the file needs"
                f" {_bytes(need)} with some to spare. Make room, then go on."
            )

    async def _receive(self, response: httpx.Response) -> None:
        loop = asyncio.get_running_loop()
        waiting = bytearray()
        flushed_at = 0.0
        chunks = cast("AsyncGenerator[bytes, None]", response.aiter_raw())
        try:
            async for chunk in chunks:
                waiting += chunk
                if len(waiting) >= _PIECE or loop.time() - flushed_at >= _FLUSH_SECONDS:
                    await self._write(waiting)
                    flushed_at = loop.time()
        finally:
            # Before its generators end: Qt's loop would not close what they leave open.
            await response.aclose()
            await chunks.aclose()
            if waiting:
                await self._write(waiting)

    async def _write(self, waiting: bytearray) -> None:
        piece = bytes(waiting)
        waiting.clear()
        part = self._part
        fresh = part.done < len(_MAGIC)
        await self._in_thread(part.write, piece)
        if fresh and part.done >= len(_MAGIC):
            await self._check_magic()
        self._progress("running", self._remark)

    async def _check_magic(self) -> None:
        if await self._in_thread(self._part.first_bytes, len(_MAGIC)) != _MAGIC:
            raise Worthless(
                "What the server sends is not a model in GGUF form; it may be a web page. Check"
                " that the address is that of the file itself."
            )

    async def _finish(self) -> Path:
        part, note = self._part, self._part.note
        if self._stop.is_set():
            raise asyncio.CancelledError
        if self.total and part.done < self.total:
            raise Dropped(f"{_host(note.url)} ended before the file did.")
        if part.done < len(_MAGIC) or (self.total and part.done > self.total):
            raise Worthless("The server sent another file than it said it would.")
        if note.sha256 and part.digest() != note.sha256:
            raise Worthless(
                "The file that came is not the one that was meant: its checksum (SHA-256) is"
                f" {part.digest()[:12]}… in place of {note.sha256[:12]}…. It was removed. Try"
                " again; if it happens again, do not trust this address."
            )
        try:
            await self._in_thread(read_header, part.path)
        except NotGGUF as error:
            raise Worthless(f"The file that came {error}. It was removed.") from error
        return await self._in_thread(part.finish)

    async def _begin_again(self, remark: str) -> None:
        self._remark = remark
        await self._in_thread(self._part.begin_again)

    async def _in_thread(self, work: Callable[..., _T], *arguments: object) -> _T:
        """Work on the disk, which is over when this is, also when nobody waits any more."""
        running = asyncio.get_running_loop().run_in_executor(None, lambda: work(*arguments))
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            self._stop.set()
            await asyncio.wait([running])
            if not running.cancelled():
                running.exception()  # whatever it was, nobody waits for it any more
            raise

    def _disk_trouble(self, error: OSError) -> str:
        if error.errno in _FULL:
            return (
                f"The disk is full: {_bytes(self._part.done)} have come and are kept. Make room,"
                " then go on."
            )
        return (
            f"The folder of models, {self._folder}, cannot be written:"
            f" {error.strerror or error}. Mend that, then go on."
        )


def _host(url: str) -> str:
    return httpx.URL(url).host


def _words(error: Exception) -> str:
    return str(error).rstrip(".") or type(error).__name__


def _bytes(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"
