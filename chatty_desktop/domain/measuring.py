"""Measuring how well a model folds: scripted conversations with the right answers, and how each
fold is judged by them.

A script is `{"title", "spec", "fields": [{"name", "description"}], "turns": [{"user", "assistant",
"want"}]}`. `want` maps a field to the values that count (any of them, in any case, somewhere in
what is kept), or to null when the field must be empty afterwards; what it does not name must stay
as it was.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.grounding import telling
from chatty_desktop.domain.json_text import WRITTEN_BY_HAND, NotJson, read_json
from chatty_desktop.domain.memory import Outcome
from chatty_desktop.domain.strategies import Composite, State, StateField, Strategy, describe

Wants = dict[str, tuple[str, ...] | None]
"""What a fold is to come to: for each field that changes, the values that count, None for empty."""

ALIKE = 0.5
"""The part of the telling words of two descriptions that both must have to mean the same field.
Half: "what is still unresolved" and "what is still unresolved or has to be done" are one field,
"the task in hand" and "the task to do next" are not."""


class _Value(BaseModel):
    model_config = ConfigDict(defer_build=True, extra="forbid", frozen=True)


class ScriptTurn(_Value):
    """One exchange of a script, with what is to be kept of it."""

    user: str
    assistant: str
    want: Wants = Field(default_factory=dict)


class Script(_Value):
    """A scripted conversation with the right answers."""

    title: str = Field(min_length=1)
    spec: str = ""
    fields: tuple[StateField, ...] = Field(min_length=1)
    turns: tuple[ScriptTurn, ...] = Field(min_length=1)

    @model_validator(mode="before")
    @classmethod
    def _named(cls, value: Any) -> Any:
        """`name` will do for `title`."""
        if isinstance(value, dict) and "title" not in value and "name" in value:
            return {"title": value["name"], **{k: v for k, v in value.items() if k != "name"}}
        return value

    @model_validator(mode="after")
    def _known(self) -> Script:
        names = {field.name for field in self.fields}
        for number, turn in enumerate(self.turns, 1):
            if unknown := sorted(set(turn.want) - names):
                raise ValueError(f"turn {number} wants {unknown[0]!r}, which is no field")
        return self


def read_script(text: str) -> Script:
    """Read a script file. Raises `Invalid` with the line or the field that is wrong."""
    try:
        return Script.model_validate(read_json(text, WRITTEN_BY_HAND))
    except ValidationError as error:
        raise Invalid(describe(error)) from error
    except NotJson as error:
        raise Invalid(f"This is not JSON: {error}") from error


def state_of(strategy: Strategy) -> State | None:
    """The State memory in a strategy, None where there is none, or none with fields."""
    layers = strategy.layers if isinstance(strategy, Composite) else (strategy,)
    return next((each for each in layers if isinstance(each, State) and each.fields), None)


def judged_fields(script: Script, fields: Sequence[StateField]) -> dict[str, str]:
    """Of which fields the script knows the right answers: an agent's field to the script's.

    Two are the same when their descriptions are, or say the same in other words (`ALIKE`); or when
    they have one name and at least one of them has no description. A name alone is not enough
    where both are described: "open" may be what is unresolved, or when a shop opens. Each field
    counts once, the nearest pair first.
    """
    pairs = sorted(
        (
            (-near, ours.name, theirs.name)
            for ours in fields
            for theirs in script.fields
            if (near := _nearness(ours, theirs)) >= ALIKE
        ),
    )
    found: dict[str, str] = {}
    for _near, ours_name, theirs_name in pairs:
        if ours_name not in found and theirs_name not in found.values():
            found[ours_name] = theirs_name
    return found


def best_script(scripts: Mapping[str, Script], fields: Sequence[StateField]) -> str | None:
    """The name of the script that knows most of an agent's fields; None without any script."""
    return max(scripts, key=lambda each: len(judged_fields(scripts[each], fields)), default=None)


def _nearness(ours: StateField, theirs: StateField) -> float:
    same_name = ours.name.casefold() == theirs.name.casefold()
    if not ours.description.strip() or not theirs.description.strip():
        return 1.0 if same_name else 0.0
    a, b = telling(ours.description), telling(theirs.description)
    if not a | b:
        return 1.0 if same_name and ours.description == theirs.description else 0.0
    return len(a & b) / len(a | b) + (0.1 if same_name else 0.0)


class Judged(_Value):
    """One fold beside the right answers. Each holds names of fields.

    right: that should change, and did as they should. missed: that should change, and did not, or
    into something else. touched: changed though nothing was said of them. forgotten: what was
    known of them is gone, though it should not be.
    """

    right: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
    touched: tuple[str, ...] = ()
    forgotten: tuple[str, ...] = ()

    @property
    def clean(self) -> bool:
        """Whether nothing was changed but what should."""
        return not self.touched and not self.forgotten

    @property
    def good(self) -> bool:
        """Whether it is what a careful person would have noted."""
        return self.clean and not self.missed


def judge(
    want: Mapping[str, Sequence[str] | None],
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    fields: Sequence[str],
) -> Judged:
    """Judge a fold by the state before and after it. `fields` are those whose right answers are
    known; `want` names those of them that should change."""
    right, missed, touched, forgotten = [], [], [], []
    for name in fields:
        if name in want and fits(after.get(name), want[name]):
            right.append(name)
        elif name in before and name not in after:
            forgotten.append(name)
        elif name in want:
            missed.append(name)
        elif before.get(name) != after.get(name):
            touched.append(name)
    return Judged(
        right=tuple(right),
        missed=tuple(missed),
        touched=tuple(touched),
        forgotten=tuple(forgotten),
    )


def fits(value: Any, wanted: Sequence[str] | None) -> bool:
    """Whether what is kept (None: nothing) is what was wanted."""
    if wanted is None:
        return value is None
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return value is not None and any(each.casefold() in text.casefold() for each in wanted)


def overwrote(before: Mapping[str, Any], after: Mapping[str, Any], want: Wants | None) -> bool:
    """Whether a fold put something else in the place of all that was known, which nobody asked
    for: two fields or more were filled, and none is as it was. `want` None: the right answers are
    not known."""
    if len(before) < 2 or any(after.get(name) == value for name, value in before.items()):
        return False
    return want is None or not set(before) <= set(want)


class MeasuredMessage(_Value):
    """A message as it was put in."""

    id: str = ""
    role: str
    content: str


class MeasuredFold(_Value):
    """One fold. `before` and `after` are the state around it; `judged` is None where no right
    answers are known, `want` holds them by the agent's names. `reply` is the last answer, less
    reasoning; `patch` and `dropped` are as in the ledger. Tokens and seconds over all attempts."""

    messages: tuple[MeasuredMessage, ...]
    before: dict[str, Any]
    after: dict[str, Any]
    outcome: Outcome
    reason: str = ""
    attempts: int = 1
    patch: dict[str, Any] | None = None
    dropped: tuple[dict[str, Any], ...] = ()
    reply: str = ""
    want: Wants | None = None
    judged: Judged | None = None
    overwrote: bool = False
    seconds: float = 0.0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def accepted(self) -> bool:
        """A change, or "nothing to change", that could be taken as it was."""
        return self.outcome in ("accepted", "nothing")

    @property
    def parsed(self) -> bool:
        """Whether the answer could be read at all."""
        return self.accepted or self.patch is not None

    @property
    def good(self) -> bool:
        """Accepted, and as far as it is known, right."""
        return self.accepted and (self.judged is None or self.judged.good)

    @property
    def changed(self) -> tuple[str, ...]:
        """The fields it changed."""
        names = [*self.before, *(name for name in self.after if name not in self.before)]
        return tuple(n for n in names if self.before.get(n) != self.after.get(n))
