"""An MCP server at an address: streamable HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from chatty_desktop.domain.mcp_settings import McpServer
from chatty_desktop.providers.clients import way_to

if TYPE_CHECKING:
    import httpx2
    from mcp.client._transport import TransportStreams

MOST_BYTES = 16 * 1024 * 1024
"""Of one answer; an answer that comes in events may be longer, each event may not."""

CONNECT_SECONDS = 15.0
SILENCE_SECONDS = 300.0
"""How long a stream may bring nothing; servers hold one open for what they have to tell."""


class Seen:
    """What the last answer of a server was, which the SDK does not pass on. `status` 0: none."""

    def __init__(self) -> None:
        self.status = 0

    @property
    def trouble(self) -> str:
        """What the status says, "" when it is a good one."""
        if self.status in (401, 403):
            return (
                f"It wants a key, or another one (HTTP {self.status}). Edit the server and write"
                " the header that its instructions name, such as Authorization: Bearer and the key."
            )
        if self.status == 404:
            return (
                "There is no MCP server at this address (HTTP 404). Look at its path, often /mcp."
            )
        return f"It answered with HTTP {self.status}." if self.status >= 400 else ""


@asynccontextmanager
async def address_streams(server: McpServer, seen: Seen) -> AsyncIterator[TransportStreams]:
    """Speak to an address with the headers of its entry."""
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    class Bounded(httpx2.AsyncByteStream):
        def __init__(self, stream: httpx2.AsyncByteStream) -> None:
            self._stream = stream

        async def __aiter__(self) -> AsyncIterator[bytes]:
            total = 0
            async for chunk in self._stream:
                total += len(chunk)
                if total > MOST_BYTES:
                    raise httpx2.ReadError(f"more than {MOST_BYTES // 2**20} MB in one answer")
                yield chunk

        async def aclose(self) -> None:
            await self._stream.aclose()

    async def look(response: httpx2.Response) -> None:
        if response.request.method == "POST":
            seen.status = response.status_code
        events = "text/event-stream" in response.headers.get("content-type", "")
        if not events and isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = Bounded(response.stream)

    def made() -> httpx2.AsyncClient:
        return httpx2.AsyncClient(
            headers=dict(server.headers),
            timeout=httpx2.Timeout(CONNECT_SECONDS, read=SILENCE_SECONDS),
            event_hooks={"response": [look]},
            **way_to(server.url or ""),
        )

    async with (
        # In a thread: it reads the certificates that are trusted.
        await asyncio.to_thread(made) as client,
        streamable_http_client(server.url or "", http_client=client) as streams,
    ):
        yield streams
