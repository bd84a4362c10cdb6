"""One step of a run: one request to a model, its answer streamed into a message of the log."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import chain
from operator import attrgetter

from chatty_desktop.domain.answers import without_reasoning
from chatty_desktop.domain.errors import ChattyError, StorageFailed
from chatty_desktop.domain.events import MessageCommitted, TextStreamed
from chatty_desktop.domain.ids import new_id
from chatty_desktop.domain.messages import Message, Status, ToolCall
from chatty_desktop.domain.requests import ChatRequest, Delta, Usage
from chatty_desktop.domain.timing import Began
from chatty_desktop.domain.tool_calls import call_begins, calls_in
from chatty_desktop.engine.ports import ChatModel, MessageLog, Publish

CHECKPOINT_SECONDS = 1.0
"""A partial reply is in the database at least this often."""


class Step:
    """`reply` is what the model has said so far: a draft until its first words are in the log.
    Once `stream` has returned, it has the calls that the model makes. `usage` is the server's
    count, `began` when the step did. `streaming` is told when the first words are there. Where
    `tools` are offered, text that may be a call is held back until it shows."""

    def __init__(
        self,
        draft: Message,
        messages: MessageLog,
        publish: Publish,
        streaming: Callable[[], None],
        tools: Collection[str] = (),
    ) -> None:
        self.reply = draft
        self.began = Began()
        self.usage = Usage()
        self._begun = draft.content
        self._messages = messages
        self._publish = publish
        self._streaming = streaming
        self._tools = tools
        self._text = ""
        self._in_log = False
        self._thinking_since: float | None = None

    @property
    def said_nothing(self) -> bool:
        """Whether no word of an answer has come yet."""
        return self.reply.content == self._begun

    @property
    def in_log(self) -> bool:
        """Whether anything has come, be it thoughts alone."""
        return self._in_log

    async def stream(self, model: ChatModel, request: ChatRequest) -> tuple[Status, str]:
        """Stream the answer, a checkpoint into the log at least every second; how it ended, and
        why. Raises `ChattyError` when not a word of it came."""
        finish: str | None = None
        calls: tuple[ToolCall, ...] = ()
        saved = time.monotonic()
        try:
            async with closing_stream(model.stream(request)) as deltas:
                async for delta in deltas:
                    finish = delta.finish or finish
                    calls = delta.tool_calls or calls
                    self.usage = delta.usage or self.usage
                    if delta.text or delta.reasoning:
                        await self._take(delta)
                    if time.monotonic() - saved >= CHECKPOINT_SECONDS and self._in_log:
                        await self._messages.update(self.reply)
                        saved = time.monotonic()
            made = chain.from_iterable(map(attrgetter("tool_calls"), request.messages))
            used = {call.id for call in made}
            await self._finish(calls if finish else (), used, whole=finish is not None)
        except ChattyError as problem:
            if self.said_nothing:
                raise
            return Status.CUT, str(problem)
        if self.reply.tool_calls:
            return Status.COMPLETE, ""
        if not self.reply.content:
            return Status.FAILED, f"{model.reference} gave an empty answer. Try again."
        if finish is None:
            return Status.CUT, "The connection ended before the answer was finished."
        return (Status.TRUNCATED if finish == "length" else Status.COMPLETE), ""

    async def commit(self, message: Message) -> None:
        """Put the reply as it ended into the log. Raises `StorageFailed`."""
        self.reply = message
        in_log, self._in_log = self._in_log, True
        await (self._messages.update(message) if in_log else self._messages.append(message))

    async def _take(self, delta: Delta) -> None:
        """Add a piece of the answer, as much of it as can be shown."""
        self._text += delta.text
        shown = len(self.reply.content) - len(self._begun)
        end = call_begins(self._text, shown) if self._tools else len(self._text)
        # What was shown already stays, should it turn out to be the beginning of a call.
        await self._show(replace(delta, text=self._text[shown : max(end, shown)]))

    async def _finish(
        self, calls: tuple[ToolCall, ...], used: Collection[str], *, whole: bool
    ) -> None:
        """Take the calls, or show what was held back for being none. `used` are ids of calls
        before."""
        if not calls and whole and self._tools:
            calls = calls_in(without_reasoning(self._text), self._tools)
        shown = len(self.reply.content) - len(self._begun)
        if calls:
            self.reply = replace(
                self.reply, content=self.reply.content.rstrip(), tool_calls=_with_ids(calls, used)
            )
        elif rest := self._text[shown:]:
            await self._show(Delta(rest))

    async def _show(self, delta: Delta) -> None:
        """Add to the reply; its first piece puts it into the log."""
        if not (delta.text or delta.reasoning):
            return
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
            self._streaming()
        else:
            self._publish(
                TextStreamed(self.reply.session_id, self.reply.id, delta.text, delta.reasoning)
            )

    def _thought_for(self, delta: Delta) -> float:
        """How long the model has reasoned, up to the first words of the answer."""
        if delta.reasoning and self._thinking_since is None:
            self._thinking_since = time.monotonic()
        if self._thinking_since is None or self.reply.content[len(self._begun) :].strip():
            return self.reply.thought_seconds
        return time.monotonic() - self._thinking_since


def _with_ids(calls: tuple[ToolCall, ...], used: Collection[str]) -> tuple[ToolCall, ...]:
    """The calls, each with an id of its own: servers without ids get numbers that begin anew with
    every answer. Nine characters, since Mistral's models take no others."""
    seen = {"", *used}
    named = []
    for call in calls:
        named.append(replace(call, id=new_id()[-9:]) if call.id in seen else call)
        seen.add(call.id)
    return tuple(named)


@asynccontextmanager
async def closing_stream(stream: AsyncIterator[Delta]) -> AsyncIterator[AsyncIterator[Delta]]:
    """Close a stream when it is left early, so that the server stops working for it."""
    try:
        yield stream
    finally:
        close = getattr(stream, "aclose", None)
        if close is not None:
            await close()
