"""A database in a fresh folder, and on a real server too where there is one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy.engine import make_url

from chatty_desktop.storage.database import Database
from chatty_desktop.storage.postgresql import PostgresqlServer


class Place:
    """A folder, and a database that is in it or, with a `url`, on a server."""

    def __init__(self, folder: Path, url: str | None = None) -> None:
        self.folder = folder
        self._url = url

    async def open(self) -> Database:
        """Open the database, or open it again."""
        if self._url is not None:
            return await Database.on(PostgresqlServer(make_url(self._url)))
        return await Database.open(self.folder / "chatty.db", self.folder / "backups")


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """The same for every engine: what a store does must not depend on it."""
    if request.param == "sqlite":
        return Place(tmp_path)
    return Place(tmp_path, request.getfixturevalue("postgresql_url"))


@pytest.fixture
async def database(place: Place) -> AsyncIterator[Database]:
    database = await place.open()
    yield database
    await database.close()


@pytest.fixture
async def sqlite_database(tmp_path: Path) -> AsyncIterator[Database]:
    """For what only a file can be asked."""
    database = await Database.open(tmp_path / "chatty.db", tmp_path / "backups")
    yield database
    await database.close()
