"""Clients of httpx, which nothing should wait for: importing it and reading the certificates that
are trusted take some two tenths of a second."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

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
