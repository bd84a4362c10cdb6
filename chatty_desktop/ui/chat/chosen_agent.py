"""The agent that the next message of a chat goes to, and whose memory it meets there."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from chatty_desktop.domain.agents import Agent
from chatty_desktop.domain.messages import Scope
from chatty_desktop.engine.ports import Agents, Sessions
from chatty_desktop.ui.chat.composer import Composer
from chatty_desktop.ui.tasks import Tasks


class ChosenAgent(QObject):
    """Shows the agents in a composer, with the one that is chosen: of the chat that is open, on the
    empty page the one chosen last. What the person chooses is kept with the chat.

    `session` gives the id of the chat that is open, None on the empty page; `default_model` serves
    the agents that name none. known: the agents there are.
    scope_changed: the `Scope` whose memory the next message meets, None on the empty page.
    """

    scope_changed = Signal(object)

    def __init__(
        self,
        composer: Composer,
        *,
        agents: Agents,
        sessions: Sessions,
        session: Callable[[], str | None],
        default_model: Callable[[], str | None],
        tasks: Tasks,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._composer = composer
        self._agents = agents
        self._sessions = sessions
        self._session = session
        self._default_model = default_model
        self._tasks = tasks
        self._last: str | None = None
        self.known: list[Agent] = []
        composer.agent_chosen.connect(self._choose)

    async def read(self) -> None:
        """Show the agents as they are now."""
        self.known = await self._agents.list()
        self._composer.set_agents(self.known, self._default_model())
        if self._session() is None:
            self._composer.set_agent(self._last or self._composer.agent_id)

    def name(self, agent_id: str) -> str:
        """What an agent is called, "" for one that is not known."""
        return next((agent.name for agent in self.known if agent.id == agent_id), "")

    def for_chat(self, agent_id: str | None) -> None:
        """Show the agent of the chat that was opened, None: it has none yet."""
        if agent_id is not None:
            self._composer.set_agent(agent_id)
        self._announce()

    def for_new_chat(self, agent_id: str | None) -> None:
        """Show an agent on the empty page, None: the one that is chosen."""
        self._last = agent_id or self._composer.agent_id or self._last
        self._composer.set_agent(self._last)
        self._announce()

    def next_scope(self) -> Scope | None:
        """Whom the next message goes to, and where; a chat that is not there yet has no id."""
        agent_id = self._composer.agent_id
        return Scope(agent_id, self._session() or "") if agent_id else None

    def _choose(self, agent_id: str) -> None:
        self._last = agent_id
        if (session_id := self._session()) is not None:
            self._tasks.start(self._sessions.set_agent(session_id, agent_id))
            self._announce()

    def _announce(self) -> None:
        self.scope_changed.emit(self.next_scope() if self._session() else None)
