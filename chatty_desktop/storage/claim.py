"""The claim of one process on a data folder."""

from __future__ import annotations

import os
from pathlib import Path

from filelock import FileLock, Timeout

from chatty_desktop.domain.errors import AlreadyOpen, StorageFailed
from chatty_desktop.paths import Paths


def claim(paths: Paths) -> FileLock:
    """Make the data folder and claim it for this process, until the lock is released. Blocks.
    Raises `AlreadyOpen` where another has it, `StorageFailed`."""
    try:
        paths.create()
    except OSError as error:
        raise StorageFailed(
            f"The data folder {paths.data} cannot be made or written: {error.strerror or error}."
            " Choose another one with --data-dir or CHATTY_DATA_DIR."
        ) from error
    # The number of the owner lies beside the lock: on Windows a locked file cannot be read.
    owner = paths.lock.with_suffix(".pid")
    # Not thread-local: taken in a worker thread, given back on the event loop.
    lock = FileLock(paths.lock, timeout=0, thread_local=False)
    try:
        lock.acquire()
        owner.write_text(str(os.getpid()), encoding="ascii")
    except Timeout:
        process_id = _read_number(owner)
        raise AlreadyOpen(
            f"Chatty Desktop is already open on {paths.data} (process {process_id or 'unknown'})."
            " Close it there first, or name another folder with --data-dir.",
            process_id,
        ) from None
    except OSError as error:
        lock.release()
        raise StorageFailed(
            f"The data folder {paths.data} cannot be written: {error.strerror or error}."
            " Make room or choose another one with --data-dir or CHATTY_DATA_DIR."
        ) from error
    return lock


def _read_number(file: Path) -> int:
    try:
        return int(file.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return 0
