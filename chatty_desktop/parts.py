"""The composition root: puts storage, providers and engine together."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Self

from filelock import FileLock

from chatty_desktop.domain.events import Event, KeyChanged, SettingsChanged
from chatty_desktop.engine.agent_runs import AgentRuns
from chatty_desktop.engine.calling import offered
from chatty_desktop.engine.chat import ChatService
from chatty_desktop.engine.comparing import Comparing
from chatty_desktop.engine.consents import PersonsConsents
from chatty_desktop.engine.deletion import Deletions
from chatty_desktop.engine.events import Events
from chatty_desktop.engine.exchange import ChatExchange
from chatty_desktop.engine.forgetting import Forgetting
from chatty_desktop.engine.graphs import GraphRuns
from chatty_desktop.engine.measuring import Measuring
from chatty_desktop.engine.memories import Memories
from chatty_desktop.engine.memory_acts import MemoryActs
from chatty_desktop.engine.memory_past import MemoryPast
from chatty_desktop.engine.models import ModelChooser
from chatty_desktop.engine.providers import Providers
from chatty_desktop.engine.reembed import Reembedding
from chatty_desktop.engine.replay import Replay
from chatty_desktop.engine.running import Running
from chatty_desktop.engine.standing import ModelStanding
from chatty_desktop.engine.titles import Titles
from chatty_desktop.engine.tool_servers import ToolServers
from chatty_desktop.engine.tools.boxes import ToolBoxes
from chatty_desktop.engine.tools.built_in import BuiltInTools
from chatty_desktop.engine.tools.contract import Reach
from chatty_desktop.paths import Paths
from chatty_desktop.providers.attaching import Attaching
from chatty_desktop.providers.discovery import Discovery
from chatty_desktop.providers.downloads import Downloads
from chatty_desktop.providers.embedders import SystemEmbedder
from chatty_desktop.providers.engines import LocalEngines
from chatty_desktop.providers.mcp.servers import McpServers
from chatty_desktop.providers.ollama_library import OllamaLibrary
from chatty_desktop.providers.pages import WebPages
from chatty_desktop.providers.patience import Patience
from chatty_desktop.providers.probing import ModelProbing
from chatty_desktop.providers.registry import ProviderRegistry
from chatty_desktop.providers.sent_requests import SentRequests
from chatty_desktop.providers.starter import STARTER
from chatty_desktop.storage.agents import StoredAgents
from chatty_desktop.storage.daily_backups import DailyBackups
from chatty_desktop.storage.data_folder import DataFolder
from chatty_desktop.storage.database import Database
from chatty_desktop.storage.drafts import StoredDrafts
from chatty_desktop.storage.duplicates import StoredDuplicates
from chatty_desktop.storage.episodes import StoredEpisodes
from chatty_desktop.storage.folders import StoredFolders
from chatty_desktop.storage.forgetting import StoredForgetting
from chatty_desktop.storage.graphs import StoredGraphs
from chatty_desktop.storage.measurements import StoredMeasurements
from chatty_desktop.storage.memory import StoredMemory
from chatty_desktop.storage.messages import StoredMessages
from chatty_desktop.storage.opening import OpenStores
from chatty_desktop.storage.runs import StoredRuns
from chatty_desktop.storage.search import StoredSearch
from chatty_desktop.storage.secrets import ProviderKeys
from chatty_desktop.storage.sessions import StoredSessions
from chatty_desktop.storage.settings_file import SettingsFile
from chatty_desktop.storage.shipped import read_prompts, read_scripts
from chatty_desktop.storage.throwaway import throwaway_stores


@dataclass(slots=True)
class Parts:
    """Everything that works on one open data folder.

    is_new: there was nothing in the folder before, neither settings nor agents nor chats.
    """

    paths: Paths
    events: Events
    settings: SettingsFile
    sessions: StoredSessions
    folders: StoredFolders
    search: StoredSearch
    duplicates: StoredDuplicates
    exchange: ChatExchange
    messages: StoredMessages
    attaching: Attaching
    drafts: StoredDrafts
    agents: StoredAgents
    graphs: StoredGraphs
    graph_runs: GraphRuns
    memory: StoredMemory
    runs: StoredRuns
    keys: ProviderKeys
    providers: Providers
    models: ProviderRegistry
    probing: ModelProbing
    standing: ModelStanding
    engines: LocalEngines
    discovery: Discovery
    downloads: Downloads
    ollama_library: OllamaLibrary
    episodes: StoredEpisodes
    embedders: SystemEmbedder
    reembedding: Reembedding
    measurements: StoredMeasurements
    measuring: Measuring
    consents: PersonsConsents
    tools: ToolBoxes
    memories: Memories
    past: MemoryPast
    memory_acts: MemoryActs
    chat: ChatService
    data: DataFolder
    daily_backups: DailyBackups
    deletions: Deletions
    forgetting: Forgetting
    replay: Replay
    comparing: Comparing
    is_new: bool
    titles: Titles
    sent: SentRequests
    mcp: McpServers
    tool_servers: ToolServers
    _database: Database
    _lock: FileLock

    @classmethod
    async def over(
        cls, paths: Paths, lock: FileLock, events: Events, opened: OpenStores, patience: Patience
    ) -> Self:
        """Put together what works on stores that were opened, in a folder that was claimed."""
        settings = SettingsFile(paths.settings, events.publish)
        await settings.load()
        settings.notices += opened.notices
        prompts = await asyncio.to_thread(read_prompts)
        scripts = await asyncio.to_thread(read_scripts)
        stores = opened.stores
        messages, runs, agents = stores.messages, stores.runs, stores.agents
        sessions, episodes, memory = stores.sessions, stores.episodes, stores.memory
        keys = ProviderKeys(paths.keys, events.publish)
        models = ProviderRegistry(paths, keys.key, events.publish, patience=patience)
        models.apply(settings.current)
        embedders = SystemEmbedder(lambda: settings.current, models.embedding_of)
        engines = LocalEngines(lambda: models.local)
        mcp = McpServers(paths.logs, keys.key, events.publish)
        mcp.apply(settings.current)
        chooser = ModelChooser(models, lambda: settings.current)
        consents = PersonsConsents(events.publish)
        running = Running(events.publish)
        memories = Memories(
            messages=messages,
            agents=agents,
            memory=memory,
            runs=runs,
            models=chooser,
            episodes=episodes,
            embedders=embedders,
            prompts=prompts,
            running=running,
            graph_runs=stores.graph_runs,
            offers=lambda agent: offered(agent, tools.known_tools()),
        )
        past = MemoryPast(memories, messages)
        reach = Reach(
            pages=WebPages(lambda: settings.current.fetch_private_pages),
            messages=messages,
            episodes=episodes,
            embedders=embedders,
            inspect=memories.inspect,
            closed=paths.data,
        )
        tools = ToolBoxes([BuiltInTools(reach), mcp])
        agent_runs = AgentRuns(
            messages=messages,
            runs=runs,
            models=chooser,
            memories=memories,
            tools=tools,
            consents=consents,
            publish=events.publish,
        )
        chat = ChatService(
            sessions=sessions,
            messages=messages,
            agents=agents,
            memories=memories,
            agent_runs=agent_runs,
            running=running,
        )
        graph_runs = GraphRuns(
            sessions=sessions,
            messages=messages,
            agents=agents,
            runs=runs,
            graph_runs=stores.graph_runs,
            agent_runs=agent_runs,
            running=running,
            settings=lambda: settings.current,
        )

        data = DataFolder(
            paths=paths,
            database=stores.database,
            settings=settings,
            messages=messages,
            episodes=episodes,
            publish=events.publish,
        )

        def follow(event: Event) -> None:
            if isinstance(event, SettingsChanged):
                models.apply(settings.current)
                mcp.apply(settings.current)
            elif isinstance(event, KeyChanged):
                models.renew(event.provider_id)
                mcp.renew(event.provider_id)

        events.subscribe(follow)
        settings.watch()
        return cls(
            paths=paths,
            events=events,
            settings=settings,
            sessions=sessions,
            folders=stores.folders,
            search=stores.search,
            exchange=ChatExchange(stores.documents, agents, events.publish),
            duplicates=stores.duplicates,
            messages=messages,
            attaching=Attaching(),
            drafts=stores.drafts,
            agents=agents,
            graphs=stores.graphs,
            graph_runs=graph_runs,
            memory=memory,
            runs=runs,
            keys=keys,
            providers=Providers(settings, keys, agents),
            models=models,
            probing=ModelProbing(models, settings.change),
            standing=ModelStanding(chooser, lambda: settings.current, models.cards, engines.check),
            engines=engines,
            discovery=Discovery(paths.models, unlisted=(STARTER.file_name,)),
            downloads=Downloads(paths.models, events.publish),
            ollama_library=OllamaLibrary(lambda: settings.current, keys.key, events.publish),
            episodes=episodes,
            embedders=embedders,
            reembedding=Reembedding(episodes, embedders, events.publish),
            measurements=stores.measurements,
            measuring=Measuring(
                messages=messages,
                models=chooser,
                prompts=prompts,
                scripts=scripts,
                store=stores.measurements,
                publish=events.publish,
            ),
            consents=consents,
            tools=tools,
            memories=memories,
            past=past,
            memory_acts=MemoryActs(memories, past, memory, episodes, running),
            chat=chat,
            data=data,
            daily_backups=DailyBackups(
                data,
                wanted=lambda: settings.current.daily_backups,
                busy=lambda: bool(running.sessions()),
                publish=events.publish,
            ),
            deletions=Deletions(chat, sessions, stores.search.tidy),
            forgetting=Forgetting(
                StoredForgetting(stores.database, paths, episodes), chat, events.publish
            ),
            replay=Replay(
                messages=messages,
                models=chooser,
                embedders=embedders,
                prompts=prompts,
                stores=throwaway_stores,
            ),
            comparing=Comparing(messages, runs, models, chat),
            is_new=opened.was_empty and settings.created,
            titles=Titles(
                sessions=sessions,
                messages=messages,
                runs=runs,
                models=chooser,
                prompts=prompts,
                running=chat.running,
                wanted=lambda: settings.current.automatic_titles,
                publish=events.publish,
            ),
            sent=SentRequests(models, lambda: settings.current),
            mcp=mcp,
            tool_servers=ToolServers(settings, keys),
            _database=stores.database,
            _lock=lock,
        )
