"""Agents in SQLite."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection, Row, Select, Table, bindparam, delete, insert, select, update

from chatty_desktop.domain.agents import Agent, AgentDefinition
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.events import AgentsChanged, GraphsChanged
from chatty_desktop.domain.ids import new_id
from chatty_desktop.domain.messages import DeletionCounts
from chatty_desktop.engine.ports import Publish
from chatty_desktop.storage import tables
from chatty_desktop.storage.database import Database
from chatty_desktop.storage.graphs import follow_renaming

_COLUMNS = tables.agents.c


_BY_ID = select(tables.agents).where(_COLUMNS.id == bindparam("wanted"))
_BY_NAME = select(tables.agents).where(_COLUMNS.name == bindparam("wanted"))


class StoredAgents:
    """`ports.Agents` over SQLite; tells of every change. `deleted` is called with the id of an
    agent that is gone."""

    def __init__(
        self, database: Database, publish: Publish, deleted: Callable[[str], None]
    ) -> None:
        self._database = database
        self._publish = publish
        self._deleted = deleted

    async def list(self) -> list[Agent]:
        agents = [_agent(row) for row in await self._database.rows(select(tables.agents))]
        return sorted(agents, key=lambda agent: agent.name.casefold())

    async def get(self, agent_id: str) -> Agent | None:
        return await self._one(_BY_ID, agent_id)

    async def by_name(self, name: str) -> Agent | None:
        return await self._one(_BY_NAME, name)

    async def save(self, definition: AgentDefinition, agent_id: str | None = None) -> Agent:
        taken = await self.by_name(definition.name)
        if taken and taken.id != agent_id:
            raise Invalid(f"Another agent is called {definition.name!r}; choose another name.")
        return await self._store(definition, agent_id)

    async def import_(self, definition: AgentDefinition) -> Agent:
        present = await self.by_name(definition.name)
        return await self._store(definition, present.id if present else None)

    async def delete(self, agent_id: str) -> DeletionCounts:
        def work(connection: Connection) -> DeletionCounts:
            def clear(table: Table) -> int:
                done = connection.execute(delete(table).where(table.c.agent_id == agent_id))
                return int(done.rowcount)

            counts = DeletionCounts(
                revisions=clear(tables.state_revisions),
                summaries=clear(tables.summaries),
                facts=clear(tables.facts),
                ledger_rows=clear(tables.ledger),
                episodes=clear(tables.episodes),
            )
            for table in (tables.layer_starts, tables.requests, tables.recalls):
                clear(table)
            connection.execute(delete(tables.agents).where(_COLUMNS.id == agent_id))
            return counts

        counts = await self._database.write(work)
        self._deleted(agent_id)
        self._publish(AgentsChanged())
        return counts

    async def _one(self, query: Select[Any], wanted: str) -> Agent | None:
        rows = await self._database.rows(query, wanted=wanted)
        return _agent(rows[0]) if rows else None

    async def _store(self, definition: AgentDefinition, agent_id: str | None) -> Agent:
        now = time.time()
        values = {"name": definition.name, "definition": definition.model_dump_json()}
        followed: list[bool] = []

        def work(connection: Connection) -> Agent:
            if agent_id is None:
                agent = Agent(id=new_id(now), definition=definition, created_at=now)
                connection.execute(
                    insert(tables.agents).values(id=agent.id, created_at=now, **values)
                )
                return agent
            named = select(_COLUMNS.name).where(_COLUMNS.id == agent_id)
            if (before := connection.scalar(named)) not in (None, definition.name):
                followed.append(follow_renaming(connection, before, definition.name))
            changed = connection.execute(
                update(tables.agents).where(_COLUMNS.id == agent_id).values(**values)
            )
            if not changed.rowcount:
                raise Invalid("That agent is no longer there; save it as a new one.")
            return Agent(id=agent_id, definition=definition, created_at=now)

        agent = await self._database.write(work)
        self._publish(AgentsChanged())
        if any(followed):
            self._publish(GraphsChanged())
        return agent


def _agent(row: Row[Any]) -> Agent:
    return Agent(
        id=row.id,
        definition=AgentDefinition.model_validate_json(row.definition),
        created_at=row.created_at,
    )
