"""The left column's list of chats: search, choose, rename, delete."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLineEdit,
    QListView,
    QMenu,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.domain.events import Event, RunPhaseChanged, SessionsChanged
from chatty_desktop.domain.messages import Session
from chatty_desktop.engine.events import Events
from chatty_desktop.engine.ports import Sessions
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import Empty, icon_button
from chatty_desktop.ui.sessions.delegate import SessionDelegate
from chatty_desktop.ui.sessions.model import Index, SessionModel
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.throttle import Throttle
from chatty_desktop.ui.tokens import M, S

REFRESH_MS = 120


class SessionList(QWidget):
    """Every chat whose title holds what is searched for.

    chosen: the id of the chat to open. new_wanted: a new chat.
    delete_wanted: (id, title) of a chat to delete.
    """

    chosen = Signal(str)
    new_wanted = Signal()
    delete_wanted = Signal(str, str)

    def __init__(
        self,
        *,
        sessions: Sessions,
        running: Callable[[], list[str]],
        events: Events,
        theme: Theme,
        tasks: Tasks,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._sessions = sessions
        self._running = running
        self._tasks = tasks
        self._current: str | None = None
        self._stale = False
        self.model = SessionModel()
        self.model.renamed.connect(self._rename)
        self._refreshing = Throttle(REFRESH_MS, self._refresh, self)

        self.search = QLineEdit()
        self.search.setPlaceholderText(tr("Search chats"))
        self.search.setAccessibleName(tr("Search chats by title"))
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._refreshing.request)
        self.search.returnPressed.connect(self._to_first)
        self.new = icon_button(theme, "note-pencil", tr("New chat (Ctrl+N)"))
        self.new.setAccessibleName(tr("New chat"))
        self.new.clicked.connect(self.new_wanted)
        top = QHBoxLayout()
        top.setContentsMargins(M, M, M, S)
        top.setSpacing(S)
        top.addWidget(self.search, 1)
        top.addWidget(self.new)

        self.view = QListView()
        self.view.setProperty("panel", "window")
        self.view.setAccessibleName(tr("Chats"))
        self.view.setModel(self.model)
        self._delegate = SessionDelegate(theme)
        self.view.setItemDelegate(self._delegate)
        self.view.setMouseTracking(True)
        self.view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.view.customContextMenuRequested.connect(self._menu)
        self.view.activated.connect(self._choose)
        self.view.clicked.connect(self._choose)
        self.view.selectionModel().currentChanged.connect(self._moved)
        # What came while a title was being edited is shown now.
        self._delegate.closeEditor.connect(self._edited)
        self._empty = Empty(theme, "chats-circle")
        self._pages = QStackedWidget()
        self._pages.addWidget(self.view)
        self._pages.addWidget(self._empty)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(self._pages, 1)

        rename = QAction(tr("Rename"), self)
        rename.setShortcut(QKeySequence(Qt.Key.Key_F2))
        rename.triggered.connect(self.rename_current)
        delete = QAction(tr("Delete …"), self)
        delete.setShortcut(QKeySequence(QKeySequence.StandardKey.Delete))
        delete.triggered.connect(self.delete_current)
        theme.dress(rename, "pencil-simple")
        theme.dress(delete, "trash", "danger")
        for action in (rename, delete):
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            self.view.addAction(action)
        self._actions = (rename, delete)
        unsubscribe = events.subscribe(self._heard)
        self.destroyed.connect(unsubscribe)
        self._refreshing.request()

    def set_current(self, session_id: str | None) -> None:
        """Mark the chat that is open; None marks none."""
        self._current = session_id
        self._select()

    def rename_current(self) -> None:
        """Edit the title of the marked chat in its place."""
        index = self.view.currentIndex()
        if index.isValid():
            self.view.edit(index)

    def step(self, by: int) -> None:
        """Open the chat above (-1) or below (1) the one that is open."""
        at = self.model.index_of(self._current).row()
        number = at + by if at >= 0 else 0
        while 0 <= number < self.model.rowCount():
            row = self.model.row(self.model.index(number))
            if row and row.session:
                self._choose(self.model.index(number))
                return
            number += by

    def delete_current(self) -> None:
        """Ask for the marked chat to be deleted."""
        row = self.model.row(self.view.currentIndex())
        if row and row.session:
            self.delete_wanted.emit(row.session.id, row.text)

    def _heard(self, event: Event) -> None:
        if isinstance(event, SessionsChanged | RunPhaseChanged):
            self._refreshing.request()

    def _refresh(self) -> None:
        if self.view.state() == QAbstractItemView.State.EditingState:
            self._stale = True
            return
        self._tasks.start(self._read(self.search.text()))

    async def _read(self, query: str) -> None:
        found = await self._sessions.list(query)
        if query == self.search.text():
            self._show(found, query)

    def _show(self, found: list[Session], query: str) -> None:
        if self.view.state() == QAbstractItemView.State.EditingState:
            self._stale = True
            return
        at = self.view.verticalScrollBar().value()
        self.model.show_sessions(found, frozenset(self._running()), time.time())
        self._select()
        self.view.verticalScrollBar().setValue(at)
        self._pages.setCurrentIndex(0 if found else 1)
        if query.strip():
            self._empty.say(
                tr("Nothing found"), tr("No chat has “{words}” in its title.", words=query.strip())
            )
        else:
            self._empty.say(tr("No chats yet"), tr("Write a message: the chat appears here."))

    def _select(self) -> None:
        index = self.model.index_of(self._current)
        selection = self.view.selectionModel()
        if index.isValid():
            if selection.currentIndex() != index:
                selection.setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        else:
            selection.clear()

    def _moved(self, index: QModelIndex) -> None:
        """The arrow keys open what they come to; the list itself moving does not."""
        row = self.model.row(index)
        if self.view.hasFocus() and row and row.session and row.session.id != self._current:
            self._choose(index)

    def _choose(self, index: Index) -> None:
        row = self.model.row(index)
        if row and row.session and row.session.id != self._current:
            self.chosen.emit(row.session.id)

    def _to_first(self) -> None:
        for number in range(self.model.rowCount()):
            index = self.model.index(number)
            row = self.model.row(index)
            if row and row.session:
                self.view.setFocus()
                self.view.setCurrentIndex(index)
                self._choose(index)
                return

    def _rename(self, session_id: str, title: str) -> None:
        self._tasks.start(self._sessions.rename(session_id, title))

    def _edited(self) -> None:
        if self._stale:
            self._stale = False
            self._refreshing.request()

    def _menu(self, at: QPoint) -> None:
        row = self.model.row(self.view.indexAt(at))
        if row is None or row.session is None:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addActions(self._actions)
        menu.popup(self.view.viewport().mapToGlobal(at))
