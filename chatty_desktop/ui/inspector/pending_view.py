"""What a layer of memory has not taken in yet."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from chatty_desktop.domain.messages import Message
from chatty_desktop.ui.elided import ElidedLabel
from chatty_desktop.ui.language import N_, tr, trn
from chatty_desktop.ui.pieces import Card, Words, caption, emphasise, replace
from chatty_desktop.ui.plain import Label
from chatty_desktop.ui.readable import shortened, when
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import S

MOST_CARDS = 30
"""How many are drawn, the newest ones: a queue kept for an unreachable model can grow long."""

SPEAKERS = {"user": N_("You"), "assistant": N_("Assistant"), "tool": N_("Tool")}


class PendingView(QWidget):
    """The queue of a layer in order, under `title`; `empty` is said when nothing is in it.
    `message_wanted` carries the id of the message pressed."""

    message_wanted = Signal(str)

    def __init__(self, theme: Theme, title: str, empty: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._title = title
        self._empty = empty
        self._shown: tuple[Message, ...] | None = None
        self._heading = Label()
        emphasise(self._heading)
        self._heading.setWordWrap(True)
        self._remark = Words(tone="muted")
        self._cards = QWidget()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(S)
        column.addWidget(self._heading)
        column.addWidget(self._remark)
        column.addWidget(self._cards)

    def show_pending(self, messages: Sequence[Message]) -> None:
        """Draw the queue, oldest first; of a long one its end."""
        messages = tuple(messages)
        if messages == self._shown:
            return
        self._shown = messages
        self._heading.setText(f"{self._title} ({len(messages)})")
        left_out = max(0, len(messages) - MOST_CARDS)
        earlier = trn(
            "{count} earlier message waits too.", "{count} earlier messages wait too.", left_out
        )
        self.remark((earlier if left_out else "") if messages else self._empty)
        now = time.time()
        cards = QWidget()
        column = QVBoxLayout(cards)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(S)
        for message in messages[left_out:]:
            column.addWidget(self._card(message, now))
        replace(self, self._cards, cards)
        self._cards = cards

    def remark(self, text: str) -> None:
        """Say something below the title; "" says nothing."""
        self._remark.setText(text)
        self._remark.setVisible(bool(text))

    def _card(self, message: Message, now: float) -> MessageCard:
        card = MessageCard(message, self._theme, now)
        card.pressed.connect(lambda: self.message_wanted.emit(message.id))
        return card


class MessageCard(Card):
    """The speaker and the first lines of a message; pressing it asks for the whole."""

    def __init__(
        self, message: Message, theme: Theme, now: float, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        speaker = tr(SPEAKERS[message.role])
        said = message.told.strip() or ", ".join(call.name for call in message.tool_calls)
        first = shortened(" ".join(said[:400].split()), 160, 2)
        who = caption(theme, speaker, "text")
        top = QHBoxLayout()
        top.setSpacing(S)
        top.addWidget(who)
        moment = ElidedLabel(when(message.at, now))
        moment.setFont(theme.small())
        moment.setProperty("tone", "muted")
        top.addWidget(moment, 1)
        words = Label(first)
        words.setWordWrap(True)
        words.setMinimumWidth(40)
        self.column.addLayout(top)
        self.column.addWidget(words)
        self.setToolTip(tr("Show this message in the chat"))
        self.setAccessibleName(f"{speaker}: {first}")
