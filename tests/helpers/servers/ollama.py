"""Ollama's own wire: /api/chat (JSON lines), /api/embed, /api/tags, /api/show, /api/ps,
/api/pull (JSON lines) and /api/delete."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from tests.helpers.servers.answers import Answer, ScriptedServer
from tests.helpers.servers.http import Received, Reply


class OllamaServer(ScriptedServer):
    """A scripted Ollama. Models it does not have are answered 404, as Ollama does.

    `context_length` is the model's own, told by /api/show. `thinks` False: a request with
    `think` is answered 400, as for a model without that ability. `abilities`: what /api/show
    tells that models can do; what they cannot is answered 400. None: as an old one, which tells
    nothing.

    `library` are the models it can pull, each with the sizes of its layers in bytes. A pull stops
    half way while `pull_held` is there and not set; `pull_breaks` cuts the connection there, once.
    """

    def __init__(
        self,
        *,
        models: Sequence[str] = ("small:latest",),
        key: str | None = None,
        port: int = 0,
        context_length: int | None = 32768,
        thinks: bool = True,
        abilities: Sequence[str] | None = ("completion", "tools", "thinking"),
    ) -> None:
        super().__init__(models=models, key=key, port=port, context_length=context_length)
        self.thinks = thinks
        self.abilities = abilities
        self.library: dict[str, tuple[int, ...]] = {}
        self.pull_held: asyncio.Event | None = None
        self.pull_breaks = False

    @property
    def base_url(self) -> str:
        return self.address

    async def respond(self, received: Received, reply: Reply) -> None:
        body = received.body or {}
        if not self.authorised(received):
            await reply.json({"error": "unauthorized"}, 401)
        elif received.path == "/api/tags":
            await reply.json({"models": [self._card(model) for model in self.models]})
        elif received.path == "/api/ps":
            await reply.json({"models": []})
        elif received.path == "/api/pull":
            await self._pull(body["model"], reply)
        elif received.path in (
            "/api/show",
            "/api/delete",
            "/api/chat",
            "/api/embed",
        ) and not self._has(body["model"]):
            await reply.json({"error": f"model '{body['model']}' not found"}, 404)
        elif received.path == "/api/delete":
            self.models = tuple(name for name in self.models if name != body["model"])
            await reply.whole(200, b"")
        elif received.path == "/api/show":
            await reply.json(self._show())
        elif received.path == "/api/embed":
            await self._embed(received, reply)
        elif received.path == "/api/chat":
            await self._chat(received, reply)
        else:
            await reply.json({"error": f"no route for {received.path}"}, 404)

    async def _pull(self, model: str, reply: Reply) -> None:
        await reply.begin("application/x-ndjson")
        await reply.piece(_line({"status": "pulling manifest"}))
        if model not in self.library:
            missing = "pull model manifest: file does not exist"
            await reply.piece(_line({"error": missing}))
            await reply.end()
            return
        for number, total in enumerate(self.library[model]):
            layer = {"status": f"pulling {number}", "digest": f"sha256:{number}", "total": total}
            for done in (0, total // 2, total):
                if number == 0 and done == total:
                    if self.pull_held is not None:
                        await self.pull_held.wait()
                    if self.pull_breaks:
                        self.pull_breaks = False
                        await reply.cut()
                        return
                await reply.piece(_line({**layer, "completed": done}))
        await reply.piece(_line({"status": "verifying sha256 digest"}))
        self.models = (*self.models, model)
        await reply.piece(_line({"status": "success"}))
        await reply.end()

    def _has(self, model: str) -> bool:
        return model in self.models or f"{model}:latest" in self.models

    def _card(self, model: str) -> dict[str, Any]:
        return {
            "name": model,
            "model": model,
            "modified_at": "2025-01-01T00:00:00Z",
            "size": 400_000_000,
            "digest": "0" * 64,
            "details": {"format": "gguf", "family": "scripted"},
        }

    def _show(self) -> dict[str, Any]:
        info: dict[str, Any] = {"general.architecture": "scripted"}
        if self.context_length:
            info["scripted.context_length"] = self.context_length
        shown: dict[str, Any] = {"model_info": info, "details": {"parameter_size": "0.5B"}}
        if self.abilities is not None:
            can = [each for each in self.abilities if each != "thinking" or self.thinks]
            shown["capabilities"] = can
        return shown

    async def _embed(self, received: Received, reply: Reply) -> None:
        answer = self.next_embedding(received)
        await answer.hold_before(-1)
        if answer.status != 200:
            await reply.json({"error": answer.message}, answer.status, answer.headers)
        elif answer.raw is not None:
            await reply.whole(200, answer.raw)
        else:
            rows = [self.vector(text) for text in received.body["input"]]
            await reply.json({"model": received.body["model"], "embeddings": rows})

    async def _chat(self, received: Received, reply: Reply) -> None:
        body = received.body
        if body.get("think") and not self.thinks:
            await reply.json({"error": f'"{body["model"]}" does not support thinking'}, 400)
            return
        if body.get("tools") and self.abilities is not None and "tools" not in self.abilities:
            await reply.json({"error": f'"{body["model"]}" does not support tools'}, 400)
            return
        answer = self.next_answer(received, isinstance(body.get("format"), dict))
        await answer.hold_before(-1)
        if answer.status != 200:
            await reply.json({"error": answer.message}, answer.status, answer.headers)
        elif answer.raw is not None:
            await reply.whole(200, answer.raw, "application/x-ndjson")
        elif body.get("stream"):
            await self._stream(received, reply, answer)
        else:
            pieces = answer.pieces()
            message = {"content": "".join(text for text, _ in pieces), **_calls(answer)}
            if answer.reasoning:
                message["thinking"] = "".join(reasoning for _, reasoning in pieces)
            await reply.json(self._last(received, answer, message))

    async def _stream(self, received: Received, reply: Reply, answer: Answer) -> None:
        await reply.begin("application/x-ndjson")
        sent = 0
        for text, reasoning in answer.pieces():
            await answer.hold_before(sent)
            if sent == answer.drop_after:
                await reply.cut()
                return
            message = {"content": text, **({"thinking": reasoning} if reasoning else {})}
            await reply.piece(_line(self._part(received, message)))
            sent += 1
        await answer.hold_before(sent)
        if answer.drop_after is not None:
            await reply.cut()
            return
        if answer.tool_calls:
            message = {"content": "", **_calls(answer)}
            await reply.piece(_line(self._part(received, message)))
        if answer.done and answer.finish is not None:
            await reply.piece(_line(self._last(received, answer, {"content": ""})))
        await reply.end()

    def _part(self, received: Received, message: dict[str, Any]) -> dict[str, Any]:
        return {
            "model": received.body["model"],
            "created_at": "2025-01-01T00:00:00Z",
            "message": {"role": "assistant", **message},
            "done": False,
        }

    def _last(self, received: Received, answer: Answer, message: dict[str, Any]) -> dict[str, Any]:
        value = {**self._part(received, message), "done": True, "done_reason": answer.finish}
        if answer.usage:
            value["prompt_eval_count"], value["eval_count"] = self.counts(received, answer)
        return value


def _calls(answer: Answer) -> dict[str, Any]:
    calls = [
        {"function": {"name": call.name, "arguments": json.loads(call.arguments)}}
        for call in answer.tool_calls
    ]
    return {"tool_calls": calls} if calls else {}


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"
