"""What memory was at any message is what replaying the ledger up to there gives."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chatty_desktop.domain.branch import Branch
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.memory import LedgerEntry
from chatty_desktop.domain.state import PatchRefused
from tests.helpers.desk import STATE, Desk
from tests.helpers.diligent import Diligent, OneModel, order

LAYERS = {"kind": "composite", "layers": [STATE, {"kind": "semantic"}]}
KEYS = ("goal", "working_on", "open")

steps = st.lists(
    st.tuples(
        st.sampled_from(
            ("say", "say", "edit_message", "switch", "delete", "set", "forget", "pin", "unpin",
             "undo", "restore", "fact", "forget_fact", "again", "retry")
        ),
        st.sampled_from(KEYS),
        st.integers(0, 7),
    ),
    min_size=3,
    max_size=12,
)  # fmt: skip


@settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(steps=steps)
async def test_the_state_at_any_message_is_the_ledger_replayed_up_to_it(
    steps: Sequence[tuple[str, str, int]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        desk = await Desk.open(Path(folder), OneModel(Diligent()), LAYERS)
        try:
            await desk.say(order("goal", "first"))
            for number, (act, key, pick) in enumerate(steps):
                await _do(desk, act, key, pick, number)
                await _compare(desk)
        finally:
            await desk.close()


async def _do(desk: Desk, act: str, key: str, pick: int, number: int) -> None:
    """One thing that happens to a chat; what is not possible just now does not."""
    branch = await desk.messages.branch(desk.session.id)
    messages = list(branch)
    _state, semantic = (await desk.memories.inspect(desk.scope)).layers
    chosen = messages[pick % len(messages)] if messages else None
    facts = semantic.facts or ()
    try:
        if act == "say" or chosen is None:
            await desk.say(order(key, f"v{number}"))
        elif act == "edit_message":
            mine = [message for message in messages if message.role == "user"]
            await desk.chat.edit(mine[pick % len(mine)].id, order(key, f"e{number}"))
        elif act == "switch":
            versions = await desk.messages.versions([m.id for m in messages])
            others = [v for ids in versions.values() for v in ids if branch.place(v) is None]
            if others:
                leaf = await desk.messages.newest_below(others[pick % len(others)])
                await desk.messages.set_leaf(desk.session.id, leaf)
        elif act == "delete":
            await desk.chat.delete_message(chosen.id, following=bool(number % 2))
        elif act == "set":
            await desk.acts.change_state(desk.scope, "state", {key: f"h{number}"})
        elif act == "forget":
            await desk.acts.change_state(desk.scope, "state", {key: None})
        elif act in ("pin", "unpin"):
            await desk.acts.pin(desk.scope, "state", key, act == "pin")
        elif act == "undo":
            changes = await desk.past.of_key(desk.scope, "state", key)
            if changes:
                change = changes[pick % len(changes)]
                await desk.acts.undo(desk.scope, "state", key, change.revision_id)
        elif act == "restore":
            await desk.acts.restore(desk.scope, chosen.id)
        elif act == "fact" and facts:
            fact = facts[pick % len(facts)]
            await desk.acts.change_fact(desk.scope, "semantic", fact.id, f"Changed to f{number}.")
        elif act == "forget_fact" and facts:
            await desk.acts.change_fact(desk.scope, "semantic", facts[pick % len(facts)].id, None)
        elif act == "retry":
            await desk.chat.retry(desk.session.id)
        elif act == "again":
            folds = [row for row in await desk.ledger() if row.kind == "fold"]
            if folds:
                await desk.memories.fold_again(folds[pick % len(folds)].id)
    except (Invalid, PatchRefused):
        pass
    await desk.chat.wait(desk.session.id)


async def _compare(desk: Desk) -> None:
    branch = await desk.messages.branch(desk.session.id)
    ledger = await desk.ledger()
    for point in branch:
        state, semantic = (await desk.past.at(desk.scope, point.id)).layers
        until = branch[: (branch.place(point.id) or 0) + 1]
        cut = Branch(until)
        assert state.state == await _replayed(desk, ledger, cut)
        assert sorted((f.subject, f.fact) for f in semantic.facts or ()) == sorted(
            _facts_replayed(ledger, cut)
        )
    now = (await desk.memories.inspect(desk.scope)).layers
    if len(branch):
        then = (await desk.past.at(desk.scope, branch[-1].id)).layers
        assert [(a.state, a.facts, a.pins) for a in now] == [
            (b.state, b.facts, b.pins) for b in then
        ]


async def _replayed(desk: Desk, ledger: Sequence[LedgerEntry], cut: Branch) -> dict[str, Any]:
    """Σ from nothing, by the patches of the accepted rows that count up to the end of `cut`."""
    made = await desk.memory.revisions(desk.scope, "state")
    after = {revision.ledger_id: revision.after_message_id for revision in made}
    state: dict[str, Any] = {}
    for row in ledger:
        if row.layer != "state" or row.outcome != "accepted" or row.patch is None:
            continue
        if cut.place(after[row.id]) is None:
            continue
        for key, value in row.patch.items():
            if value is None:
                state.pop(key, None)
            else:
                state[key] = value
    return state


def _facts_replayed(ledger: Sequence[LedgerEntry], cut: Branch) -> list[tuple[str, str]]:
    """The facts from nothing, by what each row noted and what it put away."""
    facts: list[tuple[str, str]] = []
    for row in ledger:
        counts = row.layer == "semantic" and row.outcome == "accepted"
        if not counts or cut.place(row.message_ids[-1]) is None:
            continue
        if row.kind == "by_hand":
            for gone in row.dropped:
                facts.remove((gone["key"], gone["value"]))
        for subject, noted in (row.patch or {}).items():
            facts += [(subject, fact) for fact in noted or ()]
    return facts
