"""What stands in the middle of the chat pane: the messages, or a page on which a chat begins."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QWidget

from chatty_desktop.domain.agents import Agent
from chatty_desktop.ui.chat.memory_words import sentence
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import Empty
from chatty_desktop.ui.theme import Theme

_LEAST = 48
"""Pixels that are left of the messages, whatever stands below them."""


class ChatPages(QStackedWidget):
    """The transcript where there are messages; else the empty page, which says who is written to
    and what of it is remembered, or another page in its place.

    empty: what the empty page says.
    """

    def __init__(self, transcript: QWidget, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._transcript = transcript
        self.empty = Empty(theme, "chat-circle-dots")
        self.empty.setMaximumWidth(460)
        holder = QWidget()
        centred = QHBoxLayout(holder)
        centred.addWidget(self.empty)
        self._beginning = self._blank = holder
        # In a small window what is below keeps its height: a question wants an answer.
        self.setMinimumHeight(_LEAST)
        self.addWidget(holder)
        self.addWidget(transcript)

    def show_filled(self, filled: bool) -> None:
        """Show the messages, or the page without any."""
        self.setCurrentWidget(self._transcript if filled else self._beginning)

    def begin_with(self, page: QWidget | None) -> None:
        """Show a page where there are no messages, in place of the empty one; None: that one."""
        before, self._beginning = self._beginning, page or self._blank
        if page is not None:
            self.addWidget(page)
        if self.currentWidget() is before:
            self.setCurrentWidget(self._beginning)
        if before is not self._blank:
            self.removeWidget(before)
            before.hide()

    def say_empty(self, agent: Agent | None) -> None:
        """Have the empty page speak of an agent."""
        if agent is None:
            self.empty.say(
                tr("No agent yet"), tr("Make one in the list on the left, then write to it.")
            )
        else:
            self.empty.say(
                tr("Write to {name}", name=agent.name), sentence(agent.definition.memory_strategy)
            )
