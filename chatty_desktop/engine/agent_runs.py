"""Makes the runs in which agents answer, in chats and in graphs alike."""

from __future__ import annotations

from chatty_desktop.domain.agents import Agent, AgentDefinition
from chatty_desktop.domain.graph_runs import Slot
from chatty_desktop.domain.messages import Scope
from chatty_desktop.engine.calling import TOOL_SECONDS, Calling, usable
from chatty_desktop.engine.memories import Memories
from chatty_desktop.engine.models import ModelChooser
from chatty_desktop.engine.ports import Consents, MessageLog, Publish, Runs
from chatty_desktop.engine.run import AgentRun
from chatty_desktop.engine.tools.boxes import ToolBoxes
from chatty_desktop.engine.turn import Turn


class AgentRuns:
    """What a run of any agent needs beside its turn. `tool_seconds`: how long a tool may take."""

    def __init__(
        self,
        *,
        messages: MessageLog,
        runs: Runs,
        models: ModelChooser,
        memories: Memories,
        tools: ToolBoxes,
        consents: Consents,
        publish: Publish,
        tool_seconds: float = TOOL_SECONDS,
    ) -> None:
        self._messages = messages
        self._runs = runs
        self._models = models
        self._memories = memories
        self._tools = tools
        self._consents = consents
        self._publish = publish
        self._tool_seconds = tool_seconds

    def new(self, agent: Agent, turn: Turn, slot: Slot | None = None) -> AgentRun:
        """A run of the agent for a turn, with the memory it has in a slot of a graph, or in a chat.
        Nothing of it has begun."""
        scope = turn.scope
        return AgentRun(
            turn,
            memory=self._memories.of(agent, scope, turn.run_id, slot=slot),
            messages=self._messages,
            runs=self._runs,
            models=self._models,
            calling=lambda: self._calling(turn.agent, scope),
            publish=self._publish,
            tell=self._memories.teller(scope, turn.run_id),
        )

    async def _calling(self, agent: AgentDefinition, scope: Scope) -> Calling:
        """The tools of an agent, as they are at this moment."""
        return Calling(
            agent,
            scope,
            await self._tools.tools(usable(agent)),
            box=self._tools,
            consents=self._consents,
            publish=self._publish,
            seconds=self._tool_seconds,
        )
