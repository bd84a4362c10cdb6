"""Results of tools in a prompt: none without its call, no call without one, and none so long that
it pushes out the rest. The whole result stays in its message."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from chatty_desktop.domain.messages import Message
from chatty_desktop.domain.requests import ChatMessage, WireMessage
from chatty_desktop.domain.tokens import estimate
from chatty_desktop.domain.tool_calls import same_call

UNKNOWN_CONTEXT = 8192
"""Tokens taken for the context of a model whose server does not tell it."""

LONGEST_RESULT = 4000
"""Tokens of one result that a request carries, whatever the context."""

SHORTEST_CUT = 60
"""Tokens that are left of a result when the budget of a request is used up."""

ALREADY = "You have made this call before. Its result is:"
ANSWER = "Answer with it now, in words."
"""Around a result that is given once more."""

MISSING = "There is no result: the app was closed before the tool was done."


@dataclass(frozen=True, slots=True)
class ResultBudget:
    """Tokens of results that a request carries: of one, and of all."""

    each: int = LONGEST_RESULT
    all: int = UNKNOWN_CONTEXT // 2

    @classmethod
    def within(cls, context: int | None) -> ResultBudget:
        """Half of the model's context for all, half of that for one."""
        whole = (context or UNKNOWN_CONTEXT) // 2
        return cls(min(LONGEST_RESULT, whole // 2), whole)


def cuts(messages: Iterable[Message], budget: ResultBudget) -> dict[str, int]:
    """For each result that is longer than the budget allows, by the id of its message: how many
    characters of it are kept. The newest come first: what a model has just asked for is what it
    works with."""
    kept: dict[str, int] = {}
    left = budget.all
    for message in reversed([each for each in messages if each.role == "tool"]):
        tokens = estimate(message.content)
        allowed = max(SHORTEST_CUT, min(budget.each, left))
        if tokens > allowed:
            kept[message.id] = len(message.content) * allowed // tokens
        left -= min(tokens, allowed)
    return kept


def once_more(result: str) -> str:
    """A result for a call that was made again."""
    return f"{ALREADY}\n\n{result}\n\n{ANSWER}"


def cut(text: str, chars: int) -> str:
    """The beginning and the end of a result, with a line between that says what is missing."""
    if len(text) <= chars:
        return text
    end = chars // 3
    left_out = len(text) - chars
    note = f"[… {left_out} of {len(text)} characters left out here …]"
    return f"{text[: chars - end]}\n{note}\n{text[len(text) - end :]}"


def paired(messages: Sequence[WireMessage]) -> Iterator[WireMessage]:
    """The messages with one result for each call, right behind it: servers refuse anything else.
    A call whose result was never written, as when the app was killed, gets one that says so; a
    result without its call goes."""
    for at, message in enumerate(messages):
        if message.role == "tool":
            continue
        yield message
        if not message.tool_calls:
            continue
        results: dict[str, WireMessage] = {}
        for result in messages[at + 1 :]:
            if result.role != "tool":
                break
            results.setdefault(result.tool_call_id, result)
        for call in message.tool_calls:
            yield results.get(call.id) or ChatMessage("tool", MISSING, tool_call_id=call.id)


def in_words(messages: Iterable[WireMessage]) -> Iterator[WireMessage]:
    """Paired messages without calls and results, for a request that offers no tools: both are
    told as text, since a server that takes no tools knows neither. A call that is made once more
    is not told again: a model that reads it twice makes it a third time."""
    names: Mapping[str, str] = {}
    told: set[tuple[str, str]] = set()
    for message in messages:
        if message.role == "user":
            told = set()
        if message.role == "tool":
            name = names.get(message.tool_call_id, "a tool")
            yield ChatMessage("user", f"Result of {name}:\n{message.content}")
        elif message.tool_calls:
            names = {call.id: call.name for call in message.tool_calls}
            new = [call for call in message.tool_calls if same_call(call) not in told]
            told |= {same_call(call) for call in new}
            used = [f"I use {call.name}: {call.arguments}" for call in new]
            if text := "\n".join(filter(None, [message.content, *used])):
                yield ChatMessage(message.role, text)
        else:
            yield message
