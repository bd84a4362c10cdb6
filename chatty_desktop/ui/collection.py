"""Garbage is collected in the window's thread alone.

Python collects wherever a count is reached, in the database's thread as well; a widget in a cycle
would then be taken down there, which Qt does not survive.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

EVERY_MS = 500


class Collection(QObject):
    """Turns Python's own collection off and does its work from a timer, until `stop`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thresholds = gc.get_threshold()
        gc.disable()
        # What is there now stays to the end: modules, classes, the window, and the little that
        # is garbage by now. Looking through it would hold the event loop for tens of
        # milliseconds each time.
        gc.freeze()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._collect)
        self._timer.start(EVERY_MS)

    def stop(self) -> None:
        """Let Python collect by itself again."""
        self._timer.stop()
        gc.unfreeze()
        gc.enable()

    def _collect(self) -> None:
        """The oldest generation whose count is due, as Python itself would choose it."""
        counts = gc.get_count()
        for generation in (2, 1, 0):
            if counts[generation] > self._thresholds[generation]:
                gc.collect(generation)
                return
