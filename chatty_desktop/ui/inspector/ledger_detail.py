"""One row of the ledger in full."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QLocale, Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.domain.memory import LedgerEntry
from chatty_desktop.ui.elided import ElidedLabel
from chatty_desktop.ui.inspector.ledger_list import KINDS, OUTCOMES, word
from chatty_desktop.ui.language import N_, tr, trn
from chatty_desktop.ui.pieces import (
    IconLabel,
    LongWords,
    Problem,
    TextButton,
    Words,
    caption,
    clear,
    emphasise,
)
from chatty_desktop.ui.readable import readable_drop, readable_patch, when
from chatty_desktop.ui.theme import Theme, set_tone
from chatty_desktop.ui.tokens import XS, L, M, S

_AGAIN: Final = {
    "fold": (
        N_("Fold again"),
        N_("Folding …"),
        N_("Ask the model once more to take these messages into Σ"),
    ),
    "summary": (
        N_("Summarize now"),
        N_("Summarizing …"),
        N_("Ask the model once more for the summary"),
    ),
    "extraction": (N_("Read again"), N_("Reading …"), N_("Ask the model once more for facts")),
}
"""For each kind of row: what the button does, what is said meanwhile, and its tooltip."""

_MADE: Final = {
    "fold": N_("What changed"),
    "summary": N_("What came of it"),
    "extraction": N_("New facts"),
}

MOST_LINKS = 20
"""Links to messages that are drawn; a long queue folded at once can hold hundreds."""


class LedgerDetail(QWidget):
    """What went in, what came of it, and why.

    message_wanted: the id of a message that went in.
    fold_again_wanted: the id of the row whose messages the person wants folded once more.
    """

    message_wanted = Signal(str)
    fold_again_wanted = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._entry: LedgerEntry | None = None
        self._icon = IconLabel(theme, "info")
        self._title = ElidedLabel()
        self._title.setFont(theme.heading())
        self._title.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self._meta = Words(tone="muted")
        self._meta.setFont(theme.small())
        self._reason = LongWords()
        self._again = QPushButton(tr("Fold again"))
        self._again.setAutoDefault(False)
        self._again.clicked.connect(self._wanted)
        theme.dress(self._again, "arrows-clockwise", "text")
        self._busy = QProgressBar()
        self._busy.setProperty("tone", "memory")
        self._busy.setRange(0, 0)
        self._busy.setTextVisible(False)
        self._busy.setAccessibleName(tr("Folding"))
        self._failure = Problem(theme, "danger", "warning-circle")
        self._parts = QVBoxLayout()
        self._parts.setSpacing(M)

        top = QHBoxLayout()
        top.setSpacing(S)
        top.addWidget(self._icon)
        top.addWidget(self._title)
        top.addStretch(1)
        top.addWidget(self._again)
        column = QVBoxLayout(self)
        column.setContentsMargins(L, M, L, L)
        column.setSpacing(S)
        column.addLayout(top)
        column.addWidget(self._busy)
        column.addWidget(self._failure)
        column.addWidget(self._meta)
        column.addWidget(self._reason)
        column.addLayout(self._parts)
        column.addStretch(1)
        self._busy.hide()

    def show_entry(self, entry: LedgerEntry) -> None:
        """Draw a row of the ledger."""
        if entry == self._entry:
            return
        self._entry = entry
        mark = OUTCOMES[entry.outcome]
        self._icon.show_icon(mark.icon, mark.tone)
        self._title.setText(word(entry))
        set_tone(self._title, mark.tone)
        self._meta.setText(meta(entry, time.time()))
        self._reason.show_text(entry.reason)
        self._reason.setVisible(bool(entry.reason))
        self._again.setVisible(entry.outcome == "refused")
        self._again.setText(tr(_AGAIN[entry.kind][0]))
        self._again.setToolTip(tr(_AGAIN[entry.kind][2]))
        self._failure.say("")
        clear(self._parts)
        if entry.patch:
            refused = entry.outcome == "refused"
            title = tr("What was proposed") if refused else tr(_MADE[entry.kind])
            self._add_changes(title, readable_patch(entry.patch))
        if entry.dropped:
            self._add_dropped(entry)
        if entry.message_ids:
            self._add_messages(entry.message_ids)

    def show_folding(self, folding: bool) -> None:
        """Say that a fold is under way; the row cannot be folded meanwhile."""
        self._busy.setVisible(folding)
        self._again.setEnabled(not folding)
        again, meanwhile, _tip = _AGAIN[self._entry.kind if self._entry else "fold"]
        self._again.setText(tr(meanwhile if folding else again))
        if folding:
            self._failure.say("")

    def show_failure(self, text: str) -> None:
        """Say why folding again did not happen."""
        self._failure.say(text)

    def _add_changes(self, title: str, changes: Sequence[tuple[str, str]]) -> None:
        part = self._part(title)
        for key, value in changes:
            part.addWidget(_strong(key, "memory"))
            words = LongWords()
            words.show_text(value)
            words.setContentsMargins(L, 0, 0, XS)
            part.addWidget(words)

    def _add_dropped(self, entry: LedgerEntry) -> None:
        part = self._part(tr("Left out"))
        for key, value, reason in map(readable_drop, entry.dropped):
            part.addWidget(_strong(key, "muted"))
            words = LongWords()
            words.show_text(value)
            words.setContentsMargins(L, 0, 0, 0)
            part.addWidget(words)
            why = Words(reason, "muted")
            why.setFont(self._theme.small())
            why.setContentsMargins(L, 0, 0, XS)
            part.addWidget(why)

    def _add_messages(self, message_ids: Sequence[str]) -> None:
        count = len(message_ids)
        part = self._part(trn("{count} message went in", "{count} messages went in", count))
        shown = message_ids[-MOST_LINKS:]
        for number, message_id in enumerate(shown, count - len(shown) + 1):
            link = TextButton(tr("Show message {at}", at=number))
            link.clicked.connect(
                lambda _=False, wanted=message_id: self.message_wanted.emit(wanted)
            )
            part.addWidget(link, 0, Qt.AlignmentFlag.AlignLeft)

    def _part(self, title: str) -> QVBoxLayout:
        part = QWidget()
        column = QVBoxLayout(part)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(caption(self._theme, title))
        self._parts.addWidget(part)
        return column

    def _wanted(self) -> None:
        if self._entry is not None:
            self.fold_again_wanted.emit(self._entry.id)


def meta(entry: LedgerEntry, now: float) -> str:
    """When, by which model, in how many attempts, how long and over how many tokens."""
    parts = [tr(KINDS[entry.kind]), when(entry.finished_at, now)]
    if entry.model:
        parts.append(entry.model)
    parts.append(trn("{count} attempt", "{count} attempts", entry.attempts))
    seconds = entry.finished_at - entry.started_at
    if seconds > 0:
        parts.append(tr("{seconds} s", seconds=QLocale().toString(seconds, "f", 1)))
    if entry.prompt_tokens:
        parts.append(
            tr(
                "{sent} + {answered} tokens",
                sent=entry.prompt_tokens,
                answered=entry.completion_tokens,
            )
        )
    return " · ".join(parts)


def _strong(text: str, tone: str) -> QLabel:
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    emphasise(label)
    label.setProperty("tone", tone)
    return label
