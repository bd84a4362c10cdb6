"""The stored graphs."""

from __future__ import annotations

from typing import Protocol

from chatty_desktop.domain.graph_runs import GraphRun
from chatty_desktop.domain.graphs import Graph, StoredGraph


class Graphs(Protocol):
    """The stored graphs; names are unique. One that cannot run is kept as well."""

    async def list(self) -> list[StoredGraph]:
        """By name."""
        ...

    async def get(self, graph_id: str) -> StoredGraph | None: ...

    async def by_name(self, name: str) -> StoredGraph | None: ...

    async def save(self, graph: Graph, graph_id: str | None = None) -> StoredGraph:
        """Store under `graph_id`, or as a new graph. Raises `Invalid` when the name is taken or
        the graph is gone, `StorageFailed`."""
        ...

    async def import_(self, graph: Graph) -> StoredGraph:
        """Store, replacing the graph of that name. Raises `StorageFailed`."""
        ...

    async def delete(self, graph_id: str) -> None:
        """Delete the graph; its runs stay in their sessions."""
        ...


class GraphRunStore(Protocol):
    """The runs of graphs. Each is in a session and goes with it."""

    async def add(self, run: GraphRun) -> None:
        """Keep a run that begins."""
        ...

    async def save(self, run: GraphRun) -> None:
        """Keep a run as it is now."""
        ...

    async def newest(self, session_id: str) -> GraphRun | None:
        """The last run begun in a session, None in a chat."""
        ...

    async def list(self, session_id: str) -> list[GraphRun]:
        """All of a session, oldest first."""
        ...
