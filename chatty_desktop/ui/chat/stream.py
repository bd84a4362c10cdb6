"""The reply being written: what came of it since the last repaint."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from chatty_desktop.domain.events import TextStreamed
from chatty_desktop.ui.throttle import Throttle

FLUSH_MS = 40
"""Milliseconds between two repaints of a reply that is being written."""


class ReplyStream(QObject):
    """Gathers the pieces of one reply, and hands them on a few times a second.

    message_id: the reply followed, None between replies.
    grown: (text, reasoning) that came since the last time.
    """

    grown = Signal(str, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.message_id: str | None = None
        self._text: list[str] = []
        self._thoughts: list[str] = []
        self._flushing = Throttle(FLUSH_MS, self._flush, self)

    def follow(self, message_id: str) -> None:
        """Gather what comes of this reply from now on."""
        self.end()
        self.message_id = message_id

    def end(self) -> None:
        """Follow none, and forget what has not been handed on."""
        self.message_id = None
        self._flushing.drop()
        self._text.clear()
        self._thoughts.clear()

    def take(self, event: TextStreamed) -> None:
        """Gather a piece, if it is of the reply followed."""
        if event.message_id == self.message_id:
            self._text.append(event.text)
            self._thoughts.append(event.reasoning)
            self._flushing.request()

    def _flush(self) -> None:
        text, thoughts = "".join(self._text), "".join(self._thoughts)
        self._text.clear()
        self._thoughts.clear()
        self.grown.emit(text, thoughts)
