"""The index of episodes: a LanceDB table for each embedder. It holds nothing that SQLite does not,
and can be built from it again.

LanceDB keeps a fragment for each append: 2,000 single appends made 6,003 files and queries of
256 ms, 4 files and 3.6 ms after compaction. So compaction and clean-up of old versions are routine.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from chatty_desktop.domain.data_folder import IndexOnDisk
from chatty_desktop.domain.embedding import EmbedderId
from chatty_desktop.domain.messages import Scope
from chatty_desktop.storage.index_places import IndexPlace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

COMPACT_AFTER = 50
"""Appends to a table: 100 files, at which a query takes some 10 ms."""

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
    """The tables at a place. Every call blocks, and all come from one thread at a time. LanceDB's
    own errors are raised as they are: the tables are then to be built again."""

    def __init__(self, place: IndexPlace) -> None:
        self.place = place
        self._connection: Any = None
        self._open: dict[EmbedderId, _Open] = {}

    def exists(self, embedder: EmbedderId) -> bool:
        return self.place.exists(table_name(embedder))

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
        self.place.note_compaction()

    def drop(self, embedder: EmbedderId) -> bool:
        """Remove a table, whatever state it is in; True once it is gone."""
        self._open.pop(embedder, None)
        self.place.drop(table_name(embedder))
        return True

    def drop_all(self) -> None:
        """Remove every table."""
        self._open.clear()
        self._connection = None
        self.place.drop_all()

    def on_disk(self) -> IndexOnDisk:
        """What all tables take, used or not, and how often they were compacted."""
        return self.place.whole_size()

    def in_use(self) -> list[EmbedderId]:
        """Whose tables are open."""
        return list(self._open)

    def sizes(self) -> list[IndexSize]:
        """What each open table takes on the disk."""
        found = []
        for embedder, opened in self._open.items():
            name = table_name(embedder)
            files, size = self.place.size(name, opened.table)
            found.append(
                IndexSize(
                    name,
                    int(opened.table.count_rows()),
                    files,
                    size,
                    opened.appends,
                    opened.compactions,
                )
            )
        return found

    def _table(self, embedder: EmbedderId) -> _Open:
        opened = self._open.get(embedder)
        if opened is None:
            opened = self._open[embedder] = self._opened(embedder)
        return opened

    def _opened(self, embedder: EmbedderId) -> _Open:
        from lancedb.index import Bitmap

        if self._connection is None:
            self._connection = self.place.connect()
        name = table_name(embedder)
        if self.exists(embedder):
            table = self._connection.open_table(name)
            # Left behind by earlier runs of the app: a fragment for each append.
            return _Open(table, appends=self.place.fragments(name, table))
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
