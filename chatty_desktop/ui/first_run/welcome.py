"""When the first run is shown: in a new folder, in the place of the empty chat, until the person
has gone through it or past it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from chatty_desktop.app import App
from chatty_desktop.ui.chat.pane import ChatPane
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.window_state import WindowState

if TYPE_CHECKING:
    from chatty_desktop.ui.first_run.assistant import Assistant

_KEY = "first_run"
_WAITING, _OVER = "waiting", "over"


class Welcome(QObject):
    """`assistant` is what is shown, None while nothing is.

    It is in nobody's way: the chat below it works, and the first message, or another chat that is
    opened, ends it as Skip does.
    """

    def __init__(
        self, *, app: App, chat: ChatPane, theme: Theme, tasks: Tasks, state: WindowState
    ) -> None:
        super().__init__(chat)
        self._app, self._chat, self._theme, self._tasks = app, chat, theme, tasks
        self._state = state
        self.assistant: Assistant | None = None
        chat.session_changed.connect(self._moved_on)

    def begin(self) -> None:
        """Show it in a new folder, or where it was not gone through the last time."""
        if self._app.is_new:
            # Kept at once: the folder is not new any more when the app is killed now.
            self._keep(_WAITING)
        if self._state.text(_KEY) == _WAITING:
            self.open()

    def open(self) -> None:
        """Show it on an empty chat."""
        if self.assistant is None:
            # Imported when it is wanted, which is once in the life of most folders.
            from chatty_desktop.ui.first_run.assistant import Assistant

            self.assistant = Assistant(app=self._app, theme=self._theme, tasks=self._tasks)
            self.assistant.done.connect(self._end)
            self.assistant.skipped.connect(self._end)
            self.assistant.typed.connect(self._write)
            self._chat.new_chat()
            self._chat.welcome(self.assistant)
        self.assistant.begin()

    def _moved_on(self, session_id: str | None) -> None:
        if session_id is not None and self.assistant is not None:
            self._end(stay=True)

    def _write(self, text: str) -> None:
        """The person writes a message: the keyboard goes where that is done."""
        self._chat.composer.input.setFocus()
        self._chat.composer.input.insertPlainText(text)

    def _end(self, *, stay: bool = False) -> None:
        assistant, self.assistant = self.assistant, None
        if assistant is None:
            return
        assistant.leave()
        self._keep(_OVER)
        self._chat.welcome(None)
        assistant.deleteLater()
        if not stay:
            self._chat.composer.input.setFocus()

    def _keep(self, value: str) -> None:
        self._state.set(_KEY, value)
        self._state.save()
