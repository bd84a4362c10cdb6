"""The windows that the main window opens: settings, editors, measuring, chats of their own.

Each is imported when it is wanted: the main window opens sooner without them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from chatty_desktop.app import App
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme

if TYPE_CHECKING:
    from chatty_desktop.ui.agents.editor import AgentEditor
    from chatty_desktop.ui.chat_window import ChatWindow
    from chatty_desktop.ui.graphs.editor import GraphEditor
    from chatty_desktop.ui.measuring.dialog import MeasuringWindow
    from chatty_desktop.ui.settings.dialog import SettingsDialog


class OtherWindows(QObject):
    """Makes each when it is first wanted and keeps it; None, and not in `apart`, before.

    apart: the chats in windows of their own, by the id of the chat. chat_wanted: a chat is to be
    read in the main window. set_up_wanted: the first run's questions are. guide_wanted: a page of
    the guide is.
    """

    chat_wanted = Signal(str)
    set_up_wanted = Signal()
    guide_wanted = Signal(str)

    def __init__(self, app: App, theme: Theme, tasks: Tasks, parent: QWidget) -> None:
        """All live no longer than `parent` and its `tasks`."""
        super().__init__(parent)
        self._app, self._theme, self._tasks, self._parent = app, theme, tasks, parent
        self.settings: SettingsDialog | None = None
        self.agent_editor: AgentEditor | None = None
        self.graph_editor: GraphEditor | None = None
        self.measuring: MeasuringWindow | None = None
        self.apart: dict[str, ChatWindow] = {}

    def open_settings(self, page: str = "") -> SettingsDialog:
        """Show the settings, on a page by its name, else where they were left."""
        if self.settings is None:
            from chatty_desktop.ui.settings.dialog import SettingsDialog

            self.settings = SettingsDialog(
                app=self._app, theme=self._theme, tasks=self._tasks, parent=self._parent
            )
            self.settings.set_up_wanted.connect(self.set_up_wanted)
        self.settings.open(page)
        return self.settings

    def open_apart(self, session_id: str) -> ChatWindow:
        """Show a chat in a window of its own, the one that it has already if it has one."""
        window = self.apart.get(session_id)
        if window is None:
            from chatty_desktop.ui.chat_window import ChatWindow

            window = ChatWindow(app=self._app, theme=self._theme, session_id=session_id)
            window.chat.tools_wanted.connect(self.show_tools)
            self.apart[session_id] = window
            self._tasks.start(self._live_apart(session_id, window))
        window.bring_to_front()
        return window

    async def _live_apart(self, session_id: str, window: ChatWindow) -> None:
        try:
            await window.live()
        finally:
            del self.apart[session_id]

    def hide_apart(self) -> None:
        """Let the chats in windows of their own go, with their drafts kept."""
        for window in self.apart.values():
            window.hide()
            window.chat.keep_draft()

    def edit_agent(self, agent_id: str | None) -> None:
        """Open an agent in the editor, None a new one."""
        if self.agent_editor is None:
            from chatty_desktop.ui.agents.editor import AgentEditor

            self.agent_editor = AgentEditor(
                agents=self._app.agents,
                models=self._app.models,
                episodes=self._app.episodes,
                tools=self._app.tools,
                settings=lambda: self._app.settings.current,
                events=self._app.events,
                theme=self._theme,
                tasks=self._tasks,
                parent=self._parent,
            )
            self.agent_editor.measure_wanted.connect(self.measure)
            self.agent_editor.guide_wanted.connect(self.guide_wanted)
        self.agent_editor.edit(agent_id)

    def show_tools(self, agent_id: str) -> None:
        """Open an agent where its tools are."""
        self.edit_agent(agent_id)
        if self.agent_editor is not None:
            self.agent_editor.show_tools()

    def measure(self, agent_id: str) -> None:
        """Show how well models keep the state of an agent."""
        if self.measuring is None:
            from chatty_desktop.ui.measuring.dialog import MeasuringWindow

            self.measuring = MeasuringWindow(
                agents=self._app.agents,
                sessions=self._app.sessions,
                measuring=self._app.measuring,
                measurements=self._app.measurements,
                models=self._app.models,
                settings=lambda: self._app.settings.current,
                events=self._app.events,
                theme=self._theme,
                tasks=self._tasks,
                parent=self._parent,
            )
        self.measuring.open_for(agent_id)

    def edit_graph(self, graph_id: str | None) -> None:
        """Open a graph in its window, None a new one."""
        if self.graph_editor is None:
            from chatty_desktop.ui.graphs.editor import GraphEditor

            self.graph_editor = GraphEditor(
                app=self._app, theme=self._theme, tasks=self._tasks, parent=self._parent
            )
            self.graph_editor.session_wanted.connect(self.chat_wanted)
            self.graph_editor.guide_wanted.connect(self.guide_wanted)
        self.graph_editor.edit(graph_id)

    def close_editors(self, then: Callable[[], object]) -> None:
        """Close the editors, asking about unsaved changes, and go on; not after Cancel."""
        graphs, agents = self.graph_editor, self.agent_editor

        def leave_graph() -> None:
            if graphs is not None:
                graphs.close_then(then)
            else:
                then()

        if agents is not None:
            agents.close_then(leave_graph)
        else:
            leave_graph()
