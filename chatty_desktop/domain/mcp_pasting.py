"""MCP servers pasted as JSON, the way their pages of instructions give them."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.json_places import line_of
from chatty_desktop.domain.json_text import WRITTEN_BY_HAND, NotJson, read_json
from chatty_desktop.domain.mcp_settings import MOST_LETTERS, SHARED_KEY, McpServer
from chatty_desktop.domain.strategies import problems

_OTHER_KEYS = ("servers", "mcp_servers", "context_servers")
"""What some programs call the same."""

_ENTRY = {"command", "url", "httpUrl", "serverUrl"}
"""One of these stands in every entry."""


def read_pasted(text: str) -> dict[str, McpServer]:
    """The servers in a pasted text: the whole `{"mcpServers": {…}}`, only what is in it, one
    `"name": {…}`, or one entry without a name (which is then ""). Raises `Invalid`, naming the
    line."""
    text = text.strip().lstrip("\ufeff")
    if not text:
        raise Invalid("There is nothing in it.")
    value, text = _parsed(text)
    if not isinstance(value, dict):
        raise Invalid('That is not a server: it has to be an object in braces, {"mcpServers": …}.')
    path: list[str] = []
    for key in (SHARED_KEY, "mcp", *_OTHER_KEYS):
        if isinstance(value.get(key), dict) and not _ENTRY & value.keys():
            path.append(key)
            value = value[key]
    if _ENTRY & value.keys():
        return {"": _entry(text, path, value)}
    if not value:
        raise Invalid("There is no server in it.")
    return {name: _entry(text, [*path, name], entry) for name, entry in value.items()}


def _parsed(text: str) -> tuple[Any, str]:
    """What a text says, and the text that was read: a member of an object that was copied without
    its braces gets them."""
    attempts = [text, "{" + text.rstrip().rstrip(",") + "}"] if text[0] == '"' else [text]
    first: NotJson | None = None
    for attempt in attempts:
        try:
            return read_json(attempt, WRITTEN_BY_HAND), attempt
        except NotJson as error:
            first = first or error
    assert first is not None
    if not first.line:
        raise Invalid(f"This is not JSON: {first}.") from first
    raise Invalid(
        f"Line {first.line}, column {first.column}: this is not JSON ({first.reason})."
    ) from first


def _entry(text: str, path: list[str], value: Any) -> McpServer:
    where = f"Line {line_of(text, path)}"
    name = (
        f", {path[-1][:MOST_LETTERS]}"
        if path and path[-1] not in (SHARED_KEY, *_OTHER_KEYS)
        else ""
    )
    if not isinstance(value, dict):
        raise Invalid(f"{where}{name}: a server has to be an object in braces.")
    entry = dict(value)
    for other in ("httpUrl", "serverUrl"):
        if other in entry:
            entry.setdefault("url", entry.pop(other))
    # What other programs call the same the other way round.
    if entry.pop("disabled", False) is True:
        entry["enabled"] = False
    try:
        server = McpServer.model_validate(entry)
    except ValidationError as error:
        place, what = problems(error)[0]
        fault = error.errors(include_url=False)[0]
        line = line_of(text, [*path, *fault["loc"]])
        raise Invalid(f"Line {line}{name}: {f'{place}: ' if place else ''}{what}") from error
    if server.problem:
        raise Invalid(f"{where}{name}: {server.problem}")
    return server
