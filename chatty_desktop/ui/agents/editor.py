"""The agent editor: a window of its own in which one agent is written or changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QCloseEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.domain.agents import Agent, AgentDefinition
from chatty_desktop.domain.episodes import SeenScores
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.events import AgentsChanged, Event, SettingsChanged
from chatty_desktop.domain.hidden import revealed
from chatty_desktop.domain.settings import Settings
from chatty_desktop.engine.events import Events
from chatty_desktop.engine.ports import Agents, EpisodeStore, Models, ToolBox
from chatty_desktop.ui.agents.agent_files import AGENT_FILES
from chatty_desktop.ui.agents.definition_views import DefinitionViews
from chatty_desktop.ui.controls import ModelChoices
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.pieces import Problem
from chatty_desktop.ui.reading_order import to_next
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import L, M, S
from chatty_desktop.ui.unsaved import UnsavedChanges

_NEW = AgentDefinition.model_construct(name="").model_dump(mode="json")


class AgentEditor(QDialog):
    """Edits one agent at a time; nothing is stored before the person saves.

    saved: the id of the agent that was stored.
    measure_wanted: the id of the agent, stored by then, for which models are to be measured.
    guide_wanted: a page of the guide.
    """

    saved = Signal(str)
    measure_wanted = Signal(str)
    guide_wanted = Signal(str)

    def __init__(
        self,
        *,
        agents: Agents,
        models: Models,
        episodes: EpisodeStore,
        tools: ToolBox,
        settings: Callable[[], Settings],
        events: Events,
        theme: Theme,
        tasks: Tasks,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._agents = agents
        self._episodes = episodes
        self._tools = tools
        self._settings = settings
        self._tasks = tasks
        self._agent_id: str | None = None
        self._stored: dict[str, Any] = _NEW
        self._clean: dict[str, Any] = _NEW
        self._saving = False
        self._wants_tools = False
        self._unsaved = UnsavedChanges(
            self,
            tr("Save the changes to this agent?"),
            there=lambda: self.dirty,
            save=self._save,
            drop=self._close_now,
        )
        self._choices = ModelChoices(models, self)
        self.tabs = DefinitionViews(theme, self._choices)
        self.form, self.json = self.tabs.form, self.tabs.json
        self.problem = Problem(theme, "danger", "warning-circle")
        self.save_button = QPushButton(tr("Save"))
        self.save_button.setProperty("kind", "primary")
        self.save_button.setDefault(True)
        self.cancel_button = _button(tr("Cancel"), "")
        self.import_button = _button(tr("Import …"), "quiet")
        self.export_button = _button(tr("Export …"), "quiet")
        self.measure_button = _button(tr("Measure …"), "quiet")
        self.measure_button.setToolTip(
            tr("Save, and find out how well models keep the state of this agent")
        )
        theme.dress(self.measure_button, "chart-bar")
        theme.dress(self.import_button, "download-simple")
        theme.dress(self.export_button, "export")
        self._arrange()

        self.tabs.edited.connect(lambda: self.setWindowModified(self.dirty))
        self.tabs.told.connect(self.problem.say)
        self.form.strategy.guide_wanted.connect(self.guide_wanted)
        self.save_button.clicked.connect(self.save)
        self.cancel_button.clicked.connect(self.close)
        self.import_button.clicked.connect(
            lambda: AGENT_FILES.ask_what_to_read(self, self.import_from)
        )
        self.export_button.clicked.connect(self._export)
        self.measure_button.clicked.connect(self._measure)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Save), self, self.save)
        QShortcut(QKeySequence("F1"), self, self.form.strategy.about.click)
        unsubscribe = events.subscribe(self._heard)
        self.destroyed.connect(unsubscribe)

    # --- what others ask ---------------------------------------------------------------------

    def edit(self, agent_id: str | None) -> None:
        """Open the editor on an agent; None: on a new one. Unsaved changes are asked about."""
        self._unsaved.leave(lambda: self._begin(agent_id))

    def close_then(self, then: Callable[[], object]) -> None:
        """Close, asking about unsaved changes, and go on with `then`; not after Cancel."""
        self._unsaved.close_then(then)

    @property
    def dirty(self) -> bool:
        """Whether there is something that closing would lose."""
        return self.tabs.differs(self._clean)

    def show_tools(self) -> None:
        """Bring the tools of the agent that is being opened into sight, once it is shown."""
        self._wants_tools = True

    def save(self) -> None:
        """Store what is in the editor, or say beside each field what keeps it from being stored."""
        self._save(self._close_now)

    def import_from(self, file: Path) -> None:
        """Put the agent of a file into the form; it is stored when the person saves."""
        self._tasks.start(self._import(file), failed=self.problem.say)

    # --- opening -----------------------------------------------------------------------------

    def _begin(self, agent_id: str | None) -> None:
        self._tasks.start(self._load_choices(agent_id))
        self._tasks.start(self._load_tools())
        if agent_id is None:
            self._fill(None)
            self._present()
        else:
            self._tasks.start(self._load(agent_id))

    async def _load_choices(self, agent_id: str | None) -> None:
        """The models there are, and the scores that the embedder gave in the agent's chats."""
        settings = self._settings()
        embedder = settings.embedder
        seen = SeenScores()
        if embedder is not None and agent_id is not None:
            seen = await self._episodes.seen_scores(agent_id, embedder.provider, embedder.model)
        await self._choices.load(settings.default_model, embedder, seen)

    async def _load_tools(self) -> None:
        # Asking may start servers, and the form need not wait for them.
        self.form.tools.show_tools(await self._tools.tools())

    async def _load(self, agent_id: str) -> None:
        agent = await self._agents.get(agent_id)
        if agent is None:
            raise Invalid(tr("That agent is no longer there."))
        self._fill(agent)
        self._present()

    def _present(self) -> None:
        self.show()
        self.raise_()
        self.activateWindow()
        if self._wants_tools:
            self._wants_tools = False
            QTimer.singleShot(0, self, self.tabs.go_to_tools)
        else:
            self.form.name.setFocus()

    def _fill(self, agent: Agent | None) -> None:
        self._agent_id = agent.id if agent else None
        self._stored = agent.definition.model_dump(mode="json") if agent else _NEW
        self.tabs.begin(self._stored, stored=agent is not None)
        self._clean = self.form.value()
        self.problem.say("")
        self._title()

    def _title(self) -> None:
        name = self._stored["name"] if self._agent_id else tr("New agent")
        self.setWindowTitle(tr("{name} — agent[*]", name=revealed(name)))
        self.setWindowModified(self.dirty)

    # --- saving ------------------------------------------------------------------------------

    def _save(self, then: Callable[[], object]) -> None:
        if self._saving:
            return
        # Ends the editing of a cell of the fields table, which else would keep its text.
        self.save_button.setFocus()
        definition = self.tabs.definition()
        if definition is None:
            return
        self._saving = True
        self.save_button.setEnabled(False)
        self._tasks.start(self._store(definition, then), failed=self.problem.say)

    async def _store(self, definition: AgentDefinition, then: Callable[[], object]) -> None:
        try:
            taken = await self._agents.by_name(definition.name)
            if taken is not None and taken.id != self._agent_id:
                self.tabs.say_name_is_taken()
                return
            agent = await self._agents.save(definition, self._agent_id)
        finally:
            self._saving = False
            self.save_button.setEnabled(True)
        self._fill(agent)
        self.saved.emit(agent.id)
        then()

    # --- files -------------------------------------------------------------------------------

    async def _import(self, file: Path) -> None:
        definition = await AGENT_FILES.read(file)
        self.problem.say("")
        self.tabs.take(definition)

    def _export(self) -> None:
        definition = self.tabs.definition()
        if definition is not None:

            def chosen(file: Path) -> None:
                self._tasks.start(AGENT_FILES.write(file, definition), failed=self.problem.say)

            AGENT_FILES.ask_where_to_write(self, definition.name, chosen)

    def _measure(self) -> None:
        def go_on() -> None:
            if self._agent_id is not None:
                self.measure_wanted.emit(self._agent_id)

        if self.dirty or self._agent_id is None:
            self._save(go_on)
        else:
            go_on()

    # --- other changes, closing --------------------------------------------------------------

    def _heard(self, event: Event) -> None:
        if not self.isVisible():
            return
        if isinstance(event, SettingsChanged):
            self._tasks.start(self._load_choices(self._agent_id))
            self._tasks.start(self._load_tools())
        elif isinstance(event, AgentsChanged) and self._agent_id and not self._saving:
            self._tasks.start(self._follow(self._agent_id))

    async def _follow(self, agent_id: str) -> None:
        """Take in what happened to the agent elsewhere, without losing what is edited here."""
        agent = await self._agents.get(agent_id)
        if agent_id != self._agent_id or self._saving:
            return
        if agent is None:
            self._agent_id = None
            self.tabs.stored = False
            self._clean = {}
            self.problem.say(tr("This agent was deleted. Save to keep what is here as a new one."))
        elif agent.definition.model_dump(mode="json") == self._stored:
            return
        elif self.dirty:
            self.problem.say(tr("This agent was changed elsewhere. Saving replaces that change."))
        else:
            self._fill(agent)

    def focusNextPrevChild(self, forward: bool) -> bool:
        return to_next(self, forward=forward)

    def closeEvent(self, event: QCloseEvent) -> None:
        self._unsaved.closing(event)

    def reject(self) -> None:
        """Escape: like closing the window."""
        self.close()

    def _close_now(self) -> None:
        self._clean = self.tabs.let_go()
        self.close()

    def _arrange(self) -> None:
        row = QHBoxLayout()
        row.setContentsMargins(L, S, L, L)
        row.setSpacing(S)
        row.addWidget(self.import_button)
        row.addWidget(self.export_button)
        row.addWidget(self.measure_button)
        row.addStretch(1)
        row.addWidget(self.cancel_button)
        row.addWidget(self.save_button)
        said = QVBoxLayout()
        said.setContentsMargins(L, 0, L, 0)
        said.addWidget(self.problem)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(M)
        column.addWidget(self.tabs, 1)
        column.addLayout(said)
        column.addLayout(row)
        self.setProperty("panel", "surface")
        self.resize(640, 760)
        # No minimum width: the buttons below need more with larger letters.
        self.setMinimumHeight(420)


def _button(text: str, kind: str) -> QPushButton:
    button = QPushButton(text)
    button.setAutoDefault(False)
    if kind:
        button.setProperty("kind", kind)
    return button
