"""The list of agents: what there is, and what can be done with each."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QWidget,
)

from chatty_desktop.domain.agents import Agent, AgentDefinition
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.events import AgentsChanged
from chatty_desktop.engine.chat import ChatService
from chatty_desktop.engine.events import Events
from chatty_desktop.engine.ports import Agents
from chatty_desktop.ui.agents.agent_files import AGENT_FILES
from chatty_desktop.ui.agents.agent_row import AGENT_MIME, described
from chatty_desktop.ui.language import tr, trn
from chatty_desktop.ui.pieces import action_button
from chatty_desktop.ui.questions import confirm
from chatty_desktop.ui.readable import shortened
from chatty_desktop.ui.stored_list import ListWords, StoredList, StoredRole
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme


class AgentList(StoredList[Agent, AgentDefinition]):
    """All agents by name. chat_wanted: the id of the agent to chat with."""

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
        self._chat = chat
        super().__init__(
            _AgentRows(),
            store=agents,
            files=AGENT_FILES,
            words=_words(),
            icon="robot",
            changed=AgentsChanged,
            events=events,
            theme=theme,
            tasks=tasks,
            parent=parent,
        )

    def described(self, stored: Agent) -> str:
        return described(stored)

    def content(self, stored: Agent) -> AgentDefinition:
        return stored.definition

    def renamed(self, content: AgentDefinition, name: str) -> AgentDefinition:
        return content.model_copy(update={"name": name})

    def about(self, stored: Agent) -> str:
        return shortened(stored.definition.system_prompt, 400, 8)

    def act(self) -> None:
        """Return and a double click begin a chat."""
        self._chat_with()

    def ask_to_delete(self, stored: Agent) -> None:
        confirm(
            self,
            tr("Delete {name}?", name=stored.name),
            tr(
                "What it remembers goes with it, in every chat: the kept state with its history,"
                " and the ledger. What was said stays in the chats. This cannot be undone."
            ),
            tr("Delete"),
            lambda: self._tasks.start(self._delete(stored), failed=self.failure.say),
            danger=True,
        )

    def _make_actions(self) -> None:
        self.chat_action = self._action(tr("Chat with agent"), "chat-circle", self._chat_with)
        super()._make_actions()

    def _fill_row(self, row: QHBoxLayout) -> None:
        self.chat_action.setIconText(tr("Chat"))
        chat = action_button(self.chat_action)
        chat.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        row.addWidget(chat)
        super()._fill_row(row)

    def _chat_with(self) -> None:
        if agent := self.chosen:
            self.chat_wanted.emit(agent.id)

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


def _words() -> ListWords:
    return ListWords(
        title=tr("Agents"),
        new=tr("New agent"),
        bring=tr("Import agent …"),
        none=tr("No agents yet"),
        none_hint=tr(
            "An agent is a system prompt, a model and a memory. Press + to make one, or"
            " import a file."
        ),
        replaced=tr(
            "There is an agent of that name. If it is replaced, its chats and what it remembers"
            " stay."
        ),
    )


class _AgentRows(QListWidget):
    """Rows that can be dragged into a graph."""

    def __init__(self) -> None:
        super().__init__()
        self.setDragEnabled(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)

    def mimeData(self, items: Sequence[QListWidgetItem]) -> QMimeData:
        dragged = QMimeData()
        for item in items:
            agent: Agent = item.data(StoredRole)
            dragged.setData(AGENT_MIME, agent.id.encode())
        return dragged
