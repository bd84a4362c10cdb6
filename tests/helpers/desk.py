"""A chat service over real stores in a folder, with models that are given to it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from chatty_desktop.domain.agents import Agent, AgentDefinition
from chatty_desktop.domain.events import Event
from chatty_desktop.domain.memory import LayerSnapshot, LedgerEntry
from chatty_desktop.domain.messages import Message, Scope, Session
from chatty_desktop.domain.requests import ChatRequest
from chatty_desktop.domain.settings import Settings
from chatty_desktop.domain.strategies import parse_strategy
from chatty_desktop.engine.agent_runs import AgentRuns
from chatty_desktop.engine.calling import offered
from chatty_desktop.engine.chat import ChatService
from chatty_desktop.engine.consents import PersonsConsents
from chatty_desktop.engine.events import Events
from chatty_desktop.engine.memories import Memories
from chatty_desktop.engine.memory_acts import MemoryActs
from chatty_desktop.engine.memory_past import MemoryPast
from chatty_desktop.engine.models import ModelChooser
from chatty_desktop.engine.ports import Models
from chatty_desktop.engine.reembed import Reembedding
from chatty_desktop.engine.running import Running
from chatty_desktop.engine.tools.boxes import ToolBoxes
from chatty_desktop.paths import Paths, resources_folder
from chatty_desktop.storage.database import Database
from chatty_desktop.storage.index_places import IndexFolder
from chatty_desktop.storage.stores import Stores
from tests.helpers.bag_of_words import Chosen
from tests.helpers.toolbox import ScriptedTools

STATE: dict[str, Any] = {
    "kind": "state",
    "spec": "Keep what this person is working on and what is still open.",
    "fields": [
        {"name": "goal", "description": "what they are trying to achieve"},
        {"name": "working_on", "description": "the ids in play right now"},
        {"name": "open", "description": "what is still unresolved"},
    ],
    "max_chars": 4000,
}


class Desk:
    """One agent in one session, and everything under them; `events` keeps all that was told
    over `bus`. There is no embedder until a test puts one into `embedders`."""

    def __init__(self, stores: Stores, bus: Events, models: Models, settings: Settings) -> None:
        self.events: list[Event] = []
        self.bus = bus
        self.bus.subscribe(self.events.append)
        self.settings = settings
        self.database = stores.database
        self.episodes = stores.episodes
        self.messages = stores.messages
        self.sessions = stores.sessions
        self.agents = stores.agents
        self.memory = stores.memory
        self.runs = stores.runs
        self.embedders = Chosen()
        self.reembedding = Reembedding(self.episodes, self.embedders, self.bus.publish)
        self.tools = ScriptedTools()
        self.consents = PersonsConsents(self.bus.publish)
        boxes = ToolBoxes([self.tools])
        prompts = {f.stem: f.read_text("utf-8") for f in _prompt_files()}
        running = Running(self.bus.publish)
        chooser = ModelChooser(models, lambda: self.settings)
        self.memories = Memories(
            messages=self.messages,
            agents=self.agents,
            memory=self.memory,
            runs=self.runs,
            models=chooser,
            episodes=self.episodes,
            embedders=self.embedders,
            prompts=prompts,
            running=running,
            graph_runs=stores.graph_runs,
            offers=lambda agent: offered(agent, boxes.known_tools()),
        )
        self.past = MemoryPast(self.memories, self.messages)
        self.acts = MemoryActs(self.memories, self.past, self.memory, self.episodes, running)
        self.chat = ChatService(
            sessions=self.sessions,
            messages=self.messages,
            agents=self.agents,
            memories=self.memories,
            agent_runs=AgentRuns(
                messages=self.messages,
                runs=self.runs,
                models=chooser,
                memories=self.memories,
                tools=boxes,
                consents=self.consents,
                publish=self.bus.publish,
                tool_seconds=1.0,
            ),
            running=running,
        )
        self.agent: Agent
        self.session: Session

    @classmethod
    async def open(
        cls,
        folder: Path,
        models: Models,
        strategy: dict[str, Any] | None = None,
        default_model: str | None = "test/small",
        database: Database | None = None,
    ) -> Desk:
        """Open what the folder holds, or what a database elsewhere does; or make the agent "Ada"
        and the session "Talk" in it."""
        bus = Events()
        if database is None:
            stores = await Stores.open(Paths(folder), bus.publish)
        else:
            stores = await Stores.over(database, IndexFolder(folder / "episodes"), bus.publish)
        desk = cls(stores, bus, models, Settings(default_model=default_model))
        found = await desk.agents.by_name("Ada")
        desk.agent = found or await desk.agents.save(definition(strategy))
        desk.session = await desk.sessions.find("Talk") or await desk.sessions.create("Talk")
        return desk

    @property
    def scope(self) -> Scope:
        return Scope(self.agent.id, self.session.id)

    async def use(self, strategy: dict[str, Any] | None) -> None:
        """Give the agent another memory."""
        self.agent = await self.agents.save(definition(strategy), self.agent.id)

    async def equip(self, *tools: str, **fields: Any) -> None:
        """Give the agent tools, and other values of other fields."""
        values = self.agent.definition.model_dump() | {"tools": tools} | fields
        self.agent = await self.agents.save(AgentDefinition.model_validate(values), self.agent.id)

    async def say(self, text: str) -> Message:
        """Send a message and wait for the reply and its memory; returns the reply."""
        await self.chat.send(self.session.id, self.agent.id, text)
        await self.chat.wait(self.session.id)
        return (await self.messages.page(self.session.id, limit=1))[0]

    async def layer(self) -> LayerSnapshot:
        """The only layer of the memory, as the inspector gets it."""
        return (await self.memories.inspect(self.scope)).layers[0]

    async def state(self) -> dict[str, Any]:
        """Σ."""
        return (await self.layer()).state or {}

    async def pending(self) -> list[str]:
        """The texts that wait to be folded."""
        return [message.content for message in (await self.layer()).pending or ()]

    async def ledger(self) -> list[LedgerEntry]:
        """Oldest row first."""
        return (await self.memory.ledger(self.scope))[::-1]

    async def log_lines(self) -> list[str]:
        return [entry.text for entry in await self.runs.read_log(self.session.id)]

    async def close(self) -> None:
        await self.chat.close()
        await self.episodes.close()
        await self.database.close()


def definition(strategy: dict[str, Any] | None) -> AgentDefinition:
    """The agent "Ada" with a memory."""
    memory = parse_strategy(strategy or {"kind": "none"})
    return AgentDefinition(name="Ada", system_prompt="You are Ada.", memory_strategy=memory)


def wire(request: ChatRequest) -> list[tuple[str, str]]:
    """A request as (role, content), the system message left out."""
    return [(m.role, m.content) for m in request.messages if m.role != "system"]


def system(request: ChatRequest) -> str:
    """The system message of a request."""
    return next((m.content for m in request.messages if m.role == "system"), "")


def _prompt_files() -> list[Path]:
    return sorted((resources_folder() / "prompts").glob("*.md"))
