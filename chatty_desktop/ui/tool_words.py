"""Tools in words: what they are called, what they can do, and what a call is about."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QLocale

from chatty_desktop.domain.hidden import all_revealed
from chatty_desktop.domain.json_text import NotJson, read_json
from chatty_desktop.ui.language import N_, tr
from chatty_desktop.ui.readable import shortened

_BUILT_IN: dict[str, tuple[str, str, str]] = {
    "clock": (N_("Date and time"), "clock", N_("Tells the date and the time of this computer.")),
    "calculator": (N_("Calculator"), "calculator", N_("Works out sums. It reaches nothing else.")),
    "read_file": (
        N_("Read a file"),
        "file-text",
        N_("Reads any file in the folders below; what is in it goes to the model."),
    ),
    "list_files": (
        N_("List files"),
        "folder-simple",
        N_("Sees the names of everything in the folders below."),
    ),
    "search_files": (
        N_("Search files"),
        "magnifying-glass",
        N_("Looks for words in every file in the folders below."),
    ),
    "write_file": (
        N_("Write a file"),
        "pencil-simple",
        N_("Makes files in the folders below, and replaces what is in those that are there."),
    ),
    "fetch_page": (
        N_("Fetch a page"),
        "globe",
        N_("Opens addresses on the internet; whoever runs the site sees what is asked for."),
    ),
    "search_memory": (
        N_("Search memory"),
        "brain",
        N_("Looks for earlier messages of this chat. It changes nothing."),
    ),
    "read_state": (
        N_("Read memory"),
        "brain",
        N_("Reads what is remembered of this chat. It changes nothing."),
    ),
}

FILE_TOOLS = frozenset({"read_file", "list_files", "search_files", "write_file"})
"""Those that reach into the folders given to an agent."""

_AT_ONCE = 0.05
"""Seconds below which it does not matter how many."""

_TELLING = ("path", "url", "expression", "query", "pattern", "text", "command", "name")
"""Arguments that say best what a call is about, the first of them that is there."""

_LONGEST = 300
_LONGEST_NAME = 100


def tool_title(name: str) -> str:
    """What a tool is called in plain words; one that did not come with the app by its name."""
    known = _BUILT_IN.get(name)
    if known:
        return tr(known[0])
    words = _line(name.replace("__", ": ").replace("_", " "), _LONGEST_NAME)
    return words[:1].upper() + words[1:] if words else name


def tool_icon(name: str) -> str:
    """The icon of a tool."""
    known = _BUILT_IN.get(name)
    return known[1] if known else "wrench"


def tool_reach(name: str) -> str:
    """What a tool that came with the app can do, for whoever decides about it; "" of others."""
    known = _BUILT_IN.get(name)
    return tr(known[2]) if known else ""


def gist(arguments: Mapping[str, Any] | str) -> str:
    """The argument that says what a call is about, on one line."""
    value = read_arguments(arguments) if isinstance(arguments, str) else arguments
    if not isinstance(value, Mapping):
        return _line(str(value))
    for name in _TELLING:
        if isinstance(value.get(name), str) and value[name].strip():
            return _line(value[name])
    for each in value.values():
        if isinstance(each, str) and each.strip():
            return _line(each)
    return _line(", ".join(f"{key}: {json.dumps(each)}" for key, each in value.items()))


def read_arguments(text: str) -> Any:
    """Arguments as the model wrote them: their value, or the text where it is no JSON."""
    try:
        return read_json(text) if text.strip() else {}
    except NotJson:
        return text


def pretty(arguments: Mapping[str, Any] | str) -> str:
    """Arguments as indented JSON; what is no JSON as it was written."""
    value = read_arguments(arguments) if isinstance(arguments, str) else dict(arguments)
    if isinstance(value, str):
        return value
    return json.dumps(value, indent=2, ensure_ascii=False)


def seconds_words(seconds: float) -> str:
    """How long something took."""
    if seconds < 10:
        return tr("{seconds} s", seconds=QLocale().toString(seconds, "f", 1))
    if seconds < 120:
        return tr("{seconds} s", seconds=round(seconds))
    return tr("{minutes} min", minutes=round(seconds / 60))


def took_words(seconds: float) -> str:
    """The same, "" for what was over at once."""
    return seconds_words(seconds) if seconds >= _AT_ONCE else ""


def origin_words(source: str) -> str:
    """Where a tool comes from: the id of its MCP server, "" for the app."""
    return tr("MCP server {server}", server=source) if source else tr("built in")


def _line(text: str, longest: int = _LONGEST) -> str:
    return all_revealed(shortened(" ".join(text[: 2 * longest].split()), longest, 1))
