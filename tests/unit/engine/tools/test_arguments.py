"""Schemas of tools that were written to stop whoever checks a call against them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.messages import ToolCall
from chatty_desktop.domain.tools import ToolSpec
from chatty_desktop.engine.tools.arguments import checked_arguments

DOUBLING: dict[str, Any] = {
    "$defs": {
        f"n{depth}": {"allOf": [{"$ref": f"#/$defs/n{depth + 1}"}] * 2} for depth in range(40)
    }
    | {"n40": {"type": "object"}},
    "$ref": "#/$defs/n0",
}
BACKTRACKING = {"type": "string", "pattern": "^(a+)+$"}


def checked(schema: dict[str, Any], arguments: dict[str, Any]) -> dict[str, Any]:
    tool = ToolSpec(name="tool", description="", parameters=schema, source="s")
    return checked_arguments(ToolCall("c0", "tool", json.dumps(arguments)), tool)


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"text": BACKTRACKING}},
        {"patternProperties": {"^(t|te|e|ex|x|xt|t)+$": True}, "additionalProperties": False},
        {"properties": {"text": {"patternProperties": {"(a+)+$": True}}}},
        {
            "properties": {
                "text": {
                    "$schema": "https://json-schema.org/draft/2020-12/schema",
                    "allOf": [BACKTRACKING],
                }
            }
        },
        DOUBLING,
        {"$ref": "#"},
    ],
    ids=["pattern", "names", "inner names", "kind of its own", "doubling", "itself"],
)
def test_a_schema_that_would_take_years_leaves_the_check_to_the_tool(
    schema: dict[str, Any],
) -> None:
    arguments: dict[str, Any] = {"text": "a" * 60 + "!"}
    assert checked(schema, arguments) == arguments
    arguments = {"text": "a", "texttexttexttexttexttexttext!": ["a", "a"]}
    assert checked(schema, arguments) == arguments


def test_what_patterns_do_not_cover_is_checked_as_before() -> None:
    schema = {
        "type": "object",
        "properties": {"pattern": {"type": "string", "pattern": "x"}, "n": {"type": "integer"}},
        "patternProperties": {"^x": True},
        "additionalProperties": False,
        "required": ["n"],
    }
    assert checked(schema, {"pattern": "y", "n": 1, "x1": 2}) == {"pattern": "y", "n": 1, "x1": 2}
    with pytest.raises(Invalid, match="'n' is a required property"):
        checked(schema, {"pattern": "y"})
    with pytest.raises(Invalid, match="n: 'one' is not of type 'integer'"):
        checked(schema, {"n": "one"})
