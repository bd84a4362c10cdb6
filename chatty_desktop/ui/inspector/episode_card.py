"""One episode in the inspector: who said it and when, how it begins, and a remark."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QWidget

from chatty_desktop.domain.messages import Role
from chatty_desktop.ui.inspector.pending_view import SPEAKERS
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import Card, caption
from chatty_desktop.ui.plain import Label
from chatty_desktop.ui.readable import shortened, when
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import S


class EpisodeCard(Card):
    """Pressing it asks for the message. `at` and `now` are seconds since 1970 UTC."""

    def __init__(
        self,
        theme: Theme,
        *,
        role: Role,
        at: float,
        said: str,
        remark: str,
        now: float,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        speaker = tr(SPEAKERS[role])
        first = shortened(" ".join(said[:400].split()), 160, 2)
        top = QHBoxLayout()
        top.setSpacing(S)
        top.addWidget(caption(theme, speaker, "text"))
        top.addWidget(caption(theme, when(at, now)))
        top.addStretch(1)
        # Not to be selected: a label that is takes the press from the card.
        words = Label(first)
        words.setWordWrap(True)
        words.setMinimumWidth(40)
        note = caption(theme, remark, "memory")
        note.setWordWrap(True)
        self.column.addLayout(top)
        self.column.addWidget(words)
        self.column.addWidget(note)
        # In the menu of the keyboard, too: a card takes the focus.
        self.remove = QAction(tr("Remove from what can be recalled"), self)
        self.remove.setVisible(False)
        self.addAction(self.remove)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.setToolTip(tr("Show this message in the chat"))
        self.setAccessibleName(f"{speaker}: {first}. {remark}")
