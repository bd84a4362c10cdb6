"""The steps of a run that are done: each in the log as it is done, each call with its result."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace

from chatty_desktop.domain.errors import StorageFailed
from chatty_desktop.domain.events import MessageCommitted
from chatty_desktop.domain.ids import new_id
from chatty_desktop.domain.messages import Message, Status, ToolCall
from chatty_desktop.domain.tool_calls import same_call
from chatty_desktop.domain.tool_results import once_more
from chatty_desktop.engine.calling import Calling, Outcome, result_message, stopped
from chatty_desktop.engine.memory.contract import MemoryLayer
from chatty_desktop.engine.ports import MessageLog, Publish
from chatty_desktop.engine.turn import Tell, Turn

SHOWN_IN_LOG = 300
"""Characters that the run log tells of why a call failed."""

NOT_RUN = "Not run: the person stopped the agent."


class RunSteps:
    """Calls and results, in the order in which they follow each other on the branch. A call that
    was committed is owed a result: `use` gives it what came of it, `close` what else there is to
    say. `model` is who speaks from now on."""

    def __init__(
        self,
        turn: Turn,
        *,
        messages: MessageLog,
        memory: MemoryLayer,
        publish: Publish,
        tell: Tell,
    ) -> None:
        self._turn = turn
        self._messages = messages
        self._memory = memory
        self._publish = publish
        self._tell = tell
        self._done = list(turn.steps)
        self._unanswered: dict[str, ToolCall] = {}
        self._running: dict[str, asyncio.Task[Outcome]] = {}
        self.model = ""

    def __iter__(self) -> Iterator[Message]:
        return iter(self._done)

    def __len__(self) -> int:
        return len(self._done)

    def has(self, message: Message) -> bool:
        """Whether a message is a step that is done."""
        return any(step.id == message.id for step in self._done)

    @property
    def grown(self) -> bool:
        """Whether the run has made any."""
        return len(self._done) > len(self._turn.steps)

    def draft(self, content: str = "") -> Message:
        """The next message of the run, as it begins."""
        parent = self._done[-1] if self._done else self._turn.incoming
        return Message(
            id=new_id(),
            session_id=self._turn.scope.session_id,
            parent_id=parent.id,
            agent_id=self._turn.scope.agent_id,
            run_id=self._turn.run_id,
            role="assistant",
            content=content,
            at=time.time(),
            model=self.model,
            node=self._turn.incoming.node,
        )

    async def keep_calls(
        self, message: Message, seconds: float, commit: Callable[[Message], Awaitable[None]]
    ) -> None:
        """Commit a message that calls tools and took so many seconds; from here on each call is
        owed a result."""
        whole = replace(message, status=Status.COMPLETE, seconds=seconds)
        self._unanswered = {call.id: call for call in message.tool_calls}
        await self._add(whole, commit)

    async def use(self, calling: Calling, message: Message) -> bool:
        """Run the calls of a message, all at the same time, and commit their results in order. A
        call that the step before made too is not run again: it is given the result it has. True
        when there was one of those."""
        had = self._had(message)
        again = {call.id for call in message.tool_calls if same_call(call) in had}
        self._running = calling.begin(
            message, [call for call in message.tool_calls if call.id not in again]
        )
        for call in message.tool_calls:
            if call.id in again:
                await self._add_result(call, Outcome(once_more(had[same_call(call)])), again=True)
            else:
                await self._add_result(call, await self._running[call.id])
        self._running = {}
        return bool(again)

    def _had(self, message: Message) -> dict[tuple[str, str], str]:
        """What the calls of the step before a message came to, where they did not fail. Of that
        step alone: what others did meanwhile may make the same call come to something else."""
        results: dict[str, str] = {}
        for before in reversed([step for step in self._done if step.id != message.id]):
            if before.role != "tool":
                return {
                    same_call(call): results[call.id]
                    for call in before.tool_calls
                    if call.id in results
                }
            if not before.error:
                results[before.tool_call_id] = before.content
        return {}

    async def close(self, calling: Calling | None, why_not: str) -> None:
        """Give each call that has none its result: what came of it, or why nothing did."""
        outcomes = await calling.stop(self._running) if calling else {}
        never = stopped(f"Not run. {why_not}" if why_not else NOT_RUN)
        for call in list(self._unanswered.values()):
            await self._add_result(call, outcomes.get(call.id, never))

    async def _add_result(self, call: ToolCall, outcome: Outcome, *, again: bool = False) -> None:
        del self._unanswered[call.id]
        await self._add(result_message(call, outcome, self.draft()), self._messages.append)
        if outcome.failed:
            await self._tell("warning", f"{call.name}: {outcome.text[:SHOWN_IN_LOG]}")
        elif again:
            text = f"{call.name} was called again with the same arguments: it was not run again."
            await self._tell("info", text)
        else:
            await self._tell("info", f"Used {call.name} ({outcome.seconds:.1f} s).")

    async def _add(self, message: Message, commit: Callable[[Message], Awaitable[None]]) -> None:
        """Commit a message of a step, and let memory record it."""
        self._done.append(message)  # before: once it is being committed, Stop does not undo it
        try:
            await commit(message)
        except StorageFailed:
            self._done.pop()
            raise
        finally:
            if message in self._done:
                self._publish(MessageCommitted(message))
        await self._memory.record(message)
