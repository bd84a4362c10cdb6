"""The OpenAI wire: requests as JSON bodies, streamed chunks as deltas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from openai.types.chat import ChatCompletionChunk

from chatty_desktop.domain.requests import ChatRequest, Delta, Usage, WireMessage
from chatty_desktop.providers.reasoning import ReasoningSplitter

_REASONING_FIELDS = ("reasoning_content", "reasoning")
"""Where servers put what a model thinks aloud: DeepSeek, llama.cpp and vLLM in the first,
OpenRouter and others in the second."""


def chat_body(model: str, request: ChatRequest) -> dict[str, Any]:
    """The body of a streamed chat completion."""
    body: dict[str, Any] = {
        "model": model,
        "messages": [_message(message) for message in request.messages],
        "stream_options": {"include_usage": True},
    }
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if request.max_tokens is not None:
        body["max_tokens"] = request.max_tokens
    if request.json_schema is not None:
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": request.json_schema},
        }
    return body


def _message(message: WireMessage) -> dict[str, Any]:
    value: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        value["content"] = message.content or None
        value["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in message.tool_calls
        ]
    if message.role == "tool":
        value["tool_call_id"] = message.tool_call_id
    return value


class ChunkReader:
    """Turns the chunks of one answer into deltas; how it ended is kept for `last`."""

    def __init__(self) -> None:
        self._splitter = ReasoningSplitter()
        self._usage: Usage | None = None
        self.finish: str | None = None
        self.chunks = 0

    def read(self, chunk: ChatCompletionChunk) -> Iterator[Delta]:
        """What a chunk adds. Raises `AttributeError` or `TypeError` for what is no chunk."""
        self.chunks += 1
        if chunk.usage is not None:
            self._usage = Usage(chunk.usage.prompt_tokens, chunk.usage.completion_tokens)
        for choice in chunk.choices or ():
            extra = choice.delta.model_extra or {}
            for name in _REASONING_FIELDS:
                if isinstance(thought := extra.get(name), str) and thought:
                    yield Delta(reasoning=thought)
                    break
            if choice.delta.content:
                yield from self._splitter.feed(choice.delta.content)
            self.finish = choice.finish_reason or self.finish

    def last(self) -> Iterator[Delta]:
        """What was held back, and how the answer ended; no finish for one that was cut off."""
        yield from self._splitter.finish()
        if self.finish is not None or self._usage is not None:
            yield Delta(finish=self.finish, usage=self._usage)
