"""Ledger rows, revisions of Σ, summaries, facts and layer starts in SQLite."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from itertools import islice
from typing import Any

from sqlalchemy import (
    Connection,
    Integer,
    Row,
    Select,
    Table,
    bindparam,
    delete,
    insert,
    select,
)

from chatty_desktop.domain.memory import (
    Fact,
    LayerStart,
    LedgerEntry,
    LedgerFilter,
    QueueMarks,
    StateRevision,
    SummaryRevision,
)
from chatty_desktop.domain.messages import Scope
from chatty_desktop.domain.search import folded_text
from chatty_desktop.storage import tables
from chatty_desktop.storage.database import Database
from chatty_desktop.storage.order import AsWritten

_W = tables.waiting_patches

_AT_ONCE = 500
"""Ids in one statement."""


class StoredMemory:
    """`ports.MemoryStore` over SQLite.

    Its writes are not synced: a fold that a power cut takes back leaves its messages in the queue.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def ledger(
        self, scope: Scope, limit: int | None = 200, wanted: LedgerFilter = LedgerFilter()
    ) -> list[LedgerEntry]:
        c = tables.ledger.c
        mine = (c.session_id == scope.session_id, c.agent_id == scope.agent_id)
        query = select(*_LISTED).where(*mine).order_by(c.seq.desc())
        for name in ("kind", "outcome", "layer"):
            if (value := getattr(wanted, name)) is not None:
                query = query.where(c[name] == value)
        words = folded_text(wanted.words).split()

        def read(connection: Connection) -> list[LedgerEntry]:
            rows = connection.execute(query if words else query.limit(limit))
            # SQLite knows upper and lower case of ASCII letters only.
            found = (row for row in rows if all(word in _said_in(row) for word in words))
            return [_entry(row) for row in islice(found, limit)]

        return await self._database.read(read)

    async def ledger_entry(self, entry_id: str) -> LedgerEntry | None:
        query = select(tables.ledger).where(tables.ledger.c.id == entry_id)
        rows = await self._database.rows(query)
        return _entry(rows[0]) if rows else None

    async def settle_fold(self, entry: LedgerEntry, revision: StateRevision | None) -> None:
        rows = [_revision_values(revision)] if revision else []
        await self._settle(entry, tables.state_revisions, rows)

    async def settle_summary(self, entry: LedgerEntry, summary: SummaryRevision | None) -> None:
        rows = [_summary_values(summary)] if summary else []
        await self._settle(entry, tables.summaries, rows)

    async def settle_extraction(self, entry: LedgerEntry, facts: Sequence[Fact]) -> None:
        await self._settle(entry, tables.facts, [_fact_values(fact) for fact in facts])

    async def _settle(self, entry: LedgerEntry, table: Table, rows: list[dict[str, Any]]) -> None:
        def work(connection: Connection) -> None:
            # What had waited for the person's word has it now.
            connection.execute(_WAIT_NO_MORE, {"entry": entry.id})
            connection.execute(_ADD_TO_LEDGER, _entry_values(entry))
            for row in rows:
                connection.execute(insert(table), row)

        await self._database.write(work, synced=False)

    async def ledger_entries(self, entry_ids: Sequence[str]) -> dict[str, LedgerEntry]:
        found: dict[str, LedgerEntry] = {}
        for start in range(0, len(entry_ids), _AT_ONCE):
            some = entry_ids[start : start + _AT_ONCE]
            query = select(*_LISTED).where(tables.ledger.c.id.in_(some))
            found |= {row.id: _entry(row) for row in await self._database.rows(query)}
        return found

    async def waiting(self, scope: Scope, layer: str) -> list[LedgerEntry]:
        return [_entry(row) for row in await self._newest(_W, scope, layer, None, 0)]

    async def let_wait(self, entry: LedgerEntry) -> None:
        def work(connection: Connection) -> None:
            connection.execute(insert(_W).values(**_entry_values(entry)))

        await self._database.write(work)

    async def wait_no_more(self, entry_id: str) -> None:
        def work(connection: Connection) -> None:
            connection.execute(_WAIT_NO_MORE, {"entry": entry_id})

        await self._database.write(work)

    async def queue_marks(
        self, scope: Scope, layer: str, node: str, limit: int | None = None
    ) -> QueueMarks:
        asked = {**asdict(scope), "layer": layer, "node": node, "most": limit}

        def read(connection: Connection) -> QueueMarks:
            strategy = connection.scalar(_LAST_STRATEGY, asked)
            starts = connection.execute(_newest(tables.layer_starts), asked)
            ends = connection.scalars(_consumed_through(limit is not None), asked)
            return QueueMarks(
                json.loads(strategy) if strategy else None,
                tuple(row.message_id for row in starts),
                tuple(ends),
            )

        return await self._database.read(read)

    async def revisions(
        self, scope: Scope, layer: str, limit: int | None = None, skip: int = 0
    ) -> list[StateRevision]:
        rows = await self._newest(tables.state_revisions, scope, layer, limit, skip)
        return [_revision(row) for row in rows]

    async def summaries(
        self, scope: Scope, layer: str, limit: int | None = None, skip: int = 0
    ) -> list[SummaryRevision]:
        rows = await self._newest(tables.summaries, scope, layer, limit, skip)
        return [_summary(row) for row in rows]

    async def facts(
        self, scope: Scope, layer: str, limit: int | None = None, skip: int = 0
    ) -> list[Fact]:
        return [_fact(row) for row in await self._newest(tables.facts, scope, layer, limit, skip)]

    async def facts_about(self, scope: Scope, layer: str, subjects: Sequence[str]) -> list[Fact]:
        query = _newest(tables.facts, limited=False, skipping=False)
        query = query.where(tables.facts.c.subject.in_(subjects))
        rows = await self._database.rows(query, **asdict(scope), layer=layer)
        return [_fact(row) for row in rows]

    async def _newest(
        self, table: Table, scope: Scope, layer: str, limit: int | None, skip: int
    ) -> Sequence[Row[Any]]:
        query = _newest(table, limit is not None, skip > 0)
        return await self._database.rows(query, **asdict(scope), layer=layer, most=limit, skip=skip)

    async def add_layer_start(self, scope: Scope, layer: str, start: LayerStart) -> None:
        def work(connection: Connection) -> None:
            connection.execute(
                insert(tables.layer_starts).values(
                    session_id=scope.session_id,
                    agent_id=scope.agent_id,
                    layer=layer,
                    message_id=start.message_id,
                    at=start.at,
                )
            )

        await self._database.write(work, synced=False)


@cache
def _newest(table: Table, limited: bool = False, skipping: bool = False) -> Select[Any]:
    """The rows of a layer, the newest first: as a query made once for each table, asked with a
    scope and the layer."""
    columns = [table.c[name] for name in ("session_id", "agent_id", "layer")]
    query = select(table).where(*(column == bindparam(column.name) for column in columns))
    query = query.order_by(table.c.seq.desc())
    query = query.limit(bindparam("most", type_=Integer)) if limited else query
    return query.offset(bindparam("skip", type_=Integer)) if skipping else query


@cache
def _consumed_through(limited: bool) -> Select[Any]:
    c = tables.ledger.c
    query = _newest(tables.ledger, limited).where(c.consumed, c.through_message_id.is_not(None))
    return query.with_only_columns(c.through_message_id)


_LAST_STRATEGY = (
    select(tables.runs.c.strategy)
    .where(
        tables.runs.c.session_id == bindparam("session_id"),
        tables.runs.c.agent_id == bindparam("agent_id"),
        tables.runs.c.node == bindparam("node"),
    )
    .order_by(AsWritten(tables.runs.c.id).desc())
    .limit(1)
)
_WAIT_NO_MORE = delete(_W).where(_W.c.id == bindparam("entry"))
_ADD_TO_LEDGER = insert(tables.ledger)


def _entry_values(entry: LedgerEntry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "session_id": entry.session_id,
        "agent_id": entry.agent_id,
        "run_id": entry.run_id,
        "layer": entry.layer,
        "kind": entry.kind,
        "outcome": entry.outcome,
        "reason": entry.reason,
        "attempts": entry.attempts,
        "model": entry.model,
        "message_ids": json.dumps(entry.message_ids),
        "through_message_id": entry.message_ids[-1] if entry.message_ids else None,
        "patch": None if entry.patch is None else _json(entry.patch),
        "dropped": _json(entry.dropped),
        "reply": entry.reply,
        "consumed": entry.consumed,
        "started_at": entry.started_at,
        "finished_at": entry.finished_at,
        "prompt_tokens": entry.prompt_tokens,
        "completion_tokens": entry.completion_tokens,
        "prompt": _json(entry.prompt),
    }


_LISTED = [column for column in tables.ledger.c if column.name != "prompt"]


def _said_in(row: Row[Any]) -> str:
    texts = (row.reason, row.patch, row.dropped, row.reply, row.model)
    return folded_text(" ".join(filter(None, texts)))


def _entry(row: Row[Any]) -> LedgerEntry:
    return LedgerEntry(
        id=row.id,
        run_id=row.run_id,
        agent_id=row.agent_id,
        session_id=row.session_id,
        layer=row.layer,
        kind=row.kind,
        outcome=row.outcome,
        reason=row.reason,
        attempts=row.attempts,
        model=row.model,
        message_ids=tuple(json.loads(row.message_ids)),
        patch=None if row.patch is None else json.loads(row.patch),
        dropped=tuple(json.loads(row.dropped)),
        reply=row.reply,
        consumed=bool(row.consumed),
        started_at=row.started_at,
        finished_at=row.finished_at,
        prompt_tokens=row.prompt_tokens,
        completion_tokens=row.completion_tokens,
        prompt=tuple((role, said) for role, said in json.loads(getattr(row, "prompt", "[]"))),
    )


_OF_A_LAYER = ("id", "session_id", "agent_id", "layer", "after_message_id", "ledger_id", "at")
"""Columns of whatever a layer keeps, written and read as they are."""


def _kept_values(kept: StateRevision | SummaryRevision | Fact, **own: Any) -> dict[str, Any]:
    return {name: getattr(kept, name) for name in _OF_A_LAYER} | own


def _kept(row: Row[Any]) -> dict[str, Any]:
    return {name: getattr(row, name) for name in _OF_A_LAYER}


def _revision_values(revision: StateRevision) -> dict[str, Any]:
    return _kept_values(
        revision,
        state=_json(revision.state),
        patch=_json(revision.patch),
        pins=_json(revision.pins),
    )


def _revision(row: Row[Any]) -> StateRevision:
    return StateRevision(
        **_kept(row),
        state=json.loads(row.state),
        patch=json.loads(row.patch),
        pins=tuple(json.loads(row.pins)),
    )


def _summary_values(summary: SummaryRevision) -> dict[str, Any]:
    return _kept_values(summary, text=summary.text, made_after_id=summary.made_after_id)


def _summary(row: Row[Any]) -> SummaryRevision:
    return SummaryRevision(**_kept(row), text=row.text, made_after_id=row.made_after_id)


def _fact_values(fact: Fact) -> dict[str, Any]:
    return _kept_values(
        fact,
        subject=fact.subject,
        fact=fact.fact,
        source_ids=json.dumps(fact.source_ids),
        replaces=fact.replaces,
        forgotten=fact.forgotten,
    )


def _fact(row: Row[Any]) -> Fact:
    sources = tuple(json.loads(row.source_ids))
    return Fact(
        **_kept(row),
        subject=row.subject,
        fact=row.fact,
        source_ids=sources,
        replaces=row.replaces,
        forgotten=bool(row.forgotten),
    )


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
