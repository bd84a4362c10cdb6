"""The measuring window: what to measure on the left, with earlier results; what came of it on the
right, the verdict on top."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.domain.agents import Agent
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.events import Event, Measured
from chatty_desktop.domain.hidden import revealed
from chatty_desktop.domain.measurement import Measurement, verdict
from chatty_desktop.domain.measuring import state_of
from chatty_desktop.domain.settings import Settings
from chatty_desktop.engine.events import Events
from chatty_desktop.engine.measuring import Measuring, Source
from chatty_desktop.engine.ports import Agents, Measurements, Models, Sessions
from chatty_desktop.ui.controls import ModelChoices
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.measuring.compare import Compare, comparable
from chatty_desktop.ui.measuring.glance import Glance, VerdictCard
from chatty_desktop.ui.measuring.setup import Setup
from chatty_desktop.ui.measuring.steps import Steps
from chatty_desktop.ui.measuring.words import VERDICTS, source_words
from chatty_desktop.ui.pieces import Empty, Words, caption, scrolled
from chatty_desktop.ui.readable import when
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import L, M

_MOST_CHATS = 50

_ID = Qt.ItemDataRole.UserRole


class MeasuringWindow(QDialog):
    """Measures models for one agent at a time. What is measured goes on when it is closed.

    results: earlier ones, newest first. tabs: at a glance, compare, steps.
    """

    def __init__(
        self,
        *,
        agents: Agents,
        sessions: Sessions,
        measuring: Measuring,
        measurements: Measurements,
        models: Models,
        settings: Callable[[], Settings],
        events: Events,
        theme: Theme,
        tasks: Tasks,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._agents, self._sessions = agents, sessions
        self._measuring, self._measurements = measuring, measurements
        self._settings, self._theme, self._tasks = settings, theme, tasks
        self._agent: Agent | None = None
        self._known: list[Measurement] = []
        self._shown: Measurement | None = None
        self._choices = ModelChoices(models, self)
        self.setup = Setup(theme, self._choices)
        self.results = QListWidget()
        self.results.setProperty("panel", "framed")
        self.results.setWordWrap(True)
        self.results.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.results.setAccessibleName(tr("Earlier results"))
        self.delete_button = QPushButton(tr("Delete this result"))
        self.delete_button.setProperty("kind", "quiet")
        self.delete_button.setAutoDefault(False)
        theme.dress(self.delete_button, "trash")
        self.verdict = VerdictCard(theme)
        self.glance = Glance(theme)
        self.compare = Compare(theme, tasks)
        self.steps = Steps(theme)
        self.tabs = QTabWidget()
        self.tabs.addTab(scrolled(self.glance, tr("At a glance")), tr("At a glance"))
        self.tabs.addTab(scrolled(self.compare, tr("Compare models")), tr("Compare models"))
        self.tabs.addTab(self.steps, tr("Steps"))
        self._empty = Empty(theme, "chart-bar")
        self._pages = QStackedWidget()
        self._arrange()
        self.setup.started.connect(self._start)
        self.setup.stopped.connect(self._stop)
        self.results.currentRowChanged.connect(lambda _row: self._chosen())
        self.delete_button.clicked.connect(self._delete)
        theme.changed.connect(self._fill)
        unsubscribe = events.subscribe(self._heard)
        self.destroyed.connect(unsubscribe)

    def open_for(self, agent_id: str) -> None:
        """Show the results of an agent, and what can be measured for it."""
        self._tasks.start(self._open(agent_id))

    # --- reading -----------------------------------------------------------------------------

    async def _open(self, agent_id: str) -> None:
        agent = await self._agents.get(agent_id)
        if agent is None:
            raise Invalid(tr("That agent is no longer there."))
        if agent.id != (self._agent and self._agent.id):
            self._shown = None
        self._agent = agent
        self.setWindowTitle(tr("Measure models for {name}", name=revealed(agent.name)))
        chats = [each for each in await self._sessions.list() if each.agent_id == agent_id]
        config = state_of(agent.definition.memory_strategy)
        settings = self._settings()
        folds = (config and config.model) or settings.memory_extractor_model
        self.setup.begin(config, self._measuring.scripts(), chats[:_MOST_CHATS], folds)
        self.setup.show_running(self._measuring.running)
        await self._read()
        self.show()
        self.raise_()
        self.activateWindow()
        self.setup.source.setFocus()
        await self._choices.load(settings.default_model)

    async def _read(self) -> None:
        if self._agent is not None:
            self._known = await self._measurements.of_agent(self._agent.id)
            self._fill()

    def _fill(self) -> None:
        wanted = self._shown.id if self._shown else None
        self.results.blockSignals(True)
        self.results.clear()
        now = time.time()
        for each in self._known:
            said = VERDICTS[verdict(each)]
            words = f"{each.model}\n{tr(said.title)}\n{source_words(each)} · {when(each.at, now)}"
            item = QListWidgetItem(self._theme.icon(said.icon, said.tone), words)
            item.setData(_ID, each.id)
            self.results.addItem(item)
        ids = [each.id for each in self._known]
        self.results.setCurrentRow(ids.index(wanted) if wanted in ids else 0 if ids else -1)
        self.results.blockSignals(False)
        self._chosen()

    def _chosen(self) -> None:
        row = self.results.currentRow()
        there = 0 <= row < len(self._known)
        self.delete_button.setEnabled(there and not self._measuring.running)
        self._pages.setCurrentIndex(1 if there else 0)
        self._shown = self._known[row] if there else None
        if self._shown is not None:
            self.verdict.show_measurement(self._shown)
            self.glance.show_measurement(self._shown)
            self.steps.show_measurement(self._shown)
            self.compare.show_measurements(comparable(self._shown, self._known))

    # --- measuring ---------------------------------------------------------------------------

    def _start(self) -> None:
        agent = self._agent
        if agent is None or self._measuring.running:
            return
        self.setup.problem.say("")
        self.setup.show_running(True)
        self.setup.stop_button.setFocus()
        chosen, models = self.setup.chosen(), self.setup.chosen_models()
        self._tasks.start(self._measure(agent, *chosen, models), failed=self.setup.problem.say)

    async def _measure(self, agent: Agent, kind: str, name: str, models: list[str]) -> None:
        try:
            if kind == "chat":
                session = await self._sessions.get(name)
                if session is None:
                    raise Invalid(tr("That chat is no longer there."))
                source = await self._measuring.chat(agent, session)
            else:
                script = self._measuring.scripts()[name]
                source = Source(script.title, script)
            await self._measuring.run(agent, source, models)
        finally:
            self.setup.show_running(False)
            self._chosen()

    def _stop(self) -> None:
        self.setup.show_stopping()
        self._measuring.stop()

    def _heard(self, event: Event) -> None:
        if not isinstance(event, Measured) or self._agent is None:
            return
        value = event.measurement
        if value.agent_id != self._agent.id:
            return
        self.setup.show_progress(value)
        ids = [each.id for each in self._known]
        if value.id in ids:
            self._known[ids.index(value.id)] = value
            if self._shown is not None and self._shown.id == value.id:
                self._shown = value
        else:
            self._known.insert(0, value)
            self._shown = value
        self._fill()

    def _delete(self) -> None:
        if self._shown is not None:
            self._tasks.start(self._forget(self._shown.id), failed=self.setup.problem.say)

    async def _forget(self, measurement_id: str) -> None:
        await self._measurements.forget(measurement_id)
        await self._read()
        self.results.setFocus()

    # --- the window --------------------------------------------------------------------------

    def _arrange(self) -> None:
        self._empty.say(
            tr("Nothing was measured yet"),
            tr(
                "Choose a conversation and one or more models, then press Start. A model reads the"
                " conversation step by step and takes notes, as it would in a chat; none of your"
                " chats or their memory is changed."
            ),
        )
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(L, L, M, L)
        column.setSpacing(M)
        intro = Words(
            tr(
                "Find out whether a model keeps the notes of this agent well, before you rely on"
                " it."
            ),
            "muted",
        )
        column.addWidget(intro)
        column.addWidget(self.setup, 3)
        column.addWidget(caption(self._theme, tr("Earlier results")))
        column.addWidget(self.results, 2)
        column.addWidget(self.delete_button, 0, Qt.AlignmentFlag.AlignLeft)
        found = QWidget()
        right = QVBoxLayout(found)
        right.setContentsMargins(M, L, L, L)
        right.setSpacing(M)
        right.addWidget(self.verdict)
        right.addWidget(self.tabs, 1)
        self._pages.addWidget(self._empty)
        self._pages.addWidget(found)
        split = QSplitter()
        split.addWidget(left)
        split.addWidget(self._pages)
        split.setStretchFactor(0, 0)
        split.setStretchFactor(1, 1)
        split.setSizes([300, 660])
        split.setChildrenCollapsible(False)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(split)
        self.setProperty("panel", "surface")
        self.resize(960, 720)
        self.setMinimumSize(720, 420)
