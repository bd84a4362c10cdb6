"""The OpenAI-compatible wire: /v1/models, /v1/chat/completions (server-sent events),
/v1/embeddings, /props."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any

from tests.helpers.servers.answers import Answer, ScriptedServer
from tests.helpers.servers.http import Received, Reply


class OpenAIServer(ScriptedServer):
    """A scripted OpenAI-compatible server.

    `prefix` is where its API lies ("" for one that knows no /v1). `refuses` names request fields
    it answers 400 for, such as "stream_options" or "response_format". `context_length` is told
    as llama.cpp does (`n_ctx` in /props), or as vLLM does when `context_in` is "models".
    `lists_models` False: /models answers 404. `reasoning_field`: how thinking aloud is named.
    `card`: what it tells of each model in its list, beside the name.
    """

    def __init__(
        self,
        *,
        models: Sequence[str] = ("small",),
        key: str | None = None,
        port: int = 0,
        prefix: str = "/v1",
        refuses: Sequence[str] = (),
        context_length: int | None = None,
        context_in: str = "props",
        lists_models: bool = True,
        reasoning_field: str = "reasoning_content",
        card: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(models=models, key=key, port=port, context_length=context_length)
        self.prefix = prefix
        self.refuses = tuple(refuses)
        self.context_in = context_in
        self.lists_models = lists_models
        self.reasoning_field = reasoning_field
        self.card = card or {}

    @property
    def base_url(self) -> str:
        return self.address + self.prefix

    async def respond(self, received: Received, reply: Reply) -> None:
        if not self.authorised(received):
            await reply.json(_error("Incorrect API key provided."), 401)
        elif received.path == f"{self.prefix}/models" and self.lists_models:
            await reply.json({"object": "list", "data": [self._card(m) for m in self.models]})
        elif received.path == f"{self.prefix}/chat/completions" and received.method == "POST":
            await self._complete(received, reply)
        elif received.path == f"{self.prefix}/embeddings" and received.method == "POST":
            await self._embed(received, reply)
        elif received.path == "/props" and self.context_in == "props" and self.context_length:
            settings = {"n_ctx": self.context_length}
            await reply.json({"default_generation_settings": settings, "total_slots": 1})
        else:
            await reply.json(_error(f"no route for {received.path}"), 404)

    def _card(self, model: str) -> dict[str, Any]:
        card: dict[str, Any] = {"id": model, "object": "model", "created": 0, "owned_by": "tests"}
        card |= self.card
        if self.context_in == "models" and self.context_length:
            card["max_model_len"] = self.context_length
        return card

    async def _embed(self, received: Received, reply: Reply) -> None:
        texts = received.body["input"]
        answer = self.next_embedding(received)
        await answer.hold_before(-1)
        if answer.status != 200:
            await reply.json(_error(answer.message), answer.status, answer.headers)
        elif answer.raw is not None:
            await reply.whole(200, answer.raw)
        else:
            rows = [
                {"object": "embedding", "index": index, "embedding": self.vector(text)}
                for index, text in enumerate(texts)
            ]
            # In another order, as a server may answer.
            await reply.json(
                {"object": "list", "data": rows[::-1], "model": received.body["model"]}
            )

    async def _complete(self, received: Received, reply: Reply) -> None:
        body = received.body
        for name in self.refuses:
            if name in body:
                await reply.json(_error(f"Unsupported parameter: {name}"), 400)
                return
        constrained = body.get("response_format", {}).get("type") == "json_schema"
        answer = self.next_answer(received, constrained)
        await answer.hold_before(-1)
        if answer.status != 200:
            await reply.json(_error(answer.message), answer.status, answer.headers)
        elif answer.raw is not None:
            await reply.whole(200, answer.raw, "text/event-stream")
        elif body.get("stream"):
            await self._stream(received, reply, answer)
        else:
            await reply.json(self._whole(received, answer))

    async def _stream(self, received: Received, reply: Reply, answer: Answer) -> None:
        await reply.begin("text/event-stream")
        await reply.piece(self._event(received, {"role": "assistant", "content": None}))
        sent = 0
        for text, reasoning in answer.pieces():
            await answer.hold_before(sent)
            if sent == answer.drop_after:
                await reply.cut()
                return
            delta = {"content": text} if text else {self.reasoning_field: reasoning}
            await reply.piece(self._event(received, delta))
            sent += 1
        await answer.hold_before(sent)
        if answer.drop_after is not None:
            await reply.cut()
            return
        if answer.tool_calls:
            calls = [{"index": i, **call} for i, call in enumerate(_calls(answer))]
            await reply.piece(self._event(received, {"tool_calls": calls}))
        if answer.finish is not None:
            finish = "tool_calls" if answer.tool_calls else answer.finish
            await reply.piece(self._event(received, {}, finish))
        wants_usage = (received.body.get("stream_options") or {}).get("include_usage")
        if wants_usage and answer.usage and answer.finish is not None:
            chunk = self._chunk(received, [])
            chunk["usage"] = self._usage(received, answer)
            await reply.piece(_sse(chunk))
        if answer.done:
            await reply.piece(b"data: [DONE]\n\n")
        await reply.end()

    def _whole(self, received: Received, answer: Answer) -> dict[str, Any]:
        pieces = answer.pieces()
        message: dict[str, Any] = {
            "role": "assistant",
            "content": "".join(text for text, _ in pieces),
        }
        if answer.reasoning:
            message[self.reasoning_field] = "".join(reasoning for _, reasoning in pieces)
        if answer.tool_calls:
            message["tool_calls"] = _calls(answer)
        value = self._chunk(received, [])
        value["object"] = "chat.completion"
        value["choices"] = [{"index": 0, "message": message, "finish_reason": answer.finish}]
        if answer.usage:
            value["usage"] = self._usage(received, answer)
        return value

    def _event(self, received: Received, delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return _sse(self._chunk(received, [choice]))

    def _chunk(self, received: Received, choices: list[dict[str, Any]]) -> dict[str, Any]:
        return {
            "id": "chatcmpl-scripted",
            "object": "chat.completion.chunk",
            "created": int(time.time()),
            "model": received.body["model"],
            "choices": choices,
        }

    def _usage(self, received: Received, answer: Answer) -> dict[str, int]:
        prompt, completion = self.counts(received, answer)
        return {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
        }


def _calls(answer: Answer) -> list[dict[str, Any]]:
    return [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": call.arguments},
        }
        for call in answer.tool_calls
    ]


def _sse(value: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n".encode()


def _error(message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": "scripted_error", "code": None}}
