"""Σ, the structured state of the State strategy, and the rules by which a patch changes it.

Σ is a JSON object over a closed set of keys. A patch is a JSON object too: each key it names is
set to the value beside it, or deleted where that value is null; keys it does not name stay.
"""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from chatty_desktop.domain.errors import Refused

_TOLD_KEYS, _TOLD_OF_KEY = 20, 100

MAX_DEPTH = 32
"""Levels of lists and objects a value may nest; what goes deeper is a model running away."""


class PatchRefused(Refused):
    """A patch that does not change Σ. The text is the reason, for the model and for the person.

    `patch` is what had been proposed, None when nothing could be read as a patch.
    """

    def __init__(self, reason: str, patch: dict[str, Any] | None = None) -> None:
        super().__init__(reason)
        self.patch = patch


def apply_patch(
    state: Mapping[str, Any], patch: Any, fields: Sequence[str], max_chars: int
) -> dict[str, Any]:
    """Σ after `patch`, as a new object; `state` and `patch` are left as they are.

    The rules, in this order:

    1. A key outside `fields` refuses the whole patch. A key Σ still holds from fields that were
       since renamed or removed stays in Σ, but is outside all the same.
    2. null deletes the key; to delete what is not there changes nothing.
    3. The patch is refused if Σ after it, as compact JSON, is longer than `max_chars` characters.

    Raises `PatchRefused`, also when `patch` is no object or holds what JSON has no form for.
    """
    if not isinstance(patch, Mapping):
        raise PatchRefused(f"A patch is one JSON object, but this is {_kind(patch)}.")
    proposed = dict(patch)
    refuse_unknown_keys(proposed, fields)
    for key, value in proposed.items():
        if problem := _not_json(value):
            raise PatchRefused(f'The value of "{key}" {problem}.')

    after = dict(state)
    for key, value in proposed.items():
        if value is None:
            after.pop(key, None)
        else:
            after[key] = value

    size = len(compact(after))
    if size > max_chars:
        raise PatchRefused(
            f"The state would be {size} characters long as JSON, and {max_chars} are allowed."
            " Say it shorter, or forget what is no longer needed.",
            proposed,
        )
    return copy.deepcopy(after)


def refuse_unknown_keys(patch: Mapping[str, Any], fields: Sequence[str]) -> None:
    """Raise `PatchRefused` when `patch` names a key outside `fields`; says which, and the right
    ones."""
    unknown = [str(key) for key in patch if key not in fields]
    if unknown:
        # The reason goes back to the model: not all of what one says that is running away.
        keys = ", ".join(f'"{key[:_TOLD_OF_KEY]}"' for key in unknown[:_TOLD_KEYS])
        allowed = ", ".join(f'"{name}"' for name in fields) or "none: no fields are defined"
        are = "is no key" if len(unknown) == 1 else "are no keys"
        raise PatchRefused(f"{keys} {are} of the state. The keys are: {allowed}.", dict(patch))


def compact(value: Any) -> str:
    """`value` as JSON without spaces, characters unescaped: the form whose length counts.

    Raises `ValueError` for what JSON has no form for (NaN, infinity).
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _not_json(value: Any, depth: int = 1) -> str:
    """Why `value` cannot be stored as JSON, or ""."""
    if isinstance(value, str):
        # JSON may escape half of a surrogate pair; no file or database takes it.
        halves = any("\ud800" <= character <= "\udfff" for character in value)
        return "holds half a character (a lone surrogate)" if halves else ""
    if isinstance(value, float) and not math.isfinite(value):
        return "is not a finite number"
    if isinstance(value, dict | list):
        if depth > MAX_DEPTH:
            return f"is nested more than {MAX_DEPTH} levels deep"
        if isinstance(value, dict):
            if not all(isinstance(key, str) for key in value):
                return "has a name that is not text"
            inner = [*value, *value.values()]
        else:
            inner = value
        return next((why for item in inner if (why := _not_json(item, depth + 1))), "")
    if value is None or isinstance(value, bool | int | float):
        return ""
    return f"is {_kind(value)}, which JSON has no form for"


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    names = {list: "a list", str: "text", bool: "true or false", int: "a number", float: "a number"}
    return names.get(type(value), f"a Python {type(value).__name__}")
