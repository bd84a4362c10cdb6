"""State: the model sees Σ, a JSON object over the keys a person chose, in place of the past.

Each turn shows it Σ, the last exchange, and what is not folded yet; after the answer one fold
turns the waiting messages into a patch on Σ. So the prompt stops growing however long the chat.

Σ carries the message it was made after, and the queue is read off the message log: both follow
the current branch by themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from string import Template
from typing import Any

from chatty_desktop.domain.branch import Branch
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.events import Level
from chatty_desktop.domain.ids import new_id
from chatty_desktop.domain.memory import (
    LayerSnapshot,
    LedgerEntry,
    MemorySnapshot,
    StateRevision,
)
from chatty_desktop.domain.messages import Message, tail
from chatty_desktop.domain.runs import Run, Section
from chatty_desktop.domain.state import compact
from chatty_desktop.domain.strategies import State
from chatty_desktop.domain.timing import Began
from chatty_desktop.engine.fold import Fold, Verdict, fits
from chatty_desktop.engine.memory.contract import Surroundings
from chatty_desktop.engine.memory.ledger import in_words, ledger_row
from chatty_desktop.engine.memory.queue import Queue, begin, read_again, read_queue
from chatty_desktop.engine.memory.state_revisions import StateRevisions, later, pins_of, state_of

UNFOLDED_SHOWN = 20
"""Of what is not folded yet the model sees at most this many messages, the newest."""


class Layer:
    """State memory of one agent in one session, for one run or one look at it."""

    def __init__(self, config: State, around: Surroundings) -> None:
        self._config = config
        self._around = around
        self._revisions = StateRevisions(around)
        self._recalled: Queue | None = None

    async def recall(self, incoming: Message) -> list[Section]:
        """Spec and fields, Σ, the last exchange, and what is not folded yet."""
        queue = await read_queue(self._around, before=incoming.id)
        await begin(self._around, queue, incoming)
        self._recalled = queue
        state = state_of(await self._revisions.newest(queue.branch))
        folded, unfolded = _verbatim(queue)
        sections = [
            Section("spec", text=self._spec_text()),
            Section("state", text=self._state_text(state)),
            Section("last_exchange", "user", messages=tuple(folded)),
            Section("unfolded", "user", messages=tuple(unfolded)),
        ]
        return [section for section in sections if section.text or section.messages]

    async def record(self, message: Message) -> None:
        """Nothing to do: the message log is the queue."""

    async def settle(self, run: Run) -> None:
        """Fold what waits: one model call, or one a chunk where it is long. A batch that is
        refused leaves the queue; when no model can be reached, what waits stays in it."""
        queue = await self._queue_of_run()
        if not queue.waiting or not self._config.fields:
            return
        if await self._still_waiting(queue.branch):
            return
        fold = await self._fold_by_model()
        if fold is None:
            await self._around.tell(
                "warning",
                "Memory was not updated: there is no chat model to fold with. Until there is one,"
                f" the model is shown the last {UNFOLDED_SHOWN} messages as they are.",
            )
            return
        await self._fold(fold, queue.branch, queue.waiting, run.id, consume=True)

    async def fold_again(self, entry: LedgerEntry) -> None:
        """Fold the messages of a ledger row once more, into Σ as it is now; the queue stays.

        Raises `Invalid` when none of them is on the current branch, or there is no model.
        """
        again = set(entry.message_ids)
        branch = (await read_queue(self._around)).branch
        batch = [each for each in branch.of_agent(entry.agent_id) if each.id in again]
        if not batch:
            raise Invalid("These messages are not on the current branch of the chat.")
        if self._around.approve and await self._revisions.waiting(branch):
            raise Invalid("A change of this memory waits for you already. Decide on that first.")
        fold = await self._fold_by_model()
        if fold is None:
            raise Invalid("There is no chat model to fold with. Start one, then try again.")
        await self._fold(fold, branch, batch, entry.run_id, consume=False)

    async def inspect(self) -> MemorySnapshot:
        """Σ and when each key last changed, the queue, and what the next request would show."""
        queue = await read_queue(self._around)
        revision = await self._revisions.newest(queue.branch)
        state = state_of(revision)
        folded, unfolded = _verbatim(queue)
        shown = [*folded, *unfolded]
        layer = LayerSnapshot(
            kind="state",
            state=state,
            pending=tuple(queue.waiting),
            changes=await self._revisions.changes(state, queue.branch),
            size=len(compact(state)),
            max_chars=self._config.max_chars,
            starts_at=queue.starts_at,
            verbatim_from=shown[0].id if shown else None,
            badge=fits(state, self._config),
            key=self._around.layer,
            pins=pins_of(revision),
            waiting=await self._revisions.waiting(queue.branch),
        )
        return MemorySnapshot(self._config.model_dump(mode="json"), (layer,))

    # --- folding -----------------------------------------------------------------------------

    async def _queue_of_run(self) -> Queue:
        """The queue with the run in it. What recall found of it is still right: whatever takes
        from the queue of a scope waits for its run."""
        if self._recalled is None:
            return await read_queue(self._around)
        return await read_again(self._around, self._recalled)

    async def _fold_by_model(self) -> Fold | None:
        """A fold by the strategy's model or the next in the chain; None when there is none.
        Raises `Invalid` when the strategy names a model of an unknown provider."""
        model = await self._around.models.extractor(self._config.model)
        if model is None:
            return None
        return await Fold.by(
            model,
            config=self._config,
            prompts=self._around.prompts,
            models=self._around.models,
        )

    async def _fold(
        self,
        fold: Fold,
        branch: Branch,
        messages: Sequence[Message],
        run_id: str,
        *,
        consume: bool,
    ) -> None:
        """Fold messages of a branch in order, a batch at a time; stop where no model is reached."""
        rest = list(messages)
        while rest:
            base = await self._revisions.newest(branch)
            state = state_of(base)
            batch = fold.first_batch(rest, state)
            rest = rest[len(batch) :]
            began = Began()
            verdict = await fold.fold(state, batch, pins_of(base))
            reached = verdict.outcome != "unreachable"
            entry = ledger_row(
                self._around,
                fold.asker,
                "fold",
                run_id,
                batch,
                began=began,
                outcome=verdict.outcome,
                reason=verdict.reason,
                attempts=verdict.attempts,
                consumed=consume and reached,
                patch=verdict.patch,
                dropped=verdict.dropped,
            )
            if self._around.approve and verdict.state is not None:
                await self._let_wait(entry)
                return
            # Folded again, Σ changes now: what was folded meanwhile stays in it.
            last = batch[-1] if consume else branch[-1]
            await self._around.store.settle_fold(
                entry, self._made(verdict, entry, base, later(branch, base, last.id))
            )
            await self._around.tell(*_report(entry))
            if not reached:
                return

    def _made(
        self,
        verdict: Verdict,
        entry: LedgerEntry,
        base: StateRevision | None,
        after_message_id: str,
    ) -> StateRevision | None:
        """The revision of Σ that an accepted fold makes."""
        if verdict.state is None or verdict.patch is None:
            return None
        return StateRevision(
            id=new_id(),
            agent_id=entry.agent_id,
            session_id=entry.session_id,
            layer=entry.layer,
            after_message_id=after_message_id,
            state=verdict.state,
            patch=verdict.patch,
            ledger_id=entry.id,
            at=entry.finished_at,
            pins=pins_of(base),
        )

    # --- asking the person -------------------------------------------------------------------

    async def _let_wait(self, entry: LedgerEntry) -> None:
        """Keep an accepted fold until the person decides; its messages stay in the queue."""
        await self._around.store.let_wait(entry)
        keys = ", ".join(entry.patch or ())
        await self._around.tell(
            "warning",
            f"A change of memory waits for you ({keys}). Accept, change or refuse it in the memory"
            " inspector; until then nothing more is folded, and the messages stay in the queue.",
        )

    async def _still_waiting(self, branch: Branch) -> bool:
        """Whether a change waits for the person's word. Where they need not be asked any more, it
        is dropped: its messages are in the queue, and are folded with the others."""
        waiting = await self._revisions.waiting(branch)
        if waiting is None:
            return False
        if not self._around.approve:
            await self._around.store.wait_no_more(waiting.id)
            return False
        await self._around.tell(
            "warning",
            "Nothing was folded: a change of memory still waits for you in the memory inspector.",
        )
        return True

    # --- what the model reads ----------------------------------------------------------------

    def _spec_text(self) -> str:
        # In a sentence: shown the fields as a list, small models answer with one.
        fields = "; ".join(
            f"{field.name} ({field.description})" if field.description else field.name
            for field in self._config.fields
        )
        return self._filled("state_spec", spec=self._config.spec.strip(), fields=fields)

    def _state_text(self, state: dict[str, Any]) -> str:
        names = [field.name for field in self._config.fields]
        shown = {name: state[name] for name in names if name in state}
        return self._filled("state_now", state=compact(shown))

    def _filled(self, prompt: str, **values: str) -> str:
        return Template(self._around.prompts[prompt].strip()).substitute(values)


def _verbatim(queue: Queue) -> tuple[Sequence[Message], Sequence[Message]]:
    """What is shown word for word: of the last exchange what is folded already, then what is not
    folded yet. Together they are one gapless end of the scope's messages."""
    unfolded = tail(queue.waiting, UNFOLDED_SHOWN)
    if len(unfolded) >= len(queue.exchange):
        return (), unfolded
    border = max(0, len(queue.exchange) - len(queue.waiting))
    return queue.exchange[:border], queue.exchange[border:]


def _report(entry: LedgerEntry) -> tuple[Level, str]:
    """A fold as a line of the run log."""
    what, took, left_out = in_words(entry)
    if entry.outcome == "accepted":
        keys = ", ".join(entry.patch or ())
        return "info", f"Folded {what} ({took}): {keys} changed.{left_out}"
    if entry.outcome == "nothing":
        return "info", f"Folded {what} ({took}): nothing to change.{left_out}"
    if entry.outcome == "refused":
        return "warning", f"The fold of {what} was refused ({took}): {entry.reason}"
    return "warning", f"{what.capitalize()} not folded yet: {entry.reason} Tried again next run."
