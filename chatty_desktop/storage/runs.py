"""Runs, their log, and what was sent to the model, in SQLite."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, func, insert, select, update

from chatty_desktop.domain.events import LogEntry
from chatty_desktop.domain.messages import Message, Scope
from chatty_desktop.domain.requests import Usage
from chatty_desktop.domain.runs import Run, Section, SentRequest, SentSection
from chatty_desktop.domain.tokens import estimate
from chatty_desktop.domain.tool_results import cut
from chatty_desktop.storage import tables
from chatty_desktop.storage.database import Database
from chatty_desktop.storage.messages import StoredMessages


class StoredRuns:
    """`ports.Runs` over SQLite.

    Verbatim messages of a request are kept as the ids of the first and the last, so that a
    request that carries 10,000 messages takes one line, and a deleted message is gone here too.
    """

    def __init__(self, database: Database, messages: StoredMessages) -> None:
        self._database = database
        self._messages = messages

    async def start(self, run: Run) -> None:
        def work(connection: Connection) -> None:
            connection.execute(
                insert(tables.runs).values(
                    id=run.id,
                    strategy=json.dumps(run.strategy, ensure_ascii=False),
                    started_at=run.started_at,
                    status=run.status,
                    **_place(run),
                )
            )

        await self._database.write(work, synced=False)

    async def ask(self, run: Run, sections: Sequence[Section], tokens: int) -> None:
        kept = [_kept(section) for section in sections]

        def work(connection: Connection) -> None:
            connection.execute(
                insert(tables.requests).values(
                    run_id=run.id,
                    sections=json.dumps(kept, ensure_ascii=False),
                    estimated_tokens=tokens,
                    at=time.time(),
                    **_place(run),
                )
            )

        await self._database.write(work, synced=False)

    async def answered(self, run_id: str, usage: Usage) -> None:
        requests = tables.requests.c
        newest = select(func.max(requests.seq)).where(requests.run_id == run_id)

        def work(connection: Connection) -> None:
            connection.execute(
                update(tables.requests)
                .where(requests.seq == newest.scalar_subquery())
                .values(
                    prompt_tokens=usage.prompt_tokens,
                    completion_tokens=usage.completion_tokens,
                )
            )

        await self._database.write(work, synced=False)

    async def finish(self, run_id: str, status: str) -> None:
        def work(connection: Connection) -> None:
            connection.execute(
                update(tables.runs)
                .where(tables.runs.c.id == run_id)
                .values(status=status, finished_at=time.time())
            )

        await self._database.write(work, synced=False)

    async def log(self, session_id: str, entry: LogEntry) -> None:
        def work(connection: Connection) -> None:
            connection.execute(
                insert(tables.run_log).values(
                    session_id=session_id,
                    run_id=entry.run_id,
                    at=entry.at,
                    level=entry.level,
                    text=entry.text,
                )
            )

        await self._database.write(work, synced=False)

    async def read_log(self, session_id: str, limit: int = 500) -> list[LogEntry]:
        query = (
            select(tables.run_log)
            .where(tables.run_log.c.session_id == session_id)
            .order_by(tables.run_log.c.seq.desc())
            .limit(limit)
        )
        rows = await self._database.rows(query)
        return [LogEntry(row.run_id, row.at, row.level, row.text) for row in reversed(rows)]

    async def warnings(self, session_id: str, run_ids: Sequence[str]) -> list[LogEntry]:
        query = (
            select(tables.run_log)
            .where(
                tables.run_log.c.session_id == session_id,
                tables.run_log.c.level != "info",
                tables.run_log.c.run_id.in_(run_ids),
            )
            .order_by(tables.run_log.c.seq)
        )
        rows = await self._database.rows(query)
        return [LogEntry(row.run_id, row.at, row.level, row.text) for row in rows]

    async def last_strategy(self, scope: Scope) -> dict[str, Any] | None:
        query = (
            select(tables.runs.c.strategy)
            .where(
                tables.runs.c.session_id == scope.session_id,
                tables.runs.c.agent_id == scope.agent_id,
            )
            .order_by(tables.runs.c.started_at.desc())
            .limit(1)
        )
        rows = await self._database.rows(query)
        strategy: dict[str, Any] | None = json.loads(rows[0].strategy) if rows else None
        return strategy

    async def last_request(self, scope: Scope) -> SentRequest | None:
        query = (
            select(tables.requests)
            .where(
                tables.requests.c.session_id == scope.session_id,
                tables.requests.c.agent_id == scope.agent_id,
            )
            .order_by(tables.requests.c.seq.desc())
            .limit(1)
        )
        rows = await self._database.rows(query)
        if not rows:
            return None
        row = rows[0]
        sections: list[SentSection] = []
        for kept in json.loads(row.sections):
            sections.extend(await self._expand(kept, scope))
        of_run = await self._database.rows(
            select(tables.requests.c.prompt_tokens, tables.requests.c.completion_tokens).where(
                tables.requests.c.run_id == row.run_id
            )
        )
        return SentRequest(
            run_id=row.run_id,
            model=row.model,
            sections=tuple(sections),
            estimated_tokens=row.estimated_tokens,
            usage=Usage(row.prompt_tokens, row.completion_tokens),
            at=row.at,
            step=len(of_run),
            run_usage=sum((Usage(*each) for each in of_run), Usage()),
        )

    async def _expand(self, kept: dict[str, Any], scope: Scope) -> list[SentSection]:
        if "first" not in kept:
            text = kept["text"]
            return [SentSection(kept["origin"], kept["role"], text, estimate(text))]
        return [
            _sent(kept["origin"], message, kept.get("cut", {}))
            for message in await self._messages.range(kept["first"], kept["last"])
            if message.agent_id == scope.agent_id and message.counts
        ]


def _place(run: Run) -> dict[str, str]:
    return {"session_id": run.session_id, "agent_id": run.agent_id, "model": run.model}


def _kept(section: Section) -> dict[str, Any]:
    """A section as it is stored."""
    if not section.messages:
        return {"origin": section.origin, "role": section.role, "text": section.text}
    first, last = section.messages[0].id, section.messages[-1].id
    kept: dict[str, Any] = {"origin": section.origin, "first": first, "last": last}
    return kept | ({"cut": dict(section.cut)} if section.cut else {})


def _sent(origin: str, message: Message, cuts: dict[str, int]) -> SentSection:
    """A message as it was sent, its calls below its words."""
    content = message.content
    if message.id in cuts:
        content = cut(content, cuts[message.id])
    calls = [f"{call.name}({call.arguments})" for call in message.tool_calls]
    content = "\n".join(filter(None, [content, *calls]))
    return SentSection(origin, message.role, content, estimate(content))
