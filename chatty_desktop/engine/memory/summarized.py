"""Summarized: the model sees a rolling summary, then every message after its cut, verbatim.

The summary stands for every message of the scope up to its cut, and what stands after the cut is
sent as it is: no gap, no overlap. Once `every` messages stand there, settle asks for the next
summary, of the one so far and of them; only a whole new one moves the cut. So a failure costs
nothing but a longer prompt.

A summary carries the message it was made after, its cut, so it follows the current branch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from string import Template

from chatty_desktop.domain.branch import Branch
from chatty_desktop.domain.errors import Invalid, Refused, Unreachable
from chatty_desktop.domain.grounding import Dropped
from chatty_desktop.domain.ids import new_id
from chatty_desktop.domain.memory import (
    LayerSnapshot,
    LedgerEntry,
    MemorySnapshot,
    Outcome,
    SummaryRevision,
)
from chatty_desktop.domain.messages import Message
from chatty_desktop.domain.runs import Run, Section
from chatty_desktop.domain.strategies import Summarized
from chatty_desktop.domain.summarizing import (
    read_summary,
    shrunk,
    summary_prompt,
    without_examples,
)
from chatty_desktop.domain.timing import Began
from chatty_desktop.domain.tokens import estimate
from chatty_desktop.engine.asking import Asking
from chatty_desktop.engine.memory.contract import Surroundings
from chatty_desktop.engine.memory.ledger import in_words, ledger_row
from chatty_desktop.engine.memory.queue import Queue, begin, read_again, read_queue

LONGEST_SUMMARY = 700
"""Tokens: what the prompt asks for, 250 words, in any language, and some more."""

_READ_AT_FIRST = 8
"""Summaries: one on the branch is nearly always among the newest."""


class Layer:
    """Summarized memory of one agent in one session, for one run or one look at it."""

    def __init__(self, config: Summarized, around: Surroundings) -> None:
        self._config = config
        self._around = around
        self._recalled: tuple[Queue, SummaryRevision | None] | None = None

    async def recall(self, incoming: Message) -> list[Section]:
        """The summary, then what stands after its cut."""
        queue, summary = await self._read(before=incoming.id)
        await begin(self._around, queue, incoming)
        self._recalled = queue, summary
        sections = []
        if summary is not None:
            text = Template(self._around.prompts["summary_now"].strip())
            sections.append(Section("summary", text=text.substitute(summary=summary.text)))
        if queue.waiting:
            sections.append(Section("summarized", "user", messages=tuple(queue.waiting)))
        return sections

    async def record(self, message: Message) -> None:
        """Nothing to do: the message log is the queue."""

    async def settle(self, run: Run) -> None:
        """The next summary, once `every` messages stand after the cut: one model call, or one a
        chunk where they do not fit the model's context."""
        if self._recalled is None:
            queue, summary = await self._read()
        else:  # whatever moves the cut waits for the run, so it is still where it was
            queue, summary = self._recalled
            queue = await read_again(self._around, queue)
        if len(queue.waiting) < self._config.every:
            return
        asking = await self._asking(summary)
        if asking is None:
            await self._around.tell(
                "warning",
                "The chat was not summarized: there is no chat model to do it. Until there is one,"
                " the messages themselves are sent.",
            )
            return
        await self._summarize(asking, queue, summary, run.id)

    async def fold_again(self, entry: LedgerEntry) -> None:
        """Summarize what stands after the cut, now. Raises `Invalid` when the row's messages are
        in a summary already, or on another branch, or there is no model."""
        queue, summary = await self._read()
        if not {message.id for message in queue.waiting} & set(entry.message_ids):
            raise Invalid("These messages are in the summary by now, or on another branch.")
        asking = await self._asking(summary)
        if asking is None:
            raise Invalid("There is no chat model to summarize with. Start one, then try again.")
        await self._summarize(asking, queue, summary, entry.run_id)

    async def inspect(self) -> MemorySnapshot:
        """The summary with its revisions on this branch, and what stands after its cut."""
        queue, summary = await self._read()
        scope = self._around.scope
        layer = LayerSnapshot(
            kind="summarized",
            summary=summary.text if summary else None,
            summaries=tuple(await summaries_on(self._around, queue.branch)),
            pending=tuple(queue.waiting),
            covered=len(queue.branch.of_agent(scope.agent_id, queue.start, queue.settled)),
            starts_at=queue.starts_at,
            verbatim_from=queue.waiting[0].id if queue.waiting else None,
            key=self._around.layer,
        )
        return MemorySnapshot(self._config.model_dump(mode="json"), (layer,))

    # --- summarizing -------------------------------------------------------------------------

    async def _summarize(
        self, asking: Asking, queue: Queue, summary: SummaryRevision | None, run_id: str
    ) -> None:
        """Summarize what waits in order, and stop at the first failure: what is in a summary by
        then stays in it, the rest stays verbatim."""
        for chunks in _exchanges(asking.chunks(queue.waiting)):
            entry, made = await self._attempt(asking, chunks, summary, run_id)
            if made is not None and summary is not None:
                made = _known_later(made, summary, queue.branch)
            await self._around.store.settle_summary(entry, made)
            await self._report(entry)
            if made is None:
                return
            summary = made

    async def _attempt(
        self,
        asking: Asking,
        chunks: Sequence[Sequence[Message]],
        before: SummaryRevision | None,
        run_id: str,
    ) -> tuple[LedgerEntry, SummaryRevision | None]:
        """The next summary, of `before` and of the messages in the chunks, with its ledger row;
        None when it failed."""
        began = Began()
        asking.begin()
        text = before.text if before else ""
        outcome: Outcome = "accepted"
        reason = ""
        dropped: list[Dropped] = []
        try:
            for chunk in chunks:
                text, left_out = await self._ask(asking, text, chunk)
                dropped += left_out
            reason = shrunk(before.text if before else "", text)
        except Unreachable as problem:
            outcome, reason = "unreachable", str(problem)
        except Refused as problem:
            outcome, reason = "refused", str(problem)
        accepted = outcome == "accepted"
        entry = ledger_row(
            self._around,
            asking,
            "summary",
            run_id,
            [message for chunk in chunks for message in chunk],
            began=began,
            outcome=outcome,
            reason=reason,
            attempts=1,
            consumed=accepted,
            patch={"summary": text} if accepted else None,
            dropped=dropped,
        )
        return entry, self._made(entry, text) if accepted else None

    async def _ask(
        self, asking: Asking, summary: str, messages: Sequence[Message]
    ) -> tuple[str, list[Dropped]]:
        """The summary of a summary and the messages after it, and what was left out of it.
        Raises `Unreachable` or `Refused`."""
        question = summary_prompt(
            self._around.prompts,
            instruction=self._config.summary_prompt,
            summary=summary,
            messages=messages,
            message_chars=asking.message_chars,
        )
        answer = await asking.ask(asking.answer_tokens, question)
        known = "\n".join([summary, *(message.told for message in messages)])
        text = read_summary(answer.text, answer.finish, known)
        text, dropped = without_examples(text, question, known)
        if not text:
            raise Refused("The answer only repeats the worked examples.")
        return text, dropped

    def _made(self, entry: LedgerEntry, text: str) -> SummaryRevision:
        return SummaryRevision(
            id=new_id(),
            agent_id=entry.agent_id,
            session_id=entry.session_id,
            layer=entry.layer,
            after_message_id=entry.message_ids[-1],
            text=text,
            ledger_id=entry.id,
            at=entry.finished_at,
        )

    async def _asking(self, summary: SummaryRevision | None) -> Asking | None:
        """The strategy's model or the next in the chain; None when there is none. Raises
        `Invalid` when the strategy names a model of an unknown provider."""
        model = await self._around.models.extractor(self._config.model)
        if model is None:
            return None
        empty = summary_prompt(
            self._around.prompts,
            instruction=self._config.summary_prompt,
            summary="",
            messages=(),
        )
        known = max(estimate(summary.text) if summary else 0, LONGEST_SUMMARY)
        return await Asking.of(
            model, self._around.models, empty, longest=LONGEST_SUMMARY, known=known
        )

    async def _report(self, entry: LedgerEntry) -> None:
        """A ledger row as a line of the run log."""
        what, took, _left_out = in_words(entry)
        if entry.outcome == "accepted":
            shorter = f" {entry.reason}" if entry.reason else ""
            await self._around.tell(
                "warning" if shorter else "info", f"Summarized {what} ({took}).{shorter}"
            )
        elif entry.outcome == "refused":
            text = f"The summary of {what} was refused ({took}): {entry.reason} The messages stay."
            await self._around.tell("warning", text)
        else:
            text = f"{what.capitalize()} not summarized yet: {entry.reason} Tried again next run."
            await self._around.tell("warning", text)

    # --- the summary on a branch -------------------------------------------------------------

    async def _read(self, before: str | None = None) -> tuple[Queue, SummaryRevision | None]:
        """What stands after the cut, and the summary that the cut is of."""
        branch = await self._around.messages.branch(self._around.scope.session_id)
        summary = await self._summary(branch)
        place = None if summary is None else branch.place(summary.after_message_id)
        taken_in = 0 if place is None else place + 1
        return await read_queue(self._around, before, taken_in=taken_in), summary

    async def _summary(self, branch: Branch) -> SummaryRevision | None:
        """The summary that is known last on the branch, of a page of the newest."""
        read, limit = 0, _READ_AT_FIRST
        while page := await self._around.store.summaries(
            self._around.scope, self._around.layer, limit, skip=read
        ):
            # Of one message the newest, which comes first, as `max` gives it.
            if found := _on(branch, page):
                return max(found, key=lambda each: branch.place(each.known_after_id) or 0)
            read, limit = read + len(page), limit * 8
        return None


async def summaries_on(around: Surroundings, branch: Branch) -> list[SummaryRevision]:
    """Every summary of a layer that was made on the branch, the one known last first."""
    found = _on(branch, await around.store.summaries(around.scope, around.layer))
    # The sort is stable: of one message the newest stays first.
    return sorted(found, key=lambda each: -(branch.place(each.known_after_id) or 0))


def _on(branch: Branch, summaries: Iterable[SummaryRevision]) -> list[SummaryRevision]:
    return [
        each
        for each in summaries
        if branch.place(each.after_message_id) is not None
        and branch.place(each.known_after_id) is not None
    ]


def _known_later(made: SummaryRevision, before: SummaryRevision, branch: Branch) -> SummaryRevision:
    """A summary that was made of one that the person wrote further on in the chat is known from
    there on."""
    ids = made.after_message_id, before.known_after_id
    latest = max(ids, key=lambda each: branch.place(each) or 0)
    return made if latest == made.after_message_id else replace(made, made_after_id=latest)


def _exchanges(chunks: Iterator[list[Message]]) -> Iterator[list[list[Message]]]:
    """The chunks in groups that each end where an exchange does: a cut within one would part a
    question from its answer, or a tool's result from its call."""
    group: list[list[Message]] = []
    for chunk in chunks:
        if group and chunk[0].role == "user":
            yield group
            group = []
        group.append(chunk)
    if group:
        yield group
