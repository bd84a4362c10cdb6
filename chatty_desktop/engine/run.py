"""One run of one agent, from the new message to the committed reply, then its memory.

Read from top to bottom: `answer` recalls, asks, streams and commits; `settle` lets memory take
the run in. The person's message is in the log before a run begins.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from chatty_desktop.domain.agents import AgentDefinition
from chatty_desktop.domain.errors import ChattyError, StorageFailed
from chatty_desktop.domain.events import (
    Level,
    MessageCommitted,
    Notice,
    RunPhase,
    RunPhaseChanged,
    TextStreamed,
)
from chatty_desktop.domain.ids import new_id
from chatty_desktop.domain.messages import Message, Scope, Status
from chatty_desktop.domain.requests import ChatRequest, Delta, Usage
from chatty_desktop.domain.runs import Run, Section
from chatty_desktop.engine.memory.contract import MemoryLayer
from chatty_desktop.engine.models import ModelChooser, context_of
from chatty_desktop.engine.ports import ChatModel, MessageLog, Publish, Runs
from chatty_desktop.engine.prompt import Prompt, build_prompt

log = logging.getLogger(__name__)

CHECKPOINT_SECONDS = 1.0
"""A partial reply is in the database at least this often."""

LONG_ENOUGH_TO_COMPARE = 512
"""Tokens from which on the estimate is good enough to hold against the server's count."""

Tell = Callable[[Level, str], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Turn:
    """What a run is about: who answers which message, with which memory. `begun` is how the answer
    begins, when one that broke off is gone on with."""

    run_id: str
    scope: Scope
    agent: AgentDefinition
    incoming: Message
    strategy: dict[str, Any]
    begun: str = ""


class AgentRun:
    """One run. `reply` is the answer so far: a draft until its first words are in the log.
    `ending` says that the answer is over and being committed: there is nothing left to stop."""

    def __init__(
        self,
        turn: Turn,
        *,
        memory: MemoryLayer,
        messages: MessageLog,
        runs: Runs,
        models: ModelChooser,
        publish: Publish,
        tell: Tell,
    ) -> None:
        self._turn = turn
        self._memory = memory
        self._messages = messages
        self._runs = runs
        self._models = models
        self._publish = publish
        self._tell = tell
        self._usage = Usage()
        self._run = Run(
            id=turn.run_id,
            session_id=turn.scope.session_id,
            agent_id=turn.scope.agent_id,
            strategy=turn.strategy,
            model="",
            started_at=time.time(),
        )
        self._in_log = False
        self._thinking_since: float | None = None
        self.ending = False
        self.reply = Message(
            id=new_id(),
            session_id=turn.scope.session_id,
            parent_id=turn.incoming.id,
            agent_id=turn.scope.agent_id,
            run_id=turn.run_id,
            role="assistant",
            content=turn.begun,
            at=self._run.started_at,
            status=Status.STREAMING,
        )

    async def answer(self, memory_settled: Awaitable[None]) -> Message:
        """Answer the new message once memory has settled; the committed reply says how it ended.
        What goes wrong on the way is not raised: it makes a reply of status `failed` that says
        why.

        Cancelling stops the answer; what had come of it is kept, marked stopped.
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

    async def _ask(self) -> tuple[Status, str]:
        """Recall, build the prompt, stream the answer; returns how it ended and why."""
        turn = self._turn
        model = await self._models.for_agent(turn.agent)
        self._run = replace(self._run, model=model.reference)
        self.reply = replace(self.reply, model=model.reference)
        recalled = await self._recall()
        prompt = build_prompt(turn.agent.system_prompt, recalled, turn.incoming, turn.begun)
        estimate = prompt.tokens()
        await self._runs.start(self._run, prompt.sections, estimate)
        await self._memory.record(turn.incoming)
        await self._warn_if_too_long(model, estimate)
        self._phase("waiting_for_model")
        ending = await self._stream(model, prompt)
        await self._warn_if_cut_by_server(model, estimate)
        return ending

    async def _recall(self) -> list[Section]:
        """What memory adds; without it the agent answers all the same."""
        try:
            return await self._memory.recall(self._turn.incoming)
        except ChattyError as problem:
            await self._warn(f"Memory could not be consulted for this answer: {problem}")
        except Exception as problem:  # memory must not take the chat along
            log.exception("Memory failed to recall")
            await self._warn(f"Memory could not be consulted for this answer: {problem!r}")
        return []

    async def _stream(self, model: ChatModel, prompt: Prompt) -> tuple[Status, str]:
        """Stream the answer, a checkpoint into the log at least every second."""
        finish: str | None = None
        saved = time.monotonic()
        try:
            request = ChatRequest(prompt.messages(), chat=True)
            async with closing_stream(model.stream(request)) as deltas:
                async for delta in deltas:
                    finish = delta.finish or finish
                    self._usage = delta.usage or self._usage
                    if delta.text or delta.reasoning:
                        await self._take(delta)
                    if time.monotonic() - saved >= CHECKPOINT_SECONDS and self._in_log:
                        await self._messages.update(self.reply)
                        saved = time.monotonic()
        except ChattyError as problem:
            if self.reply.content == self._turn.begun:
                raise
            return Status.CUT, str(problem)
        if not self.reply.content:
            return Status.FAILED, f"{model.reference} gave an empty answer. Try again."
        if finish is None:
            return Status.CUT, "The connection ended before the answer was finished."
        return (Status.TRUNCATED if finish == "length" else Status.COMPLETE), ""

    async def _take(self, delta: Delta) -> None:
        """Add a piece of the answer; the first one puts the reply into the log."""
        self.reply = replace(
            self.reply,
            content=self.reply.content + delta.text,
            reasoning=self.reply.reasoning + delta.reasoning,
            thought_seconds=self._thought_for(delta),
        )
        if not self._in_log:
            self._in_log = True  # before, since Stop may come while it is being committed
            try:
                await self._messages.append(self.reply)
            except StorageFailed:
                self._in_log = False
                raise
            self._publish(MessageCommitted(self.reply))
            self._phase("streaming")
        else:
            self._publish(
                TextStreamed(self.reply.session_id, self.reply.id, delta.text, delta.reasoning)
            )

    def _thought_for(self, delta: Delta) -> float:
        """How long the model has reasoned, up to the first words of the answer."""
        if delta.reasoning and self._thinking_since is None:
            self._thinking_since = time.monotonic()
        answered = self.reply.content[len(self._turn.begun) :].strip()
        if self._thinking_since is None or answered:
            return self.reply.thought_seconds
        return time.monotonic() - self._thinking_since

    async def _end(self, status: Status, error: str) -> Message:
        """Commit the reply as it ended, and the run."""
        self.ending = True
        seconds = time.time() - self._run.started_at
        # Of an answer that is gone on with, the words it begins with stand in the one before.
        nothing = status is Status.FAILED and self.reply.content == self._turn.begun
        content = "" if nothing else self.reply.content
        reply = replace(self.reply, content=content, status=status, error=error, seconds=seconds)
        try:
            await self._commit_end(reply)
        except StorageFailed as problem:
            # It is shown all the same: what cannot be saved can still be copied.
            reply = replace(reply, status=Status.FAILED, error=str(problem))
            self._publish(Notice("error", str(problem), reply.session_id))
        self.reply = reply
        self._publish(MessageCommitted(reply))
        if reply.error:
            level: Level = "error" if reply.status is Status.FAILED else "warning"
            await self._tell(level, reply.error)
        return reply

    async def _commit_end(self, reply: Message) -> None:
        await (self._messages.update(reply) if self._in_log else self._messages.append(reply))
        if reply.counts:
            await self._memory.record(reply)
        outcome = {Status.STOPPED: "stopped", Status.FAILED: "failed"}.get(reply.status, "done")
        await self._runs.finish(self._run.id, outcome, self._usage)

    async def _warn_if_too_long(self, model: ChatModel, estimate: int) -> None:
        context = await context_of(model)
        if context and estimate > context:
            await self._warn(
                f"This request is about {estimate} tokens, more than the {context} that"
                f" {model.reference} takes in: the model does not see all of it."
            )

    async def _warn_if_cut_by_server(self, model: ChatModel, estimate: int) -> None:
        """Some servers cut what does not fit without a word; their own count gives it away."""
        reported = self._usage.prompt_tokens
        if reported and estimate >= LONG_ENOUGH_TO_COMPARE and reported < estimate / 2:
            await self._warn(
                f"About {estimate} tokens were sent, but {model.reference} read only {reported}:"
                " its context is too short for this chat, and it cut the rest."
            )

    async def _warn(self, text: str) -> None:
        self._publish(Notice("warning", text, self._turn.scope.session_id))
        await self._tell("warning", text)

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


@asynccontextmanager
async def closing_stream(stream: AsyncIterator[Delta]) -> AsyncIterator[AsyncIterator[Delta]]:
    """Close a stream when it is left early, so that the server stops working for it."""
    try:
        yield stream
    finally:
        close = getattr(stream, "aclose", None)
        if close is not None:
            await close()
