"""Waiting for what has no event of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


async def until(condition: Callable[[], object]) -> None:
    """Return once `condition` holds; the test's own time limit ends the wait."""
    while not condition():  # noqa: ASYNC110  # see above
        await asyncio.sleep(0.005)
