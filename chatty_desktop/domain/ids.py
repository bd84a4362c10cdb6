"""Identifiers that sort by the time they were made."""

from __future__ import annotations

import os
import time

_STARTED_NS = time.time_ns() - time.monotonic_ns()
"""What the wall clock said when the other one, which nobody sets, began."""


def new_id(now: float | None = None) -> str:
    """A 32-digit hexadecimal id: 48 bits of milliseconds since 1970 UTC, 16 bits of the fraction
    of one, then 64 random bits (the idea of UUID version 7).

    Ids that a process makes sort in the order in which they were made, also where the wall clock
    is set back meanwhile; `now` (seconds) makes one of another time.
    """
    ns = _STARTED_NS + time.monotonic_ns() if now is None else int(now * 1e9)
    milliseconds, rest = divmod(ns, 1_000_000)
    fraction = rest * 0x10000 // 1_000_000
    return f"{milliseconds & 0xFFFFFFFFFFFF:012x}{fraction:04x}{os.urandom(8).hex()}"
