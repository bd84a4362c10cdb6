"""What a person does to memory, as values: pins that hold against folds, and the way back to what
was.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from chatty_desktop.domain.memory import LedgerEntry

PINNED = "this key is pinned, so no fold may change it"
"""Why a change that a fold proposed was left out."""


def without_pinned(
    patch: Mapping[str, Any], pins: Collection[str]
) -> tuple[dict[str, Any], tuple[dict[str, Any], ...]]:
    """(the patch without the pinned keys, what was left out of it, as the ledger shows it)."""
    kept = {key: value for key, value in patch.items() if key not in pins}
    dropped = tuple(
        {"key": key, "forget": True, "reason": PINNED}
        if value is None
        else {"key": key, "value": value, "reason": PINNED}
        for key, value in patch.items()
        if key in pins
    )
    return kept, dropped


@dataclass(frozen=True, slots=True)
class PinAttempt:
    """What the newest fold that tried would have made of a pinned key: `value`, or nothing at all
    (`forget`). `count` folds tried since it was pinned; `ledger_id` is the row of the newest."""

    value: Any
    forget: bool
    count: int
    ledger_id: str
    at: float


def attempts_on(key: str, ledger: Iterable[LedgerEntry], layer: str) -> PinAttempt | None:
    """What folds tried to make of a key since it was pinned; `ledger` is newest first."""
    newest: tuple[LedgerEntry, dict[str, Any]] | None = None
    count = 0
    for entry in ledger:
        if entry.layer != layer:
            continue
        if entry.kind == "by_hand" and entry.reason == pin_reason(key, pinned=True):
            break
        for change in entry.dropped:
            if change.get("key") == key and change.get("reason") == PINNED:
                newest = newest or (entry, change)
                count += 1
    if newest is None:
        return None
    entry, tried = newest
    forget = bool(tried.get("forget"))
    return PinAttempt(tried.get("value"), forget, count, entry.id, entry.finished_at)


def pin_reason(key: str, *, pinned: bool) -> str:
    """What the ledger says of pinning a key, or of no longer doing so."""
    return f'"{key}" was pinned.' if pinned else f'"{key}" is no longer pinned.'


def way_back(
    now: Mapping[str, Any], then: Mapping[str, Any], fields: Collection[str]
) -> dict[str, Any]:
    """The patch that makes Σ of now what it was then, as far as the fields have the keys."""
    patch: dict[str, Any] = {}
    for key in fields:
        if key in then and now.get(key) != then[key]:
            patch[key] = then[key]
        elif key not in then and key in now:
            patch[key] = None
    return patch
