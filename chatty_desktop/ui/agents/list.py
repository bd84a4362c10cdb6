"""The list of agents: what there is, and what can be done with each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QMessageBox,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from chatty_desktop.domain.agents import Agent, AgentDefinition
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.events import AgentsChanged, Event
from chatty_desktop.engine.chat import ChatService
from chatty_desktop.engine.events import Events
from chatty_desktop.engine.ports import Agents
from chatty_desktop.ui.agents.agent_files import AGENT_FILES
from chatty_desktop.ui.agents.agent_row import AGENT_MIME, AgentRole, described
from chatty_desktop.ui.language import tr, trn
from chatty_desktop.ui.pieces import Empty, Problem, action_button, icon_button, tip
from chatty_desktop.ui.questions import ask, confirm
from chatty_desktop.ui.readable import shortened
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.throttle import Throttle
from chatty_desktop.ui.tokens import XS, L, M, S
from chatty_desktop.ui.two_lines import TwoLines

REFRESH_MS = 100


class AgentList(QWidget):
    """All agents by name.

    edit_wanted, chat_wanted: the id of the agent to edit, or to chat with.
    new_wanted: the person wants a new agent.
    """

    edit_wanted = Signal(str)
    new_wanted = Signal()
    chat_wanted = Signal(str)

    def __init__(
        self,
        *,
        agents: Agents,
        chat: ChatService,
        events: Events,
        theme: Theme,
        tasks: Tasks,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._agents = agents
        self._chat = chat
        self._tasks = tasks
        self._theme = theme
        self._select_next: str | None = None
        self._throttle = Throttle(REFRESH_MS, self.refresh, self)
        self.list = _AgentRows()
        self._delegate = TwoLines(theme)
        self._empty = Empty(theme, "robot")
        self._pages = QStackedWidget()
        self.report = Problem(theme, "accent", "info")
        self.failure = Problem(theme, "danger", "warning-circle")
        self.chat_action = self._action(tr("Chat with agent"), "chat-circle", self._chat_with)
        self.edit_action = self._action(tr("Edit …"), "pencil-simple", self._edit, "F2")
        self.duplicate_action = self._action(tr("Duplicate"), "copy-simple", self._duplicate)
        self.export_action = self._action(tr("Export …"), "export", self._export)
        self.delete_action = self._action(
            tr("Delete …"), "trash", self._ask_to_delete, QKeySequence.StandardKey.Delete
        )
        self._arrange()
        unsubscribe = events.subscribe(self._heard)
        self.destroyed.connect(unsubscribe)
        self._enable()
        self.refresh()

    def refresh(self) -> None:
        """Read the agents anew."""
        self._tasks.start(self._read(), failed=self.failure.say)

    @property
    def chosen(self) -> Agent | None:
        """The agent chosen in the list."""
        agent: Agent | None = self.list.currentIndex().data(AgentRole)
        return agent

    def import_from(self, file: Path) -> None:
        """Import an agent file; where there is an agent of that name, the person is asked."""
        self._say()
        self._tasks.start(self._import(file), failed=self.failure.say)

    # --- reading -----------------------------------------------------------------------------

    def _heard(self, event: Event) -> None:
        if isinstance(event, AgentsChanged):
            self._throttle.request()

    async def _read(self) -> None:
        agents = await self._agents.list()
        before = self.chosen
        wanted, self._select_next = self._select_next or (before and before.id), None
        row = max(self.list.currentRow(), 0)
        self.list.clear()
        for agent in agents:
            item = QListWidgetItem(agent.name)
            item.setData(AgentRole, agent)
            item.setData(Qt.ItemDataRole.AccessibleDescriptionRole, described(agent))
            item.setToolTip(tip(shortened(agent.definition.system_prompt, 400, 8)))
            self.list.addItem(item)
            if agent.id == wanted:
                row = self.list.count() - 1
        self.list.setCurrentRow(min(row, self.list.count() - 1))
        self._empty.say(
            tr("No agents yet"),
            tr(
                "An agent is a system prompt, a model and a memory. Press + to make one, or"
                " import a file."
            ),
        )
        self._pages.setCurrentIndex(1 if agents else 0)
        self._enable()

    # --- what a person does ------------------------------------------------------------------

    def _chat_with(self) -> None:
        if agent := self.chosen:
            self.chat_wanted.emit(agent.id)

    def _edit(self) -> None:
        if agent := self.chosen:
            self.edit_wanted.emit(agent.id)

    def _duplicate(self) -> None:
        if agent := self.chosen:
            self._say()
            self._tasks.start(self._add_copy(agent.definition), failed=self.failure.say)

    def _export(self) -> None:
        agent = self.chosen
        if agent is None:
            return
        definition = agent.definition
        self._say()

        def chosen(file: Path) -> None:
            self._tasks.start(self._write(file, definition), failed=self.failure.say)

        AGENT_FILES.ask_where_to_write(self, definition.name, chosen)

    def _ask_to_delete(self) -> None:
        agent = self.chosen
        if agent is None:
            return
        self._say()
        confirm(
            self,
            tr("Delete {name}?", name=agent.name),
            tr(
                "What it remembers goes with it, in every chat: the kept state with its history,"
                " and the ledger. What was said stays in the chats. This cannot be undone."
            ),
            tr("Delete"),
            lambda: self._tasks.start(self._delete(agent), failed=self.failure.say),
            danger=True,
        )

    # --- doing it ----------------------------------------------------------------------------

    async def _import(self, file: Path) -> None:
        definition = await AGENT_FILES.read(file)
        if await self._agents.by_name(definition.name) is None:
            await self._replace(definition)
            return
        button = QMessageBox.StandardButton

        def answered(answer: QMessageBox.StandardButton) -> None:
            if answer == button.Yes:
                self._tasks.start(self._replace(definition), failed=self.failure.say)
            elif answer == button.No:
                self._tasks.start(self._add_copy(definition), failed=self.failure.say)

        ask(
            self,
            tr("Replace {name}?", name=definition.name),
            tr(
                "There is an agent of that name. If it is replaced, its chats and what it remembers"
                " stay."
            ),
            (button.Cancel, button.Yes, button.No),
            answered,
            {button.Yes: tr("Replace"), button.No: tr("Keep both")},
        )

    async def _replace(self, definition: AgentDefinition) -> None:
        agent = await self._agents.import_(definition)
        self._chosen_next(agent, tr("Imported {name}.", name=agent.name))

    async def _add_copy(self, definition: AgentDefinition) -> None:
        taken = {agent.name for agent in await self._agents.list()}
        name = free_name(definition.name, taken)
        agent = await self._agents.save(definition.model_copy(update={"name": name}))
        self._chosen_next(agent, tr("Added {name}.", name=agent.name))

    async def _write(self, file: Path, definition: AgentDefinition) -> None:
        await AGENT_FILES.write(file, definition)
        self.report.say(tr("Exported {name} to {file}.", name=definition.name, file=file))

    async def _delete(self, agent: Agent) -> None:
        if self._chat.at_work(agent.id):
            raise Invalid(
                tr(
                    "{name} is answering in a chat. Stop it, or wait until it is done; then"
                    " delete it.",
                    name=agent.name,
                )
            )
        counts = await self._chat.delete_agent(agent.id)
        kept = [
            trn("{count} revision of its state", "{count} revisions of its state", counts.revisions)
        ]
        if counts.summaries:
            kept.append(trn("{count} summary", "{count} summaries", counts.summaries))
        if counts.facts:
            kept.append(trn("{count} fact", "{count} facts", counts.facts))
        rows = trn("{count} ledger row", "{count} ledger rows", counts.ledger_rows)
        self.report.say(
            tr(
                "Deleted {name}, with {kept} and {rows}.",
                name=agent.name,
                kept=", ".join(kept),
                rows=rows,
            )
        )

    def _chosen_next(self, agent: Agent, report: str) -> None:
        self._select_next = agent.id
        self.report.say(report)
        self._throttle.request()

    def _say(self) -> None:
        """Take away what was said of the last thing done."""
        self.report.say("")
        self.failure.say("")

    # --- how it looks ------------------------------------------------------------------------

    def _action(
        self,
        text: str,
        icon: str,
        act: Callable[[], None],
        key: str | QKeySequence.StandardKey = "",
    ) -> QAction:
        action = QAction(text, self)
        self._theme.dress(action, icon)
        action.triggered.connect(act)
        if key:
            action.setShortcut(QKeySequence(key))
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        self.list.addAction(action)
        return action

    def _menu(self, at: QPoint) -> None:
        if self.list.itemAt(at) is None:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addActions([self.chat_action, self.edit_action, self.duplicate_action])
        menu.addActions([self.export_action])
        menu.addSeparator()
        menu.addAction(self.delete_action)
        menu.popup(self.list.viewport().mapToGlobal(at))

    def _enable(self) -> None:
        chosen = self.chosen is not None
        for action in self.list.actions():
            action.setEnabled(chosen)

    def _arrange(self) -> None:
        title = QLabel(tr("Agents"))
        title.setFont(self._theme.heading())
        new = icon_button(self._theme, "plus", tr("New agent"))
        new.clicked.connect(self.new_wanted)
        bring = icon_button(self._theme, "download-simple", tr("Import agent …"))
        bring.clicked.connect(lambda: AGENT_FILES.ask_what_to_read(self, self.import_from))
        top = QHBoxLayout()
        top.setContentsMargins(L, M, S, S)
        top.addWidget(title)
        top.addStretch(1)
        top.addWidget(bring)
        top.addWidget(new)

        self.list.setAccessibleName(tr("Agents"))
        self.list.setItemDelegate(self._delegate)
        self.list.setProperty("panel", "window")
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setMouseTracking(True)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._menu)
        self.list.itemActivated.connect(lambda _item: self._chat_with())
        self.list.currentRowChanged.connect(lambda _row: self._enable())
        self._pages.addWidget(self._empty)
        self._pages.addWidget(self.list)
        self._empty.say("", "")

        below = QHBoxLayout()
        below.setContentsMargins(S, XS, S, S)
        below.setSpacing(XS)
        actions = (self.edit_action, self.duplicate_action, self.export_action, self.delete_action)
        self.chat_action.setIconText(tr("Chat"))
        chat = action_button(self.chat_action)
        chat.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        below.addWidget(chat)
        below.addStretch(1)
        for action in actions:
            below.addWidget(action_button(action))
        said = QVBoxLayout()
        said.setContentsMargins(S, 0, S, 0)
        said.addWidget(self.report)
        said.addWidget(self.failure)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(self._pages, 1)
        column.addLayout(said)
        column.addLayout(below)
        self.setFocusProxy(self.list)
        self._theme.changed.connect(self.list.viewport().update)


class _AgentRows(QListWidget):
    """Rows that can be dragged into a graph."""

    def __init__(self) -> None:
        super().__init__()
        self.setDragEnabled(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)

    def mimeData(self, items: Sequence[QListWidgetItem]) -> QMimeData:
        dragged = QMimeData()
        for item in items:
            agent: Agent = item.data(AgentRole)
            dragged.setData(AGENT_MIME, agent.id.encode())
        return dragged


def free_name(name: str, taken: set[str]) -> str:
    """`name`, or `name 2`, `name 3` … : the first that is not taken."""
    candidate, number = name, 2
    while candidate in taken:
        candidate = f"{name[:190]} {number}"
        number += 1
    return candidate
