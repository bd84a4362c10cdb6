"""The OpenAI wire: requests as JSON bodies, streamed chunks as deltas."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from openai.types.chat import ChatCompletionChunk
from openai.types.chat.chat_completion_chunk import ChoiceDeltaToolCall

from chatty_desktop.domain.attachments import WireImage
from chatty_desktop.domain.messages import ToolCall
from chatty_desktop.domain.requests import ChatRequest, Delta, Usage, WireMessage, count_of
from chatty_desktop.providers.reasoning import ReasoningSplitter

_REASONING_FIELDS = ("reasoning_content", "reasoning")
"""Where servers put what a model thinks aloud: DeepSeek, llama.cpp and vLLM in the first,
OpenRouter and others in the second."""

_STANDARD = ("temperature", "top_p", "presence_penalty", "frequency_penalty", "seed", "max_tokens")
_ADDED = ("top_k", "min_p", "repeat_penalty")
"""What OpenAI itself does not know and nearly every other server does."""


def chat_body(model: str, request: ChatRequest) -> dict[str, Any]:
    """The body of a streamed chat completion. What the SDK has no name for is in `extra_body`,
    and nothing is in it that was not set: some servers answer 400 to what they do not know."""
    body: dict[str, Any] = {
        "model": model,
        "messages": [_message(message) for message in request.messages],
        "stream_options": {"include_usage": True},
    }
    sampling = request.sampling()
    body |= {name: sampling[name] for name in _STANDARD if name in sampling}
    extra = {name: sampling[name] for name in _ADDED if name in sampling}
    if "repeat_penalty" in extra:
        # llama.cpp and LM Studio know it by the one name, vLLM and OpenRouter by the other.
        extra["repetition_penalty"] = extra["repeat_penalty"]
    if extra:
        body["extra_body"] = extra
    if request.tools:
        body["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.parameters,
                },
            }
            for tool in request.tools
        ]
    if request.json_schema is not None:
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": request.json_schema},
        }
    return body


class Dialect:
    """What the models of a server turned out not to take, where there is another way to say it, or
    where it may be left out. What a person set is not left out: they are told instead."""

    def __init__(self) -> None:
        self._unknown: set[tuple[str, str]] = set()

    def put(self, body: dict[str, Any], options: Collection[str] = ()) -> dict[str, Any]:
        """A body of `chat_body` in words that the model's server knows. `options` are the names of
        those that a person set."""

        def knows(name: str) -> bool:
            return (body["model"], name) not in self._unknown

        said = {name: value for name, value in body.items() if knows(name) or name in options}
        if "max_tokens" in body and not knows("max_tokens"):
            del said["max_tokens"]
            said["max_completion_tokens"] = body["max_tokens"]
        if extra := body.get("extra_body"):
            said["extra_body"] = {name: value for name, value in extra.items() if knows(name)}
        return said

    def learn(self, said: dict[str, Any], words: str, options: Collection[str] = ()) -> str:
        """What the server refused of a body, "" when it is not to be said otherwise; `words` are
        the server's. What is returned is not said again to the model."""
        refused = self._refused(said, words, options)
        if refused:
            self._unknown.add((said["model"], refused))
        return refused

    def _refused(self, said: dict[str, Any], words: str, options: Collection[str]) -> str:
        named = set(re.findall(r"\w+", words))
        if "stream_options" in said and "stream_options" in named:
            return "stream_options"
        if "max_tokens" in said and "max_completion_tokens" in named:
            return "max_tokens"
        # Memory asks at 0; models that reason before they answer may take no temperature at all.
        if "temperature" in said and "temperature" in named and "temperature" not in options:
            return "temperature"
        spellings = {"repeat_penalty", "repetition_penalty"}
        if spellings <= said.get("extra_body", {}).keys() and len(spellings & named) == 1:
            return (spellings & named).pop()
        return ""


def _message(message: WireMessage) -> dict[str, Any]:
    value: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.images:
        words = [{"type": "text", "text": message.content}] if message.content else []
        value["content"] = [*words, *map(_image, message.images)]
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


def _image(image: WireImage) -> dict[str, Any]:
    data = b64encode(image.data).decode("ascii")
    return {"type": "image_url", "image_url": {"url": f"data:{image.media_type};base64,{data}"}}


class ChunkReader:
    """Turns the chunks of one answer into deltas; how it ended is kept for `last`."""

    def __init__(self, request: ChatRequest) -> None:
        self._splitter = ReasoningSplitter(goes_on=request.goes_on)
        self._usage: Usage | None = None
        self._calls: dict[int, _CallBeingWritten] = {}
        self.finish: str | None = None
        self.chunks = 0

    def read(self, chunk: ChatCompletionChunk) -> Iterator[Delta]:
        """What a chunk adds. Raises `AttributeError` or `TypeError` for what is no chunk."""
        self.chunks += 1
        if chunk.usage is not None:
            self._usage = Usage(
                count_of(chunk.usage.prompt_tokens), count_of(chunk.usage.completion_tokens)
            )
        for choice in chunk.choices or ():
            extra = choice.delta.model_extra or {}
            for name in _REASONING_FIELDS:
                if isinstance(thought := extra.get(name), str) and thought:
                    yield Delta(reasoning=thought)
                    break
            if choice.delta.content:
                yield from self._splitter.feed(choice.delta.content)
            for part in choice.delta.tool_calls or ():
                self._take_call(part)
            self.finish = choice.finish_reason or self.finish

    def _take_call(self, part: ChoiceDeltaToolCall) -> None:
        """Take in a piece of a call. Servers that send calls whole may leave out their number, and
        write the arguments as an object."""
        number = getattr(part, "index", None)
        if not isinstance(number, int):
            number = len(self._calls) if part.id or not self._calls else max(self._calls)
        call = self._calls.setdefault(number, _CallBeingWritten())
        call.id = part.id if isinstance(part.id, str) and part.id else call.id
        if part.function is not None:
            written: object = part.function.arguments or ""
            call.name += part.function.name or ""
            call.arguments += written if isinstance(written, str) else json.dumps(written)

    def last(self) -> Iterator[Delta]:
        """What was held back, and how the answer ended; no finish for one that was cut off."""
        yield from self._splitter.finish()
        if self.finish is not None or self._usage is not None:
            # Of an answer that was cut off, no call is whole.
            calls = self._calls if self.finish is not None else {}
            made = tuple(calls[index].made(index) for index in sorted(calls))
            yield Delta(finish=self.finish, usage=self._usage, tool_calls=made)


@dataclass(slots=True)
class _CallBeingWritten:
    """A call of a tool, of which the arguments come in pieces."""

    id: str = ""
    name: str = ""
    arguments: str = ""

    def made(self, index: int) -> ToolCall:
        return ToolCall(self.id or f"call_{index}", self.name, self.arguments)
