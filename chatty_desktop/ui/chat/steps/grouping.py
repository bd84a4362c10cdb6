"""Which messages of a branch are steps of a run, and which of them are drawn together.

A run with tools is a chain: a message that calls tools, the results, the next that calls, and the
reply at last. The calls of messages that say nothing beside them stand together in the message
where the row of them begins; text in between begins a new row.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from chatty_desktop.domain.messages import Message, Status, ToolCall

BEYOND = -1
"""The row begins before what is read of the branch."""


class Outcome(StrEnum):
    """How a step stands. `ASKING`: until the person has said whether it may run. `OPEN` has no
    result, and none is awaited."""

    ASKING = "asking"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    DECLINED = "declined"
    TIMED_OUT = "timed out"
    STOPPED = "stopped"
    OPEN = "open"


_ENDED = {
    Status.DECLINED: Outcome.DECLINED,
    Status.TIMED_OUT: Outcome.TIMED_OUT,
    Status.STOPPED: Outcome.STOPPED,
}


@dataclass(frozen=True, slots=True)
class Step:
    """One call and what came of it. `reasoning` is what the model thought before it."""

    call: ToolCall
    caller: Message
    result: Message | None = None
    reasoning: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """The same as long as the step is there; ids of calls may come again in other messages."""
        return self.caller.id, self.call.id

    def outcome(self, *, working: bool, asking: Collection[str] = ()) -> Outcome:
        """How it stands; `working`: the run that it belongs to goes on. `asking`: the ids of the
        calls that wait for the person."""
        if self.result is None or self.result.status is Status.STREAMING:
            if working and self.call.id in asking:
                return Outcome.ASKING
            return Outcome.RUNNING if working else Outcome.OPEN
        if ended := _ENDED.get(self.result.status):
            return ended
        failed = self.result.error or self.result.status is Status.FAILED
        return Outcome.FAILED if failed else Outcome.DONE


def head(messages: Sequence[Message], index: int, *, at_start: bool) -> int | None:
    """The place of the message in which the step at `index` is drawn: its own, an earlier one, or
    `BEYOND`. None where there is no step. `at_start`: `messages` begin where the branch does."""
    while index >= 0:
        message = messages[index]
        if message.role == "tool":
            index -= 1
        elif not message.tool_calls:
            return None
        elif not _says_nothing(message) or (index > 0 and messages[index - 1].role != "tool"):
            return index
        elif index == 0:
            return 0 if at_start else BEYOND
        else:
            index -= 1
    return None if at_start else BEYOND


def end(messages: Sequence[Message], index: int) -> int:
    """The place behind the last message that is drawn in the one at `index`."""
    index += 1
    while index < len(messages):
        message = messages[index]
        goes_on = (
            message.tool_calls and _says_nothing(message) and messages[index - 1].role == "tool"
        )
        if message.role != "tool" and not goes_on:
            break
        index += 1
    return index


def steps_at(messages: Sequence[Message], index: int) -> tuple[Step, ...]:
    """The steps that are drawn in the message at `index`, in order."""
    steps: list[Step] = []
    first = 0
    for place in range(index, end(messages, index)):
        message = messages[place]
        if message.role != "tool":
            first = len(steps)
            # What the first one thought is shown above its text.
            thought = message.reasoning if place > index else ""
            for call in message.tool_calls:
                steps.append(Step(call, message, reasoning=thought))
                thought = ""
            continue
        for at in range(first, len(steps)):
            step = steps[at]
            if step.result is None and step.call.id == message.tool_call_id:
                steps[at] = Step(step.call, step.caller, message, step.reasoning)
                break
    return tuple(steps)


def _says_nothing(message: Message) -> bool:
    return not message.content.strip() and message.status is Status.COMPLETE
