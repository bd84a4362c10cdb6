"""Identifiers that sort by the time they were made."""

from __future__ import annotations

import os
import time


def new_id(now: float | None = None) -> str:
    """A 32-digit hexadecimal id: 48 bits of milliseconds since 1970 UTC, then 80 random bits.

    Ids made in later milliseconds sort after earlier ones (the idea of UUID version 7).
    """
    milliseconds = int((time.time() if now is None else now) * 1000)
    return f"{milliseconds & 0xFFFFFFFFFFFF:012x}{os.urandom(10).hex()}"
