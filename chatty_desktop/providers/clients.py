"""Clients of httpx, which nothing should wait for: importing it and reading the certificates that
are trusted take some two tenths of a second."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

from chatty_desktop.domain.errors import Unreachable
from chatty_desktop.providers.addresses import is_loopback

if TYPE_CHECKING:
    import ssl

    import httpx

log = logging.getLogger(__name__)

_C = TypeVar("_C")

_BROKEN = ("ReadError", "WriteError")


async def new_client(**options: Any) -> httpx.AsyncClient:
    """A client, made in a thread; httpx is imported by then. `options` are those of
    `httpx.AsyncClient`."""
    return await asyncio.to_thread(make_client, **options)


def make_client(**options: Any) -> httpx.AsyncClient:
    """A client, for those who are in a thread already."""
    import httpx

    return httpx.AsyncClient(**options)


def way_to(url: str) -> dict[str, Any]:
    """The options of a client for one server, for those who are in a thread already: no proxy comes
    between this computer and itself, and an authority of the person's own, which the environment
    names, counts there as well. Raises `Unreachable` when that cannot be read."""
    own = is_loopback(url)
    # A file that is gone must not come between either, where no certificate is asked for.
    named = not (own and url.startswith("http:"))
    return {"trust_env": not own, "verify": trusted(named=named)}


def trusted(*, named: bool = True) -> ssl.SSLContext:
    """The authorities that are trusted; with `named`, those of the environment where it names any.
    For those who are in a thread already. Raises `Unreachable` when they cannot be read."""
    import httpx

    try:
        return httpx.create_ssl_context(trust_env=named)
    except OSError as error:
        raise Unreachable(
            f"The certificates that SSL_CERT_FILE names ({os.environ.get('SSL_CERT_FILE')}) cannot"
            " be read. Mend that environment variable, or take it away."
        ) from error


def resending(kind: type[_C]) -> type[_C]:
    """The same kind of client of httpx, or of a library that is the same under another name, which
    sends a request again that was lost with a kept connection.

    A connection is kept between requests, and may be gone when the next one goes out: a server or
    a router forgot it while this computer slept, and says so only then, or closes it in that very
    moment. Nothing is wrong then. A request is sent again when it went over such a connection and
    nothing of an answer came; each time that connection is let go, so that a new one is reached,
    whose end is the answer's. Only for requests that may be carried out twice.
    """

    class Resending(kind):  # type: ignore[misc, valid-type]
        async def send(self, request: Any, **options: Any) -> Any:
            while True:
                seen: set[str] = set()
                request.extensions = {**request.extensions, "trace": _noting(seen)}
                try:
                    return await super().send(request, **options)
                except Exception as error:
                    if not (_is_kept(seen) and _broke_off(error)):
                        raise
                    log.info("A kept connection to %s was gone; asking again", request.url.host)

    return cast("type[_C]", Resending)


def _noting(seen: set[str]) -> Callable[[str, Any], Awaitable[None]]:
    """Takes down what a connection has done, such as "connection.connect_tcp.started"."""

    async def note(event: str, _told: Any) -> None:
        seen.add(event.partition(".")[2])

    return note


def _is_kept(seen: set[str]) -> bool:
    """Whether a request went over a connection that was there before, and got no answer's head."""
    return "connect_tcp.started" not in seen and "receive_response_headers.complete" not in seen


def _broke_off(error: Exception) -> bool:
    """Whether the connection ended. What came but is no HTTP has the same type as an end without
    anything, and other words."""
    name = type(error).__name__
    return name in _BROKEN or (name == "RemoteProtocolError" and "disconnected" in str(error))
