"""The steps of a measurement one by one: what was said, what should be noted, and what was."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.domain.measurement import Measurement
from chatty_desktop.domain.measuring import MeasuredFold, Wants
from chatty_desktop.ui.language import decimal, number, tr, trn
from chatty_desktop.ui.measuring.words import step_words
from chatty_desktop.ui.pieces import LongWords, Words, caption, clear, emphasise, scrolled
from chatty_desktop.ui.plain import Label
from chatty_desktop.ui.readable import readable, readable_drop, readable_patch, shortened
from chatty_desktop.ui.theme import Theme, set_tone
from chatty_desktop.ui.tokens import XS, L, M, S


class Steps(QSplitter):
    """chosen: the number of the step that is shown, from 0."""

    chosen = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._theme = theme
        self._folds: tuple[MeasuredFold, ...] = ()
        self._of = ""
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Steps"))
        self.list.setWordWrap(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.detail = StepDetail(theme)
        self.addWidget(self.list)
        self.addWidget(scrolled(self.detail, tr("The step in full")))
        self.setStretchFactor(0, 2)
        self.setStretchFactor(1, 3)
        self.setSizes([270, 360])
        self.setChildrenCollapsible(False)
        self.list.currentRowChanged.connect(self._show)
        theme.changed.connect(self._draw)

    def show_measurement(self, value: Measurement) -> None:
        """List the steps; of the same measurement the one that is open stays open."""
        row = self.list.currentRow() if value.id == self._of else 0
        self._of, self._folds = value.id, value.folds
        self._draw()
        self.list.setCurrentRow(min(max(row, 0), self.list.count() - 1))
        if not self._folds:
            self.detail.show_nothing()

    def _draw(self) -> None:
        row = self.list.currentRow()
        self.list.blockSignals(True)
        self.list.clear()
        for at, fold in enumerate(self._folds, 1):
            words, icon, tone = step_words(fold)
            said = fold.messages[0].content if fold.messages else ""
            said = shortened(" ".join(said.split()), 40, 1)
            item = QListWidgetItem(self._theme.icon(icon, tone), f"{number(at)}. {said}\n{words}")
            self.list.addItem(item)
        self.list.setCurrentRow(min(row, self.list.count() - 1))
        self.list.blockSignals(False)
        self._show(self.list.currentRow())

    def _show(self, row: int) -> None:
        if 0 <= row < len(self._folds):
            self.detail.show_fold(self._folds[row])
            self.chosen.emit(row)


class StepDetail(QWidget):
    """One step in full."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._title = Words()
        self._title.setFont(theme.heading())
        self._meta = Words(tone="muted")
        self._meta.setFont(theme.small())
        self._parts = QVBoxLayout()
        self._parts.setSpacing(M)
        column = QVBoxLayout(self)
        column.setContentsMargins(L, M, L, L)
        column.setSpacing(S)
        column.addWidget(self._title)
        column.addWidget(self._meta)
        column.addLayout(self._parts)
        column.addStretch(1)

    def show_nothing(self) -> None:
        self._title.setText(tr("No step has ended yet"))
        set_tone(self._title, "muted")
        self._meta.setText("")
        clear(self._parts)

    def show_fold(self, fold: MeasuredFold) -> None:
        words, _icon, tone = step_words(fold)
        self._title.setText(words)
        set_tone(self._title, tone)
        parts = [tr("{seconds} s", seconds=decimal(fold.seconds, 1))]
        if fold.attempts:
            parts.append(trn("{count} attempt", "{count} attempts", fold.attempts))
        self._meta.setText(" · ".join(parts))
        clear(self._parts)
        self._add(
            tr("What was said"),
            [(self._role(each.role), each.content) for each in fold.messages],
            "muted",
        )
        self._add(tr("Known before"), _state(fold.before))
        if fold.want is not None:
            self._add(tr("What should change"), _wanted(fold.want))
        patch = readable_patch(fold.patch) if fold.patch else [("", tr("Nothing"))]
        refused = not fold.accepted
        self._add(tr("What was proposed") if refused else tr("What it changed"), patch)
        dropped = [(key, f"{value}\n{why}") for key, value, why in map(readable_drop, fold.dropped)]
        self._add(tr("Left out by the app"), dropped)
        if fold.reason:
            self._add(tr("Why"), [("", fold.reason)])
        self._add(tr("Its answer, as it came"), [("", fold.reply)] if fold.reply else [])

    def _add(self, title: str, lines: list[tuple[str, str]], tone: str = "memory") -> None:
        if not lines:
            return
        part = QWidget()
        column = QVBoxLayout(part)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(caption(self._theme, title))
        for key, value in lines:
            if key:
                name = Label(key)
                name.setProperty("tone", tone)
                emphasise(name)
                column.addWidget(name)
            words = LongWords()
            words.show_text(value)
            words.setContentsMargins(L if key else 0, 0, 0, XS)
            column.addWidget(words)
        self._parts.addWidget(part)

    def _role(self, role: str) -> str:
        return {"user": tr("You"), "assistant": tr("Model")}.get(role, tr("Tool"))


def _state(state: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(key, readable(value)) for key, value in state.items()] or [("", tr("Nothing"))]


def _wanted(want: Wants) -> list[tuple[str, str]]:
    lines = [
        (
            key,
            tr("empty: it no longer holds")
            if values is None
            else tr("something with {values}", values=tr(" or ").join(f"“{v}”" for v in values)),
        )
        for key, values in want.items()
    ]
    return lines or [("", tr("Nothing"))]
