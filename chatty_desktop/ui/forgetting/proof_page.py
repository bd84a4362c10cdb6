"""After it was done: what was looked for, where, and what was still found."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from chatty_desktop.domain.forgetting import Proof, Trace
from chatty_desktop.ui.forgetting.words import looked_for, verdict, where
from chatty_desktop.ui.language import tr, translated, trn
from chatty_desktop.ui.pieces import IconLabel, TextButton, Words, caption, clear, scrolled
from chatty_desktop.ui.plain import Label
from chatty_desktop.ui.theme import Theme, set_tone
from chatty_desktop.ui.tokens import XS, L, M, S

MOST_TRACES = 60


class ProofPage(QWidget):
    """message_wanted: the ids of a chat and a message of it. remove_wanted: `Trace`s of which the
    files are to go."""

    message_wanted = Signal(str, str)
    remove_wanted = Signal(list)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._icon = IconLabel(theme, "check-circle")
        self.verdict = Label()
        self.verdict.setWordWrap(True)
        self.verdict.setFont(theme.heading())
        self.looked = Words(tone="muted")
        self._traces = QVBoxLayout()
        self._traces.setSpacing(S)
        content = QWidget()
        inside = QVBoxLayout(content)
        inside.setContentsMargins(0, 0, S, 0)
        inside.setSpacing(M)
        inside.addWidget(self.looked)
        inside.addLayout(self._traces)
        inside.addWidget(caption(theme, tr("What this does not reach")))
        inside.addWidget(
            Words(
                tr(
                    "Files that you exported or backed up to other places, what a server was sent,"
                    " and what a disk keeps of deleted files until it writes over them. Files of"
                    " models hold nothing of chats and were not looked at."
                ),
                "muted",
            )
        )
        self.beyond = Words(tone="muted")
        inside.addWidget(self.beyond)
        inside.addStretch(1)
        top = QHBoxLayout()
        top.setSpacing(S)
        top.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        top.addWidget(self.verdict, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(M)
        column.addLayout(top)
        column.addWidget(scrolled(content, tr("What was looked for and found")), 1)

    def show_proof(self, proof: Proof) -> None:
        """Tell what the search came to."""
        clean = proof.clean
        self._icon.show_icon(
            "check-circle" if clean else "warning-circle", "success" if clean else "warning"
        )
        self.verdict.setText(verdict(proof))
        set_tone(self.verdict, "success" if clean else "warning")
        self.looked.setText(looked_for(proof))
        self.beyond.setText(translated(proof.beyond))
        self.beyond.setVisible(bool(proof.beyond))
        clear(self._traces)
        backups = [trace for trace in proof.traces if trace.kind == "backup"]
        if len(backups) > 1:
            every = TextButton(
                trn("Delete this backup", "Delete these {count} backups", len(backups))
            )
            every.clicked.connect(lambda: self.remove_wanted.emit(backups))
            self._traces.addWidget(every, 0, Qt.AlignmentFlag.AlignLeft)
        for trace in proof.traces[:MOST_TRACES]:
            self._traces.addWidget(self._card(trace))
        for text in proof.unread:
            self._traces.addWidget(Words(tr("Could not be read: {file}", file=text), "warning"))

    def _card(self, trace: Trace) -> QFrame:
        card = QFrame()
        card.setProperty("panel", "framed")
        column = QVBoxLayout(card)
        column.setContentsMargins(L, S, L, S)
        column.setSpacing(XS)
        column.addWidget(Words(where(trace)))
        if trace.kind == "message":
            column.addWidget(Words(" ".join(trace.where.split()), "muted"))
        column.addWidget(
            caption(self._theme, tr("Found: {what}", what=", ".join(_named(trace.found))))
        )
        if trace.kind == "message":
            show = TextButton(tr("Show the message"))
            show.clicked.connect(
                lambda: self.message_wanted.emit(trace.session_id, trace.message_id)
            )
            column.addWidget(show, 0, Qt.AlignmentFlag.AlignLeft)
        elif trace.kind in ("backup", "log"):
            backup = trace.kind == "backup"
            go = TextButton(tr("Delete this backup") if backup else tr("Empty this log file"))
            go.clicked.connect(lambda: self.remove_wanted.emit([trace]))
            column.addWidget(go, 0, Qt.AlignmentFlag.AlignLeft)
        return card


def _named(found: tuple[str, ...]) -> list[str]:
    return [tr("a vector") if each == "a vector" else f"“{each}”" for each in found]
