"""The same request asked twice, once with something left out; nothing of it enters the chat unless
the person takes an answer as a version of the reply."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace

from chatty_desktop.domain.comparing import Omission, omissions, without
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.messages import Message
from chatty_desktop.domain.requests import Delta
from chatty_desktop.domain.runs import SentRequest
from chatty_desktop.engine.chat import ChatService
from chatty_desktop.engine.ports import MessageLog, Models, Runs
from chatty_desktop.engine.prompt import Prompt, as_asked
from chatty_desktop.engine.step import closing_stream


@dataclass(frozen=True, slots=True)
class Compared:
    """A reply, what was sent for it in the first place, and what of that can be left out."""

    reply: Message
    request: SentRequest
    omissions: tuple[Omission, ...]


class Comparing:
    """Reads what was sent for a reply and asks for it anew, without tools."""

    def __init__(self, messages: MessageLog, runs: Runs, models: Models, chat: ChatService) -> None:
        self._messages = messages
        self._runs = runs
        self._models = models
        self._chat = chat

    async def of(self, message_id: str) -> Compared:
        """What there is to compare at a reply. Raises `Invalid` when what was sent for it is not
        kept any more."""
        reply = await self._messages.get(message_id)
        request = await self._runs.request_of(reply.run_id, 1) if reply else None
        if reply is None or request is None or reply.role != "assistant":
            raise Invalid("What was sent for this reply is not kept, so it cannot be compared.")
        return Compared(reply, request, tuple(omissions(request.parts)))

    def tokens(self, compared: Compared, omission: Omission | None) -> int:
        """Estimated tokens of the request."""
        return Prompt(self._asked(compared, omission).parts).tokens()

    async def answer(
        self, compared: Compared, omission: Omission | None
    ) -> AsyncGenerator[Delta, None]:
        """Another answer, with or without what is left out, piece by piece; leaving it early stops
        it. Raises `Unreachable`, `Refused` or `Invalid`."""
        model = self._models.chat_model(compared.request.model)
        request = as_asked(self._asked(compared, omission))
        async with closing_stream(model.stream(request)) as deltas:
            async for delta in deltas:
                yield delta

    async def take(self, compared: Compared, text: str, *, reasoning: str = "") -> Message:
        """Put an answer into the chat as a version beside the reply; memory takes it in as any
        other. Raises `Invalid` while the chat is answering, or when there are no words."""
        return await self._chat.add_version(
            compared.reply.id, text, model=compared.request.model, reasoning=reasoning
        )

    def _asked(self, compared: Compared, omission: Omission | None) -> SentRequest:
        parts = tuple(p for p in compared.request.parts if p.origin not in ("tools", "begun"))
        if omission is not None:
            parts = without(parts, omission)
        return replace(compared.request, parts=parts, tools=())
