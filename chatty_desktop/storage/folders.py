"""The folders of the list of chats in SQLite."""

from __future__ import annotations

import time

from sqlalchemy import Connection, delete, insert, select, update

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.events import SessionsChanged
from chatty_desktop.domain.ids import new_id
from chatty_desktop.domain.messages import Folder
from chatty_desktop.engine.ports import Publish
from chatty_desktop.storage import tables
from chatty_desktop.storage.database import Database

_COLUMNS = tables.folders.c


class StoredFolders:
    """`ports.Folders` over SQLite; tells of every change."""

    def __init__(self, database: Database, publish: Publish) -> None:
        self._database = database
        self._publish = publish

    async def list(self) -> list[Folder]:
        rows = await self._database.rows(select(_COLUMNS.id, _COLUMNS.name))
        return sorted((Folder(row.id, row.name) for row in rows), key=lambda f: f.name.casefold())

    async def create(self, name: str) -> Folder:
        folder = Folder(new_id(), " ".join(name.split()))

        def work(connection: Connection) -> None:
            _check(connection, folder)
            connection.execute(
                insert(tables.folders).values(
                    id=folder.id, name=folder.name, created_at=time.time()
                )
            )

        await self._database.write(work)
        self._publish(SessionsChanged())
        return folder

    async def rename(self, folder_id: str, name: str) -> None:
        folder = Folder(folder_id, " ".join(name.split()))

        def work(connection: Connection) -> None:
            _check(connection, folder)
            connection.execute(
                update(tables.folders).where(_COLUMNS.id == folder_id).values(name=folder.name)
            )

        await self._database.write(work)
        self._publish(SessionsChanged())

    async def delete(self, folder_id: str) -> None:
        await self._database.write(
            lambda c: c.execute(delete(tables.folders).where(_COLUMNS.id == folder_id))
        )
        self._publish(SessionsChanged())


def _check(connection: Connection, folder: Folder) -> None:
    if not folder.name:
        raise Invalid("A folder needs a name.")
    for row in connection.execute(select(_COLUMNS.id, _COLUMNS.name)):
        if row.id != folder.id and row.name.casefold() == folder.name.casefold():
            raise Invalid(f"There is a folder called “{row.name}” already; choose another name.")
