"""Questions of tools in chats that are not open: each stands above the chat that is."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication, QWidget

from chatty_desktop.domain.events import ConsentSettled, ConsentWanted, Event, Notice
from chatty_desktop.domain.titles import UNTITLED
from chatty_desktop.engine.consents import PersonsConsents
from chatty_desktop.engine.events import Events
from chatty_desktop.engine.ports import Sessions
from chatty_desktop.ui.banners import BannerAction, Banners
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.tool_words import tool_title


class QuestionsElsewhere(QObject):
    """Tells of one question a chat, and takes it back once nothing is open there. `go` opens a
    chat."""

    def __init__(
        self,
        *,
        consents: PersonsConsents,
        sessions: Sessions,
        banners: Banners,
        go: Callable[[str], object],
        events: Events,
        tasks: Tasks,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._consents = consents
        self._sessions = sessions
        self._banners = banners
        self._go = go
        self._tasks = tasks
        self._window = window
        self._open: str | None = None
        self._told: dict[str, Notice] = {}
        self.destroyed.connect(events.subscribe(self._heard))

    def set_session(self, session_id: str | None) -> None:
        """The chat that is open now; its own questions stand in it."""
        self._open = session_id
        self._follow()

    def _heard(self, event: Event) -> None:
        if isinstance(event, ConsentWanted):
            # The window's place in the system's bar shows that it wants something.
            QApplication.alert(self._window)
        if isinstance(event, ConsentWanted | ConsentSettled):
            self._follow()

    def _follow(self) -> None:
        waiting = {w.use.scope.session_id: w for w in reversed(self._consents.waiting())}
        for session_id in list(self._told):
            if session_id not in waiting or session_id == self._open:
                self._banners.drop(self._told.pop(session_id))
        for session_id, wanted in waiting.items():
            if session_id != self._open and session_id not in self._told:
                self._tasks.start(self._tell(session_id, wanted))

    async def _tell(self, session_id: str, wanted: ConsentWanted) -> None:
        session = await self._sessions.get(session_id)
        still = self._consents.waiting(session_id)
        if session is None or session_id in (self._open, *self._told) or not still:
            return
        text = tr(
            "{title} waits for you: may it use “{tool}”?",
            title=session.title or tr(UNTITLED),
            tool=tool_title(wanted.use.tool.name),
        )
        notice = self._told[session_id] = Notice("info", text)
        self._banners.add(notice, BannerAction(tr("Go there"), lambda: self._go(session_id)))
