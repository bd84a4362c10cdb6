"""Where the tables of the index of episodes lie: in a folder, or in a bucket of a server for
objects."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from chatty_desktop.domain.data_folder import IndexOnDisk
from chatty_desktop.storage.disk import files_below

log = logging.getLogger(__name__)

COMPACTIONS = "compactions"
"""The file beside the tables that counts them; it was written at the last one."""

_TABLES = "episodes__*.lance"

_MOST_TABLES = 10_000

_PATIENCE = {
    "connect_timeout": "3s",
    "timeout": "20s",
    "client_max_retries": "1",
    "client_retry_timeout": "10",
}
"""For how long a server is waited for. LanceDB's own is three minutes, which a run would wait; the
vectors are in the database too."""


class IndexPlace(Protocol):
    """Every call blocks, and raises what LanceDB or the system raises.

    shown: where it is, for the person. away: on a server, which may not answer, and whose objects
    are read by LanceDB alone. folder: where its files can be read, None: nowhere. beyond: where
    what was deleted may stay that no search here can see, for the person; "" nowhere.
    """

    @property
    def shown(self) -> str: ...

    @property
    def away(self) -> bool: ...

    @property
    def folder(self) -> Path | None: ...

    @property
    def beyond(self) -> str: ...

    def files(self) -> list[Path]:
        """Those of the tables."""
        ...

    def connect(self) -> Any:
        """LanceDB's connection."""
        ...

    def exists(self, name: str) -> bool:
        """Whether there is a table, in whatever state."""
        ...

    def fragments(self, name: str, table: Any) -> int:
        """How many files an open table keeps its rows in."""
        ...

    def size(self, name: str, table: Any) -> tuple[int, int]:
        """Files and bytes of an open table."""
        ...

    def drop(self, name: str) -> None:
        """Remove a table, whatever state it is in."""
        ...

    def drop_all(self) -> None:
        """Remove every table."""
        ...

    def whole_size(self) -> IndexOnDisk:
        """What all tables take, and how often they were compacted."""
        ...

    def note_compaction(self) -> None:
        """Count it where the next start finds it."""
        ...


@dataclass(frozen=True, slots=True)
class IndexFolder:
    """Tables in a folder. `shared`: the person named it, so other things may be in it."""

    path: Path
    shared: bool = False

    @property
    def shown(self) -> str:
        return str(self.path)

    @property
    def away(self) -> bool:
        return False

    @property
    def folder(self) -> Path | None:
        return self.path

    @property
    def beyond(self) -> str:
        return ""

    def files(self) -> list[Path]:
        return [file for table in self._tables() for file in table.rglob("*") if file.is_file()]

    def connect(self) -> Any:
        import lancedb

        self.path.mkdir(parents=True, exist_ok=True)
        return lancedb.connect(str(self.path))

    def exists(self, name: str) -> bool:
        return self._table(name).is_dir()

    def fragments(self, name: str, table: Any) -> int:
        return sum(1 for _file in (self._table(name) / "data").glob("*"))

    def size(self, name: str, table: Any) -> tuple[int, int]:
        files = [file for file in self._table(name).rglob("*") if file.is_file()]
        return len(files), sum(file.stat().st_size for file in files)

    def drop(self, name: str) -> None:
        path = self._table(name)
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)

    def drop_all(self) -> None:
        if not self.path.exists():
            return
        if not self.shared:
            shutil.rmtree(self.path)
            return
        for path in self._tables():
            shutil.rmtree(path)
        (self.path / COMPACTIONS).unlink(missing_ok=True)

    def whole_size(self) -> IndexOnDisk:
        tables = self._tables()
        files = [known for path in tables for known in files_below(path)]
        note = self.path / COMPACTIONS
        try:
            count, at = int(note.read_text("ascii")), note.stat().st_mtime
        except (OSError, ValueError):
            count, at = 0, None
        return IndexOnDisk(
            len(tables), len(files), sum(known.st_size for known in files), count, at
        )

    def note_compaction(self) -> None:
        try:
            count = self.whole_size().compactions + 1
            (self.path / COMPACTIONS).write_text(str(count), "ascii")
        except OSError as error:  # that the index is compact matters more
            log.info("A compaction could not be counted: %s", error)

    def _table(self, name: str) -> Path:
        return self.path / f"{name}.lance"

    def _tables(self) -> list[Path]:
        return [path for path in self.path.glob(_TABLES) if path.is_dir()]


@dataclass(frozen=True, slots=True)
class IndexObjects:
    """Tables below an address of a server for objects: `s3://bucket/folder`, `gs://…`, `az://…`.

    Keys, and what else the server wants, are LanceDB's to find: in the variables of the
    environment that the server's own tools read, and for S3 in Amazon's files.
    """

    uri: str

    @property
    def shown(self) -> str:
        return self.uri

    @property
    def away(self) -> bool:
        return True

    @property
    def folder(self) -> Path | None:
        return None

    @property
    def beyond(self) -> str:
        return (
            f"The index of episodes is at {self.uri}. Its objects are deleted and written anew, but"
            " older versions and copies of them that the server may keep are not looked through."
        )

    def files(self) -> list[Path]:
        return []

    def connect(self) -> Any:
        import lancedb

        return lancedb.connect(self.uri, storage_options=dict(_PATIENCE))

    def exists(self, name: str) -> bool:
        return name in self._names(self.connect())

    def fragments(self, name: str, table: Any) -> int:
        return int(table.stats()["fragment_stats"]["num_fragments"])

    def size(self, name: str, table: Any) -> tuple[int, int]:
        stats = table.stats()
        return int(stats["fragment_stats"]["num_fragments"]), int(stats["total_bytes"])

    def drop(self, name: str) -> None:
        connection = self.connect()
        if name in self._names(connection):
            connection.drop_table(name)

    def drop_all(self) -> None:
        connection = self.connect()
        for name in self._names(connection):
            connection.drop_table(name)

    def whole_size(self) -> IndexOnDisk:
        connection = self.connect()
        sizes = [self.size(name, connection.open_table(name)) for name in self._names(connection)]
        files, bytes_ = sum(each[0] for each in sizes), sum(each[1] for each in sizes)
        return IndexOnDisk(len(sizes), files, bytes_, 0, None)

    def note_compaction(self) -> None:
        """There is no file beside the tables to count it in."""

    def _names(self, connection: Any) -> list[str]:
        names: Iterable[str] = connection.list_tables(limit=_MOST_TABLES).tables
        return [name for name in names if name.startswith("episodes__")]
