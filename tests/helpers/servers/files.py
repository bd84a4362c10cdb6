"""A server of files, with the faults that servers of large files have."""

from __future__ import annotations

import asyncio
import re
from collections import deque

from tests.helpers.servers.http import LoopbackServer, Received, Reply

_PIECE = 16_384


class FileServer(LoopbackServer):
    """Serves `files`, by path.

    etag, last_modified: told with a file, "" for not at all. ranges: whether it can go on in the
    middle. cuts: for each request to come, after how many bytes of its answer the connection is
    cut. statuses: for each request to come, a status that is answered in place of the file, 0 for
    none. retry_after: the header told with those. lie: added to the length that is told.
    told_length: whether the length is told at all. held, held_after: an answer stops after so
    many bytes until the event is set. shifted: ranges are answered from so many bytes too early.
    redirect: where every request is sent on to, "" for nowhere.
    """

    def __init__(self, files: dict[str, bytes] | None = None) -> None:
        super().__init__()
        self.files = files or {}
        self.etag = '"one"'
        self.last_modified = ""
        self.ranges = True
        self.cuts: deque[int] = deque()
        self.statuses: deque[int] = deque()
        self.retry_after = ""
        self.lie = 0
        self.told_length = True
        self.held: asyncio.Event | None = None
        self.held_after = 0
        self.shifted = 0
        self.redirect = ""

    def url(self, path: str) -> str:
        return f"{self.address}{path}"

    async def respond(self, received: Received, reply: Reply) -> None:
        status = self.statuses.popleft() if self.statuses else 0
        if status:
            headers = {"Retry-After": self.retry_after} if self.retry_after else {}
            await reply.whole(status, b"no", "text/plain", headers)
            return
        if self.redirect:
            await reply.whole(302, b"", "text/plain", {"Location": self.redirect})
            return
        body = self.files.get(received.path)
        if body is None:
            await reply.whole(404, b"<html>Not found</html>", "text/html")
            return
        await self._file(received, reply, body)

    async def _file(self, received: Received, reply: Reply, body: bytes) -> None:
        headers = {"ETag": self.etag} if self.etag else {}
        if self.last_modified:
            headers["Last-Modified"] = self.last_modified
        wanted = re.match(r"bytes=(\d+)-", received.headers.get("range", ""))
        condition = received.headers.get("if-range")
        unchanged = condition is None or condition in (self.etag, self.last_modified)
        start = 0
        if wanted and self.ranges and unchanged:
            start = int(wanted[1])
            if start >= len(body):
                headers |= {"Content-Range": f"bytes */{len(body)}", "Content-Length": "0"}
                await reply.begin_plain(416, headers)
                return
            start = max(0, start - self.shifted)
            headers["Content-Range"] = f"bytes {start}-{len(body) - 1}/{len(body)}"
        rest = body[start:]
        if self.told_length:
            headers["Content-Length"] = str(len(rest) + self.lie)
        else:
            headers["Connection"] = "close"
        await reply.begin_plain(206 if "Content-Range" in headers else 200, headers)
        await self._send(reply, rest)

    async def _send(self, reply: Reply, rest: bytes) -> None:
        cut = self.cuts.popleft() if self.cuts else None
        end = len(rest) if cut is None else min(cut, len(rest))
        sent = 0
        while sent < end:
            stop = min(end, sent + _PIECE)
            if self.held is not None and not self.held.is_set():
                if sent >= self.held_after:
                    await self.held.wait()
                else:
                    stop = min(stop, self.held_after)
            await reply.plain(rest[sent:stop])
            sent = stop
        if cut is not None or self.lie or not self.told_length:
            await reply.cut()
