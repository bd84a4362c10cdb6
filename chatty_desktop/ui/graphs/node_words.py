"""What a node says while the graph runs, and what it came to."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QVBoxLayout, QWidget

from chatty_desktop.domain.events import Event, MessageCommitted, TextStreamed
from chatty_desktop.engine.events import Events
from chatty_desktop.ui.controls import Field, GrowingText
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import L


class NodeWords(QWidget):
    """The words of one node in the last run of a session, to be read; hidden where there are none.

    `session` gives the session of the runs, None before the first.
    """

    def __init__(self, session: Callable[[], str | None], events: Events, theme: Theme) -> None:
        super().__init__()
        self._session = session
        self._words: dict[str, str] = {}
        self._speakers: dict[str, str] = {}  # by the ids of their messages
        self._node = ""
        self.text = GrowingText(3, 16)
        self.text.setReadOnly(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(L, 0, L, L)
        column.addWidget(Field(tr("Said in the last run"), self.text, theme))
        self.destroyed.connect(events.subscribe(self._heard))
        self.hide()

    def forget(self) -> None:
        """Another graph is drawn."""
        self._words, self._speakers = {}, {}
        self.show_node("")

    def show_node(self, node_id: str) -> None:
        """Show the words of a node."""
        self._node = node_id
        words = self._words.get(node_id, "")
        if words != self.text.toPlainText():
            self.text.setPlainText(words)
        self.setVisible(bool(words))

    def _heard(self, event: Event) -> None:
        if isinstance(event, MessageCommitted):
            message = event.message
            if message.session_id != self._session() or not message.node:
                return
            if message.role == "user" and not message.agent_id:  # what a new run is given
                self._words, self._speakers = {}, {}
            if message.role == "assistant" or not message.agent_id:
                self._speakers[message.id] = message.node
                self._words[message.node] = message.content
            else:
                self._words.pop(message.node, None)
            self.show_node(self._node)
        elif isinstance(event, TextStreamed) and event.text:
            node = self._speakers.get(event.message_id)
            if node is None:
                return
            self._words[node] = self._words.get(node, "") + event.text
            if node == self._node:
                # Added at the end: setting it all would lose what is marked to be copied.
                end = QTextCursor(self.text.document())
                end.movePosition(QTextCursor.MoveOperation.End)
                end.insertText(event.text)
                self.show()
