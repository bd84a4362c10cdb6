"""Semantic: the model sees the facts known from the conversation, in place of the past.

After the answer one extraction call reads the run's new messages and notes the facts in them.
Which messages wait is read off the message log; a fact carries the message it was noted after:
both follow the current branch by themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from string import Template

from chatty_desktop.domain.branch import Branch
from chatty_desktop.domain.errors import Invalid, Refused, Unreachable
from chatty_desktop.domain.events import Level
from chatty_desktop.domain.extracting import (
    Found,
    fact_line,
    facts_prompt,
    facts_retry,
    facts_schema,
    known_lines,
    read_facts,
)
from chatty_desktop.domain.grounding import Dropped
from chatty_desktop.domain.ids import new_id
from chatty_desktop.domain.memory import Fact, LayerSnapshot, LedgerEntry, MemorySnapshot, Outcome
from chatty_desktop.domain.messages import Message
from chatty_desktop.domain.questions import Turn
from chatty_desktop.domain.runs import Run, Section
from chatty_desktop.domain.strategies import Semantic
from chatty_desktop.domain.timing import Began
from chatty_desktop.engine.asking import Asking
from chatty_desktop.engine.memory.contract import Surroundings
from chatty_desktop.engine.memory.facts import FactsInPlace, facts_on
from chatty_desktop.engine.memory.ledger import in_words, ledger_row
from chatty_desktop.engine.memory.queue import Queue, begin, read_again, read_queue
from chatty_desktop.engine.models import Completion

LONGEST_ANSWER = 600
"""Tokens: about a dozen facts as JSON."""


@dataclass(frozen=True, slots=True)
class _Verdict:
    """How an extraction ended: the facts found that the messages bear out, and what was left
    out."""

    outcome: Outcome
    reason: str
    attempts: int
    found: Sequence[Found] = ()
    dropped: Sequence[Dropped] = ()


class Layer:
    """Semantic memory of one agent in one session, for one run or one look at it."""

    def __init__(self, config: Semantic, around: Surroundings) -> None:
        self._config = config
        self._around = around
        self._recalled: Queue | None = None

    async def recall(self, incoming: Message) -> list[Section]:
        """The known facts, the newest of them where not all have room."""
        queue = await read_queue(self._around, before=incoming.id)
        await begin(self._around, queue, incoming)
        self._recalled = queue
        lines = await self._known(queue.branch)
        if not lines:
            return []
        text = Template(self._around.prompts["facts_known"].strip())
        return [Section("facts", text=text.substitute(facts="\n".join(lines)))]

    async def record(self, message: Message) -> None:
        """Nothing to do: the message log is the queue."""

    async def settle(self, run: Run) -> None:
        """Note the facts in what waits: one model call, or one a chunk where it is long. An
        answer that cannot be read ends the matter; when no model can be reached, what waits
        stays queued."""
        if self._recalled is None:
            queue = await read_queue(self._around)
        else:  # whatever takes from the queue of a scope waits for its run, so this is still right
            queue = await read_again(self._around, self._recalled)
        if not queue.waiting:
            return
        asking = await self._asking()
        if asking is None:
            await self._around.tell(
                "warning",
                "No facts were noted: there is no chat model to look for them. The messages stay"
                " queued until there is one.",
            )
            return
        await self._extract(asking, queue.branch, queue.waiting, run.id, consume=True)

    async def fold_again(self, entry: LedgerEntry) -> None:
        """Look for facts in the messages of a ledger row once more; the queue stays.

        Raises `Invalid` when none of them is on the current branch, or there is no model.
        """
        again = set(entry.message_ids)
        branch = await self._around.messages.branch(self._around.scope.session_id)
        batch = [each for each in branch.of_agent(entry.agent_id) if each.id in again]
        if not batch:
            raise Invalid("These messages are not on the current branch of the chat.")
        asking = await self._asking()
        if asking is None:
            raise Invalid("There is no chat model to ask for facts. Start one, then try again.")
        await self._extract(asking, branch, batch, entry.run_id, consume=False)

    async def inspect(self) -> MemorySnapshot:
        """Every fact known on this branch, how much of them is sent, and the queue."""
        queue = await read_queue(self._around)
        facts = [fact async for fact in facts_on(self._around, queue.branch)]
        lines = known_lines(facts, self._config.max_chars)
        layer = LayerSnapshot(
            kind="semantic",
            facts=tuple(facts[::-1]),
            pending=tuple(queue.waiting),
            covered=len(lines),
            size=len("\n".join(lines)),
            max_chars=self._config.max_chars,
            starts_at=queue.starts_at,
            key=self._around.layer,
        )
        return MemorySnapshot(self._config.model_dump(mode="json"), (layer,))

    # --- extracting --------------------------------------------------------------------------

    async def _asking(self) -> Asking | None:
        """The strategy's model or the next in the chain; None when there is none. Raises
        `Invalid` when the strategy names a model of an unknown provider."""
        model = await self._around.models.extractor(self._config.model)
        if model is None:
            return None
        empty = facts_prompt(
            self._around.prompts, instruction=self._config.extractor_prompt, messages=()
        )
        return await Asking.of(model, self._around.models, empty, longest=LONGEST_ANSWER, answers=2)

    async def _extract(
        self,
        asking: Asking,
        branch: Branch,
        messages: Sequence[Message],
        run_id: str,
        *,
        consume: bool,
    ) -> None:
        """Extract in order, a chunk at a time; stop where no model is reached."""
        for batch in asking.chunks(messages):
            began = Began()
            verdict = await self._verdict(asking, batch)
            reached = verdict.outcome != "unreachable"
            entry = ledger_row(
                self._around,
                asking,
                "extraction",
                run_id,
                batch,
                began=began,
                outcome=verdict.outcome,
                reason=verdict.reason,
                attempts=verdict.attempts,
                consumed=consume and reached,
                dropped=verdict.dropped,
            )
            facts = await self._new(verdict.found, entry, branch)
            if verdict.outcome == "accepted":
                entry = _told(entry, facts)
            await self._around.store.settle_extraction(entry, facts)
            await self._around.tell(*_report(entry, len(facts)))
            if not reached:
                return

    async def _verdict(self, asking: Asking, batch: Sequence[Message]) -> _Verdict:
        """Ask for the facts in one batch. An answer that cannot be read is asked for again once,
        with the reason; a server's own refusal (4xx) is not, since it would come again."""
        asking.begin()
        turns, worded = (self._question(asking, batch, constrained=c) for c in (True, False))
        reason = ""
        for attempt in (1, 2):
            try:
                answer = await asking.ask(asking.answer_tokens, turns, worded, facts_schema())
            except Unreachable as problem:
                return _Verdict("unreachable", str(problem), attempt)
            except Refused as problem:
                return _Verdict("refused", str(problem), attempt)
            try:
                found, dropped = read_facts(answer.text, batch)
            except Refused as problem:
                reason = _explained(problem, answer)
            else:
                why = "Everything proposed was left out." if dropped and not found else ""
                return _Verdict("accepted" if found else "nothing", why, attempt, found, dropped)
            turns, worded = (
                facts_retry(
                    self._around.prompts, question, answer.text, reason, asking.message_chars
                )
                for question in (turns, worded)
            )
        return _Verdict("refused", reason, 2)

    def _question(
        self, asking: Asking, batch: Sequence[Message], *, constrained: bool
    ) -> list[Turn]:
        return facts_prompt(
            self._around.prompts,
            instruction=self._config.extractor_prompt,
            messages=batch,
            constrained=constrained,
            message_chars=asking.message_chars,
        )

    async def _new(self, found: Sequence[Found], entry: LedgerEntry, branch: Branch) -> list[Fact]:
        """What of the found is not known on the branch yet, as facts to keep."""
        if not found:
            return []
        about = await self._around.store.facts_about(
            self._around.scope, self._around.layer, list({each.subject for each in found})
        )
        known = {(fact.subject, fact.fact) for fact in FactsInPlace(branch).of(about)}
        return [
            Fact(
                id=new_id(),
                agent_id=entry.agent_id,
                session_id=entry.session_id,
                layer=entry.layer,
                after_message_id=entry.message_ids[-1],
                subject=each.subject,
                fact=each.fact,
                source_ids=each.source_ids,
                ledger_id=entry.id,
                at=entry.finished_at,
            )
            for each in found
            if (each.subject, each.fact) not in known
        ]

    # --- what is known on a branch -----------------------------------------------------------

    async def _known(self, branch: Branch) -> list[str]:
        """The lines that are sent. No more facts are read than have room."""
        facts: list[Fact] = []
        used = 0
        async for fact in facts_on(self._around, branch):
            facts.append(fact)
            used += len(fact_line(fact)) + 1
            if used > self._config.max_chars + 1:
                break
        return known_lines(facts, self._config.max_chars)


def _explained(refusal: Refused, answer: Completion) -> str:
    """The reason, saying so when the answer was simply too long."""
    cut = "The answer was cut off for its length. " if answer.finish == "length" else ""
    return f"{cut}{refusal}"


def _told(entry: LedgerEntry, facts: Sequence[Fact]) -> LedgerEntry:
    """An accepted row with the facts it keeps, by subject; "nothing" when all were known."""
    if not facts:
        return replace(entry, outcome="nothing", reason="Everything found is known already.")
    patch: dict[str, list[str]] = {}
    for fact in facts:
        patch.setdefault(fact.subject, []).append(fact.fact)
    return replace(entry, patch=patch)


def _report(entry: LedgerEntry, new: int) -> tuple[Level, str]:
    """An extraction as a line of the run log."""
    what, took, left_out = in_words(entry)
    if entry.outcome == "accepted":
        facts = "1 new fact" if new == 1 else f"{new} new facts"
        return "info", f"Looked for facts in {what} ({took}): {facts}.{left_out}"
    if entry.outcome == "nothing":
        return "info", f"Looked for facts in {what} ({took}): nothing new to note.{left_out}"
    if entry.outcome == "refused":
        return "warning", f"No facts from {what}, the answer was refused ({took}): {entry.reason}"
    return "warning", f"{what.capitalize()} not read yet: {entry.reason} Tried again next run."
