"""Asking one model about messages, for memory: never more than its context holds, constrained
where the server can, and with an eye on what it costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from chatty_desktop.domain.answers import without_reasoning
from chatty_desktop.domain.errors import Refused
from chatty_desktop.domain.messages import Message
from chatty_desktop.domain.questions import MESSAGE_CHARS, Turn
from chatty_desktop.domain.requests import ChatMessage, ChatRequest
from chatty_desktop.domain.tokens import estimate
from chatty_desktop.engine.models import Completion, ModelChooser, complete, context_of
from chatty_desktop.engine.ports import ChatModel

UNKNOWN_CONTEXT = 4096
"""Tokens taken for the context of a model whose server does not tell it."""


@dataclass(slots=True)
class Asking:
    """One model that memory asks. `room` is how many tokens of messages fit one question,
    `answer_tokens` the longest answer."""

    models: ModelChooser
    model: ChatModel
    room: int
    answer_tokens: int
    _spent: list[Completion] = field(default_factory=list)

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
        # A script without spaces has about one and a half characters a token.
        return min(MESSAGE_CHARS, self.room * 3 // 2)

    def chunks(self, messages: Sequence[Message]) -> Iterator[list[Message]]:
        """The messages in order, in batches that fit one question each."""
        chunk: list[Message] = []
        used = 0
        for message in messages:
            size = estimate(message.content[: self.message_chars])
            if chunk and used + size > self.room:
                yield chunk
                chunk, used = [], 0
            chunk.append(message)
            used += size
        if chunk:
            yield chunk

    def begin(self) -> None:
        """Count what is asked from here on."""
        self._spent.clear()

    async def ask(
        self,
        turns: Sequence[Turn],
        worded: Sequence[Turn] = (),
        schema: dict[str, Any] | None = None,
    ) -> Completion:
        """One answer, constrained by the schema where the server can; where it turns out that it
        cannot, what `worded` asks for in words. Raises `Unreachable` or `Refused`."""
        if schema is None:
            return await self._complete(turns, None)
        if self.models.constrains(self.model):
            try:
                return await self._complete(turns, schema)
            except Refused:
                answer = await self._complete(worded, None)
            self.models.cannot_constrain(self.model)
            return answer
        return await self._complete(worded, None)

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

    async def _complete(self, turns: Sequence[Turn], schema: dict[str, Any] | None) -> Completion:
        messages = tuple(ChatMessage(role, content) for role, content in turns)
        request = ChatRequest(
            messages, temperature=0.0, max_tokens=self.answer_tokens, json_schema=schema
        )
        answer = await complete(self.model, request)
        self._spent.append(answer)
        return answer
