"""The door through which all that models say comes in: from here on it is text that can be kept."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from typing import cast

from chatty_desktop.domain.characters import ends_in_half, whole_text
from chatty_desktop.domain.messages import ToolCall
from chatty_desktop.domain.requests import Delta


class _Half:
    """Holds back the first half of a character until the other has come: servers send a token at
    a time, and one token may be half of a character."""

    def __init__(self) -> None:
        self.held = ""

    def feed(self, text: str) -> str:
        text, self.held = self.held + text, ""
        if ends_in_half(text):
            text, self.held = text[:-1], text[-1]
        return whole_text(text)

    def rest(self) -> str:
        held, self.held = self.held, ""
        return whole_text(held)


async def mended(deltas: AsyncIterator[Delta]) -> AsyncGenerator[Delta, None]:
    """An answer as it comes, without halves of characters. Closes the stream with itself."""
    text, reasoning = _Half(), _Half()
    async with aclosing(cast("AsyncGenerator[Delta, None]", deltas)) as stream:
        async for delta in stream:
            if delta.finish is not None or delta.tool_calls:
                yield replace(
                    delta,
                    text=text.feed(delta.text) + text.rest(),
                    reasoning=reasoning.feed(delta.reasoning) + reasoning.rest(),
                    tool_calls=tuple(map(_whole_call, delta.tool_calls)),
                )
            elif not (text.held or reasoning.held) and (delta.text + delta.reasoning).isascii():
                yield delta
            else:
                yield replace(
                    delta, text=text.feed(delta.text), reasoning=reasoning.feed(delta.reasoning)
                )
        if text.held or reasoning.held:
            yield Delta(text.rest(), reasoning.rest())


def _whole_call(call: ToolCall) -> ToolCall:
    return ToolCall(whole_text(call.id), whole_text(call.name), whole_text(call.arguments))
