"""Clients of httpx, which nothing should wait for: importing it and reading the certificates that
are trusted take some two tenths of a second."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any

from chatty_desktop.domain.errors import Unreachable
from chatty_desktop.providers.addresses import is_loopback

if TYPE_CHECKING:
    import httpx


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
    import httpx

    own = is_loopback(url)
    try:
        # A file that is gone must not come between either, where no certificate is asked for.
        trusted = httpx.create_ssl_context(trust_env=not (own and url.startswith("http:")))
    except OSError as error:
        raise Unreachable(
            f"The certificates that SSL_CERT_FILE names ({os.environ.get('SSL_CERT_FILE')}) cannot"
            " be read. Mend that environment variable, or take it away."
        ) from error
    return {"trust_env": not own, "verify": trusted}
