"""The life of the app: a data folder is opened, worked on, and closed again."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable
from pathlib import Path

from chatty_desktop.domain.data_folder import Erased, Erasing
from chatty_desktop.domain.work import Work
from chatty_desktop.engine.events import Events
from chatty_desktop.parts import Parts
from chatty_desktop.providers.patience import Patience
from chatty_desktop.storage import sqlite_file
from chatty_desktop.storage.opening import claimed, open_stores
from chatty_desktop.storage.places import find_index, find_server

log = logging.getLogger(__name__)

CLOSING_SECONDS = 2.5
"""How long runs and model servers have to end; the database takes its moment after that."""


class App(Parts):
    """One open data folder with everything that works on it. `close` it when done."""

    __slots__ = ()

    @classmethod
    async def open(
        cls,
        data_dir: Path | None = None,
        database: str | None = None,
        *,
        episodes: str | None = None,
        take_over: bool = False,
        patience: Patience = Patience(),
    ) -> App:
        """Open a data folder, made where it is not there; None takes the person's own. Its chats
        are in the `database` of that address, their index of episodes at the address of
        `episodes`; None: where the environment or the folder says. With `take_over` another
        machine that works on that database is parted from it. `patience`: how long model servers
        are waited for.

        Raises `AlreadyOpen` when another process has the folder, `OpenElsewhere` when another
        machine has the database, `StorageFailed` when one cannot be used, `Invalid` for an address
        that is none.
        """
        paths, lock = await claimed(data_dir)
        try:
            server = await asyncio.to_thread(find_server, paths, database, take_over)
            events = Events()
            index = await asyncio.to_thread(find_index, paths, episodes)
            opened = await open_stores(paths, events.publish, server, index)
            try:
                return await cls.over(paths, lock, events, opened, patience)
            except BaseException:
                await opened.stores.database.close()
                raise
        except BaseException:
            lock.release()
            raise

    def begin(self) -> None:
        """Start what goes on beside a window and not beside a single command: deleting for good
        what was put away, a backup a day, naming new chats, asking the person about calls of tools,
        and MCP servers that are to start with the app."""
        self.consents.attend()
        self.deletions.begin()
        self.daily_backups.begin()
        self.mcp.begin()
        self.events.subscribe(self.titles.heard)

    async def erase(self, what: Erasing, work: Work) -> Erased:
        """End every run, then delete every chat with its memory, and what else is named. Raises
        `StorageFailed`, `Stopped`."""
        self.reembedding.stop()
        await self.chat.end_all()
        if what.models:
            for download in self.downloads.all():
                await self.downloads.cancel(download.id)
            await self.models.close()
        try:
            return await self.data.erase(what, work)
        finally:
            if what.models:
                self.models.apply(self.settings.current)

    @property
    def sqlite_version(self) -> str:
        """The version of the engine that keeps the database."""
        return sqlite_file.VERSION

    async def close(self) -> None:
        """End every run, keeping what has come of it; then the model servers, the database and
        the claim on the folder. Takes 3 s at most, whatever hangs."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + CLOSING_SECONDS
        self.reembedding.stop()
        self.measuring.stop()
        self.data.stop()
        await self.settings.close()
        for part in (
            self.downloads.close(),
            self.ollama_library.close(),
            self.deletions.close(),
            self.daily_backups.close(),
            self.titles.close(),
            self.chat.close(),
            self.mcp.close(),
            self.models.close(),
            self.drafts.close(),
            self.episodes.close(),
        ):
            await _within(part, deadline - loop.time())
        await _within(self._database.close(), 0.5)
        self._lock.release()


async def _within(part: Awaitable[None], seconds: float) -> None:
    """Await a part's end; one that fails or hangs does not keep the others from ending."""
    try:
        async with asyncio.timeout(max(seconds, 0.1)):
            await part
    except TimeoutError:
        log.error("A part of the app did not end in time")
    except Exception:
        log.exception("A part of the app failed to end")
