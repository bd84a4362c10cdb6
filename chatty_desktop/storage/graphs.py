"""Graphs in SQLite."""

from __future__ import annotations

import time
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.events import GraphsChanged
from chatty_desktop.domain.graphs import Graph, StoredGraph, checked
from chatty_desktop.domain.ids import new_id
from chatty_desktop.engine.ports import Publish
from chatty_desktop.storage import tables
from chatty_desktop.storage.database import Database

_COLUMNS = tables.graphs.c


class StoredGraphs:
    """`ports.Graphs` over SQLite; tells of every change."""

    def __init__(self, database: Database, publish: Publish) -> None:
        self._database = database
        self._publish = publish

    async def list(self) -> list[StoredGraph]:
        found = [_graph(row) for row in await self._database.rows(select(tables.graphs))]
        return sorted(found, key=lambda graph: graph.name.casefold())

    async def get(self, graph_id: str) -> StoredGraph | None:
        return await self._one(_COLUMNS.id == graph_id)

    async def by_name(self, name: str) -> StoredGraph | None:
        return await self._one(_COLUMNS.name == name)

    async def save(self, graph: Graph, graph_id: str | None = None) -> StoredGraph:
        taken = await self.by_name(graph.name)
        if taken and taken.id != graph_id:
            raise Invalid(f"Another graph is called {graph.name!r}; choose another name.")
        return await self._store(graph, graph_id)

    async def import_(self, graph: Graph) -> StoredGraph:
        present = await self.by_name(graph.name)
        return await self._store(graph, present.id if present else None)

    async def delete(self, graph_id: str) -> None:
        gone = delete(tables.graphs).where(_COLUMNS.id == graph_id)
        await self._database.write(lambda connection: connection.execute(gone))
        self._publish(GraphsChanged())

    async def _one(self, condition: Any) -> StoredGraph | None:
        rows = await self._database.rows(select(tables.graphs).where(condition))
        return _graph(rows[0]) if rows else None

    async def _store(self, graph: Graph, graph_id: str | None) -> StoredGraph:
        # What cannot be read again is never stored.
        graph = checked(graph)
        now = time.time()
        values = {"name": graph.name, "definition": graph.model_dump_json()}

        def work(connection: Connection) -> StoredGraph:
            if graph_id is None:
                stored = StoredGraph(id=new_id(now), graph=graph, created_at=now)
                connection.execute(
                    insert(tables.graphs).values(id=stored.id, created_at=now, **values)
                )
                return stored
            changed = connection.execute(
                update(tables.graphs).where(_COLUMNS.id == graph_id).values(**values)
            )
            if not changed.rowcount:
                raise Invalid("That graph is no longer there; save it as a new one.")
            return StoredGraph(id=graph_id, graph=graph, created_at=now)

        stored = await self._database.write(work)
        self._publish(GraphsChanged())
        return stored


def _graph(row: Row[Any]) -> StoredGraph:
    return StoredGraph(
        id=row.id, graph=Graph.model_validate_json(row.definition), created_at=row.created_at
    )


def follow_renaming(connection: Connection, before: str, after: str) -> bool:
    """Have the nodes of every graph name an agent as it is called now; whether any did."""
    followed = False
    for row in connection.execute(select(tables.graphs)).all():
        graph = Graph.model_validate_json(row.definition)
        nodes = tuple(
            node.model_copy(update={"agent": after}) if node.agent == before else node
            for node in graph.nodes
        )
        if nodes != graph.nodes:
            renamed = graph.model_copy(update={"nodes": nodes}).model_dump_json()
            change = update(tables.graphs).where(_COLUMNS.id == row.id).values(definition=renamed)
            connection.execute(change)
            followed = True
    return followed
