"""What a person does to one layer of memory by hand: each act is a revision, made after the last
message of the branch, with a row of its own in the ledger.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from chatty_desktop.domain.branch import Branch
from chatty_desktop.domain.by_hand import pin_reason
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.ids import new_id
from chatty_desktop.domain.memory import Fact, LedgerEntry, StateRevision, SummaryRevision
from chatty_desktop.domain.state import apply_patch
from chatty_desktop.domain.strategies import State
from chatty_desktop.engine.memory.contract import Surroundings
from chatty_desktop.engine.memory.facts import facts_on
from chatty_desktop.engine.memory.state_revisions import StateRevisions, later, pins_of, state_of
from chatty_desktop.engine.memory.summarized import summaries_on


async def last_message(around: Surroundings) -> tuple[Branch, str]:
    """The branch and the id of its last message. Raises `Invalid` before the first."""
    branch = await around.messages.branch(around.scope.session_id)
    if not len(branch):
        raise Invalid("Send a first message; from then on memory can be changed.")
    return branch, branch[-1].id


def hand_row(
    around: Surroundings, reason: str, message_id: str, patch: Mapping[str, Any] | None
) -> LedgerEntry:
    """The row of what a person did just now."""
    now = time.time()
    return LedgerEntry(
        id=new_id(),
        run_id="",
        agent_id=around.scope.agent_id,
        session_id=around.scope.session_id,
        layer=around.layer,
        kind="by_hand",
        outcome="accepted",
        reason=reason,
        attempts=0,
        model="",
        message_ids=(message_id,),
        patch=None if patch is None else dict(patch),
        dropped=(),
        reply="",
        consumed=False,
        started_at=now,
        finished_at=now,
    )


class StateByHand:
    """Σ of one layer, changed by a person under the rules of a patch."""

    def __init__(self, config: State, around: Surroundings) -> None:
        self._config = config
        self._around = around
        self._revisions = StateRevisions(around)

    async def now(self, branch: Branch) -> dict[str, Any]:
        """Σ on the branch."""
        return state_of(await self._revisions.newest(branch))

    async def change(self, patch: Mapping[str, Any], reason: str = "") -> None:
        """Apply a patch. Pins hold against folds, not against the person. A key that the fields
        no longer have can be forgotten, since nothing else could be done about it. Raises
        `PatchRefused`, `Invalid`."""
        branch, last = await last_message(self._around)
        base = await self._revisions.newest(branch)
        state = state_of(base)
        if all(state.get(key) == value for key, value in patch.items()):
            return
        await self._keep(base, self._after(state, patch), patch, reason, last)

    async def pin(self, key: str, pinned: bool) -> None:
        """Keep folds from changing a key, or let them again."""
        branch, last = await last_message(self._around)
        base = await self._revisions.newest(branch)
        pins = pins_of(base)
        if (key in pins) == pinned:
            return
        pins = (*pins, key) if pinned else tuple(each for each in pins if each != key)
        await self._keep(base, state_of(base), {}, pin_reason(key, pinned=pinned), last, pins)

    async def accept(self, entry: LedgerEntry, patch: Mapping[str, Any], changed: bool) -> None:
        """Keep a change that waited, as it was or as the person changed it. Raises
        `PatchRefused`, `Invalid`."""
        branch, _last = await last_message(self._around)
        base = await self._revisions.newest(branch)
        after = self._after(state_of(base), patch)
        if changed:
            entry = replace(entry, reason="Changed by the person before it was kept.")
        entry = replace(entry, patch=dict(patch))
        revision = self._revision(
            base, after, patch, entry, later(branch, base, entry.message_ids[-1])
        )
        await self._around.store.settle_fold(entry, revision)

    async def refuse(self, entry: LedgerEntry) -> None:
        """Leave Σ as it is; the messages leave the queue, as of any refused fold."""
        refused = replace(entry, outcome="refused", reason="Refused by the person.")
        await self._around.store.settle_fold(refused, None)

    def _after(self, state: dict[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
        names = [field.name for field in self._config.fields]
        names += [key for key in state if key not in names and patch.get(key, state) is None]
        return apply_patch(state, patch, names, self._config.max_chars)

    async def _keep(
        self,
        base: StateRevision | None,
        state: dict[str, Any],
        patch: Mapping[str, Any],
        reason: str,
        last: str,
        pins: tuple[str, ...] | None = None,
    ) -> None:
        entry = hand_row(self._around, reason, last, patch)
        revision = self._revision(base, state, patch, entry, last)
        if pins is not None:
            revision = replace(revision, pins=pins)
        await self._around.store.settle_fold(entry, revision)

    def _revision(
        self,
        base: StateRevision | None,
        state: dict[str, Any],
        patch: Mapping[str, Any],
        entry: LedgerEntry,
        after_message_id: str,
    ) -> StateRevision:
        return StateRevision(
            id=new_id(),
            agent_id=entry.agent_id,
            session_id=entry.session_id,
            layer=entry.layer,
            after_message_id=after_message_id,
            state=state,
            patch=dict(patch),
            ledger_id=entry.id,
            at=time.time(),
            pins=pins_of(base),
        )


class SummaryByHand:
    """The summary of one layer, written by a person."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around

    async def change(self, text: str) -> None:
        """Put another text in the place of the summary; it stands for the same messages. Raises
        `Invalid` when it is empty, or there is no summary yet."""
        if not text.strip():
            raise Invalid("A summary needs words: it stands for messages that are not sent.")
        branch, last = await last_message(self._around)
        summaries = await summaries_on(self._around, branch)
        if not summaries:
            raise Invalid("There is no summary yet.")
        if text.strip() != summaries[0].text:
            cut = summaries[0].after_message_id
            await self._keep(text.strip(), cut, "The summary was changed.", last)

    async def restore(self, revision_id: str) -> None:
        """Make an earlier summary the present one: what it does not stand for is sent word for
        word again, until it is summarized anew. Raises `Invalid`."""
        branch, last = await last_message(self._around)
        for each in await summaries_on(self._around, branch):
            if each.id == revision_id:
                reason = "An earlier summary was restored."
                await self._keep(each.text, each.after_message_id, reason, last)
                return
        raise Invalid("That summary is no longer there.")

    async def _keep(self, text: str, cut: str, reason: str, last: str) -> None:
        entry = hand_row(self._around, reason, last, {"summary": text})
        revision = SummaryRevision(
            id=new_id(),
            agent_id=entry.agent_id,
            session_id=entry.session_id,
            layer=entry.layer,
            after_message_id=cut,
            text=text,
            ledger_id=entry.id,
            at=entry.finished_at,
            made_after_id="" if cut == last else last,
        )
        await self._around.store.settle_summary(entry, revision)


class FactsByHand:
    """The facts of one layer, corrected by a person."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around

    async def change(self, fact_id: str, text: str | None) -> None:
        """Put other words in the place of a fact's, or forget it (None). Raises `Invalid`."""
        words = None if text is None else " ".join(text.split())
        if words == "":
            raise Invalid("A fact needs words. To be rid of it, forget it.")
        branch, last = await last_message(self._around)
        fact = await self._fact(branch, fact_id)
        if words == fact.fact:
            return
        reason = "A fact was forgotten." if words is None else "A fact was corrected."
        patch = {fact.subject: None if words is None else [words]}
        entry = replace(hand_row(self._around, reason, last, patch), dropped=_put_away([fact]))
        await self._around.store.settle_extraction(entry, [self._in_place(fact, words, entry)])

    async def add(self, subject: str, text: str) -> None:
        """Note a fact. Raises `Invalid` when a word is missing, or it is known already."""
        subject, words = " ".join(subject.split()), " ".join(text.split())
        if not subject or not words:
            raise Invalid("Say what the fact is about, and the fact.")
        branch, last = await last_message(self._around)
        async for each in facts_on(self._around, branch):
            if (each.subject, each.fact) == (subject, words):
                raise Invalid("That is known already.")
        entry = hand_row(self._around, "A fact was added.", last, {subject: [words]})
        await self._around.store.settle_extraction(entry, [self._new(subject, words, entry)])

    async def restore(self, then: Mapping[str, Fact]) -> bool:
        """Make the facts what they were; False when they are so already. Raises `Invalid`."""
        branch, last = await last_message(self._around)
        now = {fact.id: fact async for fact in facts_on(self._around, branch)}
        said_now = {(fact.subject, fact.fact) for fact in now.values()}
        said_then = {(fact.subject, fact.fact) for fact in then.values()}
        gone = [fact for fact in now.values() if (fact.subject, fact.fact) not in said_then]
        back = [fact for fact in then.values() if (fact.subject, fact.fact) not in said_now]
        if not gone and not back:
            return False
        patch: dict[str, Any] = {fact.subject: None for fact in gone}
        for fact in back:
            patch[fact.subject] = [*(patch.get(fact.subject) or ()), fact.fact]
        entry = hand_row(self._around, "Restored to an earlier point.", last, patch)
        entry = replace(entry, dropped=_put_away(gone))
        rows = [self._in_place(fact, None, entry) for fact in gone]
        for fact in back:
            again = self._new(fact.subject, fact.fact, entry)
            rows.append(replace(again, source_ids=fact.source_ids))
        await self._around.store.settle_extraction(entry, rows)
        return True

    async def _fact(self, branch: Branch, fact_id: str) -> Fact:
        async for fact in facts_on(self._around, branch):
            if fact.id == fact_id:
                return fact
        raise Invalid("That fact is no longer there.")

    def _in_place(self, fact: Fact, words: str | None, entry: LedgerEntry) -> Fact:
        return replace(
            fact,
            id=new_id(),
            after_message_id=entry.message_ids[-1],
            fact=words or "",
            ledger_id=entry.id,
            at=entry.finished_at,
            replaces=fact.id,
            forgotten=words is None,
        )

    def _new(self, subject: str, words: str, entry: LedgerEntry) -> Fact:
        return Fact(
            id=new_id(),
            agent_id=entry.agent_id,
            session_id=entry.session_id,
            layer=entry.layer,
            after_message_id=entry.message_ids[-1],
            subject=subject,
            fact=words,
            source_ids=(),
            ledger_id=entry.id,
            at=entry.finished_at,
        )


def _put_away(facts: Sequence[Fact]) -> tuple[dict[str, Any], ...]:
    """What the ledger shows of facts that are no longer known."""
    return tuple(
        {"key": fact.subject, "value": fact.fact, "reason": "put away by hand"} for fact in facts
    )
