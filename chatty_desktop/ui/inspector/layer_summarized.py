"""Summarized, in the inspector: the summary, what it stands for, and what is sent as it is."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from chatty_desktop.domain.memory import LayerSnapshot, SummaryRevision
from chatty_desktop.ui.elided import ElidedLabel
from chatty_desktop.ui.inspector.clicks import Clicks, sentence_at
from chatty_desktop.ui.inspector.layer_view import LayerView
from chatty_desktop.ui.inspector.pending_view import PendingView
from chatty_desktop.ui.language import tr, trn
from chatty_desktop.ui.lines import memory_line
from chatty_desktop.ui.pieces import LongWords, TextButton, Words, caption, icon_button, replace
from chatty_desktop.ui.plain import tip
from chatty_desktop.ui.readable import when
from chatty_desktop.ui.theme import Theme, set_tone
from chatty_desktop.ui.tokens import XS, L, M, S

MOST_REVISIONS = 20
"""Earlier summaries that are drawn, the newest of them."""


class View(LayerView):
    """The summary in memory's colour, earlier ones on demand, then what stands after its cut."""

    def __init__(self, kind: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(kind, theme, parent)
        self._shown: tuple[SummaryRevision, ...] | None = None
        self._whole = ""
        self._heading = ElidedLabel(tr("Summary"))
        self._heading.setFont(theme.heading())
        self._heading.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        set_tone(self._heading, "memory")
        self._covers = caption(theme)
        self._cut = _Link(theme)
        self._cut.clicked.connect(lambda: self._go_to(0))
        self._text = LongWords()
        self._text.setAccessibleName(tr("Summary"))
        self._none = Words(tone="muted")
        self._older = TextButton("")
        self._older.setCheckable(True)
        self._older.toggled.connect(self._unfold)
        self._revisions = QWidget()
        self._pending = PendingView(
            theme, tr("Sent word for word"), tr("No message stands after it.")
        )
        self._pending.message_wanted.connect(self.message_wanted)

        top = QHBoxLayout()
        top.setSpacing(S)
        top.addWidget(self._heading)
        top.addWidget(self._covers)
        top.addStretch(1)
        top.addWidget(self._cut)
        self._edit = icon_button(theme, "pencil-simple", tr("Edit the summary"))
        self._edit.clicked.connect(self._write)
        self._origin = icon_button(theme, "path", tr("Where the summary is from"))
        self._origin.clicked.connect(lambda: self._show_origin(""))
        top.addWidget(self._origin)
        top.addWidget(self._edit)
        for label in self._text.findChildren(QLabel):
            clicks = Clicks(label)
            clicks.clicked.connect(lambda at, label=label: self._clicked(label, at))
        self._frame = _marked(self._text)
        summary = QVBoxLayout()
        summary.setSpacing(S)
        summary.addLayout(top)
        summary.addWidget(self._frame)
        summary.addWidget(self._none)
        summary.addWidget(self._older)
        summary.addWidget(self._revisions)
        self.body.addLayout(summary)
        self.body.addSpacing(S)
        self.body.addWidget(self._pending)

    def show_body(self, layer: LayerSnapshot, config: Mapping[str, Any]) -> None:
        there = layer.summary is not None
        every = config.get("every", 0)
        waiting = len(layer.pending or ())
        self._covers.setText(
            trn("of {count} message", "of {count} messages", layer.covered)
            if there
            else tr("none yet")
        )
        self._text.show_text(layer.summary or "")
        self._whole = layer.summary or ""
        for button in (self._edit, self._origin):
            button.setVisible(there and self.doing is not None)
        self._frame.setVisible(there)
        self._none.setVisible(not there)
        self._none.setText(
            tr(
                "Once {every} messages have gathered, they are summarized. Until then all are sent"
                " word for word.",
                every=every,
            )
        )
        self._pending.show_pending(layer.pending or ())
        self._pending.remark(
            tr(
                "Summarized with the next reply: {waiting} of {every} have gathered.",
                waiting=waiting,
                every=every,
            )
            if waiting >= every
            else trn(
                "{count} message more until the summary is renewed.",
                "{count} messages more until the summary is renewed.",
                every - waiting,
            )
            if there
            else ""
        )
        self._show_revisions(layer.summaries or ())

    def _show_revisions(self, summaries: Sequence[SummaryRevision]) -> None:
        summaries = tuple(summaries[: MOST_REVISIONS + 1])
        if summaries == self._shown:
            return
        self._shown = summaries
        now = time.time()
        self._cut.setVisible(bool(summaries))
        if summaries:
            self._cut.show_moment(summaries[0].at, now, tr("Show the last message in the summary"))
        earlier = len(summaries) - 1
        self._older.setVisible(earlier > 0)
        self._unfold(self._older.isChecked())
        revisions = QWidget()
        column = QVBoxLayout(revisions)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(S)
        for index in range(1, len(summaries)):
            moment = _Link(self.theme)
            moment.show_moment(
                summaries[index].at, now, tr("Show the last message in this summary")
            )
            moment.clicked.connect(lambda _=False, index=index: self._go_to(index))
            words = LongWords("muted")
            words.show_text(summaries[index].text)
            column.addWidget(moment)
            column.addWidget(words)
            if self.doing is not None:
                back = TextButton(tr("Make this the summary again"))
                back.setFont(self.theme.small())
                back.clicked.connect(lambda _=False, index=index: self._restore(index))
                column.addWidget(back, 0, Qt.AlignmentFlag.AlignLeft)
        replace(self, self._revisions, revisions)
        self._revisions = revisions
        revisions.setVisible(self._older.isChecked() and earlier > 0)

    def _unfold(self, opened: bool) -> None:
        earlier = max(0, len(self._shown or ()) - 1)
        show = trn("Show {count} earlier summary", "Show {count} earlier summaries", earlier)
        hide = trn("Hide {count} earlier summary", "Hide {count} earlier summaries", earlier)
        self._older.setText(hide if opened else show)
        self._revisions.setVisible(opened and earlier > 0)

    def _write(self) -> None:
        if self.doing is not None:
            self.doing.write_summary(self.key, self._whole)

    def _clicked(self, label: QLabel, at: QPoint) -> None:
        """Find the sentence under the mouse."""
        self._show_origin(sentence_at(label, at))

    def _show_origin(self, sentence: str) -> None:
        if self.doing is not None:
            self.doing.show_summary(self.key, sentence)

    def _restore(self, index: int) -> None:
        doing, shown = self.doing, self._shown
        if doing is not None and shown:
            revision_id = shown[index].id
            doing.do(lambda scope: doing.acts.restore_summary(scope, self.key, revision_id))

    def _go_to(self, index: int) -> None:
        if self._shown and index < len(self._shown):
            self.message_wanted.emit(self._shown[index].after_message_id)


class _Link(TextButton):
    """A moment that leads to a message."""

    def __init__(self, theme: Theme) -> None:
        super().__init__("")
        self.setFont(theme.small())
        self.setProperty("tone", "muted")

    def show_moment(self, at: float, now: float, what: str) -> None:
        self.setText(when(at, now))
        self.setToolTip(tip(what))
        self.setAccessibleName(tr("{what}, made {moment}", what=what, moment=when(at, now)))


def _marked(content: QWidget) -> QWidget:
    """A widget with memory's line at its side."""
    holder = QWidget()
    row = QHBoxLayout(holder)
    row.setContentsMargins(0, XS, 0, XS)
    row.setSpacing(L - M + S)
    row.addWidget(memory_line())
    row.addWidget(content, 1)
    return holder
