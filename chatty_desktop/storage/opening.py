"""Opening what a data folder keeps: whole, mended where it is damaged, with what a start adds."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from chatty_desktop.domain.errors import StorageFailed
from chatty_desktop.domain.events import Event, Notice
from chatty_desktop.paths import Paths, default_data_folder
from chatty_desktop.storage import damage, restoring
from chatty_desktop.storage.claim import claim
from chatty_desktop.storage.index_places import IndexPlace
from chatty_desktop.storage.places import Server
from chatty_desktop.storage.shipped import welcome
from chatty_desktop.storage.stores import Stores


@dataclass(frozen=True, slots=True)
class OpenStores:
    """The stores of a data folder. was_empty: nothing was in them before. notices: what was done
    to them on the way, for the person to know."""

    stores: Stores
    was_empty: bool
    notices: tuple[Notice, ...]


async def claimed(data_dir: Path | None) -> tuple[Paths, FileLock]:
    """A data folder, None: the person's own, made where it is not there, and the claim on it.
    Raises `AlreadyOpen`, `StorageFailed`."""
    paths = Paths((data_dir or default_data_folder()).absolute())
    return paths, await asyncio.to_thread(claim, paths)


@asynccontextmanager
async def closed_folder(data_dir: Path | None) -> AsyncIterator[Paths]:
    """A data folder that nobody has open, and nobody opens meanwhile. Raises as `claimed` does."""
    paths, lock = await claimed(data_dir)
    try:
        yield paths
    finally:
        lock.release()


async def open_stores(
    paths: Paths,
    publish: Callable[[Event], None],
    server: Server | None,
    index: IndexPlace | None = None,
) -> OpenStores:
    """Open the stores of a claimed folder, with its database at a `server` and its index of
    episodes at a place, None: in the folder. There a backup that waits for it is put in place
    first, and damage is mended. What a killed process left under way is put to an end; empty
    stores get the starter agents and graphs.
    Raises `StorageFailed`, `Invalid`, and `OpenElsewhere` for a server's database that another
    machine works on."""
    if server is not None:
        return await _opened(paths, publish, server, index)
    restored = await asyncio.to_thread(restoring.put_in_place, paths)
    notices = [] if restored is None else [restored]
    notices += await asyncio.to_thread(damage.mend, paths)
    try:
        return await _opened(paths, publish, None, index, notices)
    except StorageFailed:
        if not damage.is_suspect(paths.database):
            raise
    # It only showed once something was read.
    notices += await asyncio.to_thread(damage.mend, paths)
    return await _opened(paths, publish, None, index, notices)


async def _opened(
    paths: Paths,
    publish: Callable[[Event], None],
    server: Server | None,
    index: IndexPlace | None,
    notices: Sequence[Notice] = (),
) -> OpenStores:
    stores = await Stores.open(paths, publish, server, index)
    try:
        await stores.close_interrupted()
        was_empty = await welcome(stores.agents, stores.graphs, stores.sessions)
    except BaseException:
        await stores.database.close()
        raise
    return OpenStores(stores, was_empty, tuple(notices))
