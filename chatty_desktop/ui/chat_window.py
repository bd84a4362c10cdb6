"""One chat in a window of its own, with its memory beside it."""

from __future__ import annotations

import asyncio

from PySide6.QtCore import Qt
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QMainWindow, QSplitter

from chatty_desktop.app import App
from chatty_desktop.domain.events import Event, Notice, SessionsChanged
from chatty_desktop.domain.hidden import revealed
from chatty_desktop.domain.titles import UNTITLED
from chatty_desktop.ui.everywhere import Everywhere
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.menus import Actions
from chatty_desktop.ui.palette.entries import entries_of
from chatty_desktop.ui.palette.palette import Palette
from chatty_desktop.ui.panes import chat_pane, inspector_panel
from chatty_desktop.ui.reading_order import to_next
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme


class ChatWindow(QMainWindow):
    """Stays on one session and follows what is done to it elsewhere: events keep it in step.
    It goes with its session. Closing it ends nothing that runs.

    Its owner awaits `live`, which ends when it is closed; cancelled, it closes it.
    """

    def __init__(self, *, app: App, theme: Theme, session_id: str) -> None:
        super().__init__()
        self._app = app
        self._session_id = session_id
        self._closing = asyncio.Event()
        self._released = False
        # Of its own: they end with the window, before its widgets do.
        self._tasks = Tasks(self._tell)
        # Less would lay the memory over the chat.
        self.setMinimumSize(620, 400)
        self.resize(920, 700)
        self.chat = chat_pane(app, theme, self._tasks)
        self.inspector = inspector_panel(app, theme, self._tasks)
        self.inspector.setMinimumWidth(250)
        columns = QSplitter(Qt.Orientation.Horizontal)
        columns.setHandleWidth(1)
        columns.setChildrenCollapsible(False)
        for widget, stretch in ((self.chat, 1), (self.inspector, 0)):
            columns.addWidget(widget)
            columns.setStretchFactor(columns.indexOf(widget), stretch)
        columns.setSizes([600, 320])
        self.setCentralWidget(columns)
        self.actions_ = Actions(theme, self)
        self.palette_ = Palette(
            self,
            entries=lambda: entries_of(self.menuBar()),
            theme=theme,
            tasks=self._tasks,
        )
        Everywhere(
            self,
            actions=self.actions_,
            palette=self.palette_,
            chat=self.chat,
            inspector=self.inspector,
            app=app,
            theme=theme,
            tasks=self._tasks,
        )
        self._connect()
        self._unsubscribe = app.events.subscribe(self._heard)
        self.chat.open(session_id)
        self._tasks.start(self._read_title())

    async def live(self) -> None:
        """Return when the window is closed and nothing of it works any more."""
        try:
            await self._closing.wait()
        finally:
            self.hide()
            self.chat.keep_draft()
            self._unsubscribe()
            await self._tasks.close()
            self._released = True
            self.close()
            self.deleteLater()

    def bring_to_front(self) -> None:
        """Show it above the others, with the keyboard."""
        if self.isMinimized():
            self.showNormal()
        self.show()
        self.raise_()
        self.activateWindow()
        self.chat.composer.input.setFocus()

    def focusNextPrevChild(self, forward: bool) -> bool:
        return to_next(self, forward=forward)

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._released:
            super().closeEvent(event)
            return
        event.ignore()
        self._closing.set()

    def _connect(self) -> None:
        do = self.actions_
        do.fill_for_one_chat(self.menuBar()).triggered.connect(self.close)
        do.inspector.toggled.connect(self.inspector.setVisible)
        self.chat.session_changed.connect(self._stay)
        self.chat.acts.record_wanted.connect(self._show_ledger)

    def _show_ledger(self) -> None:
        self.actions_.inspector.setChecked(True)
        self.inspector.tabs.setCurrentWidget(self.inspector.ledger)

    def _stay(self, session_id: str | None) -> None:
        """The chat turned to the empty page: its session is gone, and so is the window."""
        if session_id != self._session_id:
            self._closing.set()

    def _heard(self, event: Event) -> None:
        if isinstance(event, SessionsChanged) and event.session_id in (None, self._session_id):
            self._tasks.start(self._read_title())

    async def _read_title(self) -> None:
        session = await self._app.sessions.get(self._session_id)
        if session is None:
            self._closing.set()
        else:
            self.setWindowTitle(revealed(session.title) or tr(UNTITLED))

    def _tell(self, text: str) -> None:
        self.chat.banners.add(Notice("error", text))
