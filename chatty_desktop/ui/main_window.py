"""The window: chats and agents on the left, the chat, and its memory on the right."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QMainWindow,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.app import App
from chatty_desktop.domain.events import Notice
from chatty_desktop.domain.forgetting import ForgetTarget
from chatty_desktop.ui.agents.list import AgentList
from chatty_desktop.ui.chat.consent.elsewhere import QuestionsElsewhere
from chatty_desktop.ui.columns import Columns
from chatty_desktop.ui.everywhere import Everywhere
from chatty_desktop.ui.exchange.acts import ExchangeActs
from chatty_desktop.ui.first_run.welcome import Welcome
from chatty_desktop.ui.graphs.list import GraphList
from chatty_desktop.ui.inspector.run_log import RunLogPanel
from chatty_desktop.ui.lines import hairline
from chatty_desktop.ui.look import Look
from chatty_desktop.ui.menus import Actions
from chatty_desktop.ui.other_windows import OtherWindows
from chatty_desktop.ui.palette.entries import Entry, entries_of
from chatty_desktop.ui.palette.palette import Palette
from chatty_desktop.ui.palette.places import agents_and_chats, pages
from chatty_desktop.ui.panes import chat_pane, inspector_panel
from chatty_desktop.ui.pieces import edge_to_edge
from chatty_desktop.ui.reading_order import to_next, to_next_of
from chatty_desktop.ui.sessions.deleting import Deleting
from chatty_desktop.ui.sessions.duplicating import Duplicating
from chatty_desktop.ui.sessions.list import SessionList
from chatty_desktop.ui.status.line import StatusLine
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.window_state import WindowState


class MainWindow(QMainWindow):
    """Puts the panels together and passes what one says to the others.

    Closing it only asks: `close_wanted` is emitted, and it stays until `release`.
    restart_wanted: the same, and open again.
    """

    close_wanted = Signal()
    restart_wanted = Signal()

    def __init__(self, *, app: App, theme: Theme, tasks: Tasks, state: WindowState) -> None:
        super().__init__()
        self._app = app
        self._theme = theme
        self._tasks = tasks
        self._state = state
        # The panels are made for letters of its size.
        theme.show(app.settings.current.appearance)
        self._released = False
        self.setWindowTitle("Chatty Desktop")
        # How narrow it can be is up to the panels that are shown.
        self.setMinimumHeight(480)

        events = app.events
        self.sessions = SessionList(
            sessions=app.sessions,
            folders=app.folders,
            search=app.search,
            running=app.chat.running,
            asking=app.consents.sessions,
            events=events,
            state=state,
            theme=theme,
            tasks=tasks,
        )
        self.agents = AgentList(
            agents=app.agents, chat=app.chat, events=events, theme=theme, tasks=tasks
        )
        self.graphs = GraphList(graphs=app.graphs, events=events, theme=theme, tasks=tasks)
        self.chat = chat_pane(app, theme, tasks)
        self.inspector = inspector_panel(app, theme, tasks)
        self.run_log = RunLogPanel(runs=app.runs, events=events, theme=theme, tasks=tasks)
        self._columns = Columns(
            sessions=self.sessions,
            agents=self.agents,
            graphs=self.graphs,
            chat=self.chat,
            inspector=self.inspector,
            run_log=self.run_log,
        )
        self.status = StatusLine(
            standing=app.standing,
            loaded=lambda: app.engines.loaded,
            events=events,
            theme=theme,
            tasks=tasks,
        )
        self.setCentralWidget(_stacked(self._columns, self.status))
        self.welcome = Welcome(app=app, chat=self.chat, theme=theme, tasks=tasks, state=state)
        self.others = OtherWindows(app, theme, tasks, self)
        self.actions_ = Actions(theme, self)
        self.actions_.fill(self.menuBar())
        self.palette_ = Palette(
            self,
            entries=lambda: [*entries_of(self.menuBar()), *pages(self.others.open_settings, theme)],
            read=self._chats_and_agents,
            state=state,
            theme=theme,
            tasks=tasks,
        )
        self.everywhere = Everywhere(
            self,
            actions=self.actions_,
            palette=self.palette_,
            chat=self.chat,
            inspector=self.inspector,
            app=app,
            theme=theme,
            tasks=tasks,
        )
        self._exchange = ExchangeActs(
            app=app, chat=self.chat, theme=theme, tasks=tasks, parent=self
        )
        self._deleting = Deleting(
            deletions=app.deletions,
            sessions=app.sessions,
            chat=self.chat,
            undo=self.actions_.undo_delete,
            tasks=tasks,
            parent=self,
        )
        self._duplicating = Duplicating(app, self.chat, tasks)
        self._look = Look(
            settings=app.settings,
            schemes=self.actions_.schemes,
            events=events,
            theme=theme,
            tasks=tasks,
            parent=self,
        )
        self._questions = QuestionsElsewhere(
            consents=app.consents,
            sessions=app.sessions,
            banners=self.chat.banners,
            go=self.chat.open,
            events=events,
            tasks=tasks,
            window=self,
        )
        self._connect()
        self._restore()
        for notice in app.settings.notices:
            self.chat.banners.add(notice)

    # --- what others ask of it ---------------------------------------------------------------

    def tell(self, text: str) -> None:
        """Show a failure as a banner."""
        self.chat.banners.add(Notice("error", text))

    def start(self) -> None:
        """Open what was open last, or the page on which a first chat begins."""
        self._app.begin()
        last = self._state.text("session")
        agent = self._state.text("agent") or None
        if last:
            self.chat.open(last)
            self.chat.composer.input.setFocus()
        else:
            self.chat.new_chat(agent)
        self.welcome.begin()

    def bring_to_front(self) -> None:
        """The app was started again: this is the window meant."""
        if self.isMinimized():
            self.showNormal()
        self.show()
        self.raise_()
        self.activateWindow()

    def remember(self) -> None:
        """Write down sizes, positions and what is open."""
        self.others.hide_apart()
        self.chat.keep_draft()
        self._state.set("geometry", self.saveGeometry())
        self._columns.remember(self._state)
        for name, action in self.actions_.panels.items():
            self._state.set(f"{name}_shown", action.isChecked())
        self._state.set("session", self.chat.session_id or "")
        self._state.set("agent", self.chat.composer.agent_id or "")
        self._state.save()

    def release(self) -> None:
        """Let the window close now."""
        self._released = True
        self.close()

    def focusNextPrevChild(self, forward: bool) -> bool:
        return to_next(self, forward=forward)

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._released:
            super().closeEvent(event)
            return
        # Closing now would end the loop under tasks that still write.
        event.ignore()
        self.others.close_editors(self.close_wanted.emit)

    def restart(self) -> None:
        """Ask for an end and a new beginning; unsaved changes are asked about first."""
        self.others.close_editors(self.restart_wanted.emit)

    # --- putting together --------------------------------------------------------------------

    def _connect(self) -> None:
        do = self.actions_
        do.new_chat.triggered.connect(self._new_chat)
        do.new_agent.triggered.connect(lambda: self.others.edit_agent(None))
        do.new_graph.triggered.connect(lambda: self.others.edit_graph(None))
        do.connect_chats(self.sessions)
        do.forget_chat.triggered.connect(self._forget_open)
        # The signal carries whether the action is checked.
        do.settings.triggered.connect(lambda _checked: self.others.open_settings())
        do.set_up.triggered.connect(self.welcome.open)
        do.about.triggered.connect(lambda _checked: self.others.open_settings("about"))
        do.quit.triggered.connect(self.close)
        do.import_chats.triggered.connect(self._exchange.import_chats)
        do.export_chat.triggered.connect(self._exchange.export_chat)
        do.next_pane.triggered.connect(lambda: to_next_of(self._panes()))
        for action in do.panels.values():
            action.toggled.connect(self._show_panels)
        self.chat.header.add_button(do.sidebar, left=True)

        self.sessions.chosen.connect(self.chat.open)
        self.sessions.new_wanted.connect(self._new_chat)
        self.sessions.message_chosen.connect(self._open_hit)
        self.sessions.search.textChanged.connect(self._leave_hits)
        acts = self.sessions.acts
        acts.delete_wanted.connect(self._deleting.delete)
        acts.forget_wanted.connect(self._forget_chat)
        acts.apart_wanted.connect(self.others.open_apart)
        acts.duplicate_wanted.connect(self._duplicating.duplicate)
        self.agents.chat_wanted.connect(self.chat.new_chat)
        self.agents.new_wanted.connect(lambda: self.others.edit_agent(None))
        self.agents.edit_wanted.connect(self.others.edit_agent)
        self.graphs.new_wanted.connect(lambda: self.others.edit_graph(None))
        self.graphs.edit_wanted.connect(self.others.edit_graph)
        self.chat.tools_wanted.connect(self.others.show_tools)
        self.chat.session_changed.connect(self._session_changed)
        self.chat.acts.record_wanted.connect(lambda: do.run_log.setChecked(True))
        self.chat.composer.agent_shown.connect(self.status.set_agent)
        self.status.page_wanted.connect(self.others.open_settings)
        self.others.chat_wanted.connect(self.chat.open)
        self.others.set_up_wanted.connect(self.welcome.open)
        self.others.guide_wanted.connect(self.everywhere.open_guide)

    def _restore(self) -> None:
        geometry = self._state.bytes("geometry")
        if geometry is None or not self.restoreGeometry(geometry):
            available = self.screen().availableGeometry().size()
            self.resize(min(1240, available.width()), min(820, available.height()))
        self._columns.restore(self._state)
        for name, action in self.actions_.panels.items():
            action.setChecked(self._state.flag(f"{name}_shown", True))
        self._look.take_over(self._state)

    # --- what is done ------------------------------------------------------------------------

    def _show_panels(self) -> None:
        shown = {name: action.isChecked() for name, action in self.actions_.panels.items()}
        self._columns.show_panels(**shown)

    def _session_changed(self, session_id: str | None) -> None:
        self.sessions.set_current(session_id)
        self.run_log.set_session(session_id)
        self._questions.set_session(session_id)
        self.status.set_session(session_id)
        for action in self.actions_.of_open_chat:
            action.setEnabled(session_id is not None)

    def _forget_open(self) -> None:
        if (session_id := self.chat.session_id) is not None:
            self._forget_chat(session_id)

    def _forget_chat(self, session_id: str) -> None:
        self.everywhere.forget(ForgetTarget("session", session_id, session_id))

    def _new_chat(self) -> None:
        self.chat.new_chat()

    def _open_hit(self, session_id: str, message_id: str) -> None:
        self.chat.open_at(session_id, message_id, self.sessions.search.text())

    def _leave_hits(self, typed: str) -> None:
        if not typed and self.chat.finding.bar.isHidden():
            self.chat.transcript.mark_words(None)

    async def _chats_and_agents(self) -> list[Entry]:
        return await agents_and_chats(
            agents=self._app.agents,
            sessions=self._app.sessions,
            begin=self.chat.new_chat,
            edit=self.others.edit_agent,
            measure=self.others.measure,
            open_chat=self.chat.open,
            theme=self._theme,
        )

    def _panes(self) -> tuple[QWidget, ...]:
        return (
            self.sessions.view,
            self.agents.list,
            self.graphs.list,
            self.chat.transcript.column,
            self.chat.composer.input,
            self.inspector.tabs.tabBar(),
            self.run_log.list,
        )


def _stacked(columns: QWidget, status: QWidget) -> QWidget:
    """The columns above the status line."""
    holder = QWidget()
    column = edge_to_edge(QVBoxLayout(holder))
    column.addWidget(columns, 1)
    column.addWidget(hairline())
    column.addWidget(status)
    return holder
