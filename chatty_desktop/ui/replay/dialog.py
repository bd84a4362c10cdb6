"""Replaying a chat under other kinds of memory: what to try on the left, what came of it beside."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from chatty_desktop.domain.agents import Agent
from chatty_desktop.domain.errors import ChattyError, Invalid
from chatty_desktop.domain.messages import Scope
from chatty_desktop.domain.replaying import Marks, Replayed
from chatty_desktop.engine.ports import Models
from chatty_desktop.engine.replay import Replay, ReplayedChat
from chatty_desktop.ui.controls import ModelChoices
from chatty_desktop.ui.language import tr, trn
from chatty_desktop.ui.pieces import Empty, Problem, caption, edge_to_edge, replace, scrolled
from chatty_desktop.ui.replay.results import Results
from chatty_desktop.ui.replay.setups import SetupsForm
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.throttle import Throttle
from chatty_desktop.ui.tokens import L, M, S

_DRAW_MS = 250


class ReplayDialog(QDialog):
    """Of one agent in one chat. run: begins, and while it runs stops.

    found: what came of each setup so far.
    """

    def __init__(
        self,
        *,
        replay: Replay,
        models: Models,
        agent: Agent,
        scope: Scope,
        theme: Theme,
        tasks: Tasks,
        parent: QWidget,
        watched: str = "",
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Replay with other kinds of memory"))
        self._replay, self._scope, self._agent = replay, scope, agent
        self._tasks = tasks
        self._task: asyncio.Task[None] | None = None
        self._chat: ReplayedChat | None = None
        self._marks: tuple[ReplayedChat, list[str], Marks] | None = None
        self.found: list[Replayed] = []
        choices = ModelChoices(models, self)
        self.form = SetupsForm(agent, choices, theme)
        self.form.marks.setPlainText(watched)
        self.results = Results(theme, tasks)
        empty = Empty(theme, "chart-line")
        self._empty: QWidget = empty
        empty.say(
            tr("Nothing replayed yet"),
            tr("Choose kinds of memory on the left, then press Replay."),
        )
        self.problem = Problem(theme, "danger", "warning-circle")
        self.run = QPushButton(tr("Replay"))
        self.run.setDefault(True)
        self.run.clicked.connect(self._pressed)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(tr("Progress"))
        self._at = caption(theme)
        self._throttle = Throttle(_DRAW_MS, self._draw, self)
        self.form.marks.textChanged.connect(self._throttle.request)
        form = scrolled(self.form)
        form.setMinimumWidth(self.form.minimumSizeHint().width() + L)
        self._right = QWidget()
        beside = edge_to_edge(QVBoxLayout(self._right))
        beside.addWidget(self._empty, 1)
        split = QSplitter()
        split.addWidget(form)
        split.addWidget(self._right)
        split.setChildrenCollapsible(False)
        split.setSizes([290, 720])
        foot = QHBoxLayout()
        foot.setContentsMargins(L, S, L, M)
        foot.setSpacing(M)
        foot.addWidget(self._at)
        foot.addWidget(self.bar, 1)
        foot.addStretch(1)
        foot.addWidget(self.run)
        column = edge_to_edge(QVBoxLayout(self))
        column.addWidget(split, 1)
        column.addWidget(self.problem)
        column.addLayout(foot)
        self.bar.hide()
        room = self.screen().availableSize()
        self.resize(min(room.width(), 1040), min(room.height(), 700))
        tasks.start(choices.load(None))

    def done(self, result: int) -> None:
        """Closing it stops what runs."""
        self._stop()
        self._chat = None
        self._throttle.drop()
        super().done(result)

    def _pressed(self) -> None:
        if self._task is not None:
            self._stop()
            return
        self.problem.say("")
        self._task = self._tasks.start(self._replaying(), failed=self.problem.say)
        self._task.add_done_callback(self._ended)
        self.run.setText(tr("Stop"))
        self.bar.setRange(0, 0)
        self.bar.show()

    def _stop(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _ended(self, _task: asyncio.Task[None]) -> None:
        self._task = None
        if not isValid(self):
            return
        self.run.setText(tr("Replay"))
        self.bar.hide()
        self._throttle.request()

    async def _replaying(self) -> None:
        setups = self.form.setups()
        if not setups:
            raise Invalid(tr("Choose at least one kind of memory."))
        self._chat = chat = await self._replay.chat(self._agent, self._scope)
        self.found = [Replayed(setup) for setup in setups]
        self.bar.setRange(0, len(setups) * len(chat.turns))
        self.bar.setValue(0)
        self._show_results()
        model = self.form.model.value()
        done = 0
        for each in self.found:
            self._at.setText(each.setup.name)
            try:
                async with aclosing(self._replay.run(chat, each.setup, model)) as turns:
                    async for turn in turns:
                        each.turns.append(turn)
                        done += 1
                        self.bar.setValue(done)
                        self._throttle.request()
            except ChattyError as problem:
                each.problem = str(problem)
                self.problem.say(f"{each.setup.name}: {problem}")
        self._at.setText(trn("{count} turn replayed", "{count} turns replayed", len(chat.turns)))

    def _show_results(self) -> None:
        if self._empty is not self.results:
            replace(self._right, self._empty, self.results)
            self._empty = self.results

    def _draw(self) -> None:
        if self._chat is not None and any(each.turns for each in self.found):
            self._tasks.start(self._drawing(self._chat, self.form.watched()))

    async def _drawing(self, chat: ReplayedChat, watched: list[str]) -> None:
        if self._marks is None or self._marks[:2] != (chat, watched):
            # Of a long chat it takes a moment to find them.
            marks = await asyncio.to_thread(Marks, watched, chat.messages)
            self._marks = (chat, watched, marks)
        if chat is self._chat:  # and so is not closed
            self.results.show_results(chat, self.found, self._marks[2])
