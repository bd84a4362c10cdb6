"""Reading in a process of its own what may be meant to do harm.

A page or a document can be written so that whoever parses it needs hours or all the memory there
is, inside of a library that nothing in this process could stop. A process can be ended, and what it
takes has a bound.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from chatty_desktop.domain.errors import Invalid, Unreachable
from chatty_desktop.domain.json_text import read_json
from chatty_desktop.providers import own_process

_MOST_MEMORY = 3_000_000_000
"""Bytes of address space, of which a process uses a part."""

Reader = Callable[[bytes, dict[str, Any]], Any]
"""Reads content, with what else is known of it; what it gives has a form in JSON."""


class TooHard(Invalid):
    """It was not read within its time, or not in the memory that is given to it."""


async def read_apart(
    module: str, content: bytes, seconds: float, **about: str | float | None
) -> Any:
    """What the module's `Reader` makes of the content; the module gives it to `serve` when it is
    run. Raises `TooHard`, the `Invalid` that the reader raised, and `Unreachable` where no process
    can be started."""
    try:
        process = await own_process.started(module, stdin=subprocess.PIPE)
    except OSError as error:
        raise Unreachable(
            f"It cannot be read: no process can be started ({error.strerror or error})."
        ) from error
    try:
        head = json.dumps({"about": about, "seconds": seconds}).encode() + b"\n"
        async with asyncio.timeout(seconds):
            answer, _ = await process.communicate(head + content)
    except TimeoutError:
        raise TooHard(f"It could not be read within {seconds:g} seconds.") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    said = await asyncio.to_thread(_said, answer)
    if "invalid" in said:
        raise Invalid(said["invalid"])
    if "value" not in said:
        raise TooHard("It could not be read: it takes too much memory, or is damaged.")
    return said["value"]


def serve(read: Reader) -> None:
    """Read once, in the process that `read_apart` started."""
    head = read_json(sys.stdin.buffer.readline())
    _bound(int(head["seconds"]) + 5)
    try:
        said = {"value": read(sys.stdin.buffer.read(), head["about"])}
    except Invalid as error:
        said = {"invalid": str(error)}
    except (MemoryError, RecursionError):
        said = {}
    sys.stdout.write(json.dumps(said) + "\n")


def _said(answer: bytes) -> dict[str, Any]:
    """What the process wrote; nothing where it was ended before."""
    try:
        value = read_json(answer)
    except Invalid:
        return {}
    return value if isinstance(value, dict) else {}


def _bound(seconds: int) -> None:
    """Nobody may be there any more to end this process."""
    try:
        import resource
    except ImportError:  # Windows has no such bounds
        return
    for what, most in ((resource.RLIMIT_CPU, seconds), (resource.RLIMIT_AS, _MOST_MEMORY)):
        hard = resource.getrlimit(what)[1]
        if hard == resource.RLIM_INFINITY or hard >= most:
            resource.setrlimit(what, (most, hard))
