"""Measurements of models for agents."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Connection, Row, delete, func, select

from chatty_desktop.domain.measurement import Measurement
from chatty_desktop.storage import tables
from chatty_desktop.storage.backend import putting
from chatty_desktop.storage.database import Database

_T = tables.measurements


class StoredMeasurements:
    """`ports.Measurements` over the database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def keep(self, measurement: Measurement) -> None:
        columns = {"id", "agent_id", "session_id", "model", "at"}
        values = measurement.model_dump(mode="json", include=columns)
        values["content"] = measurement.model_dump_json(exclude=columns)

        def work(connection: Connection) -> None:
            owners = [(tables.agents, measurement.agent_id)]
            if measurement.session_id is not None:
                owners.append((tables.sessions, measurement.session_id))
            for table, owner in owners:
                found = connection.execute(select(table.c.id).where(table.c.id == owner))
                if found.first() is None:
                    return
            if measurement.session_id is not None and _deleted(connection, measurement):
                return
            connection.execute(putting(connection, _T, "content"), values)

        await self._database.write(work, synced=False)

    async def of_agent(self, agent_id: str) -> list[Measurement]:
        return await self._database.read(lambda c: measurements_of(c, agent_id))

    async def forget(self, measurement_id: str) -> None:
        await self._database.write(
            lambda connection: connection.execute(delete(_T).where(_T.c.id == measurement_id))
        )


def _deleted(connection: Connection, measurement: Measurement) -> bool:
    """Whether a message that was measured has been deleted meanwhile."""
    ids = {message.id for fold in measurement.folds for message in fold.messages}
    column = tables.messages.c.id
    query = select(func.count()).where(
        column.in_(ids), tables.messages.c.session_id == measurement.session_id
    )
    return (connection.scalar(query) or 0) < len(ids)


def measurements_of(connection: Connection, agent_id: str) -> list[Measurement]:
    """Those of an agent, newest first."""
    query = select(_T).where(_T.c.agent_id == agent_id).order_by(_T.c.at.desc(), _T.c.id.desc())
    return [_measurement(row) for row in connection.execute(query)]


def _measurement(row: Row[Any]) -> Measurement:
    return Measurement.model_validate(
        json.loads(row.content)
        | {
            "id": row.id,
            "agent_id": row.agent_id,
            "session_id": row.session_id,
            "model": row.model,
            "at": row.at,
        }
    )
