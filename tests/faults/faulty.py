"""Model servers that fail on command: what they do wrong, and at which request.

A fault strikes the requests it is aimed at, or takes the whole server away (`refused`,
`unknown name`, `not tls`), which begins once the request before them has been answered.
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.helpers.servers import OllamaServer, OpenAIServer, Received
from tests.helpers.servers.answers import ScriptedServer
from tests.helpers.servers.http import Reply

Aim = Callable[[Received], bool]

AWAY = ("refused", "unknown name", "not tls")
"""Faults of the way to a server; the others are in its answers."""

HUGE = 10_000_000
"""Characters of an answer that is far too long."""

_PIECE = 64_000


class Names:
    """The names of computers that are known: `localhost`, unless it is `lost`."""

    def __init__(self) -> None:
        self.lost = False

    @contextmanager
    def asked(self) -> Iterator[None]:
        """Whoever asks the system for an address asks here."""
        real = socket.getaddrinfo

        def look_up(host: Any, *args: Any, **options: Any) -> Any:
            ours = host in ("localhost", b"localhost")
            if ours and self.lost:
                raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
            return real("127.0.0.1" if ours else host, *args, **options)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(socket, "getaddrinfo", look_up)
            yield


class Faulty(ScriptedServer):
    """What both wires share: the fault that is on, and the requests it struck.

    fault: its name, "" for none. aim: the requests it strikes. before: the request that it follows;
    None where it is there from the start. chat_path, embed_path, list_path: of the wire.
    """

    chat_path = embed_path = list_path = ""
    content_type = ""

    def __init__(self, names: Names, **options: Any) -> None:
        super().__init__(**options)
        self.names = names
        self.fault = ""
        self.aim: Aim = lambda received: False
        self.before: Aim | None = None
        self.struck: list[Received] = []

    async def fail_with(self, fault: str, aim: Aim, before: Aim | None = None) -> None:
        """Let a fault be on from now on, or from the answer to the request `before` it on."""
        self.fault, self.aim, self.before = fault, aim, before
        self.struck = []
        if before is None:
            await self._go_away()
            dropped = self._hang_up()
            # One that is kept alive must be seen to be gone before anything is asked.
            await asyncio.gather(*dropped, return_exceptions=True)
            await asyncio.sleep(0.01)

    async def mend(self) -> None:
        """Be well again; nothing scripted is left over."""
        fault, self.fault, self.before = self.fault, "", None
        self.names.lost = False
        self._answers.clear()
        self._fold_answers.clear()
        if fault in ("refused", "not tls"):
            await self.close()
            self.tls = self.tls or fault == "not tls"
            await self.__aenter__()

    async def respond(self, received: Received, reply: Reply) -> None:
        last = bool(self.fault and self.before and self.before(received))
        if last:
            await self._go_away()
        if self.fault and self.fault not in AWAY and not last and self.aim(received):
            self.struck.append(received)
            await _ACTS[self.fault](self, received, reply)
        else:
            await super().respond(received, reply)
        if last:
            self.before = None
            self._hang_up()

    async def _go_away(self) -> None:
        if self.fault == "unknown name":
            self.names.lost = True
        elif self.fault in ("refused", "not tls") and self._server is not None:
            self._server.close()
            self._server = None
            if self.fault == "not tls":
                self.tls = False
                await self.__aenter__()

    def _hang_up(self) -> list[asyncio.Task[None]]:
        """Drop the connections that are kept alive, where the server is gone; which these are."""
        dropped = list(self._connections) if self.fault in AWAY else []
        for task in dropped:
            task.cancel()
        return dropped

    # --- what the two wires say --------------------------------------------------------------

    def is_chat(self, received: Received) -> bool:
        return received.path == self.chat_path

    def error(self, message: str) -> Any:
        raise NotImplementedError

    def missing(self) -> str:
        raise NotImplementedError

    def line(self, value: Any) -> bytes:
        raise NotImplementedError

    def part(self, text: str) -> dict[str, Any]:
        raise NotImplementedError

    def end(self) -> list[bytes]:
        raise NotImplementedError

    def long_listing(self, names: list[str]) -> Any:
        raise NotImplementedError

    def vectors(self, numbers: list[float], texts: int) -> Any:
        raise NotImplementedError


class FaultyOpenAI(Faulty, OpenAIServer):
    chat_path, embed_path = "/v1/chat/completions", "/v1/embeddings"
    list_path = "/v1/models"
    content_type = "text/event-stream"

    def error(self, message: str) -> Any:
        return {"error": {"message": message, "type": "scripted_error", "code": None}}

    def missing(self) -> str:
        return "The model `small` does not exist."

    def line(self, value: Any) -> bytes:
        return f"data: {json.dumps(value)}\n\n".encode()

    def part(self, text: str, finish: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish}
        return {
            "id": "c",
            "object": "chat.completion.chunk",
            "created": 0,
            "model": "small",
            "choices": [choice],
        }

    def end(self) -> list[bytes]:
        return [self.line(self.part("", "stop")), b"data: [DONE]\n\n"]

    def long_listing(self, names: list[str]) -> Any:
        return {"object": "list", "data": [self._card(name) for name in names]}

    def vectors(self, numbers: list[float], texts: int) -> Any:
        rows = [{"object": "embedding", "index": i, "embedding": numbers} for i in range(texts)]
        return {"object": "list", "data": rows, "model": "small"}


class FaultyOllama(Faulty, OllamaServer):
    chat_path, embed_path = "/api/chat", "/api/embed"
    list_path = "/api/tags"
    content_type = "application/x-ndjson"

    def error(self, message: str) -> Any:
        return {"error": message}

    def missing(self) -> str:
        return "model 'small' not found"

    def line(self, value: Any) -> bytes:
        return json.dumps(value).encode() + b"\n"

    def part(self, text: str) -> dict[str, Any]:
        return {
            "model": "small",
            "created_at": "2025-01-01T00:00:00Z",
            "message": {"role": "assistant", "content": text},
            "done": False,
        }

    def end(self) -> list[bytes]:
        return [self.line({**self.part(""), "done": True, "done_reason": "stop"})]

    def long_listing(self, names: list[str]) -> Any:
        return {"models": [self._card(name) for name in names]}

    def vectors(self, numbers: list[float], texts: int) -> Any:
        return {"model": "small", "embeddings": [numbers] * texts}


Act = Callable[[Faulty, Received, Reply], Awaitable[None]]


def _status(status: int, retry_after: float | None = None) -> Act:
    async def act(server: Faulty, received: Received, reply: Reply) -> None:
        message = server.missing() if status == 404 else f"scripted {status}"
        headers = {} if retry_after is None else {"Retry-After": f"{retry_after:g}"}
        await reply.json(server.error(message), status, headers)

    return act


async def _silent(server: Faulty, received: Received, reply: Reply) -> None:
    await asyncio.Event().wait()


async def _half(server: Faulty, received: Received, reply: Reply) -> None:
    """The first half of an answer, whatever was asked."""
    if server.is_chat(received):
        await reply.begin(server.content_type)
        for word in ("Half ", "of "):
            await reply.piece(server.line(server.part(word)))
    else:
        await reply.begin("application/json")
        await reply.piece(b'{"')


async def _stall(server: Faulty, received: Received, reply: Reply) -> None:
    await _half(server, received, reply)
    await asyncio.Event().wait()


async def _reset(server: Faulty, received: Received, reply: Reply) -> None:
    await _half(server, received, reply)
    await asyncio.sleep(0.01)  # what is not read yet would be lost with the connection
    await reply.reset()


async def _broken_json(server: Faulty, received: Received, reply: Reply) -> None:
    await _half(server, received, reply)
    if server.is_chat(received):
        line = server.line(server.part("it")).rstrip()
        await reply.piece(line[: len(line) // 2] + b"\n\n")
    await reply.end()


async def _error_inside(server: Faulty, received: Received, reply: Reply) -> None:
    if not server.is_chat(received):
        await reply.json(server.error("out of memory"))
        return
    await reply.begin(server.content_type)
    await reply.piece(server.line(server.part("Half ")))
    await reply.piece(server.line(server.error("out of memory")))
    await reply.end()


async def _page(server: Faulty, received: Received, reply: Reply) -> None:
    page = b"<!doctype html><html><title>Sign in</title><body>Welcome to the hotel</body></html>"
    await reply.whole(200, page, "text/html; charset=utf-8")


async def _nothing(server: Faulty, received: Received, reply: Reply) -> None:
    content_type = server.content_type if server.is_chat(received) else "application/json"
    await reply.whole(200, b"", content_type)


async def _huge(server: Faulty, received: Received, reply: Reply) -> None:
    if server.is_chat(received):
        await reply.begin(server.content_type)
        for _ in range(HUGE // _PIECE):
            await reply.piece(server.line(server.part("word " * (_PIECE // 5))))
        for last in server.end():
            await reply.piece(last)
        await reply.end()
    elif received.path == server.list_path:
        names = [f"model-{number:06}-{'x' * 300}" for number in range(HUGE // 500)]
        await reply.json(server.long_listing(names))
    else:
        texts = len(received.body["input"])
        await reply.json(server.vectors([0.25] * (HUGE // 6 // texts), texts))


async def _other_type(server: Faulty, received: Received, reply: Reply) -> None:
    reply.content_type = "application/octet-stream"
    server.aim = lambda received: False
    await server.respond(received, reply)


async def _garbage(server: Faulty, received: Received, reply: Reply) -> None:
    content_type = server.content_type if server.is_chat(received) else "application/json"
    await reply.whole(200, bytes(range(256)) * 8, content_type)


async def _no_http(server: Faulty, received: Received, reply: Reply) -> None:
    await reply.plain(bytes(range(256)) * 8)
    await reply.cut()


_ACTS: dict[str, Act] = {
    "401": _status(401),
    "404": _status(404),
    "429": _status(429),
    "429 with Retry-After": _status(429, retry_after=0.02),
    "429 for an hour": _status(429, retry_after=3600),
    "500": _status(500),
    "503": _status(503),
    "silent": _silent,
    "stalls": _stall,
    "reset": _reset,
    "broken JSON": _broken_json,
    "error inside": _error_inside,
    "web page": _page,
    "nothing": _nothing,
    "huge": _huge,
    "other type": _other_type,
    "garbage": _garbage,
    "no http": _no_http,
}

FAULTS = (*AWAY, *_ACTS)
