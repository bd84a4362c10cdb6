"""Deleting all of something so that nothing of it can be read any more."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection

from chatty_desktop.domain.data_folder import DataCounts
from chatty_desktop.domain.work import Work
from chatty_desktop.storage import tables
from chatty_desktop.storage.backend import Backend
from chatty_desktop.storage.counts import count_rows


def erase_rows(backend: Backend, connection: Connection, work: Work, *, agents: bool) -> DataCounts:
    """Delete every row, those of agents only when asked to; all of it or nothing. What was there
    before is returned. The connection is in no transaction."""
    work.begin("Deleting")
    before = count_rows(connection)
    backend.erase(connection, kept=() if agents else (tables.agents, tables.graphs))
    return before


def clear_folder(folder: Path, left: list[str]) -> int:
    """Delete all that is in a folder; how many files. What stays is added to `left`."""
    gone = 0
    for path in sorted(folder.rglob("*"), key=lambda path: -len(path.parts)):
        try:
            if path.is_dir() and not path.is_symlink():
                path.rmdir()
            else:
                path.unlink()
                gone += 1
        except OSError:
            left.append(str(path))
    return gone
