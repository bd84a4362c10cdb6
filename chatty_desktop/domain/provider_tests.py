"""What came of trying out a provider."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProviderTest:
    """How a provider answered when it was asked for its models.

    problem: why it cannot be used and what to do about it, "" when it can.
    remark: what is worth knowing although it can be used, else "".
    models: the names it listed. `lists` False: it serves, and has no list; its models are then
    named by hand.
    milliseconds: how long the list took.
    address: where its API was found, with or without /v1; "" when it was not, and where there is
    none.
    better_address: what to write in place of the address, "" when nothing better is known.
    """

    problem: str = ""
    remark: str = ""
    models: tuple[str, ...] = ()
    lists: bool = True
    milliseconds: int = 0
    address: str = ""
    better_address: str = ""

    @property
    def usable(self) -> bool:
        return not self.problem
