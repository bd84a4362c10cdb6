"""Calls of tools that a model writes into the text of its answer, as many small ones do whose chat
template, or whose server, knows no other way."""

from __future__ import annotations

import json
from collections.abc import Collection

from chatty_desktop.domain.answers import Unreadable, json_in
from chatty_desktop.domain.messages import ToolCall


def calls_in(text: str, tools: Collection[str]) -> tuple[ToolCall, ...]:
    """The calls of these tools in an answer less its reasoning: objects with the name of a tool
    and "arguments", or "parameters", alone, in a list, in a code block or between tags."""
    calls: list[ToolCall] = []
    try:
        for value in json_in(text):
            for each in value if isinstance(value, list) else [value]:
                # OpenAI's own form puts both below "function".
                inner = each.get("function") if isinstance(each, dict) else None
                said = inner if isinstance(inner, dict) else each
                if not isinstance(said, dict) or said.get("name") not in tools:
                    continue
                arguments = said.get("arguments", said.get("parameters"))
                if arguments is None:
                    continue
                written = arguments if isinstance(arguments, str) else json.dumps(arguments)
                calls.append(ToolCall(f"call_{len(calls)}", said["name"], written))
    except Unreadable:
        pass  # what came before it stands
    return tuple(calls)
