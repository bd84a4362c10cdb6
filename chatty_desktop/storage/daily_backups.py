"""A backup a day by itself, so that a bad disk takes a day of chats at most."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable

from chatty_desktop.domain.data_folder import StoredBackup
from chatty_desktop.domain.errors import Invalid, Stopped, StorageFailed
from chatty_desktop.domain.events import Notice
from chatty_desktop.domain.work import Work
from chatty_desktop.engine.ports import Publish
from chatty_desktop.storage.data_folder import DataFolder

log = logging.getLogger(__name__)

DAY_SECONDS = 24 * 3600.0

KEPT = 3
"""Backups made by themselves; the oldest goes when there is one more. Others stay."""

LOOK_SECONDS = 120.0
"""After a start and between two looks at whether one is due."""


class DailyBackups:
    """Makes a backup where the last is a day old and something has changed since, while no answer
    is on its way. Where the chats are on a server, that is for whoever runs the server.

    `wanted`: whether the person wants them. `busy`: whether answers are on their way.
    """

    def __init__(
        self,
        data: DataFolder,
        *,
        wanted: Callable[[], bool],
        busy: Callable[[], bool],
        publish: Publish,
        look_seconds: float = LOOK_SECONDS,
    ) -> None:
        self._data = data
        self._wanted = wanted
        self._busy = busy
        self._publish = publish
        self._look_seconds = look_seconds
        self._task: asyncio.Task[None] | None = None
        self._told = False

    def begin(self) -> None:
        """Look now and then, until `close`."""
        self._task = asyncio.create_task(self._tend())

    async def close(self) -> None:
        """Stop; of a backup that is being written nothing stays."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _tend(self) -> None:
        while True:
            await asyncio.sleep(self._look_seconds)
            if not self._wanted() or self._busy() or self._data.server:
                continue
            try:
                await self._back_up_if_due()
                self._told = False
            except (Invalid, Stopped) as problem:  # something else is being done to the data
                log.info("No daily backup now: %s", problem)
            except (OSError, StorageFailed) as problem:
                self._tell(str(problem))

    async def _back_up_if_due(self) -> None:
        """Raises as `DataFolder.back_up` does."""
        backups = await self._data.backups()
        if await self._is_due(backups):
            made = await self._data.back_up(None, Work(), by_itself=True)
            own = [each for each in (made, *backups) if each.kind == "daily"]
            for old in own[KEPT:]:
                await self._data.remove_backup(old)

    async def _is_due(self, backups: list[StoredBackup]) -> bool:
        # One of the future was made before the clock was set back.
        now = time.time()
        good = [b.made_at for b in backups if b.kind != "damaged" and b.made_at <= now]
        last = max(good, default=-DAY_SECONDS)
        if now - last < DAY_SECONDS or await self._data.changed_at() <= last:
            return False
        return (await self._data.counts()).messages > 0

    def _tell(self, reason: str) -> None:
        """Once, until it works again: a disk stays full for a while."""
        log.info("The daily backup was not made: %s", reason)
        if not self._told:
            self._told = True
            self._publish(
                Notice(
                    "warning",
                    f"The daily backup was not made: {reason} It is tried again. Settings, on the"
                    " page Data, has a switch for it.",
                )
            )
