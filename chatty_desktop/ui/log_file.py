"""The log on disk: small, rotating, and without a word of what people and models wrote."""

from __future__ import annotations

import copy
import logging
import queue
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from logging.handlers import QueueHandler, QueueListener, RotatingFileHandler
from pathlib import Path

from chatty_desktop.domain.errors import ChattyError

SIZE = 512 * 1024
"""Bytes after which a new file is begun; three old ones are kept."""


@contextmanager
def logging_to(folder: Path) -> Iterator[None]:
    """Write the log into `folder` while this lasts; without the folder there is no log file."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = RotatingFileHandler(
            folder / "chatty.log", maxBytes=SIZE, backupCount=3, encoding="utf-8", delay=True
        )
    except OSError:
        logging.getLogger(__name__).warning("The log folder %s cannot be made", folder)
        yield
        return
    # Written by a thread of its own: a slow disk must not hold up the window.
    records: queue.SimpleQueue[logging.LogRecord] = queue.SimpleQueue()
    handler = QueueHandler(records)
    handler.setFormatter(Discreet("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    listener = QueueListener(records, file)
    root, ours = logging.getLogger(), logging.getLogger("chatty_desktop")
    level = ours.level
    ours.setLevel(logging.INFO)
    root.addHandler(handler)
    listener.start()
    try:
        yield
    finally:
        root.removeHandler(handler)
        ours.setLevel(level)
        listener.stop()
        file.close()


class Discreet(logging.Formatter):
    """Says where an exception came from and of what kind it is, but not its text.

    A database error quotes the values it was given and a parser the text it met: both are what
    people wrote. The app's own errors are written for the person and say no such thing.
    """

    def format(self, record: logging.LogRecord) -> str:
        # Another handler may have left its own words for the exception in the record.
        record = copy.copy(record)
        record.exc_text = None
        return super().format(record)

    def formatException(
        self,
        ei: tuple[type[BaseException], BaseException, object] | tuple[None, None, None],
    ) -> str:
        error = ei[1]
        if error is None:
            return ""
        lines = traceback.format_tb(error.__traceback__)
        own = f": {error}" if isinstance(error, ChattyError) else ""
        return "".join(lines) + f"{type(error).__name__}{own}"
