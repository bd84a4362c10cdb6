"""Not more often than every N milliseconds."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer


class Throttle(QObject):
    """Calls a function at most once per interval: many requests become one call.

    The first request after a quiet spell is served on the next turn of the loop; `now` serves
    what is waiting at once, `drop` forgets it.
    """

    def __init__(
        self, interval_ms: int, call: Callable[[], None], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._interval = interval_ms
        self._call = call
        self._wanted = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._due)

    def request(self) -> None:
        """Ask for the call."""
        self._wanted = True
        if not self._timer.isActive():
            self._timer.start(0)

    def now(self) -> None:
        """Make the call that is waiting, if one is."""
        if self._wanted:
            self._timer.stop()
            self._due()

    def drop(self) -> None:
        """Forget the call that is waiting."""
        self._wanted = False
        self._timer.stop()

    def _due(self) -> None:
        if self._wanted:
            self._wanted = False
            self._timer.start(self._interval)
            self._call()
