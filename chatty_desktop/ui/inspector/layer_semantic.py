"""Semantic, in the inspector: the known facts by subject, each with the message it is from."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMenu,
    QProgressBar,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.domain.memory import Fact, LayerSnapshot
from chatty_desktop.ui.elided import ElidedLabel
from chatty_desktop.ui.inspector.clicks import Clicks
from chatty_desktop.ui.inspector.layer_view import LayerView
from chatty_desktop.ui.inspector.pending_view import PendingView
from chatty_desktop.ui.language import number, tr, trn
from chatty_desktop.ui.lines import memory_line
from chatty_desktop.ui.pieces import TextButton, Words, caption, emphasise, icon_button, replace
from chatty_desktop.ui.plain import Label
from chatty_desktop.ui.readable import when
from chatty_desktop.ui.theme import Theme, set_tone
from chatty_desktop.ui.tokens import XS, L, S

MOST_FACTS = 200
"""How many are drawn, the newest ones."""


class View(LayerView):
    """How many facts there are and how much of them is sent, then the facts, then the queue."""

    def __init__(self, kind: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(kind, theme, parent)
        self._shown: tuple[tuple[Fact, ...], int] | None = None
        self._heading = ElidedLabel()
        self._heading.setFont(theme.heading())
        self._heading.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        set_tone(self._heading, "memory")
        self._size = caption(theme)
        self._size.setToolTip(tr("Characters of the facts that are sent, and how many may be"))
        self._bar = QProgressBar()
        self._bar.setProperty("tone", "memory")
        self._bar.setTextVisible(False)
        self._hint = Words(tone="muted")
        self._facts = QWidget()
        self._pending = PendingView(theme, tr("Not read for facts yet"), "")
        self._pending.message_wanted.connect(self.message_wanted)
        top = QHBoxLayout()
        top.setSpacing(S)
        top.addWidget(self._heading)
        top.addWidget(self._size)
        top.addStretch(1)
        self._add = icon_button(theme, "plus", tr("Add a fact"))
        self._add.clicked.connect(self._add_fact)
        top.addWidget(self._add)
        column = QVBoxLayout()
        column.setSpacing(S)
        column.addLayout(top)
        column.addWidget(self._bar)
        column.addWidget(self._hint)
        column.addWidget(self._facts)
        self.body.addLayout(column)
        self.body.addSpacing(S)
        self.body.addWidget(self._pending)

    def show_body(self, layer: LayerSnapshot, config: Mapping[str, Any]) -> None:
        facts = layer.facts or ()
        self._add.setVisible(self.doing is not None)
        self._heading.setText(trn("{count} fact", "{count} facts", len(facts)))
        self._size.setText(f"{layer.size} / {layer.max_chars}")
        self._bar.setRange(0, max(layer.max_chars, 1))
        self._bar.setValue(min(layer.size, layer.max_chars))
        self._bar.setAccessibleName(
            tr(
                "{size} of {most} characters are sent",
                size=number(layer.size),
                most=number(layer.max_chars),
            )
        )
        unsent = len(facts) - layer.covered
        hint = ""
        if not facts:
            hint = tr(
                "Nothing is known yet. Send a message: after the reply, what it tells is noted."
            )
        elif unsent:
            hint = trn(
                "The oldest fact is kept but not sent: there is no room for more.",
                "The {count} oldest facts are kept but not sent: there is no room for more.",
                unsent,
            )
        self._hint.setText(hint)
        self._hint.setVisible(bool(hint))
        self._show_facts(facts, unsent)
        self._pending.setVisible(bool(layer.pending))
        self._pending.show_pending(layer.pending or ())

    def _show_facts(self, facts: Sequence[Fact], unsent: int) -> None:
        """The newest facts by subject, the subject that was told of last first."""
        if self._shown == (tuple(facts), unsent):
            return
        self._shown = (tuple(facts), unsent)
        old = {fact.id for fact in facts[:unsent]}
        by_subject: dict[str, list[Fact]] = {}
        for fact in reversed(facts[-MOST_FACTS:]):
            by_subject.setdefault(fact.subject, []).append(fact)
        now = time.time()
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(S)
        for subject, about in by_subject.items():
            column.addWidget(self._subject(subject, about, old, now))
        left_out = len(facts) - MOST_FACTS
        if left_out > 0:
            column.addWidget(
                caption(
                    self.theme,
                    trn(
                        "{count} older fact is not drawn here.",
                        "{count} older facts are not drawn here.",
                        left_out,
                    ),
                )
            )
        replace(self, self._facts, holder)
        self._facts = holder

    def _subject(self, subject: str, facts: Sequence[Fact], old: set[str], now: float) -> QWidget:
        """A subject with what is known of it, memory's line at its side."""
        name = Label(subject)
        emphasise(name)
        name.setProperty("tone", "memory")
        column = QVBoxLayout()
        column.setContentsMargins(0, XS, 0, XS)
        column.setSpacing(2)
        column.addWidget(name)
        for fact in facts:
            column.addLayout(self._fact(fact, fact.id in old, now))
        holder = QWidget()
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(L - XS)
        row.addWidget(memory_line())
        row.addLayout(column, 1)
        return holder

    def _fact(self, fact: Fact, old: bool, now: float) -> QHBoxLayout:
        words = Words(fact.fact, "muted" if old else "text")
        moment = TextButton(when(fact.at, now))
        moment.setFont(self.theme.small())
        moment.setProperty("tone", "muted")
        moment.setToolTip(tr("Show the message this is from"))
        moment.setAccessibleName(tr("Show the message that “{fact}” is from", fact=fact.fact))
        source = fact.source_ids[0] if fact.source_ids else fact.after_message_id
        moment.clicked.connect(lambda: self.message_wanted.emit(source))
        clicked = Clicks(words)
        clicked.clicked.connect(lambda _at: self._show_origin(fact))
        row = QHBoxLayout()
        row.setSpacing(S)
        row.addWidget(words, 1, Qt.AlignmentFlag.AlignTop)
        row.addWidget(moment, 0, Qt.AlignmentFlag.AlignTop)
        if self.doing is not None:
            menu = self._menu(fact, words.fontMetrics().height())
            row.addWidget(menu, 0, Qt.AlignmentFlag.AlignTop)
        return row

    def _menu(self, fact: Fact, words_height: int) -> QToolButton:
        """What can be done about a fact that is wrong."""
        button = icon_button(
            self.theme, "dots-three", tr("Correct or delete “{fact}”", fact=fact.fact)
        )
        button.setProperty("kind", "line")
        button.setFixedHeight(words_height)
        button.setToolTip(tr("Correct or delete this fact"))
        menu = QMenu(button)
        menu.addAction(tr("Correct …")).triggered.connect(lambda: self._correct(fact))
        menu.addAction(tr("Where is this from?")).triggered.connect(lambda: self._show_origin(fact))
        delete = menu.addAction(tr("Delete"))
        delete.triggered.connect(lambda: self.fact_changed.emit(self.key, fact.id, None))
        forget = menu.addAction(tr("Forget with proof …"))
        forget.triggered.connect(lambda: self.fact_forget_wanted.emit(fact.id))
        button.setMenu(menu)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        return button

    def _correct(self, fact: Fact) -> None:
        if self.doing is not None:
            self.doing.correct_fact(self.key, fact.id, fact.subject, fact.fact)

    def _add_fact(self) -> None:
        if self.doing is not None:
            self.doing.add_fact(self.key)

    def _show_origin(self, fact: Fact) -> None:
        if self.doing is not None:
            self.doing.show_fact(self.key, fact.id)
