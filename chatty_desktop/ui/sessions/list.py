"""The left column's list of chats: search, choose, keep in order."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QItemSelectionModel, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QHBoxLayout,
    QLineEdit,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.domain.events import (
    ConsentSettled,
    ConsentWanted,
    Event,
    RunPhaseChanged,
    SessionsChanged,
)
from chatty_desktop.domain.messages import Folder, Session
from chatty_desktop.domain.search import MessageHits, parse_query
from chatty_desktop.engine.events import Events
from chatty_desktop.engine.ports import Folders, MessageSearch, Sessions
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import Empty, edge_to_edge, icon_button
from chatty_desktop.ui.sessions.acts import SessionActs
from chatty_desktop.ui.sessions.model import Index, SessionModel
from chatty_desktop.ui.sessions.rows import ARCHIVED, Row, arranged, found
from chatty_desktop.ui.sessions.view import SessionView
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.throttle import Throttle
from chatty_desktop.ui.tokens import M, S
from chatty_desktop.ui.window_state import WindowState

REFRESH_MS = 120

_FOLDED = "folded_chats"


class SessionList(QWidget):
    """Every chat in its place; while something is searched for, the chats whose title holds it,
    and below them the messages that do.

    chosen: the id of the chat to open. message_chosen: (chat, message) of a hit.
    new_wanted: a new chat. For what is done to chats see `acts`.
    """

    chosen = Signal(str)
    message_chosen = Signal(str, str)
    new_wanted = Signal()

    def __init__(
        self,
        *,
        sessions: Sessions,
        folders: Folders,
        search: MessageSearch,
        running: Callable[[], list[str]],
        asking: Callable[[], frozenset[str]] = frozenset,
        events: Events,
        state: WindowState,
        theme: Theme,
        tasks: Tasks,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._sessions = sessions
        self._store = folders
        self._in_messages = search
        self._running = running
        self._asking = asking
        self._state = state
        self._tasks = tasks
        self._current: str | None = None
        self._stale = False
        self._folders: Sequence[Folder] = ()
        self._known: dict[str | None, Session] = {}
        self._folded = set(state.text(_FOLDED).split()) or {ARCHIVED}
        self._reading: asyncio.Task[None] | None = None
        self._hits = MessageHits()
        self._read_more = False
        self.model = SessionModel()
        self.model.renamed.connect(self._rename)
        self._refreshing = Throttle(REFRESH_MS, self._refresh, self)

        self.search = QLineEdit()
        self.search.setPlaceholderText(tr("Search chats"))
        self.search.setAccessibleName(tr("Search chats and messages"))
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._refreshing.request)
        self.search.returnPressed.connect(self._to_first)
        self.search.installEventFilter(self)
        self.new = icon_button(theme, "note-pencil", tr("New chat (Ctrl+N)"))
        self.new.setAccessibleName(tr("New chat"))
        self.new.clicked.connect(self.new_wanted)
        top = QHBoxLayout()
        top.setContentsMargins(M, M, M, S)
        top.setSpacing(S)
        top.addWidget(self.search, 1)
        top.addWidget(self.new)

        self.view = SessionView(self.model, theme)
        self.view.customContextMenuRequested.connect(self._menu)
        self.view.activated.connect(self._choose)
        self.view.clicked.connect(self._clicked)
        self.view.folding_wanted.connect(self._fold)
        self.view.selectionModel().selectionChanged.connect(self._moved)
        self.view.verticalScrollBar().valueChanged.connect(self._scrolled)
        # What came while a title was being edited is shown now.
        self.view.itemDelegate().closeEditor.connect(self._edited)
        self._empty = Empty(theme, "chats-circle")
        self._pages = QStackedWidget()
        self._pages.addWidget(self.view)
        self._pages.addWidget(self._empty)
        column = edge_to_edge(QVBoxLayout(self))
        column.addLayout(top)
        column.addWidget(self._pages, 1)

        self.acts = SessionActs(
            sessions=sessions,
            folders=folders,
            chosen=self._meant,
            known=lambda: self._folders,
            theme=theme,
            tasks=tasks,
            parent=self,
        )
        self.acts.rename_wanted.connect(self.rename_current)
        self.view.addActions([self.acts.rename, self.acts.delete])
        self.model.dropped.connect(self.acts.put)
        unsubscribe = events.subscribe(self._heard)
        self.destroyed.connect(unsubscribe)
        self._refreshing.request()

    # --- what others ask of it ---------------------------------------------------------------

    def set_current(self, session_id: str | None) -> None:
        """Mark the chat that is open; None marks none."""
        self._current = session_id
        self._select({("chat", session_id)} if session_id else set())

    def selected(self) -> list[Session]:
        """The chats that are marked, in the order of the list; none twice."""
        rows = (self.model.row(index) for index in sorted(self.view.selectedIndexes()))
        return list({row.session.id: row.session for row in rows if row and row.session}.values())

    def _meant(self) -> list[Session]:
        """What an action is about: the chats that are marked; where none is, as while a search
        shows others, the one that is open, unless the keyboard is on something else."""
        chats = self.selected()
        if not chats and not self.view.hasFocus() and self._current in self._known:
            chats = [self._known[self._current]]
        return chats

    def rename_current(self) -> None:
        """Edit the title of the marked chat in its place; the name of a folder in a dialog."""
        index = self.view.currentIndex()
        row = self.model.row(index)
        if row and row.session is None and row.folder_id is not None:
            self.acts.rename_folder(row.folder_id)
        elif index.isValid():
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

    def show_folders(self, at: QPoint) -> None:
        """The folders to which the marked chats can be moved: a menu at a point of the screen."""
        if self._meant():
            menu = self.acts.menu_of_folders(self)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.popup(at)

    # --- reading -----------------------------------------------------------------------------

    def _heard(self, event: Event) -> None:
        if isinstance(event, SessionsChanged | RunPhaseChanged | ConsentWanted | ConsentSettled):
            self._refreshing.request()

    def _refresh(self) -> None:
        if self._editing():
            self._stale = True
            return
        # What is read for an older search, or an older list, is not wanted any more.
        if self._reading is not None:
            self._reading.cancel()
        self._reading = self._tasks.start(self._read(self.search.text()))

    async def _read(self, typed: str) -> None:
        query = parse_query(typed)
        sessions = await self._sessions.list(typed)
        there: dict[str | None, Session] = {session.id: session for session in sessions}
        self._known = self._known | there if typed else there
        running = frozenset(self._running())
        if query.terms:
            hits = await self._in_messages.messages(query)
            self._hits = hits
            self._show(found(sessions, hits.hits, running, self._asking()), typed)
        else:
            self._folders = await self._store.list()
            folded = frozenset(self._folded)
            self._hits = MessageHits()
            asking = self._asking()
            now = time.time()
            rows = arranged(sessions, self._folders, running, now, folded, asking)
            self._show(rows, typed)

    def _show(self, rows: list[Row], typed: str) -> None:
        if self._editing():
            self._stale = True
            return
        kept = {row.key for i in self.view.selectedIndexes() if (row := self.model.row(i))}
        if not kept & {row.key for row in rows} and self._current:
            kept = {("chat", self._current)}
        at = self.view.verticalScrollBar().value()
        if self.model.show_rows(rows):
            self._select(kept)
            self.view.verticalScrollBar().setValue(at)
        self._pages.setCurrentIndex(0 if rows else 1)
        if typed.strip():
            hint = tr("No chat and no message holds “{searched}”.", searched=typed.strip())
            self._empty.say(tr("Nothing found"), hint)
        else:
            self._empty.say(tr("No chats yet"), tr("Write a message: the chat appears here."))

    def _scrolled(self, value: int) -> None:
        near = self.view.verticalScrollBar().maximum() - value < self.view.height()
        if near and self._hits.more and not self._read_more:
            self._read_more = True
            self._tasks.start(self._older(self.search.text(), self._hits))

    async def _older(self, typed: str, hits: MessageHits) -> None:
        try:
            query = parse_query(typed)
            older = await self._in_messages.messages(query, before=hits.hits[-1].number)
            if self._hits is hits and typed == self.search.text():
                self._hits = MessageHits(hits.hits + older.hits, older.more)
                self.model.add_rows([row for row in found((), older.hits, frozenset()) if row.hit])
        finally:
            self._read_more = False

    # --- choosing ----------------------------------------------------------------------------

    def _select(self, keys: set[tuple[str, str]]) -> None:
        """Mark the rows of these keys, and no other; the first of them is the current one."""
        selection = self.view.selectionModel()
        blocked = selection.blockSignals(True)
        selection.clear()
        for number, row in enumerate(self.model.rows):
            if row.key in keys:
                index = self.model.index(number)
                if not selection.currentIndex().isValid():
                    selection.setCurrentIndex(index, QItemSelectionModel.SelectionFlag.NoUpdate)
                selection.select(index, QItemSelectionModel.SelectionFlag.Select)
        selection.blockSignals(blocked)
        index = selection.currentIndex()
        if len(keys) == 1 and index.isValid():
            self.view.scrollTo(index)
        self.view.viewport().update()

    def _moved(self) -> None:
        """The arrow keys open the one chat they come to; the list itself moving does not."""
        indexes = self.view.selectedIndexes()
        if QApplication.mouseButtons() != Qt.MouseButton.NoButton:
            return  # a click is heard of when it is over, and may become a drag
        if self.view.hasFocus() and len(indexes) == 1:
            row = self.model.row(indexes[0])
            if row and row.session:
                self._choose(indexes[0])

    def _clicked(self, index: Index) -> None:
        row = self.model.row(index)
        if row is None:
            return
        if row.folded is not None:
            self._fold(index, not row.folded)
        elif self.view.selectedIndexes() == [index]:
            self._choose(index)

    def _choose(self, index: Index) -> None:
        row = self.model.row(index)
        if row is None:
            return
        if row.hit is not None:
            self.message_chosen.emit(row.hit.session_id, row.hit.message_id)
        elif row.session is not None and row.session.id != self._current:
            self.chosen.emit(row.session.id)

    def _fold(self, index: Index, folded: bool) -> None:
        row = self.model.row(index)
        if row is None or row.folded is None or row.folded == folded:
            return
        (self._folded.add if folded else self._folded.discard)(row.section)
        # A word of its own where nothing is folded: an empty value means the first time.
        self._state.set(_FOLDED, " ".join(sorted(self._folded)) or "-")
        self._refreshing.request()

    def _to_first(self) -> None:
        for number, row in enumerate(self.model.rows):
            if row.session or row.hit:
                index = self.model.index(number)
                self.view.setFocus()
                self.view.setCurrentIndex(index)
                self._choose(index)
                return

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """From the search down into what was found; Esc empties it."""
        if watched is self.search and isinstance(event, QKeyEvent):
            if event.type() == QEvent.Type.KeyPress and event.key() == Qt.Key.Key_Down:
                self.view.to_first()
                return True
            if event.key() == Qt.Key.Key_Escape and self.search.text():
                if event.type() == QEvent.Type.ShortcutOverride:
                    event.accept()
                    return True
                if event.type() == QEvent.Type.KeyPress:
                    self.search.clear()
                    return True
        return super().eventFilter(watched, event)

    # --- editing -----------------------------------------------------------------------------

    def _editing(self) -> bool:
        return self.view.state() == QAbstractItemView.State.EditingState

    def _rename(self, session_id: str, title: str) -> None:
        self._tasks.start(self._sessions.rename(session_id, title))

    def _edited(self) -> None:
        if self._stale:
            self._stale = False
            self._refreshing.request()

    def _menu(self, at: QPoint) -> None:
        row = self.model.row(self.view.indexAt(at))
        if row is None:
            return
        if row.session is not None:
            menu = self.acts.menu_of_chats()
        elif row.folder_id is not None:
            menu = self.acts.menu_of_folder(row.folder_id)
        else:
            return
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.view.viewport().mapToGlobal(at))
