"""Runs, their log, and what was sent to the model, in SQLite."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    bindparam,
    func,
    insert,
    select,
    update,
)

from chatty_desktop.domain.attachments import in_full
from chatty_desktop.domain.events import LogEntry
from chatty_desktop.domain.messages import Message, Scope
from chatty_desktop.domain.requests import ToolOffer, Usage
from chatty_desktop.domain.runs import AskedFor, Run, Section, SentRequest, SentSection
from chatty_desktop.domain.tokens import estimate
from chatty_desktop.domain.tool_results import cut
from chatty_desktop.storage import tables
from chatty_desktop.storage.database import Database
from chatty_desktop.storage.messages import StoredMessages

_ADD_RUN = insert(tables.runs)
_CHANGE_RUN = update(tables.runs).where(tables.runs.c.id == bindparam("run"))
_ADD_REQUEST = insert(tables.requests)
_NOTE_USAGE = update(tables.requests).where(
    tables.requests.c.seq
    == select(func.max(tables.requests.c.seq))
    .where(tables.requests.c.run_id == bindparam("run"))
    .scalar_subquery()
)
_ADD_TO_LOG = insert(tables.run_log)


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
            values = {
                "id": run.id,
                "strategy": json.dumps(run.strategy, ensure_ascii=False),
                "started_at": run.started_at,
                "status": run.status,
                "node": run.node,
                **_place(run),
            }
            connection.execute(_ADD_RUN, values)

        await self._database.write(work, synced=False)

    async def ask(
        self,
        run: Run,
        sections: Sequence[Section],
        tokens: int,
        *,
        options: Mapping[str, float] | None = None,
        tools: Sequence[ToolOffer] = (),
    ) -> None:
        kept = [_kept(section) for section in sections]
        how = {"sampling": dict(options or {}), "tools": [asdict(tool) for tool in tools]}

        def work(connection: Connection) -> None:
            values = {
                "run_id": run.id,
                "sections": json.dumps(kept, ensure_ascii=False),
                "options": json.dumps(how, ensure_ascii=False),
                "estimated_tokens": tokens,
                "at": time.time(),
                **_place(run),
            }
            connection.execute(_ADD_REQUEST, values)

        await self._database.write(work, synced=False)

    async def answered(self, run_id: str, usage: Usage) -> None:
        values = {
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
        }

        def work(connection: Connection) -> None:
            connection.execute(_NOTE_USAGE, {**values, "run": run_id})

        await self._database.write(work, synced=False)

    async def finish(self, run_id: str, status: str) -> None:
        def work(connection: Connection) -> None:
            values = {"status": status, "finished_at": time.time()}
            connection.execute(_CHANGE_RUN, {**values, "run": run_id})

        await self._database.write(work, synced=False)

    async def log(self, session_id: str, entry: LogEntry) -> None:
        def work(connection: Connection) -> None:
            connection.execute(_ADD_TO_LOG, {**asdict(entry), "session_id": session_id})

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

    async def last_request(self, scope: Scope) -> SentRequest | None:
        rows = await self._database.rows(
            select(tables.requests)
            .where(*_of(scope))
            .order_by(tables.requests.c.seq.desc())
            .limit(1)
        )
        return await self._request(rows[0]) if rows else None

    async def request_of(self, run_id: str, step: int | None = None) -> SentRequest | None:
        query = select(tables.requests).where(tables.requests.c.run_id == run_id)
        seq = tables.requests.c.seq
        if step is None:
            query = query.order_by(seq.desc()).limit(1)
        else:
            query = query.order_by(seq).offset(step - 1).limit(1)
        rows = await self._database.rows(query)
        return await self._request(rows[0]) if rows else None

    async def run_before(self, run_id: str) -> str | None:
        this, other = tables.requests.alias(), tables.requests.c
        first = (
            select(this.c.session_id, this.c.agent_id, this.c.seq)
            .where(this.c.run_id == run_id)
            .order_by(this.c.seq)
            .limit(1)
        )
        rows = await self._database.rows(first)
        if not rows:
            return None
        before = await self._database.rows(
            select(other.run_id)
            .where(*_of(Scope(rows[0].agent_id, rows[0].session_id)), other.seq < rows[0].seq)
            .order_by(other.seq.desc())
            .limit(1)
        )
        return before[0].run_id if before else None

    async def asked_for(self, scope: Scope, limit: int = 100) -> list[AskedFor]:
        c = tables.requests.c
        newest = (
            select(func.max(c.seq).label("seq"), func.count().label("steps"))
            .where(*_of(scope))
            .group_by(c.run_id)
            .order_by(func.max(c.seq).desc())
            .limit(limit)
            .subquery()
        )
        backend = self._database.backend
        new = backend.json_items(c.sections, "part")
        first = backend.json_text(new.c.value, "first")
        asked = (
            select(func.substr(tables.messages.c.content, 1, 120))
            .select_from(new.join(tables.messages, tables.messages.c.id == first))
            .where(backend.json_text(new.c.value, "origin") == "new")
            .limit(1)
            .scalar_subquery()
        )
        query = (
            select(
                c.run_id,
                c.at,
                c.model,
                newest.c.steps,
                asked.label("words"),
                func.coalesce(tables.runs.c.node, "").label("node"),
            )
            .join_from(tables.requests, newest, newest.c.seq == c.seq)
            .outerjoin(tables.runs, tables.runs.c.id == c.run_id)
            .order_by(c.seq.desc())
        )
        rows = await self._database.rows(query)
        return [AskedFor(r.run_id, r.at, r.model, r.steps, r.words or "", r.node) for r in rows]

    async def _request(self, row: Row[Any]) -> SentRequest:
        scope = Scope(row.agent_id, row.session_id)
        parts = [await self._part(kept, scope) for kept in json.loads(row.sections)]
        of_run = await self._database.rows(
            select(
                tables.requests.c.seq,
                tables.requests.c.prompt_tokens,
                tables.requests.c.completion_tokens,
            ).where(tables.requests.c.run_id == row.run_id)
        )
        how = json.loads(row.options)
        return SentRequest(
            run_id=row.run_id,
            model=row.model,
            sections=tuple(each for part in parts for each in _shown(part)),
            estimated_tokens=row.estimated_tokens,
            usage=Usage(row.prompt_tokens, row.completion_tokens),
            at=row.at,
            step=sum(each.seq <= row.seq for each in of_run),
            run_usage=sum(
                (Usage(each.prompt_tokens, each.completion_tokens) for each in of_run), Usage()
            ),
            parts=tuple(parts),
            options=how.get("sampling", {}),
            tools=tuple(ToolOffer(**tool) for tool in how.get("tools", ())),
        )

    async def _part(self, kept: dict[str, Any], scope: Scope) -> Section:
        """A section as it was sent, its messages cut as they were."""
        if "first" not in kept:
            return Section(kept["origin"], kept["role"], kept["text"])
        cuts: dict[str, int] = kept.get("cut", {})
        files: dict[str, list[int]] = kept.get("files", {})
        messages = tuple(
            replace(each, content=cut(each.content, cuts[each.id])) if each.id in cuts else each
            for each in await self._messages.range(kept["first"], kept["last"])
            if each.agent_id == scope.agent_id and each.counts
        )
        if files:
            messages = await self._with_files(messages, files)
        return Section(kept["origin"], messages=messages, cut=tuple(cuts.items()))

    async def _with_files(
        self, messages: tuple[Message, ...], kept: Mapping[str, Sequence[int]]
    ) -> tuple[Message, ...]:
        """The messages with what went along of their files as text; an image is named."""
        texts = {f.digest for m in messages for f in m.attachments if not f.is_image}
        contents = await self._messages.contents(texts)
        return tuple(
            replace(
                each,
                content=in_full(
                    each.content, each.attachments, kept[each.id], contents, name_images=True
                ),
                attachments=(),
            )
            if each.id in kept
            else each
            for each in messages
        )


def _of(scope: Scope) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    c = tables.requests.c
    return c.session_id == scope.session_id, c.agent_id == scope.agent_id


def _place(run: Run) -> dict[str, str]:
    return {"session_id": run.session_id, "agent_id": run.agent_id, "model": run.model}


def _kept(section: Section) -> dict[str, Any]:
    """A section as it is stored."""
    if not section.messages:
        return {"origin": section.origin, "role": section.role, "text": section.text}
    first, last = section.messages[0].id, section.messages[-1].id
    kept: dict[str, Any] = {"origin": section.origin, "first": first, "last": last}
    kept |= {"cut": dict(section.cut)} if section.cut else {}
    return kept | ({"files": dict(section.files)} if section.files else {})


def _shown(part: Section) -> list[SentSection]:
    """A part as it is shown: one section for a text, one for each message, its calls below its
    words."""
    if not part.messages:
        # Messages that were deleted since leave nothing of their part.
        return [SentSection(part.origin, part.role, part.text, estimate(part.text))] * bool(
            part.text
        )
    shown = []
    for message in part.messages:
        calls = [f"{call.name}({call.arguments})" for call in message.tool_calls]
        content = "\n".join(filter(None, [message.content, *calls]))
        took = message.seconds if message.role == "tool" else 0.0
        shown.append(SentSection(part.origin, message.role, content, estimate(content), took))
    return shown
