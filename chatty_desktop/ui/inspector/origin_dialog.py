"""Where a piece of memory is from: its changes, with the messages and the fold behind each."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from chatty_desktop.domain.history import Change
from chatty_desktop.ui.inspector.pending_view import MessageCard
from chatty_desktop.ui.language import tr, trn
from chatty_desktop.ui.lines import memory_line
from chatty_desktop.ui.pieces import (
    LongWords,
    Problem,
    TextButton,
    Words,
    caption,
    emphasise,
    scrolled,
)
from chatty_desktop.ui.readable import readable, when
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import L, M, S

MOST_CHANGES = 100
MOST_SOURCES = 5

Acting = Callable[[Change, Callable[[str], None]], None]


class OriginDialog(QDialog):
    """Stays beside the chat, which it leads through.

    message_wanted: the id of a message. row_wanted: the id of a row of the ledger.
    """

    message_wanted = Signal(str)
    row_wanted = Signal(str)

    def __init__(
        self, title: str, changes: Sequence[Change], theme: Theme, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self._changes = tuple(changes[:MOST_CHANGES])
        self._theme = theme
        self._undo: Acting | None = None
        self._restore: Acting | None = None
        self.problem = Problem(theme, "danger", "warning-circle")
        heading = Words(title)
        heading.setFont(theme.heading())
        self._content = QWidget()
        self._list = QVBoxLayout(self._content)
        self._list.setContentsMargins(0, S, S, S)
        self._list.setSpacing(L)
        close = QPushButton(tr("Close"))
        close.clicked.connect(self.close)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(L, L, L, L)
        column.setSpacing(M)
        column.addWidget(heading)
        column.addWidget(self.problem)
        column.addWidget(scrolled(self._content, title), 1)
        column.addLayout(foot)
        # Not the list: it would be drawn as chosen.
        close.setDefault(True)
        close.setFocus()
        letters = QFontMetrics(theme.words())
        room = self.screen().availableSize()
        self.resize(
            min(room.width(), 60 * letters.averageCharWidth() + 2 * L),
            min(room.height(), 32 * letters.height()),
        )

    def offer(self, undo: Acting | None, restore: Acting | None) -> None:
        """Draw the changes, with what can be done about each."""
        self._undo, self._restore = undo, restore
        now = time.time()
        for index, change in enumerate(self._changes):
            self._list.addWidget(self._change(change, now, newest=index == 0))
        if not self._changes:
            self._list.addWidget(Words(tr("No change of it is on this branch."), "muted"))
        self._list.addStretch(1)

    def _change(self, change: Change, now: float, *, newest: bool) -> QWidget:
        head = caption(self._theme, _how(change), "text")
        emphasise(head)
        top = QHBoxLayout()
        top.setSpacing(S)
        top.addWidget(head)
        top.addStretch(1)
        top.addWidget(caption(self._theme, when(change.at, now)))
        value = LongWords("muted" if change.value is None else "text")
        value.show_text(tr("forgotten") if change.value is None else readable(change.value))
        column = QVBoxLayout()
        column.setSpacing(S)
        column.addLayout(top)
        column.addWidget(value)
        for message in change.sources[:MOST_SOURCES]:
            card = MessageCard(message, self._theme, now)
            card.pressed.connect(lambda wanted=message.id: self.message_wanted.emit(wanted))
            column.addWidget(card)
        more = len(change.sources) - MOST_SOURCES
        if more > 0:
            words = trn("{count} more message went in", "{count} more messages went in", more)
            column.addWidget(caption(self._theme, words))
        column.addLayout(self._links(change, newest=newest))
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(M)
        row.addWidget(memory_line())
        row.addLayout(column, 1)
        return holder

    def _links(self, change: Change, *, newest: bool) -> QVBoxLayout:
        links = QVBoxLayout()
        links.setSpacing(0)
        if not change.sources:
            self._link(
                links,
                tr("Show the message after which it was"),
                lambda: self.message_wanted.emit(change.after_message_id),
            )
        row = change.row
        if row is not None:
            self._link(links, tr("Show it in the ledger"), lambda: self.row_wanted.emit(row.id))
        if self._undo is not None:
            undo = self._undo
            self._link(links, tr("Undo this change alone"), lambda: undo(change, self.problem.say))
        if self._restore is not None and not newest and change.value is not None:
            restore = self._restore
            self._link(links, tr("Bring this back"), lambda: restore(change, self.problem.say))
        return links

    @staticmethod
    def _link(links: QVBoxLayout, words: str, do: Callable[[], object]) -> None:
        button = TextButton(words)
        button.clicked.connect(lambda _checked=False: do())
        links.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)


def _how(change: Change) -> str:
    """Who made a change."""
    if change.by_hand:
        return tr("By hand")
    if change.row is None or not change.row.model:
        return tr("By a model")
    return tr("By {model}", model=change.row.model)
