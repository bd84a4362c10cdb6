"""Where chats and the index of episodes are kept, when that is not the data folder: in a database
on a server, and in a bucket of a server for objects or in another folder.

`places.json` in the data folder says so: `{"database": "postgresql://…", "episodes": "s3://…"}`.
The environment counts more, and what a call names counts most.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from chatty_desktop.domain.errors import Invalid, StorageFailed
from chatty_desktop.paths import Paths
from chatty_desktop.storage.database import Database
from chatty_desktop.storage.index_places import IndexFolder, IndexObjects, IndexPlace
from chatty_desktop.storage.settings_file import write_atomically

if TYPE_CHECKING:
    from sqlalchemy.engine import URL

DATABASE_VARIABLE = "CHATTY_DATABASE_URL"
EPISODES_VARIABLE = "CHATTY_EPISODES_URL"

_OBJECTS = ("s3", "gs", "az")
"""Servers for objects, as LanceDB names them."""


@dataclass(frozen=True, slots=True)
class Server:
    """A database on a server. With `take_over` another machine that works on it is parted from
    it."""

    url: URL
    take_over: bool = False


async def open_database(paths: Paths, server: Server | None) -> Database:
    """Open the database at a server, None: in the data folder. Raises `StorageFailed`, `Invalid`
    where what speaks to a server is not installed."""
    if server is None:
        return await Database.open(paths.database, paths.backups)
    # Loaded for those who use a server: a start without one does not wait for it.
    from chatty_desktop.storage.postgresql import PostgresqlServer

    return await Database.on(PostgresqlServer(server.url, take_over=server.take_over))


def find_server(paths: Paths, named: str | None = None, take_over: bool = False) -> Server | None:
    """The server that keeps the chats, None for the data folder; `named` is what the call names.
    Raises `Invalid`, `StorageFailed`."""
    address = named or os.environ.get(DATABASE_VARIABLE) or _read(paths).get("database")
    return Server(read_address(address), take_over) if address else None


def write_server(paths: Paths, address: str | None) -> None:
    """Keep where the database is from now on, None: in the data folder. Raises as
    `check_writable` does, `OSError`."""
    if address is not None:
        check_writable(address)
    _write(paths, "database", address)


def find_index(paths: Paths, named: str | None = None) -> IndexPlace:
    """Where the index of episodes is; `named` is what the call names. Raises `Invalid`,
    `StorageFailed`."""
    address = named or os.environ.get(EPISODES_VARIABLE) or _read(paths).get("episodes")
    return read_index(address) if address else IndexFolder(paths.episodes)


def write_index(paths: Paths, address: str | None) -> None:
    """Keep where the index of episodes is from now on, None: in the data folder. Raises
    `Invalid`, `StorageFailed`, `OSError`."""
    _write(paths, "episodes", read_index(address).shown if address else None)


def read_index(address: str) -> IndexPlace:
    """The address of a bucket, or another folder. Raises `Invalid`, without a word of the address,
    which may hold a key."""
    scheme, separator, rest = address.partition("://")
    if not separator:
        return IndexFolder(Path(address).expanduser().absolute(), shared=True)
    if scheme not in _OBJECTS or not rest.strip("/") or rest.startswith("/"):
        raise Invalid(
            "That is no address for episodes. Write s3://bucket/folder, gs://bucket/folder,"
            " az://container/folder, or the path of a folder."
        )
    if "@" in rest or "?" in rest:
        raise Invalid(
            "The address of the episodes is to be a bucket and a folder alone. Keys, and what else"
            " the server wants, are given by the variables that its own tools read, such as"
            " AWS_ACCESS_KEY_ID."
        )
    return IndexObjects(f"{scheme}://{rest.rstrip('/')}")


def check_writable(address: str) -> None:
    """Raises `Invalid` for an address with a password in it: a file is no place for one."""
    url = read_address(address)
    if url.password or "password" in url.query:
        raise Invalid(
            "The address has a password in it, which is not to be written down. Leave it out, and"
            " give it by PGPASSWORD, or by a file of passwords (PGPASSFILE, .pgpass)."
        )


def read_address(address: str) -> URL:
    """The address of a database on a server. Raises `Invalid`, without a word of the address,
    which may hold a password."""
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        url = make_url(address)
    except (ArgumentError, ValueError):
        url = None
    if url is None or url.drivername.partition("+")[0] not in ("postgresql", "postgres"):
        raise Invalid(
            "That is no address of a PostgreSQL database. Write postgresql://user@server/database."
        )
    return url


def _write(paths: Paths, what: str, address: str | None) -> None:
    places = _read(paths)
    places.pop(what, None)
    if address is not None:
        places[what] = address
    if places:
        write_atomically(paths.places, json.dumps(places, indent=2) + "\n")
    else:
        paths.places.unlink(missing_ok=True)


def _read(paths: Paths) -> dict[str, str]:
    file = paths.places
    try:
        value = json.loads(file.read_text("utf-8-sig"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise StorageFailed(f"{file} cannot be read: {error.strerror or error}.") from error
    except ValueError as error:
        raise Invalid(f"{file} is broken: {error}. Mend it, or move it away.") from error
    if (
        not isinstance(value, dict)
        or not value
        or not value.keys() <= {"database", "episodes"}
        or not all(isinstance(address, str) for address in value.values())
    ):
        raise Invalid(
            f"{file} does not say where the database is, as chatty-desktop move writes it. Mend it,"
            " or move it away."
        )
    return value
