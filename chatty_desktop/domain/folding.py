"""A fold: how a model is asked what changed in Σ, and how its answer is read.

Read from top to bottom: the question (`fold_prompt`, `retry_prompt`, `fold_schema`), then the
answer (`read_fold`: text, operations, what of them the messages bear out, a patch).

The answer asked for names every field, with its description, and says what the messages tell
about it: "-" for nothing, a new value, or null for what is over. A small model asked for a list
of changes overlooks fields or takes one for another; led from field to field, each description
read right before its value, it does so less. tests/bench/folds has the numbers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from string import Template
from typing import Any

from chatty_desktop.domain.answers import Unreadable, json_in, without_reasoning
from chatty_desktop.domain.grounding import Dropped, Operation, ground
from chatty_desktop.domain.messages import Message
from chatty_desktop.domain.questions import (
    MESSAGE_CHARS,
    Turn,
    closed,
    message_lines,
    said,
    shortened,
    turns,
)
from chatty_desktop.domain.state import PatchRefused, compact, refuse_unknown_keys
from chatty_desktop.domain.strategies import StateField

UNCHANGED = "-"
"""What an answer says of a field that the messages tell nothing about."""

_MOST_OBJECTS = 10
"""Different ones in an answer that are told apart; one is what was asked for."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a model's answer comes to: a patch for `apply_patch`, empty for "nothing changed", and
    the changes that were left out of it, as the ledger shows them."""

    patch: dict[str, Any]
    dropped: tuple[Dropped, ...] = ()


# --- the question ----------------------------------------------------------------------------


def fold_prompt(
    prompts: Mapping[str, str],
    *,
    spec: str,
    fields: Sequence[StateField],
    state: Mapping[str, Any],
    messages: Sequence[Message],
    constrained: bool = True,
    message_chars: int = MESSAGE_CHARS,
) -> list[Turn]:
    """The question to send: what do these new messages change in Σ?

    `prompts` are the texts of resources/prompts by file name without ending. `constrained` says
    whether the server is given `fold_schema` along with it; if not, the form is put into words.
    Of each message at most about `message_chars` characters are shown.
    """
    asked = turns(prompts["fold"])
    role, question = asked[-1]
    if not constrained:
        question = f"{question}\n\n{prompts['fold_words'].strip()}"
    known = {field.name: state[field.name] for field in fields if field.name in state}
    filled = Template(question).substitute(
        spec=spec.strip(),
        fields="; ".join(_labels(fields)),
        state=json.dumps(known, ensure_ascii=False),
        messages="\n".join(message_lines(message, message_chars) for message in messages),
        said=json.dumps(said(messages), ensure_ascii=False),
    )
    return [*asked[:-1], (role, filled)]


def retry_prompt(
    prompts: Mapping[str, str],
    *,
    spec: str,
    fields: Sequence[StateField],
    state: Mapping[str, Any],
    messages: Sequence[Message],
    reply: str,
    reason: str,
    constrained: bool = True,
    message_chars: int = MESSAGE_CHARS,
) -> list[Turn]:
    """The question once more, after `reply` was refused for `reason`, with Σ as it is."""
    question = fold_prompt(
        prompts,
        spec=spec,
        fields=fields,
        state=state,
        messages=messages,
        constrained=constrained,
        message_chars=message_chars,
    )
    again = Template(prompts["fold_retry"].strip()).substitute(reason=reason, state=compact(state))
    answered = shortened(without_reasoning(reply).strip(), message_chars) or "(no answer)"
    return [*question, ("assistant", answered), ("user", again)]


def fold_schema(fields: Sequence[StateField], state: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON schema of an answer: {"changes": {field: what is told about it}}, every field
    in order; null, which forgets, only for what `state` holds."""
    new = [{"type": "string"}, {"type": "number"}, {"type": "array", "items": {"type": "string"}}]
    gone = {"type": "null"}
    decisions = {
        label: {"anyOf": [*new, gone] if name in state else new}
        for label, name in _labels(fields).items()
    }
    return closed(changes=closed(**decisions))


def _labels(fields: Sequence[StateField]) -> dict[str, str]:
    """What each field is called in question and answer, `name: description`, to its name."""
    labels = {
        f"{field.name}: {_label_text(field.description)}".removesuffix(": "): field.name
        for field in fields
    }
    if len(labels) < len(fields):  # "a" with "b: c" and "a: b" with "c" would read the same
        return {field.name: field.name for field in fields}
    return labels


def _label_text(description: str) -> str:
    """A description as part of a name in JSON: one line, without what would need escapes."""
    return " ".join(description.replace('"', "'").replace("\\", "/").split())


# --- the answer ------------------------------------------------------------------------------


def read_fold(
    reply: str,
    *,
    fields: Sequence[StateField],
    state: Mapping[str, Any],
    messages: Sequence[Message],
) -> Proposal:
    """The patch a reply proposes, less what the new messages do not bear out.

    Raises `PatchRefused` when nothing can be read (`read_reply`) or a key is unknown; that is
    looked at first, so a wrong key refuses even what grounding would have dropped.
    """
    labels = _labels(fields)
    operations = [replace(each, key=labels.get(each.key, each.key)) for each in read_reply(reply)]
    refuse_unknown_keys(to_patch(operations), [field.name for field in fields])
    kept, dropped = ground(operations, messages, state)
    return Proposal(to_patch(kept), tuple(dropped))


def to_patch(operations: Sequence[Operation]) -> dict[str, Any]:
    """The operations as a patch: null where a key is to be forgotten; the last one on a key
    counts."""
    return {each.key: None if each.forget else each.value for each in operations}


def read_reply(reply: str) -> list[Operation]:
    """The operations in a reply, in order; [] when it says that nothing changed.

    Read are `{"changes": {...}}`, the object {key: value, null or "-"} alone, and the list of
    {"key", "value"} or {"key", "forget": true} in the place of either; wherever they stand in the
    text: after reasoning, in a code fence, between sentences. Two
    objects that differ are refused, since choosing one would be a guess; so is JSON that breaks
    off, since half an answer looks like a whole one. Raises `PatchRefused`.
    """
    answer = without_reasoning(reply).strip()
    if not answer:
        what = "holds only reasoning" if reply.strip() else "is empty"
        raise PatchRefused(f"The answer {what}. Answer with one JSON object.")
    found: list[Any] = []
    try:
        for value in json_in(answer):
            if value not in found:
                found.append(value)
            if len(found) > _MOST_OBJECTS:
                break
    except Unreadable as problem:
        raise PatchRefused(str(problem)) from None
    if not found:
        raise PatchRefused("There is no JSON object in the answer. Answer with one JSON object.")
    if len(found) > 1:
        raise PatchRefused(
            f"The answer holds {len(found)} different JSON objects. Answer with just one."
        )
    return _operations(found[0])


def _operations(value: Any) -> list[Operation]:
    if isinstance(value, dict) and set(value) == {"changes"}:
        value = value["changes"]
    if isinstance(value, list):
        return [each for item in value if (each := _operation(item)) is not None]
    if isinstance(value, dict):
        return [
            Operation(key, content, forget=content is None)
            for key, content in value.items()
            if content != UNCHANGED
        ]
    raise PatchRefused('"changes" must be an object of fields or a list of changes.')


def _operation(item: Any) -> Operation | None:
    """One item of the list; None for one that says outright that it changes nothing."""
    form = '{"key": …, "value": …} or {"key": …, "forget": true}'
    if not isinstance(item, dict) or not isinstance(item.get("key"), str):
        raise PatchRefused(f"A change must have the form {form}, not {_excerpt(item)}.")
    key, forget = item["key"], item.get("forget", False) is True
    if forget and item.get("value") is not None:
        raise PatchRefused(f'The change of "{key}" both sets and forgets it. Say one of them.')
    if forget or ("value" in item and item["value"] is None):
        return Operation(key, forget=True)
    if "value" in item:
        return Operation(key, item["value"])
    if item.get("forget") is False:
        return None
    raise PatchRefused(f"A change must have the form {form}, not {_excerpt(item)}.")


def _excerpt(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:80] + "…"
