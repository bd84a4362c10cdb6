"""The index of episodes: a LanceDB table for each embedder. It holds nothing that SQLite does not,
and can be built from it again.

LanceDB keeps a fragment for each append: 2,000 single appends made 6,003 files and queries of
256 ms, 4 files and 3.6 ms after compaction. So compaction and clean-up of old versions are routine.
"""

from __future__ import annotations

import hashlib
import logging
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chatty_desktop.domain.data_folder import IndexOnDisk
from chatty_desktop.domain.embedding import EmbedderId
from chatty_desktop.domain.messages import Scope
from chatty_desktop.storage.disk import files_below

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

log = logging.getLogger(__name__)

COMPACT_AFTER = 50
"""Appends to a table: 100 files, at which a query takes some 10 ms."""

COMPACTIONS = "compactions"
"""The file beside the tables that counts them; it was written at the last one."""

_UNUSED_AFTER = timedelta(milliseconds=1)
"""Age from which on files of older versions go: nobody else has the folder open, and what reads
them does so in the same thread."""


@dataclass(frozen=True, slots=True)
class IndexSize:
    """What a table takes on the disk. `appends` are those since it was compacted last."""

    table: str
    rows: int
    files: int
    bytes: int
    appends: int
    compactions: int


@dataclass(slots=True)
class _Open:
    table: Any
    appends: int = 0
    compactions: int = 0


class EpisodeIndex:
    """The tables in a folder. Every call blocks, and all come from one thread at a time. LanceDB's
    own errors are raised as they are: the folder is then to be built again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._connection: Any = None
        self._open: dict[EmbedderId, _Open] = {}

    def exists(self, embedder: EmbedderId) -> bool:
        return self._path(embedder).is_dir()

    def ids(self, embedder: EmbedderId) -> list[str]:
        """The message id of every row."""
        table = self._table(embedder).table
        rows = table.search().select(["message_id"]).limit(max(1, table.count_rows())).to_arrow()
        found: list[str] = rows["message_id"].to_pylist()
        return found

    def count(self, embedder: EmbedderId) -> int:
        return int(self._table(embedder).table.count_rows())

    def append(
        self,
        embedder: EmbedderId,
        message_ids: Sequence[str],
        scopes: Sequence[Scope],
        vectors: Vectors,
    ) -> None:
        """Add rows, in one version of the table."""
        import pyarrow as pa

        opened = self._table(embedder)
        flat = pa.array(vectors.reshape(-1), pa.float32())
        opened.table.add(
            pa.table(
                {
                    "message_id": list(message_ids),
                    "session_id": [scope.session_id for scope in scopes],
                    "agent_id": [scope.agent_id for scope in scopes],
                    "scope": [_scope(scope) for scope in scopes],
                    "vector": pa.FixedSizeListArray.from_arrays(flat, embedder.dimension),
                },
                schema=_schema(embedder.dimension),
            )
        )
        opened.appends += 1

    def of_scope(self, embedder: EmbedderId, scope: Scope) -> tuple[list[str], Vectors]:
        """Every row of a scope: message ids, and their vectors in the same order."""
        import numpy as np

        table = self._table(embedder).table
        rows = (
            table.search()
            .where(f"scope = {_quoted(_scope(scope))}")
            .select(["message_id", "vector"])
            .limit(max(1, table.count_rows()))
            .to_arrow()
        )
        parts = [
            chunk.flatten().to_numpy(zero_copy_only=False).reshape(-1, embedder.dimension)
            for chunk in rows["vector"].chunks
        ]
        empty = np.empty((0, embedder.dimension), np.float32)
        return rows["message_id"].to_pylist(), np.concatenate([empty, *parts])

    def delete_where(self, embedder: EmbedderId, column: str, values: Sequence[str]) -> None:
        """Delete the rows in which `column` (message_id, session_id or agent_id) is one of the
        values."""
        opened = self._table(embedder)
        for start in range(0, len(values), 500):
            some = ", ".join(_quoted(each) for each in values[start : start + 500])
            opened.table.delete(f"{column} IN ({some})")
            opened.appends += 1

    def due(self, embedder: EmbedderId, after: int = COMPACT_AFTER) -> bool:
        """Whether the table had so many appends since it was compacted."""
        opened = self._open.get(embedder)
        return opened is not None and opened.appends >= after

    def compact(self, embedder: EmbedderId) -> None:
        """Few large files in place of many small ones, the scope index over all rows, older
        versions gone."""
        opened = self._table(embedder)
        opened.table.optimize(cleanup_older_than=_UNUSED_AFTER, delete_unverified=True)
        opened.appends = 0
        opened.compactions += 1
        self._note_compaction()

    def drop(self, embedder: EmbedderId) -> bool:
        """Remove a table from the disk, whatever state it is in; True once it is gone."""
        self._open.pop(embedder, None)
        path = self._path(embedder)
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
        return True

    def drop_all(self) -> None:
        """Remove every table from the disk, and the folder."""
        self._open.clear()
        self._connection = None
        if self._folder.exists():
            shutil.rmtree(self._folder)

    def on_disk(self) -> IndexOnDisk:
        """What all tables take, used or not, and how often they were compacted."""
        tables = [path for path in self._folder.glob("*.lance") if path.is_dir()]
        files = [known for path in tables for known in files_below(path)]
        note = self._folder / COMPACTIONS
        try:
            count, at = int(note.read_text("ascii")), note.stat().st_mtime
        except (OSError, ValueError):
            count, at = 0, None
        return IndexOnDisk(
            len(tables), len(files), sum(known.st_size for known in files), count, at
        )

    def _note_compaction(self) -> None:
        """Count it where the next start finds it; that the index is compact matters more."""
        try:
            count = self.on_disk().compactions + 1
            (self._folder / COMPACTIONS).write_text(str(count), "ascii")
        except OSError as error:
            log.info("A compaction could not be counted: %s", error)

    def in_use(self) -> list[EmbedderId]:
        """Whose tables are open."""
        return list(self._open)

    def sizes(self) -> list[IndexSize]:
        """What each open table takes on the disk."""
        found = []
        for embedder, opened in self._open.items():
            files = [file for file in self._path(embedder).rglob("*") if file.is_file()]
            size = sum(file.stat().st_size for file in files)
            found.append(
                IndexSize(
                    table_name(embedder),
                    int(opened.table.count_rows()),
                    len(files),
                    size,
                    opened.appends,
                    opened.compactions,
                )
            )
        return found

    def _path(self, embedder: EmbedderId) -> Path:
        return self._folder / f"{table_name(embedder)}.lance"

    def _table(self, embedder: EmbedderId) -> _Open:
        opened = self._open.get(embedder)
        if opened is None:
            opened = self._open[embedder] = self._opened(embedder)
        return opened

    def _opened(self, embedder: EmbedderId) -> _Open:
        import lancedb
        from lancedb.index import Bitmap

        if self._connection is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._connection = lancedb.connect(str(self._folder))
        name = table_name(embedder)
        if self.exists(embedder):
            table = self._connection.open_table(name)
            # Left behind by earlier runs of the app: a fragment for each append.
            files = sum(1 for _file in (self._path(embedder) / "data").glob("*"))
            return _Open(table, appends=files)
        table = self._connection.create_table(name, schema=_schema(embedder.dimension))
        # Of scalar indexes: 12.7 ms for a scope of 100,000 rows; 82 without, 99 with a B-tree.
        table.create_index("scope", config=Bitmap())
        return _Open(table)


def table_name(embedder: EmbedderId) -> str:
    """`episodes__<provider>__<model>__<dim>`. Where a name holds what a file's name cannot, that
    becomes a hyphen, and a piece of the name's hash tells it from others that look the same."""
    return f"episodes__{_safe(embedder.provider)}__{_safe(embedder.model)}__{embedder.dimension}"


def _safe(name: str) -> str:
    safe = re.sub(r"[^A-Za-z0-9.-]+|\.{2,}", "-", name)[:60].strip(".-")
    # Some file systems do not tell capitals apart.
    if safe == name and name == name.lower():
        return name
    return f"{safe}-{hashlib.sha256(name.encode()).hexdigest()[:8]}".lstrip("-")


def _scope(scope: Scope) -> str:
    return f"{scope.session_id}/{scope.agent_id}"


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _schema(dimension: int) -> Any:
    import pyarrow as pa

    return pa.schema(
        [
            ("message_id", pa.string()),
            ("session_id", pa.string()),
            ("agent_id", pa.string()),
            ("scope", pa.string()),
            ("vector", pa.list_(pa.float32(), dimension)),
        ]
    )
