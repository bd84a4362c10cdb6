"""How long to wait for a server, and how often to come back."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Patience:
    """Times in seconds.

    `read` is the longest silence in an answer, its beginning included: a model on a slow
    processor may read a long prompt for minutes. `question` is for what a server answers off
    hand, its list of models. `waits` lie between the tries of a request answered 429; a server
    that asks for more than `longest_wait` is not waited for.
    """

    connect: float = 8.0
    read: float = 600.0
    question: float = 5.0
    waits: tuple[float, ...] = (1.0, 3.0)
    longest_wait: float = 20.0

    async def before_retry(self, tries: int, asked_for: float | None) -> bool:
        """Wait before another try, after `tries` of them; False when it is not worth it.

        `asked_for`: what the server said in Retry-After, None when it did not.
        """
        if tries > len(self.waits):
            return False
        wait = self.waits[tries - 1] if asked_for is None else asked_for
        if wait > self.longest_wait:
            return False
        await asyncio.sleep(wait)
        return True


def retry_after(value: str | None) -> float | None:
    """Seconds in a Retry-After header; None for none, and for a date."""
    try:
        return max(0.0, float(value)) if value else None
    except ValueError:
        return None
