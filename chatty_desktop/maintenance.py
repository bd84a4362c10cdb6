"""What is done to a data folder that no app has open, and that nobody opens meanwhile.

Every call raises `AlreadyOpen` when another process has the folder, `StorageFailed` or `Invalid`
where it cannot be had.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from chatty_desktop.domain.data_folder import BackupContents, DataCounts
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.work import Work
from chatty_desktop.storage import moving
from chatty_desktop.storage.data_folder import ONLY_INTO_THE_FOLDER, stage
from chatty_desktop.storage.opening import closed_folder
from chatty_desktop.storage.places import find_server


async def stage_restore(
    data_dir: Path | None, file: Path, work: Work, database: str | None = None
) -> BackupContents:
    """Have a backup take the place of what is in a data folder when it is opened next, also where
    it cannot be opened. Raises as `DataFolder.stage_restore` does."""
    async with closed_folder(data_dir) as paths:
        if await asyncio.to_thread(find_server, paths, database) is not None:
            raise Invalid(ONLY_INTO_THE_FOLDER)
        return await stage(paths, file, work)


async def move(
    data_dir: Path | None,
    to: str | None,
    work: Work,
    database: str | None = None,
    *,
    copying: bool = True,
) -> DataCounts:
    """Keep the chats of a data folder at an address of a server from now on, None: in the folder;
    what is kept there. Raises as `moving.move` does."""
    async with closed_folder(data_dir) as paths:
        return await moving.move(paths, to, work, named=database, copying=copying)


async def move_episodes(
    data_dir: Path | None, to: str | None, work: Work, database: str | None = None
) -> None:
    """Keep the index of episodes of a data folder at an address from now on, None: in the folder.
    Raises as `moving.move_index` does."""
    async with closed_folder(data_dir) as paths:
        await moving.move_index(paths, to, work, named=database)
