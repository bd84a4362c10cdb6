"""One run of one agent, from the new message to the committed reply, then its memory.

Read from top to bottom: `answer` recalls, then asks the model step by step, each with the results
of the tools that the one before called, until the answer is there; `settle` lets memory take the
run in. The person's message is in the log before a run begins, and each step comes into it as it
is done, so that a run that is killed loses nothing.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from itertools import chain
from operator import attrgetter

from chatty_desktop.domain.attachments import AttachmentBudget
from chatty_desktop.domain.errors import ChattyError, Refused, StorageFailed
from chatty_desktop.domain.events import (
    Level,
    MessageCommitted,
    Notice,
    RunPhase,
    RunPhaseChanged,
)
from chatty_desktop.domain.messages import Message, Status
from chatty_desktop.domain.requests import ChatRequest, ToolOffer
from chatty_desktop.domain.runs import Run, Section
from chatty_desktop.domain.timing import Began
from chatty_desktop.domain.tool_calls import Repeats
from chatty_desktop.domain.tool_results import ResultBudget
from chatty_desktop.engine.calling import Calling
from chatty_desktop.engine.memory.contract import MemoryLayer
from chatty_desktop.engine.models import ModelChooser, context_of
from chatty_desktop.engine.ports import ChatModel, MessageLog, Publish, Runs
from chatty_desktop.engine.prompt import Prompt, build_prompt
from chatty_desktop.engine.run_steps import RunSteps
from chatty_desktop.engine.run_warnings import RunWarnings
from chatty_desktop.engine.step import Step
from chatty_desktop.engine.turn import Tell, Turn

log = logging.getLogger(__name__)


class AgentRun:
    """One run. `reply` is what the model says at present: a draft until its first words are in the
    log. `ending` says that the answer is over and being committed: there is nothing left to stop.
    """

    def __init__(
        self,
        turn: Turn,
        *,
        memory: MemoryLayer,
        messages: MessageLog,
        runs: Runs,
        models: ModelChooser,
        calling: Callable[[], Awaitable[Calling]],
        publish: Publish,
        tell: Tell,
    ) -> None:
        self._turn = turn
        self._memory = memory
        self._messages = messages
        self._runs = runs
        self._models = models
        self._find_tools = calling
        self._publish = publish
        self._tell = tell
        self._began = Began()
        self._run = Run(
            id=turn.run_id,
            session_id=turn.scope.session_id,
            agent_id=turn.scope.agent_id,
            strategy=turn.strategy,
            model="",
            started_at=self._began.at,
            node=turn.incoming.node,
        )
        self._steps = RunSteps(turn, messages=messages, memory=memory, publish=publish, tell=tell)
        self._warnings = RunWarnings(turn.scope.session_id, publish, tell)
        self._calling: Calling | None = None
        self._offers: tuple[ToolOffer, ...] = ()
        self._files = AttachmentBudget()
        self._in_words = False
        self._step = self._next_step(turn.begun)
        self.ending = False

    @property
    def reply(self) -> Message:
        return self._step.reply

    @property
    def for_memory(self) -> bool:
        """Whether something came of the run that memory is to take in."""
        return self.reply.counts or self._steps.grown

    async def answer(self, memory_settled: Awaitable[None]) -> Message:
        """Answer the new message once memory has settled; the committed reply says how it ended.
        What goes wrong on the way is not raised: it makes a reply of status `failed` that says
        why.

        Cancelling stops the answer, and the tools that run for it; what had come of it is kept,
        marked stopped.
        """
        try:
            await memory_settled
            status, error = await self._ask()
        except asyncio.CancelledError:
            if (task := asyncio.current_task()) is not None:
                task.uncancel()
            status, error = Status.STOPPED, ""
        except ChattyError as problem:
            status, error = Status.FAILED, str(problem)
        except Exception as problem:  # whatever it was, the person is told and the chat goes on
            log.exception("A run failed")
            status, error = Status.FAILED, f"Something unexpected went wrong: {problem!r}"
        return await self._end(status, error)

    async def settle(self) -> None:
        """Let memory take the run in."""
        await settle(self._memory, self._run, self._tell)

    # --- asking ------------------------------------------------------------------------------

    async def _ask(self) -> tuple[Status, str]:
        """Recall, then ask step by step until the answer; returns how it ended and why."""
        turn = self._turn
        model = await self._models.for_agent(turn.agent)
        self._run = replace(self._run, model=model.reference)
        self._steps.model = model.reference
        self._step = self._next_step(turn.begun)
        recalled = await self._recall()
        await self._runs.start(self._run)
        await self._memory.record(turn.incoming)
        context = await context_of(model)
        self._files = await self._budget_of_files(model, recalled, context)
        self._calling = await self._find_tools()
        self._offers = await self._offered_to(model, self._calling)
        repeats = Repeats()
        for number in range(1, turn.agent.max_steps + 1):
            status, error = await self._ask_model(model, recalled, context)
            calls = self.reply.tool_calls
            if not calls:
                return status, error
            await self._steps.keep_calls(self.reply, self._step.began.seconds, self._step.commit)
            if again := repeats.once_too_often(calls):
                return Status.FAILED, (
                    f"The agent called {again.name} a third time in a row with the same arguments,"
                    " so it was stopped. Say what it should do instead."
                )
            if number < turn.agent.max_steps:
                self._in_words = await self._steps.use(self._calling, self.reply)
                self._step = self._next_step()
        return Status.FAILED, (
            f"The agent reached its limit of {turn.agent.max_steps} steps before it had an answer."
            " Send a message to let it go on, or raise the limit in its settings."
        )

    async def _recall(self) -> list[Section]:
        """What memory adds; without it the agent answers all the same."""
        try:
            return await self._memory.recall(self._turn.incoming)
        except ChattyError as problem:
            await self._warnings.give(
                "memory", f"Memory could not be consulted for this answer: {problem}"
            )
        except Exception as problem:  # memory must not take the chat along
            log.exception("Memory failed to recall")
            await self._warnings.give(
                "memory", f"Memory could not be consulted for this answer: {problem!r}"
            )
        return []

    async def _budget_of_files(
        self, model: ChatModel, recalled: list[Section], context: int | None
    ) -> AttachmentBudget:
        """How much of what is attached goes along; the run log says when that is no image."""
        said = chain([self._turn.incoming], *(section.messages for section in recalled))
        attached = chain.from_iterable(map(attrgetter("attachments"), said))
        if not any(file.is_image for file in attached):
            return AttachmentBudget.within(context)
        sees = await self._models.sees_images(model) is not False
        if not sees:
            text = f"{model.reference} does not look at images, so it was told their names only."
            await self._tell("info", text)
        return AttachmentBudget.within(context, sees_images=sees)

    async def _offered_to(self, model: ChatModel, calling: Calling) -> tuple[ToolOffer, ...]:
        """The tools that a model is told of; the run log says which it has to do without."""
        if calling.missing:
            names = ", ".join(calling.missing)
            await self._tell("warning", f"The agent has to do without tools not there: {names}.")
        if calling.offers and not self._models.takes_tools(model):
            text = f"{model.reference} does not take tools, so it was asked without them."
            await self._tell("info", text)
            return ()
        return calling.offers

    async def _ask_model(
        self, model: ChatModel, recalled: list[Section], context: int | None
    ) -> tuple[Status, str]:
        """One step, with the tools; a server that refuses those is asked without them."""
        try:
            return await self._stream(model, self._prompt(recalled, context), context)
        except Refused as refusal:
            if not self._offers or self._step.in_log:
                raise
            refused = refusal
        offers, self._offers = self._offers, ()
        try:
            ending = await self._stream(model, self._prompt(recalled, context), context)
        except Refused:
            self._offers = offers
            raise refused from None
        if "tool" in str(refused).casefold() or "function" in str(refused).casefold():
            self._models.cannot_take_tools(model)
        await self._warnings.give(
            "tools", f"{model.reference} was asked without tools, since it refused: {refused}"
        )
        return ending

    def _prompt(self, recalled: list[Section], context: int | None) -> Prompt:
        turn = self._turn
        return build_prompt(
            turn.agent.system_prompt,
            recalled,
            turn.incoming,
            self.reply.content,
            steps=list(self._steps),
            # A model that makes the same call again has what it needs: it is asked for words.
            tools=() if self._in_words else self._offers,
            budget=ResultBudget.within(context),
            files=self._files,
        )

    async def _stream(
        self, model: ChatModel, prompt: Prompt, context: int | None
    ) -> tuple[Status, str]:
        """Send a prompt and stream what comes; its size is checked before and after."""
        # Of a transcript of 10,000 messages this takes longer than a frame on the screen.
        estimate = await asyncio.to_thread(prompt.tokens)
        digests = prompt.digests()
        contents = await self._messages.contents(digests) if digests else {}
        request = ChatRequest(prompt.messages(contents), chat=True, tools=prompt.tools)
        options = request.as_set(self._models.options_of(model)).sampling()
        await self._runs.ask(
            self._run, prompt.sections, estimate, options=options, tools=prompt.tools
        )
        await self._warnings.if_too_long(model, estimate, context)
        self._phase("waiting_for_model")
        self._step = self._next_step(self.reply.content)
        try:
            return await self._step.stream(model, request)
        finally:
            await self._runs.answered(self._run.id, self._step.usage)
            await self._warnings.if_cut_by_server(
                model, estimate - prompt.image_tokens(), self._step.usage
            )

    def _next_step(self, begun: str = "") -> Step:
        draft = replace(self._steps.draft(begun), status=Status.STREAMING)
        tools = [offer.name for offer in self._offers]
        return Step(draft, self._messages, self._publish, lambda: self._phase("streaming"), tools)

    # --- ending ------------------------------------------------------------------------------

    async def _end(self, status: Status, error: str) -> Message:
        """Commit the reply as it ended, and the run."""
        self.ending = True
        try:
            await self._steps.close(self._calling, error)
            if self._steps.has(self.reply):
                self._step = self._next_step()  # that one is whole; how the run ended comes after
        except StorageFailed as problem:
            status, error = Status.FAILED, str(problem)
        reply = self._as_ended(status, error)
        try:
            await self._commit_end(reply)
        except StorageFailed as problem:
            # It is shown all the same: what cannot be saved can still be copied.
            reply = replace(reply, status=Status.FAILED, error=str(problem))
            self._publish(Notice("error", str(problem), reply.session_id))
        self._step.reply = reply
        self._publish(MessageCommitted(reply))
        if reply.error:
            level: Level = "error" if reply.status is Status.FAILED else "warning"
            await self._tell(level, reply.error)
        return reply

    def _as_ended(self, status: Status, error: str) -> Message:
        reply = self.reply
        began = self._step.began if self._steps else self._began
        # Of an answer that is gone on with, the words it begins with stand in the one before.
        content = "" if status is Status.FAILED and self._step.said_nothing else reply.content
        return replace(
            reply,
            content=content,
            status=status,
            error=error,
            seconds=began.seconds,
            tool_calls=(),  # of a step that Stop broke off, no call is run
        )

    async def _commit_end(self, reply: Message) -> None:
        await self._step.commit(reply)
        if reply.counts:
            await self._memory.record(reply)
        outcome = {Status.STOPPED: "stopped", Status.FAILED: "failed"}.get(reply.status, "done")
        await self._runs.finish(self._run.id, outcome)

    def _phase(self, phase: RunPhase) -> None:
        scope = self._turn.scope
        self._publish(RunPhaseChanged(scope.session_id, scope.agent_id, phase, self._run.model))


async def settle(memory: MemoryLayer, run: Run, tell: Tell) -> None:
    """Let memory take a run in. Trouble here never touches the reply; the log tells it."""
    try:
        await memory.settle(run)
    except ChattyError as problem:
        await tell("warning", f"Memory was not updated: {problem}")
    except Exception as problem:  # memory must not take the chat along
        log.exception("Memory failed to settle")
        await tell("error", f"Memory was not updated: {problem!r}")
