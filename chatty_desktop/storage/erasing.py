"""Deleting all of something so that nothing of it can be read any more."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection

from chatty_desktop.domain.data_folder import DataCounts
from chatty_desktop.domain.work import Work
from chatty_desktop.storage import tables, word_index
from chatty_desktop.storage.backup_file import count_rows
from chatty_desktop.storage.database import raw


def erase_rows(connection: Connection, work: Work, *, agents: bool) -> DataCounts:
    """Delete every row, those of agents only when asked to; all of it or nothing. What was there
    before is returned. The connection is in no transaction."""
    work.begin("Deleting")
    driver = raw(connection)
    before = count_rows(driver)
    # Should it be killed before `scrub`, the pages are blank all the same.
    driver.execute("PRAGMA secure_delete = ON")
    driver.execute("BEGIN IMMEDIATE")
    try:
        word_index.forget_all(connection)
        for table in reversed(tables.metadata.sorted_tables):
            if agents or table not in (tables.agents, tables.graphs):
                connection.execute(table.delete())
        driver.execute("COMMIT")
    except BaseException:
        # SQLite may have done so itself.
        if driver.in_transaction:
            driver.execute("ROLLBACK")
        raise
    return before


def scrub(connection: Connection) -> None:
    """Have no page keep what was deleted, in the file of the database or in its log."""
    driver = raw(connection)
    driver.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    driver.execute("VACUUM")
    driver.execute("PRAGMA wal_checkpoint(TRUNCATE)")


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
