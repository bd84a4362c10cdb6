"""What a person is warned of while a run goes on, once each."""

from __future__ import annotations

from chatty_desktop.domain.events import Notice
from chatty_desktop.domain.requests import Usage
from chatty_desktop.engine.ports import ChatModel, Publish
from chatty_desktop.engine.turn import Tell

LONG_ENOUGH_TO_COMPARE = 512
"""Tokens from which on the estimate is good enough to hold against the server's count."""


class RunWarnings:
    """A notice in the chat and a line in the run log; of each matter no more than one in a run."""

    def __init__(self, session_id: str, publish: Publish, tell: Tell) -> None:
        self._session_id = session_id
        self._publish = publish
        self._tell = tell
        self._given: set[str] = set()

    async def give(self, matter: str, text: str) -> None:
        """Warn of something, unless it was warned of already."""
        if matter not in self._given:
            self._given.add(matter)
            self._publish(Notice("warning", text, self._session_id))
            await self._tell("warning", text)

    async def if_too_long(self, model: ChatModel, estimate: int, context: int | None) -> None:
        """Before a request of so many tokens is sent to a model of that context."""
        if context and estimate > context:
            await self.give(
                "too long",
                f"This request is about {estimate} tokens, more than the {context} that"
                f" {model.reference} takes in: the model does not see all of it.",
            )

    async def if_cut_by_server(self, model: ChatModel, estimate: int, usage: Usage) -> None:
        """Some servers cut what does not fit without a word; their own count gives it away."""
        reported = usage.prompt_tokens
        if reported and estimate >= LONG_ENOUGH_TO_COMPARE and reported < estimate / 2:
            await self.give(
                "cut",
                f"About {estimate} tokens were sent, but {model.reference} read only {reported}:"
                " its context is too short for this chat, and it cut the rest.",
            )
