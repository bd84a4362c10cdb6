"""What the commands print, on whatever there is to print on.

Text that others wrote, such as a reply or a title, could drive the terminal by the codes in it;
printed as text, such codes are shown. A JSON document stays exact: there they are escaped, as JSON
allows.
"""

from __future__ import annotations

import io
import json
import logging
import os
import re
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.hidden import TURNING, revealed

_UNBORNE = re.compile(f"[\x7f-\x9f{TURNING}\ud800-\udfff]")
"""What JSON lets stand and a terminal or a stream does not bear."""

_NOT_ASCII = re.compile("[^\x00-\x7e]")


def prepare() -> None:
    """Print what an encoding cannot say by its number, rather than fail."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    handler = logging.StreamHandler()
    handler.setFormatter(_Revealing("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.ERROR, handlers=[handler])


def say(text: str) -> None:
    """The outcome of a command, on stdout. Raises `Invalid` where it cannot be written."""
    _write(revealed(text))


def tell(text: str) -> None:
    """What is to be known besides, on stderr and at once."""
    with suppress(BrokenPipeError):  # nobody listens
        print(revealed(text), file=sys.stderr, flush=True)


def document(value: Any) -> None:
    """A value as the one JSON document of a command."""
    json_text(json.dumps(value, ensure_ascii=False, indent=2))


def json_text(text: str) -> None:
    """A JSON document on stdout that says the same in every encoding, on every terminal."""
    unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    _write((_UNBORNE if unicode else _NOT_ASCII).sub(_escaped, text))


def _escaped(found: re.Match[str]) -> str:
    return "\\u007f" if found[0] == "\x7f" else json.dumps(found[0])[1:-1]


def _write(text: str) -> None:
    try:
        print(text, flush=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        leave()
        raise Invalid(f"What was to be printed could not be written: {error}.") from error


def leave() -> None:
    """Print nothing more: what reads our output has gone, or has no room. Python would complain
    once more when it flushes."""
    sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115


class _Revealing(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return revealed(super().format(record))
