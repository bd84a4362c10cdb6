"""The acts on the newest messages of the open chat, for the menu bar and the keyboard."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint
from PySide6.QtGui import QGuiApplication

from chatty_desktop.ui.chat.asked import AnswerAgain, Asked, GoOn, OpenMenu, ShowVersion
from chatty_desktop.ui.chat.message_menu import UNFINISHED
from chatty_desktop.ui.chat.transcript import Transcript


class ActsAtLast:
    """Finds the message that is meant; does nothing where there is none."""

    def __init__(self, transcript: Transcript, ask: Callable[[Asked], None]) -> None:
        self._transcript = transcript
        self._ask = ask

    def edit(self) -> None:
        """Write the newest message of the person's own anew."""
        if (message := self._transcript.last_of("user")) is not None:
            self._transcript.to_end()
            self._transcript.edit(message.id)

    def answer_again(self) -> None:
        """Another answer to the newest message of the person's own."""
        if (message := self._transcript.last_of("user")) is not None:
            self._ask(AnswerAgain(message.id))

    def go_on(self) -> None:
        """The rest of the newest reply, when it was stopped or cut off."""
        message = self._transcript.last_of("assistant")
        if message is not None and message.status in UNFINISHED and message.content:
            self._ask(GoOn(message.id))

    def copy(self) -> None:
        """The newest reply as Markdown."""
        if (message := self._transcript.last_of("assistant")) is not None:
            QGuiApplication.clipboard().setText(message.content)

    def step_version(self, by: int) -> None:
        """The version before (-1) or after (1) the one that is shown, of the newest message that
        has several."""
        found = self._transcript.last_versions()
        if found is None:
            return
        shown, ids = found
        at = ids.index(shown) + by
        if 0 <= at < len(ids):
            self._ask(ShowVersion(ids[at]))

    def open_menu(self) -> None:
        """All that can be done to the newest message."""
        message = self._transcript.last
        if message is not None:
            middle = QPoint(self._transcript.width() // 2, self._transcript.height() // 2)
            self._ask(OpenMenu(message, self._transcript.mapToGlobal(middle)))
