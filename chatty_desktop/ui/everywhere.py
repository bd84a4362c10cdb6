"""What every window of the app can do: letters larger and smaller, the palette, the shortcuts, and
saying what happens in its chat."""

from __future__ import annotations

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QMainWindow

from chatty_desktop.app import App
from chatty_desktop.domain.settings import with_appearance
from chatty_desktop.domain.text_size import stepped
from chatty_desktop.ui.announcing import Announcer, ChatAnnouncements
from chatty_desktop.ui.chat.pane import ChatPane
from chatty_desktop.ui.menus import Actions
from chatty_desktop.ui.palette.palette import Palette
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme


class Everywhere(QObject):
    """Connects those actions of a window with a chat.

    announcer: has said of the chat what people must hear who do not see it.
    """

    def __init__(
        self,
        window: QMainWindow,
        *,
        actions: Actions,
        palette: Palette,
        chat: ChatPane,
        app: App,
        theme: Theme,
        tasks: Tasks,
    ) -> None:
        super().__init__(window)
        self._window, self._app, self._theme, self._tasks = window, app, theme, tasks
        self.announcer = Announcer(window)
        names = chat.composer.picker
        said = ChatAnnouncements(
            self.announcer,
            shown=lambda: chat.session_id,
            speaker=lambda agent_id: names.itemText(names.findData(agent_id)),
        )
        window.destroyed.connect(app.events.subscribe(said.take))
        actions.palette.triggered.connect(palette.open)
        actions.larger.triggered.connect(lambda: self._step(1))
        actions.smaller.triggered.connect(lambda: self._step(-1))
        actions.usual_size.triggered.connect(lambda: self._resize(None))
        actions.shortcuts.triggered.connect(self._show_shortcuts)
        actions.open_log.triggered.connect(self._open_log)

    def _step(self, by: int) -> None:
        system = self._theme.system_size
        points = self._app.settings.current.appearance.font_size or system
        self._resize(stepped(points, system, by))

    def _resize(self, points: float | None) -> None:
        if points != self._app.settings.current.appearance.font_size:
            self._tasks.start(self._app.settings.change(with_appearance(font_size=points)))

    def _show_shortcuts(self) -> None:
        from chatty_desktop.ui.shortcuts import ShortcutsDialog

        ShortcutsDialog(self._window, self._theme).open()

    def _open_log(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._app.paths.logs)))
