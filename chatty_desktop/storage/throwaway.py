"""Stores in a folder that is gone afterwards."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from chatty_desktop.domain.errors import StorageFailed
from chatty_desktop.engine.ports import ThrowawayStores
from chatty_desktop.paths import Paths
from chatty_desktop.storage.stores import Stores


def _nobody(_event: object) -> None:
    """Hears what happens there."""


@asynccontextmanager
async def throwaway_stores() -> AsyncIterator[ThrowawayStores]:
    """Empty stores in a folder of the system for passing files. Raises `StorageFailed`."""
    try:
        folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="chatty-replay-"))
    except OSError as error:
        raise StorageFailed(
            f"No folder for the replay could be made: {error.strerror or error}. Make room there."
        ) from error
    try:
        stores = await Stores.open(Paths(folder), _nobody)
        try:
            yield ThrowawayStores(
                sessions=stores.sessions,
                messages=stores.messages,
                memory=stores.memory,
                runs=stores.runs,
                episodes=stores.episodes,
            )
        finally:
            await stores.episodes.close()
            await stores.database.close()
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
