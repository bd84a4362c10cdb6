"""All that one data folder keeps: the stores over its database, built to know of each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from chatty_desktop.domain.events import Event
from chatty_desktop.paths import Paths
from chatty_desktop.storage.agents import StoredAgents
from chatty_desktop.storage.chat_documents import StoredChatDocuments
from chatty_desktop.storage.database import Database
from chatty_desktop.storage.drafts import StoredDrafts
from chatty_desktop.storage.duplicates import StoredDuplicates
from chatty_desktop.storage.episodes import StoredEpisodes
from chatty_desktop.storage.folders import StoredFolders
from chatty_desktop.storage.graph_runs import StoredGraphRuns
from chatty_desktop.storage.graphs import StoredGraphs
from chatty_desktop.storage.index_places import IndexFolder, IndexPlace
from chatty_desktop.storage.measurements import StoredMeasurements
from chatty_desktop.storage.memory import StoredMemory
from chatty_desktop.storage.messages import StoredMessages
from chatty_desktop.storage.places import Server, open_database
from chatty_desktop.storage.runs import StoredRuns
from chatty_desktop.storage.search import StoredSearch
from chatty_desktop.storage.sessions import StoredSessions


@dataclass(frozen=True, slots=True)
class Stores:
    """The stores over one database and one index of episodes. What one of them deletes, the others
    forget with it. Whoever opens them closes `drafts`, `episodes` and, last, `database`."""

    database: Database
    episodes: StoredEpisodes
    messages: StoredMessages
    sessions: StoredSessions
    folders: StoredFolders
    search: StoredSearch
    duplicates: StoredDuplicates
    documents: StoredChatDocuments
    agents: StoredAgents
    graphs: StoredGraphs
    graph_runs: StoredGraphRuns
    memory: StoredMemory
    runs: StoredRuns
    measurements: StoredMeasurements
    drafts: StoredDrafts

    @classmethod
    async def open(
        cls,
        paths: Paths,
        publish: Callable[[Event], None],
        server: Server | None = None,
        index: IndexPlace | None = None,
    ) -> Stores:
        """Open or make the database of a data folder, or the one at a `server`, and the index of
        episodes at a place, None: in the folder. Raises `StorageFailed`, `Invalid`."""
        database = await open_database(paths, server)
        try:
            return await cls.over(database, index or IndexFolder(paths.episodes), publish)
        except BaseException:
            await database.close()
            raise

    @classmethod
    async def over(
        cls, database: Database, index: IndexPlace, publish: Callable[[Event], None]
    ) -> Stores:
        """The stores over an open database. Raises `StorageFailed`."""
        drafts = await StoredDrafts.of(database, publish)
        episodes = StoredEpisodes(database, index, publish)
        messages = StoredMessages(database, episodes.forget_messages)

        def forget_session(session_id: str) -> None:
            messages.forget(session_id)
            episodes.forget(session_id=session_id)

        def forget_agent(agent_id: str) -> None:
            episodes.forget(agent_id=agent_id)

        return cls(
            database=database,
            episodes=episodes,
            messages=messages,
            sessions=StoredSessions(database, publish, forget_session),
            folders=StoredFolders(database, publish),
            search=StoredSearch(database),
            duplicates=StoredDuplicates(database, publish, episodes.copied),
            documents=StoredChatDocuments(database),
            agents=StoredAgents(database, publish, forget_agent),
            graphs=StoredGraphs(database, publish),
            graph_runs=StoredGraphRuns(database),
            memory=StoredMemory(database),
            runs=StoredRuns(database, messages),
            measurements=StoredMeasurements(database),
            drafts=drafts,
        )

    async def close_interrupted(self) -> None:
        """Put to an end what a process that was killed left under way. Raises `StorageFailed`."""
        await self.messages.close_interrupted()
        await self.graph_runs.close_interrupted()
