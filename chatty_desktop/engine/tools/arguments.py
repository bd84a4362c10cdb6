"""The arguments of a call, checked against the schema of its tool."""

from __future__ import annotations

from itertools import count
from typing import Any

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.messages import ToolCall
from chatty_desktop.domain.tool_calls import read_arguments
from chatty_desktop.domain.tools import ToolSpec

_MOST_FAULTS = 5

_MOST_STEPS = 20_000
"""Of checking one call, some 10 µs each: a schema whose parts refer to each other can have as many
as its writer likes."""

_UNCHECKED = frozenset(
    {"pattern", "patternProperties", "unevaluatedItems", "unevaluatedProperties", "uniqueItems"}
)
"""Keywords that cost without bound: a pattern can take years for a few letters, and nothing can
stop it. The tool checks its arguments itself."""

_OF_SCHEMAS = frozenset({"additionalProperties", "properties", "required", "type"})
"""What small models copy into a call from the schema that describes it."""


def checked_arguments(call: ToolCall, tool: ToolSpec) -> dict[str, Any]:
    """The arguments of a call. Raises `Invalid` with what a model needs to know to mend it."""
    known = tool.parameters.get("properties", {})
    arguments = {
        name: value
        for name, value in read_arguments(call).items()
        if name in known or name not in _OF_SCHEMAS
    }
    if faults := _faults(arguments, tool.parameters):
        names = ", ".join(known) or "none"
        raise Invalid(f"{'; '.join(faults)}. The arguments of {tool.name} are: {names}.")
    return arguments


def _faults(arguments: dict[str, Any], schema: dict[str, Any]) -> list[str]:
    # Late: it costs a start tens of milliseconds, and most chats have no tools.
    from jsonschema.exceptions import SchemaError, relevance
    from jsonschema.validators import validator_for
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    try:
        kind = validator_for(schema)
        kind.check_schema(schema)
        # An empty registry, so that nothing a schema refers to is fetched from anywhere.
        bounded = _bounded(kind)(_of_one_kind(schema), registry=Registry())
        found = bounded.iter_errors(arguments)
        errors = sorted(found, key=relevance, reverse=True)[:_MOST_FAULTS]
    except (SchemaError, Unresolvable, RecursionError, _TooMuch):
        return []  # the schema is at fault, not the call: the tool itself will say what is wrong
    return [f"{_where(each.absolute_path)}{each.message}" for each in errors]


class _TooMuch(Exception):
    """The schema takes longer than a call may wait."""


def _bounded(kind: Any) -> Any:
    """A validator of that kind which takes so many steps at most. Raises `_TooMuch` then."""
    from jsonschema.validators import extend

    steps = count()

    def counted(check: Any) -> Any:
        def checking(validator: Any, value: Any, instance: Any, schema: Any) -> Any:
            if next(steps) >= _MOST_STEPS:
                raise _TooMuch
            return check(validator, value, instance, schema) or ()

        return checking

    def additional(validator: Any, value: Any, instance: Any, schema: Any) -> Any:
        # Which those are, the patterns would say.
        if "patternProperties" in schema:
            return ()
        return kind.VALIDATORS["additionalProperties"](validator, value, instance, schema)

    own = {name: counted(check) for name, check in kind.VALIDATORS.items()}
    own |= {name: counted(lambda *_parts: ()) for name in _UNCHECKED}
    return extend(kind, {**own, "additionalProperties": counted(additional)})


def _of_one_kind(schema: Any) -> Any:
    """The schema without the parts' own word of what kind they are, which would have them checked
    without a bound."""
    if isinstance(schema, list):
        return [_of_one_kind(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _of_one_kind(value)
        for key, value in schema.items()
        if key != "$schema" or not isinstance(value, str)
    }


def _where(path: Any) -> str:
    place = ".".join(map(str, path))
    return f"{place}: " if place else ""
