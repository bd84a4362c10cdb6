"""Which session is open in a chat, and what the store says of it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from chatty_desktop.domain.events import SessionsChanged
from chatty_desktop.engine.ports import Sessions
from chatty_desktop.ui.tasks import Tasks


class OpenSession(QObject):
    """The one that is open, none on the empty page.

    found: the `Session`, as it was read. titled: its title, which may be another one now. gone:
    the id of one that is no longer there.
    """

    found = Signal(object)
    titled = Signal(str)
    gone = Signal(str)

    def __init__(self, sessions: Sessions, tasks: Tasks, parent: QObject) -> None:
        super().__init__(parent)
        self._sessions = sessions
        self._tasks = tasks
        self._id: str | None = None

    @property
    def id(self) -> str | None:
        """None on the empty page."""
        return self._id

    def switch(self, session_id: str | None) -> None:
        """Another one is open."""
        self._id = session_id

    def read(self) -> None:
        """Have it read, where one is open."""
        if self._id is not None:
            self._tasks.start(self._read(self._id))

    def take(self, event: SessionsChanged) -> None:
        """Sessions are not what they were: one, or any."""
        if self._id is not None and event.session_id in (self._id, None):
            self._tasks.start(self._read_title(self._id))

    async def _read(self, session_id: str) -> None:
        session = await self._sessions.get(session_id)
        if session_id != self._id:
            return
        if session is None:
            self.gone.emit(session_id)
        else:
            self.found.emit(session)

    async def _read_title(self, session_id: str) -> None:
        session = await self._sessions.get(session_id)
        if session is None:
            self.gone.emit(session_id)
        elif session_id == self._id:
            self.titled.emit(session.title)
