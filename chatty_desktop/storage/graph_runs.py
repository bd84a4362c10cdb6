"""Runs of graphs in SQLite."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, replace
from typing import Any

from sqlalchemy import Connection, Row, Select, insert, select, update

from chatty_desktop.domain.graph_runs import GraphRun, NodeRun
from chatty_desktop.domain.graphs import Graph
from chatty_desktop.storage import tables
from chatty_desktop.storage.database import Database
from chatty_desktop.storage.order import AsWritten

_COLUMNS = tables.graph_runs.c


class StoredGraphRuns:
    """`ports.GraphRunStore` over SQLite."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, run: GraphRun) -> None:
        values = {"graph": run.graph.model_dump_json(), "input_id": run.input_id, **_changing(run)}
        new = insert(tables.graph_runs).values(
            id=run.id, session_id=run.session_id, started_at=run.started_at, **values
        )
        await self._database.write(lambda connection: connection.execute(new))

    async def save(self, run: GraphRun) -> None:
        change = update(tables.graph_runs).where(_COLUMNS.id == run.id).values(**_changing(run))
        await self._database.write(lambda connection: connection.execute(change))

    async def newest(self, session_id: str) -> GraphRun | None:
        query = _of(session_id).order_by(AsWritten(_COLUMNS.id).desc()).limit(1)
        rows = await self._database.rows(query)
        return _run(rows[0]) if rows else None

    async def list(self, session_id: str) -> list[GraphRun]:
        rows = await self._database.rows(_of(session_id).order_by(AsWritten(_COLUMNS.id)))
        return [_run(row) for row in rows]

    async def close_interrupted(self) -> None:
        """Mark runs that a killed process left under way as stopped: they can be resumed."""

        def work(connection: Connection) -> None:
            running = select(tables.graph_runs).where(_COLUMNS.status == "running")
            for row in connection.execute(running).all():
                run = stopped(_run(row))
                connection.execute(
                    update(tables.graph_runs).where(_COLUMNS.id == run.id).values(**_changing(run))
                )

        await self._database.write(work)


def stopped(run: GraphRun) -> GraphRun:
    """A run that is under way, as it is once nothing works on it any more."""
    nodes = tuple(
        replace(node, state="stopped") if node.state in ("running", "waiting") else node
        for node in run.nodes
    )
    return replace(run, nodes=nodes, status="stopped", finished_at=max(run.started_at, time.time()))


def _of(session_id: str) -> Select[Any]:
    return select(tables.graph_runs).where(_COLUMNS.session_id == session_id)


def _changing(run: GraphRun) -> dict[str, Any]:
    return {
        "nodes": json.dumps([asdict(node) for node in run.nodes], ensure_ascii=False),
        "status": run.status,
        "finished_at": run.finished_at,
    }


def _run(row: Row[Any]) -> GraphRun:
    return GraphRun(
        id=row.id,
        session_id=row.session_id,
        graph=Graph.model_validate_json(row.graph),
        input_id=row.input_id,
        nodes=tuple(NodeRun(**node) for node in json.loads(row.nodes)),
        started_at=row.started_at,
        status=row.status,
        finished_at=row.finished_at,
    )
