"""Two starts on one data folder: the second one asks the first for its window."""

from __future__ import annotations

import hashlib
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

_RAISE = b"raise\n"
_WAIT_MS = 1_000


def server_name(data: Path) -> str:
    """The name under which the window of a data folder can be reached."""
    digest = hashlib.sha256(str(data.resolve()).encode()).hexdigest()
    return f"chatty-desktop-{digest[:24]}"


class FirstInstance(QObject):
    """Listens for later starts. raise_wanted: one came."""

    raise_wanted = Signal()

    def __init__(self, data: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._welcome)
        name = server_name(data)
        # The lock on the folder is ours, so what is left under that name is of a dead process.
        QLocalServer.removeServer(name)
        self.listening = self._server.listen(name)

    def close(self) -> None:
        """Listen no more."""
        self._server.close()

    def _welcome(self) -> None:
        socket = self._server.nextPendingConnection()
        if socket is not None:
            socket.disconnected.connect(socket.deleteLater)
            socket.disconnectFromServer()
            self.raise_wanted.emit()


def raise_first(data: Path) -> bool:
    """Ask the process that has the folder open for its window; False when it has none."""
    socket = QLocalSocket()
    socket.connectToServer(server_name(data))
    if not socket.waitForConnected(_WAIT_MS):
        return False
    socket.write(_RAISE)
    socket.waitForBytesWritten(_WAIT_MS)
    return True
