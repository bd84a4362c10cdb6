"""Asking one model about messages, for memory: never more than its context holds, constrained
where the server can, and with an eye on what it costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from chatty_desktop.domain.answers import without_reasoning
from chatty_desktop.domain.errors import Refused
from chatty_desktop.domain.messages import Message
from chatty_desktop.domain.questions import (
    MESSAGE_CHARS,
    Turn,
    condensed,
    exchanges_of_tools,
    message_lines,
)
from chatty_desktop.domain.requests import ChatMessage, ChatRequest
from chatty_desktop.domain.tokens import estimate
from chatty_desktop.engine.models import Completion, ModelChooser, complete, context_of
from chatty_desktop.engine.ports import ChatModel

UNKNOWN_CONTEXT = 4096
"""Tokens taken for the context of a model whose server does not tell it."""


@dataclass(slots=True)
class Asker:
    """One model that memory asks, what it was asked last, and what was spent on it since
    `begin`."""

    models: ModelChooser
    model: ChatModel
    asked: tuple[Turn, ...] = field(default=(), kw_only=True)
    _spent: list[Completion] = field(default_factory=list, kw_only=True)

    def begin(self) -> None:
        """Count what is asked from here on."""
        self._spent.clear()
        self.asked = ()

    async def ask(
        self,
        limit: int,
        turns: Sequence[Turn],
        worded: Sequence[Turn] = (),
        schema: dict[str, Any] | None = None,
        own: int = 0,
    ) -> Completion:
        """One answer of at most `limit` tokens, constrained by the schema where the server can;
        where it turns out that it cannot, what `worded` asks for in words. The first `own` turns
        are the app's own words. Raises `Unreachable` or `Refused`."""
        if schema is None:
            return await self._complete(turns, None, limit, own)
        if self.models.constrains(self.model):
            try:
                return await self._complete(turns, schema, limit, own)
            except Refused:
                answer = await self._complete(worded, None, limit, own)
            self.models.cannot_constrain(self.model)
            return answer
        return await self._complete(worded, None, limit, own)

    @property
    def reply(self) -> str:
        """The last answer less reasoning, "" before the first."""
        return without_reasoning(self._spent[-1].text).strip() if self._spent else ""

    @property
    def prompt_tokens(self) -> int:
        """Of all that was asked since `begin`, as the server counted them."""
        return sum(each.usage.prompt_tokens or 0 for each in self._spent)

    @property
    def completion_tokens(self) -> int:
        return sum(each.usage.completion_tokens or 0 for each in self._spent)

    async def _complete(
        self, turns: Sequence[Turn], schema: dict[str, Any] | None, limit: int, own: int
    ) -> Completion:
        messages = tuple(ChatMessage(role, content) for role, content in turns)
        request = ChatRequest(
            messages, temperature=0.0, max_tokens=limit, json_schema=schema, own_turns=own
        )
        self.asked = tuple(turns)
        answer = await complete(self.model, request)
        self._spent.append(answer)
        return answer


@dataclass(slots=True)
class Asking(Asker):
    """The asking of one question. `room` is how many tokens of messages fit it, `answer_tokens`
    the longest answer."""

    room: int
    answer_tokens: int

    @classmethod
    async def of(
        cls,
        model: ChatModel,
        models: ModelChooser,
        question: Sequence[Turn],
        *,
        longest: int,
        known: int = 0,
        answers: int = 1,
    ) -> Asking:
        """The asking of a question that fits the model's context. `question` is without messages;
        `longest` is how many tokens of an answer are waited for, since what is longer is a model
        running away; `known` how many tokens of earlier memory stand in the question; `answers`
        how many answers, as a retry shows the first."""
        context = await context_of(model) or UNKNOWN_CONTEXT
        answer = min(longest, context // 4)
        asked = sum(estimate(text) for _role, text in question)
        known = min(known, context // 3 * 2)
        room = max(context - asked - known - answers * answer, context // 8)
        return cls(models, model, room, answer)

    @property
    def message_chars(self) -> int:
        """Characters of one message that are shown."""
        return shown_chars(self.room)

    def chunks(self, messages: Sequence[Message]) -> Iterator[list[Message]]:
        """The messages in order, in batches that fit one question each."""
        rest = messages
        while rest:
            batch = first_batch(rest, self.room)
            yield batch
            rest = rest[len(batch) :]


def first_batch(messages: Sequence[Message], room: int) -> list[Message]:
    """As many messages from the first on as fit `room` tokens, as memory reads them (`condensed`);
    at least one, and a call of a tool never without its result."""
    longest = shown_chars(room)
    batch: list[Message] = []
    for group in exchanges_of_tools(condensed(messages, room)):
        room -= sum(estimate(message_lines(message, longest)) for message in group)
        if batch and room < 0:
            break
        batch += group
    return batch


def shown_chars(room: int) -> int:
    """Characters of one message that are shown where `room` tokens of messages fit."""
    # A script without spaces has about one and a half characters a token.
    return min(MESSAGE_CHARS, room * 3 // 2)
