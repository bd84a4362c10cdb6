"""Where a piece of memory is from: every change of it on a branch, newest first."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from chatty_desktop.domain.branch import Branch
from chatty_desktop.domain.history import Change, best_first
from chatty_desktop.domain.memory import Fact, LedgerEntry
from chatty_desktop.domain.messages import Message
from chatty_desktop.engine.memory.contract import Surroundings
from chatty_desktop.engine.memory.state_revisions import StateRevisions
from chatty_desktop.engine.memory.summarized import summaries_on


async def of_key(around: Surroundings, key: str) -> list[Change]:
    """The changes of a key of Σ."""
    branch = await around.messages.branch(around.scope.session_id)
    revisions = [each async for each in StateRevisions(around).on(branch)][::-1]
    rows = await around.store.ledger_entries([r.ledger_id for r in revisions if key in r.patch])
    found: list[Change] = []
    before: dict[str, Any] = {}
    for revision in revisions:
        if key in revision.patch and before.get(key) != revision.state.get(key):
            value = revision.state.get(key)
            row = rows.get(revision.ledger_id)
            found.append(
                Change(
                    revision_id=revision.id,
                    value=value,
                    before=before.get(key),
                    at=revision.at,
                    after_message_id=revision.after_message_id,
                    row=row,
                    sources=_went_in(row, branch),
                )
            )
        before = revision.state
    return await asyncio.to_thread(_best_first, found[::-1])


async def of_fact(around: Surroundings, fact_id: str) -> list[Change]:
    """The changes of a fact, from the one that was first noted on."""
    branch = await around.messages.branch(around.scope.session_id)
    facts = {fact.id: fact for fact in await around.store.facts(around.scope, around.layer)}
    chain: list[Fact] = []
    at = facts.get(fact_id)
    while at is not None:
        chain.append(at)
        at = facts.get(at.replaces)
    rows = await around.store.ledger_entries([fact.ledger_id for fact in chain])
    found = []
    for index, fact in enumerate(chain):
        row = rows.get(fact.ledger_id)
        named = [branch[p] for each in fact.source_ids if (p := branch.place(each)) is not None]
        by_hand = row is not None and row.kind == "by_hand"
        found.append(
            Change(
                revision_id=fact.id,
                value=None if fact.forgotten else fact.fact,
                before=chain[index + 1].fact if index + 1 < len(chain) else None,
                at=fact.at,
                after_message_id=fact.after_message_id,
                row=row,
                sources=() if by_hand else tuple(named),
            )
        )
    return await asyncio.to_thread(_best_first, found)


async def of_summary(around: Surroundings, sentence: str) -> list[Change]:
    """The summaries of the branch, with the messages that say most of a sentence of them; of the
    whole where it is empty. Those that do not hold the sentence are left out, but for the one
    before the first that does."""
    branch = await around.messages.branch(around.scope.session_id)
    summaries = await summaries_on(around, branch)
    rows = await around.store.ledger_entries([each.ledger_id for each in summaries])
    held = [index for index, each in enumerate(summaries) if sentence in each.text]
    oldest = max(held, default=-1)
    found = []
    for index, each in enumerate(summaries[: oldest + 1]):
        earlier = summaries[index + 1] if index + 1 < len(summaries) else None
        row = rows.get(each.ledger_id)
        found.append(
            Change(
                revision_id=each.id,
                value=each.text,
                before=earlier.text if earlier else None,
                at=each.at,
                after_message_id=each.after_message_id,
                row=row,
                sources=_went_in(row, branch),
            )
        )
    return await asyncio.to_thread(_best_first, found, sentence)


def _went_in(row: LedgerEntry | None, branch: Branch) -> tuple[Message, ...]:
    """The messages of a row."""
    if row is None or row.kind == "by_hand":
        return ()
    places = [place for each in row.message_ids if (place := branch.place(each)) is not None]
    return tuple(branch[place] for place in places)


def _best_first(changes: Sequence[Change], sentence: str = "") -> list[Change]:
    """The changes, of each the messages in order of how much they say of what was made of them, or
    of a sentence of that."""
    return [
        replace(
            change,
            sources=best_first(
                sentence or (change.before if change.value is None else change.value),
                change.sources,
            ),
        )
        for change in changes
    ]
