"""What a person changed by hand after an answer is kept when that is answered anew: it is mostly
for the sake of what they changed that they want another answer. What folds made of the old answer
stays on its branch.
"""

from __future__ import annotations

from typing import Any

from chatty_desktop.domain.branch import Branch
from chatty_desktop.domain.errors import Invalid, Refused
from chatty_desktop.domain.strategies import Semantic, State, Strategy
from chatty_desktop.engine.memory.by_hand import FactsByHand, StateByHand
from chatty_desktop.engine.memory.contract import Surroundings
from chatty_desktop.engine.memory.state_revisions import StateRevisions

REASON = "Kept from the answer before."


async def carry(config: Strategy, around: Surroundings, before: Branch) -> None:
    """Do once more on the present branch what was done by hand on the end of the one `before` that
    is not on it. What cannot be done there any more is left."""
    now = await around.messages.branch(around.scope.session_id)
    if isinstance(config, State):
        await _carry_state(config, around, before, now)
    elif isinstance(config, Semantic):
        await _carry_facts(around, before, now)


async def _carry_state(config: State, around: Surroundings, before: Branch, now: Branch) -> None:
    left = []
    async for revision in StateRevisions(around).on(before):
        if now.place(revision.after_message_id) is not None:
            break
        left.append(revision)
    rows = await around.store.ledger_entries([revision.ledger_id for revision in left])
    patch: dict[str, Any] = {}
    pins: dict[str, bool] = {}
    fields = {field.name for field in config.fields}
    for revision in reversed(left):
        row = rows.get(revision.ledger_id)
        if row is not None and row.kind == "by_hand":
            patch |= {key: value for key, value in revision.patch.items() if key in fields}
            if not revision.patch:
                pins = {key: key in revision.pins for key in fields}
    by_hand = StateByHand(config, around)
    try:
        await by_hand.change(patch, REASON)
        for key, pinned in pins.items():
            await by_hand.pin(key, pinned)
    except (Invalid, Refused) as problem:
        await around.tell("warning", f"What was changed by hand could not be kept: {problem}")


async def _carry_facts(around: Surroundings, before: Branch, now: Branch) -> None:
    facts = await around.store.facts(around.scope, around.layer)
    left = [
        fact
        for fact in reversed(facts)
        if before.place(fact.after_message_id) is not None
        and now.place(fact.after_message_id) is None
    ]
    rows = await around.store.ledger_entries([fact.ledger_id for fact in left])
    by_hand = FactsByHand(around)
    for fact in left:
        row = rows.get(fact.ledger_id)
        if row is None or row.kind != "by_hand":
            continue
        try:
            if fact.replaces:
                await by_hand.change(fact.replaces, None if fact.forgotten else fact.fact)
            else:
                await by_hand.add(fact.subject, fact.fact)
        except Invalid:  # of a fact that was noted from the old answer
            continue
