"""One row of the ledger in full."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Final

from PySide6.QtCore import QLocale, Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QMenu,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.domain.memory import LedgerEntry
from chatty_desktop.domain.messages import Message
from chatty_desktop.ui.chat.message_menu import MOST_MODELS
from chatty_desktop.ui.controls import ModelChoices
from chatty_desktop.ui.elided import ElidedLabel
from chatty_desktop.ui.inspector.ledger_list import KINDS, OUTCOMES, word
from chatty_desktop.ui.language import N_, tr, translated, trn
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
from chatty_desktop.ui.plain import Label
from chatty_desktop.ui.readable import readable_drop, readable_patch, shortened, when
from chatty_desktop.ui.theme import Theme, set_tone
from chatty_desktop.ui.tokens import XS, L, M, S
from chatty_desktop.ui.verbatim import Verbatim

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
    # Never refused, so that the button never shows.
    "by_hand": (N_("Fold again"), N_("Folding …"), ""),
}
"""For each kind of row: what the button does, what is said meanwhile, and its tooltip."""

_MADE: Final = {
    "fold": N_("What changed"),
    "summary": N_("What came of it"),
    "extraction": N_("New facts"),
    "by_hand": N_("What was changed"),
}

MOST_LINKS = 20
"""Links to messages that are drawn; a long queue folded at once can hold hundreds."""


class LedgerDetail(QWidget):
    """What went in, what came of it, and why.

    message_wanted: the id of a message that went in.
    fold_again_wanted: the id of the row whose messages the person wants folded once more, and the
    model that is to do it, "" for the one that does it by itself.
    models_wanted: the models to choose from are to be asked for.
    """

    message_wanted = Signal(str)
    fold_again_wanted = Signal(str, str)
    models_wanted = Signal()

    def __init__(self, theme: Theme, choices: ModelChoices, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choices = choices
        choices.changed.connect(self._fill_models)
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
        self._models = QMenu(self)
        self._models.aboutToShow.connect(self._fill_models)
        self._models.aboutToShow.connect(self.models_wanted)
        self._by = QPushButton(tr("With another model"))
        self._by.setAutoDefault(False)
        self._by.setMenu(self._models)
        self._busy = QProgressBar()
        self._busy.setProperty("tone", "memory")
        self._busy.setRange(0, 0)
        self._busy.setTextVisible(False)
        self._busy.setAccessibleName(tr("Folding"))
        self._failure = Problem(theme, "danger", "warning-circle")
        self._parts = QVBoxLayout()
        self._parts.setSpacing(M)
        self._messages = QVBoxLayout()
        self._messages.setSpacing(S)
        self.prompt = Verbatim(tr("What the model was asked"), theme)
        self.reply = Verbatim(tr("Its answer, as it came"), theme)

        top = QHBoxLayout()
        top.setSpacing(S)
        top.addWidget(self._icon)
        top.addWidget(self._title)
        top.addStretch(1)
        again = QHBoxLayout()
        again.setSpacing(S)
        again.addWidget(self._again)
        again.addWidget(self._by)
        again.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(L, M, L, L)
        column.setSpacing(S)
        column.addLayout(top)
        column.addWidget(self._busy)
        column.addWidget(self._failure)
        column.addWidget(self._meta)
        column.addWidget(self._reason)
        column.addLayout(again)
        column.addLayout(self._parts)
        column.addLayout(self._messages)
        column.addWidget(self.prompt)
        column.addWidget(self.reply)
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
        self._reason.show_text(translated(entry.reason))
        self._reason.setVisible(bool(entry.reason))
        for button in (self._again, self._by):
            button.setVisible(entry.outcome == "refused")
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
        clear(self._messages)
        if entry.message_ids:
            self._add_messages(entry, {})
        self.prompt.hide()
        self.reply.show_text(entry.reply)
        self.reply.setVisible(bool(entry.reply))

    def show_whole(self, entry: LedgerEntry, messages: Sequence[Message]) -> None:
        """Add what only the whole row has, when it is the one that is shown: what was asked, and
        the messages that are still there."""
        if self._entry is None or entry.id != self._entry.id:
            return
        clear(self._messages)
        self._add_messages(entry, {message.id: message for message in messages})
        text = "\n\n".join(f"[{role}]\n{said}" for role, said in entry.prompt)
        self.prompt.show_text(text)
        self.prompt.setVisible(bool(text))

    def show_folding(self, folding: bool) -> None:
        """Say that a fold is under way; the row cannot be folded meanwhile."""
        self._busy.setVisible(folding)
        self._again.setEnabled(not folding)
        self._by.setEnabled(not folding)
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

    def _add_messages(self, entry: LedgerEntry, known: Mapping[str, Message]) -> None:
        """Links to the messages; with how each begins where that is `known`."""
        message_ids = entry.message_ids
        count = len(message_ids)
        words = trn("{count} message went in", "{count} messages went in", count)
        by_hand = entry.kind == "by_hand"
        part = self._part(tr("After this message") if by_hand else words, self._messages)
        shown = message_ids[-MOST_LINKS:]
        for at, message_id in enumerate(shown, count - len(shown) + 1):
            link = TextButton(tr("Show message {at}", at=at))
            link.clicked.connect(
                lambda _=False, wanted=message_id: self.message_wanted.emit(wanted)
            )
            part.addWidget(link, 0, Qt.AlignmentFlag.AlignLeft)
            if (message := known.get(message_id)) is not None:
                said = " ".join(message.content[:400].split())
                begin = Words(f"{message.role}: {shortened(said, 160, 1)}", "muted")
                begin.setFont(self._theme.small())
                begin.setContentsMargins(L, 0, 0, XS)
                part.addWidget(begin)

    def _part(self, title: str, among: QVBoxLayout | None = None) -> QVBoxLayout:
        part = QWidget()
        column = QVBoxLayout(part)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(caption(self._theme, title))
        (among or self._parts).addWidget(part)
        return column

    def _wanted(self) -> None:
        if self._entry is not None:
            self.fold_again_wanted.emit(self._entry.id, "")

    def _fill_models(self) -> None:
        self._models.clear()
        for choice in self._choices.choices[:MOST_MODELS]:
            action = self._models.addAction(choice.label.replace("&", "&&"))
            action.triggered.connect(lambda _=False, model=choice.reference: self._wanted_by(model))
        if not self._choices.choices:
            self._models.addAction(tr("No model was found")).setEnabled(False)

    def _wanted_by(self, model: str) -> None:
        if self._entry is not None:
            self.fold_again_wanted.emit(self._entry.id, model)


def meta(entry: LedgerEntry, now: float) -> str:
    """When, by which model, in how many attempts, how long and over how many tokens."""
    parts = [tr(KINDS[entry.kind]), when(entry.finished_at, now)]
    if entry.model:
        parts.append(entry.model)
    if entry.attempts:
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
    label = Label(text)
    emphasise(label)
    label.setProperty("tone", tone)
    return label
