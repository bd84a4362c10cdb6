"""The kinds of failure the rest of the program tells apart.

Every message is written for the person: what happened, to what, and what to do.
"""

from __future__ import annotations

from typing import Literal

UnreachableCause = Literal[
    "connection", "timeout", "server", "rate_limit", "authentication", "missing"
]


class ChattyError(Exception):
    """Base of the failures whose text may be shown to the person as it is."""


class Unreachable(ChattyError):
    """A model server did not serve: nothing is wrong with what was asked of it.

    `cause` tells a refused connection, a time-out, a 5xx, a 429 after back-off, a 401/403 and a
    model or file that is not there apart. Memory keeps its queue on this and tries again later.
    """

    def __init__(self, message: str, cause: UnreachableCause = "connection") -> None:
        super().__init__(message)
        self.cause: UnreachableCause = cause


class Refused(ChattyError):
    """A server or a rule said no to what was asked (a 4xx, a patch outside its schema)."""


class TimedOut(Refused):
    """What was asked was not done in its time, and was stopped."""


class Declined(Refused):
    """The person said no."""


class Invalid(ChattyError):
    """What was given cannot be used: a malformed file, an unknown name, a wrong value."""


class StorageFailed(ChattyError):
    """The disk or the database did not take or give something; what was there is unharmed."""


class NoKeyring(StorageFailed):
    """The system's keyring is not there (`missing`), or it is locked, silent or refuses: the text
    says which."""

    def __init__(self, message: str, *, missing: bool = False) -> None:
        super().__init__(message)
        self.missing = missing


class AlreadyOpen(ChattyError):
    """Another process has this data folder open; `process_id` is its number, 0 if not known."""

    def __init__(self, message: str, process_id: int = 0) -> None:
        super().__init__(message)
        self.process_id = process_id


class OpenElsewhere(StorageFailed):
    """Another machine works on the database, or has taken it over; `machine` is its name."""

    def __init__(self, message: str, machine: str = "") -> None:
        super().__init__(message)
        self.machine = machine


class Stopped(ChattyError):
    """The person stopped it; nothing is left half done."""
