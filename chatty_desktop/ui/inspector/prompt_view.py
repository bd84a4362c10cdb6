"""The Prompt tab: a request to the model, section by section."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.domain.request_diff import ComparedSection, compared
from chatty_desktop.domain.runs import AskedFor, SentRequest
from chatty_desktop.ui.chat.consent.diff import DiffColours
from chatty_desktop.ui.inspector.parts_bar import PartsBar
from chatty_desktop.ui.inspector.prompt_choice import RequestChoice, StepChoice
from chatty_desktop.ui.inspector.prompt_list import PromptDelegate, PromptModel
from chatty_desktop.ui.inspector.prompt_parts import shares
from chatty_desktop.ui.language import number, tr, trn
from chatty_desktop.ui.pieces import Empty, Words, row_list
from chatty_desktop.ui.readable import when
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import XS, L, M, S


@dataclass(frozen=True, slots=True)
class ShownRequest:
    """A request with that of the run before, None where there is none, and the runs to choose
    from."""

    request: SentRequest
    before: SentRequest | None = None
    runs: Sequence[AskedFor] = ()

    @property
    def steps(self) -> int:
        """How many requests its run sent."""
        run_id, step = self.request.run_id, self.request.step
        return max(next((run.steps for run in self.runs if run.run_id == run_id), step), step)


class PromptView(QStackedWidget):
    """What was sent: where each part came from, how large it was, and its text.

    run_wanted: the id of the run whose request the person wants to see, "" for the newest.
    step_wanted: the step of that run, None for its last.
    copy_wanted: the request that is shown is to be copied, as "json" or "curl".
    """

    run_wanted = Signal(str)
    step_wanted = Signal(object)
    copy_wanted = Signal(object, str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: ShownRequest | None = None
        self._empty = Empty(theme, "file-text")
        self.choice = RequestChoice(theme)
        self.choice.chosen.connect(self.run_wanted)
        self.steps = StepChoice()
        self.steps.chosen.connect(self.step_wanted)
        self._meta = Words(tone="muted")
        self._meta.setFont(theme.small())
        self._bar = PartsBar(theme)
        self.compare = QCheckBox(tr("Mark what changed since the turn before"))
        self.compare.toggled.connect(self._draw)
        self.copy = QPushButton(tr("Copy"))
        self.copy.setAccessibleName(tr("Copy the whole request"))
        theme.dress(self.copy, "copy", "text")
        menu = QMenu(self.copy)
        menu.addAction(tr("As JSON")).triggered.connect(lambda: self._copy("json"))
        menu.addAction(tr("As a curl command, without the key")).triggered.connect(
            lambda: self._copy("curl")
        )
        self.copy.setMenu(menu)
        self.model = PromptModel()
        self._delegate = PromptDelegate(theme)
        self.list = row_list(tr("Sections of the request"), self.model, self._delegate)
        self.list.selectionModel().currentChanged.connect(self._chosen)
        self.content = QPlainTextEdit()
        self.content.setAccessibleName(tr("Content of the chosen section"))
        self.content.setReadOnly(True)
        self.content.setProperty("bare", True)
        self.content.setTabChangesFocus(True)
        self._colours = DiffColours(self.content.document(), theme)
        framed = QWidget()
        around = QVBoxLayout(framed)
        around.setContentsMargins(L, M, L, L)
        around.addWidget(self.content)

        chosen = QHBoxLayout()
        chosen.setSpacing(S)
        chosen.addWidget(self.choice, 1)
        chosen.addWidget(self.copy)
        about = QVBoxLayout()
        about.setContentsMargins(M, M, M, 0)
        about.setSpacing(S)
        about.addLayout(chosen)
        about.addWidget(self.steps)
        about.addWidget(self._meta)
        about.addWidget(self._bar)
        about.addWidget(self.compare)
        above = QWidget()
        column = QVBoxLayout(above)
        column.setContentsMargins(XS, 0, XS, XS)
        column.setSpacing(S)
        column.addLayout(about)
        column.addWidget(self.list, 1)
        split = QSplitter(Qt.Orientation.Vertical)
        split.addWidget(above)
        split.addWidget(framed)
        split.setChildrenCollapsible(False)
        split.setSizes([460, 220])
        self.addWidget(self._empty)
        self.addWidget(split)
        theme.changed.connect(self.list.viewport().update)

    @property
    def shown_run(self) -> str:
        """The id of the run whose request is shown, "" for none."""
        return self._shown.request.run_id if self._shown else ""

    def say(self, title: str, hint: str) -> None:
        """Show a sentence in place of a request."""
        self._shown = None
        self.model.show_sections(())
        self._empty.say(title, hint)
        self.setCurrentIndex(0)

    def show_request(self, shown: ShownRequest | None) -> None:
        """Draw a request; None: there was none yet."""
        if shown is None:
            self.say(
                tr("Nothing was sent yet"),
                tr("Send a message; then all that the model was given stands here, part by part."),
            )
            return
        self._shown = shown
        request = shown.request
        self.choice.show_runs(shown.runs, request.run_id)
        self.steps.show_steps(shown.steps, request.step)
        self._meta.setText(meta(request, time.time()))
        self._bar.show_shares(shares(request.sections))
        self.compare.setEnabled(shown.before is not None)
        self._draw()
        self.setCurrentIndex(1)

    def _draw(self) -> None:
        if self._shown is None:
            return
        now, before = self._shown.request.sections, self._shown.before
        if before is not None and self.compare.isChecked():
            sections = compared(before.sections, now)
        else:
            sections = tuple(map(ComparedSection, now))
        if self.model.show_sections(sections):
            changed = (i for i, each in enumerate(sections) if each.change != "same")
            first = next(changed, 0)
            self.list.setCurrentIndex(self.model.index(first))

    def _chosen(self, index: QModelIndex, _before: QModelIndex) -> None:
        section = self.model.section(index)
        changed = section is not None and section.change == "changed"
        self._colours.set_on(changed)
        text = "" if section is None else section.section.content
        self.content.setPlainText(section.diff() if section and changed else text)

    def _copy(self, form: str) -> None:
        if self._shown is not None:
            self.copy_wanted.emit(self._shown.request, form)


def meta(request: SentRequest, now: float) -> str:
    """When, to which model, and how many tokens: as estimated, and as the server counted."""
    parts = [
        when(request.at, now),
        request.model,
        trn("about {count} token", "about {count} tokens", request.estimated_tokens),
    ]
    counted = request.usage.prompt_tokens
    if counted is not None:
        parts.append(tr("the server counted {tokens}", tokens=number(counted)))
    cut = sum(len(part.cut) for part in request.parts)
    if cut:
        parts.append(
            trn(
                "{count} result cut to leave room in the model’s context",
                "{count} results cut to leave room in the model’s context",
                cut,
            )
        )
    if request.options:
        parts.append(", ".join(f"{name} {value:g}" for name, value in request.options.items()))
    return " · ".join(part for part in parts if part)
