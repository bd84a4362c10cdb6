"""The arguments of a call, checked against the schema of its tool."""

from __future__ import annotations

from typing import Any

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.messages import ToolCall
from chatty_desktop.domain.tool_calls import read_arguments
from chatty_desktop.domain.tools import ToolSpec

_MOST_FAULTS = 5

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
        found = kind(schema, registry=Registry()).iter_errors(arguments)
        errors = sorted(found, key=relevance, reverse=True)[:_MOST_FAULTS]
    except (SchemaError, Unresolvable, RecursionError):
        return []  # the schema is at fault, not the call: the tool itself will say what is wrong
    return [f"{_where(each.absolute_path)}{each.message}" for each in errors]


def _where(path: Any) -> str:
    place = ".".join(map(str, path))
    return f"{place}: " if place else ""
