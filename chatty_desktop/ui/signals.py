"""SIGINT and SIGTERM in a Qt loop: Python would not see them until the next event."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable
from types import FrameType

from PySide6.QtCore import QObject, QSocketNotifier


class EndSignals(QObject):
    """Calls `ended` when the process is asked to end, until `close`."""

    def __init__(self, ended: Callable[[], None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._ended = ended
        # The interpreter writes a byte for each signal; the notifier wakes Qt's loop, and with it
        # the interpreter, which then runs the handlers.
        self._read, self._write = socket.socketpair()
        self._read.setblocking(False)
        self._write.setblocking(False)
        self._wakeup = signal.set_wakeup_fd(self._write.fileno(), warn_on_full_buffer=False)
        self._notifier = QSocketNotifier(self._read.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._drain)
        self._before = {
            number: signal.signal(number, self._received)
            for number in (signal.SIGINT, signal.SIGTERM)
        }

    def close(self) -> None:
        """Put back what was there before."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._wakeup)
        self._notifier.setEnabled(False)
        self._read.close()
        self._write.close()

    def _drain(self) -> None:
        try:
            self._read.recv(64)
        except BlockingIOError:
            return

    def _received(self, number: int, frame: FrameType | None) -> None:
        self._ended()
