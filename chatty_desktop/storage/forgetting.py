"""Forgetting with proof: listed, deleted, blanked on the disk, and looked for in every store."""

from __future__ import annotations

import asyncio
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO

from sqlalchemy import Connection, LargeBinary, Table, or_, select

from chatty_desktop.domain.errors import StorageFailed
from chatty_desktop.domain.forgetting import (
    ForgetPlan,
    ForgetTarget,
    Needles,
    Proof,
    Trace,
    TraceKind,
)
from chatty_desktop.domain.search import folded_text
from chatty_desktop.domain.work import Work
from chatty_desktop.paths import Paths
from chatty_desktop.storage import tables
from chatty_desktop.storage.backend import Words
from chatty_desktop.storage.backup_file import NOT_OURS
from chatty_desktop.storage.database import Database
from chatty_desktop.storage.derived import Listed, forget_fact, forget_rest, list_derived
from chatty_desktop.storage.episodes import StoredEpisodes

_READ_BYTES = 1 << 20

_MOST_MESSAGES = 20
"""Messages that stay and say a word, told by name."""


class StoredForgetting:
    """Over the database, the index of episodes and the files of the data folder."""

    def __init__(self, database: Database, paths: Paths, episodes: StoredEpisodes) -> None:
        self._database = database
        self._paths = paths
        self._episodes = episodes

    async def plan(self, target: ForgetTarget) -> ForgetPlan:
        """All that would go with a target; nothing is changed. Raises `Invalid` when it is not
        there, `StorageFailed`."""
        try:
            await self._database.write(lambda c: list_derived(self._database.backend, c, target))
        except Listed as listed:
            return replace(listed.plan, beyond=self._beyond)
        raise AssertionError("list_derived always raises")

    async def forget_rest(self, plan: ForgetPlan) -> None:
        """What quotes messages that are deleted by now. Raises `StorageFailed`."""
        await self._database.write(lambda c: forget_rest(c, plan))

    async def forget_fact(self, target: ForgetTarget) -> None:
        """Delete a fact, with where it was noted and sent. Raises as `plan` does."""
        await self._database.write(lambda c: forget_fact(c, target))

    async def blank(self, work: Work) -> None:
        """Have no byte of what was deleted stay in the database, its log, or the index of episodes.
        Raises `StorageFailed`, `Stopped`."""
        await self._database.long(
            lambda connection: self._database.backend.blank(connection, work), work, alone=True
        )
        work.begin("Building the index of episodes anew")
        await self._episodes.renew()

    async def search(self, needles: Needles, work: Work) -> Proof:
        """Look for the needles in every table and every byte of the data folder but the files of
        models. Raises `StorageFailed`, `Stopped`."""
        traces = await self._database.long(
            lambda c: _in_rows(self._database.backend.words, c, needles), work
        )
        in_index = await self._episodes.indexed(needles.ids)
        if in_index:
            traces.append(Trace("index", self._episodes.place.shown, tuple(in_index)))
        return await asyncio.to_thread(self._in_files, needles, traces, work)

    async def remove(self, trace: Trace) -> None:
        """Delete a backup, or empty a log file, in which something was found. Raises
        `StorageFailed`."""
        await asyncio.to_thread(_remove, trace)

    def _in_files(self, needles: Needles, traces: list[Trace], work: Work) -> Proof:
        every = {*self._paths.data.rglob("*"), *self._episodes.place.files()}
        places = [each for each in sorted(every) if self._looked_at(each)]
        work.begin("Looking through the files", len(places))
        read = 0
        unread: list[str] = []
        for path in places:
            work.step(1)
            try:
                found = _found_in(path, needles)
                read += path.stat().st_size
            except FileNotFoundError:
                continue  # a file of the moment, such as one of the index
            except (OSError, *NOT_OURS) as error:
                unread.append(f"{path}: {error}")
                continue
            if found:
                traces.append(Trace(self._kind(path), str(path), found))
        return Proof(
            needles,
            tuple(traces),
            len(places),
            read,
            len(_searched_tables()),
            tuple(unread),
            self._beyond,
        )

    @property
    def _beyond(self) -> str:
        said = self._database.backend.beyond, self._episodes.place.beyond
        return " ".join(filter(None, said))

    def _looked_at(self, path: Path) -> bool:
        return path.is_file() and not path.is_relative_to(self._paths.models)

    def _kind(self, path: Path) -> TraceKind:
        paths = self._paths
        if path.is_relative_to(paths.backups) or path.is_relative_to(paths.restore):
            return "backup"
        if path.is_relative_to(paths.logs):
            return "log"
        if path.is_relative_to(self._episodes.place.folder or paths.episodes):
            return "index"
        return "database" if path.name.startswith(paths.database.name) else "file"


def _searched_tables() -> list[Table]:
    return list(tables.metadata.sorted_tables)


def _in_rows(words: Words, connection: Connection, needles: Needles) -> list[Trace]:
    """Rows that say a word or name an id, and words that the index of words still has."""
    traces: list[Trace] = []
    for table in _searched_tables():
        columns = [c for c in table.c if not isinstance(c.type, LargeBinary)]
        texts = [c for c in columns if c.type.python_type is str]
        for needle in (*needles.words, *needles.ids):
            named = or_(*(c.icontains(needle, autoescape=True) for c in texts))
            query = select(*columns).where(named).limit(_MOST_MESSAGES)
            for row in connection.execute(query):
                if table is tables.messages:
                    traces.append(
                        Trace("message", row.content[:200], (needle,), row.session_id, row.id)
                    )
                else:
                    traces.append(Trace("row", table.name, (needle,)))
                    break
    for word in needles.words:
        for term in folded_text(word).split():
            if words.holds(connection, term):
                traces.append(Trace("words", "message_search", (word,)))
    return traces


def _found_in(path: Path, needles: Needles) -> tuple[str, ...]:
    """Which needles stand in a file; of a zip, in what is packed in it."""
    wanted = {each: each.decode() for each in needles.in_bytes()}
    exact = {each.encode(): each for each in needles.ids}
    exact |= dict.fromkeys(needles.vectors, "a vector")
    found: dict[str, None] = {}
    if path.suffix.lower() == ".zip":
        with zipfile.ZipFile(path) as packed:
            for name in packed.namelist():
                with packed.open(name) as stream:
                    found |= _found_in_stream(stream, wanted, exact)
    else:
        with path.open("rb") as stream:
            found |= _found_in_stream(stream, wanted, exact)
    return tuple(found)


def _found_in_stream(
    stream: IO[bytes], wanted: dict[bytes, str], exact: dict[bytes, str]
) -> dict[str, None]:
    longest = max(map(len, (*wanted, *exact)), default=0)
    found: dict[str, None] = {}
    for chunk in _overlapping(stream, longest):
        lower = chunk.lower()
        found |= {name: None for each, name in wanted.items() if each in lower}
        found |= {name: None for each, name in exact.items() if each in chunk}
    return found


def _overlapping(stream: IO[bytes], overlap: int) -> Iterator[bytes]:
    """The stream in pieces, each beginning with the end of the one before."""
    before = b""
    while piece := stream.read(_READ_BYTES):
        yield before + piece
        before = piece[-overlap:] if overlap else b""


def _remove(trace: Trace) -> None:
    path = Path(trace.where)
    try:
        if trace.kind == "log":
            path.write_bytes(b"")
        else:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise StorageFailed(f"{path} stays: {error.strerror or error}.") from error
