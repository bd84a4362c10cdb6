"""A small HTTP/1.1 server on 127.0.0.1, so that every byte sent, or not sent, can be scripted."""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
import struct
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from types import TracebackType
from typing import Any, Self

CERTIFICATE = Path(__file__).with_name("loopback.pem")
"""Of 127.0.0.1 and localhost, by nobody but themselves."""


@dataclass(slots=True)
class Received:
    """One request. Header names are in lower case; `body` is the parsed JSON, None without one.

    `left` is set when the client hung up before its answer was complete, `ended` once the server
    is through with the request, however it went.
    """

    method: str
    path: str
    headers: dict[str, str]
    body: Any = None
    left: asyncio.Event = field(default_factory=asyncio.Event)
    ended: asyncio.Event = field(default_factory=asyncio.Event)


class Reply:
    """The answer to one request: whole, or begun and then sent piece by piece. `content_type`: told
    in place of the true one, unless it is ""."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self.cut_off = False
        self.content_type = ""

    async def whole(
        self,
        status: int,
        body: bytes,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
    ) -> None:
        self._head(status, content_type, {"Content-Length": str(len(body)), **(headers or {})})
        self._writer.write(body)
        await self._writer.drain()

    async def json(
        self, value: Any, status: int = 200, headers: dict[str, str] | None = None
    ) -> None:
        await self.whole(status, json.dumps(value).encode(), headers=headers)

    @property
    def came_from(self) -> int:
        """The port of the client, which tells its connections apart."""
        return int(self._writer.get_extra_info("peername")[1])

    async def begin(self, content_type: str) -> None:
        """Begin a chunked answer; `piece` and then `end` or `cut` follow."""
        self._head(200, content_type, {"Transfer-Encoding": "chunked"})
        await self._writer.drain()

    async def begin_plain(self, status: int, headers: dict[str, str]) -> None:
        """Begin an answer as it is, with whatever headers; `plain` and the end follow."""
        self._head(status, "application/octet-stream", headers)
        await self._writer.drain()

    async def plain(self, body: bytes) -> None:
        """More of an answer begun plainly."""
        self._writer.write(body)
        await self._writer.drain()

    async def piece(self, body: bytes) -> None:
        self._writer.write(f"{len(body):x}\r\n".encode() + body + b"\r\n")
        await self._writer.drain()

    async def end(self) -> None:
        self._writer.write(b"0\r\n\r\n")
        await self._writer.drain()

    async def cut(self) -> None:
        """Drop the connection in the middle of the answer."""
        self.cut_off = True
        self._writer.close()
        await self._writer.wait_closed()

    async def reset(self) -> None:
        """Tear the connection down in the middle of the answer, as a router that forgot it does."""
        self.cut_off = True
        connection = self._writer.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()

    def _head(self, status: int, content_type: str, headers: dict[str, str]) -> None:
        told = self.content_type or content_type
        lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", f"Content-Type: {told}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        self._writer.write("\r\n".join([*lines, "", ""]).encode())


class LoopbackServer:
    """Accepts connections while it is entered; subclasses answer in `respond`.

    tls: speak https, with a certificate that nobody trusts; set before it is entered.
    """

    def __init__(self, port: int = 0) -> None:
        self.tls = False
        self._wanted_port = port
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self.port = 0
        self.requests: list[Received] = []

    @property
    def address(self) -> str:
        """`http://127.0.0.1:PORT`; the port stays the same when the server is entered again."""
        return f"{'https' if self.tls else 'http'}://127.0.0.1:{self.port}"

    async def respond(self, received: Received, reply: Reply) -> None:
        """Answer one request."""
        raise NotImplementedError

    async def __aenter__(self) -> Self:
        port = self.port or self._wanted_port
        context = _untrusted() if self.tls else None
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", port, ssl=context)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Stop listening and drop every connection: from now on the port refuses."""
        if self._server is not None:
            self._server.close()
            self._server = None
        for task in tuple(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        # An aborted connection lets its socket go in one of the loop's next turns, which Qt's does
        # not take in order.
        await asyncio.sleep(0.02)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(self._converse(reader, writer))
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Requests of one connection, one after the other, until either side closes it."""
        ahead = b""
        try:
            while received := await _read_request(reader, ahead):
                self.requests.append(received)
                reply = Reply(writer)
                ahead = await self._answer(received, reply, reader)
                if received.left.is_set() or reply.cut_off:
                    return
        except (ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
            return
        except UnicodeDecodeError:  # what begins a connection over TLS
            writer.write(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
        finally:
            writer.transport.abort()

    async def _answer(
        self, received: Received, reply: Reply, reader: asyncio.StreamReader
    ) -> bytes:
        """Answer while watching for the client to hang up; returns what was read ahead."""
        loop = asyncio.get_running_loop()
        answering = loop.create_task(self.respond(received, reply))
        watching = loop.create_task(reader.read(1))
        try:
            await asyncio.wait({answering, watching}, return_when=asyncio.FIRST_COMPLETED)
            if not answering.done() and _hung_up(watching):
                received.left.set()
                return b""
            try:
                await answering
            except ConnectionError:
                received.left.set()
            return watching.result() if watching.done() else b""
        finally:
            answering.cancel()
            watching.cancel()
            await asyncio.gather(answering, watching, return_exceptions=True)
            received.ended.set()


def _untrusted() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    return context


def _hung_up(watching: asyncio.Task[bytes]) -> bool:
    """Whether the client closed the connection, or tore it down with an answer unread."""
    return isinstance(watching.exception(), ConnectionError) or not watching.result()


async def _read_request(reader: asyncio.StreamReader, ahead: bytes) -> Received | None:
    """The next request of a connection, None once the client has closed it."""
    first = ahead + await reader.readline()
    if not first.strip():
        return None
    method, path, _version = first.decode("ascii").split()
    headers: dict[str, str] = {}
    while line := (await reader.readline()).strip():
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.lower()] = value.strip()
    raw = await reader.readexactly(int(headers.get("content-length", 0)))
    return Received(method, path.partition("?")[0], headers, json.loads(raw) if raw else None)
