"""What MCP servers have, and how they are: tools, resources, prompts, states."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

McpPhase = Literal["off", "starting", "ready", "failed"]

MOST_NAME = 64
"""Letters in the name of a tool, by the narrowest of the services that models are asked at."""

MARK = 8
"""Letters at the end of a name that would be too long, or another tool's too."""

_NOT_NAME = re.compile(r"[^a-zA-Z0-9_-]+")


@dataclass(frozen=True, slots=True)
class McpTool:
    """A tool of a server, under the name the server knows it by. `parameters` is the JSON schema
    of its arguments."""

    name: str
    description: str
    parameters: dict[str, Any]


@dataclass(frozen=True, slots=True)
class McpResource:
    """Something a server lets be read, by its `uri`."""

    server: str
    uri: str
    name: str
    description: str = ""
    media_type: str = ""


@dataclass(frozen=True, slots=True)
class McpArgument:
    """One value that a prompt wants filled in."""

    name: str
    description: str = ""
    required: bool = False


@dataclass(frozen=True, slots=True)
class McpPrompt:
    """A prepared text of a server."""

    server: str
    name: str
    description: str = ""
    arguments: tuple[McpArgument, ...] = ()


@dataclass(frozen=True, slots=True)
class McpText:
    """The text of a resource. `left_out` counts the characters that were cut off its end."""

    text: str
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class McpState:
    """How a server is. `reason` says why it failed. `remark` is what else there is to know of it.
    `title` is what it calls itself, with its version. The tools are those it listed last, also
    when it does not run any more."""

    phase: McpPhase = "off"
    reason: str = ""
    remark: str = ""
    title: str = ""
    tools: tuple[McpTool, ...] = ()
    resources: tuple[McpResource, ...] = field(default=())
    prompts: tuple[McpPrompt, ...] = field(default=())


def offered_names(tools: Iterable[tuple[str, str]]) -> Mapping[tuple[str, str], str]:
    """The name a model calls each (server, tool) by: `server__tool`, of at most 64 of the
    characters a-z, A-Z, 0-9, _ and -. One that is too long, or that another tool would have too,
    ends with a mark made of both names, so that it never stands for another tool."""
    wanted = {pair: f"{_clean(pair[0])}__{_clean(pair[1])}" for pair in tools}
    times = Counter(wanted.values())
    return {
        pair: name if times[name] == 1 and len(name) <= MOST_NAME else _marked(name, pair)
        for pair, name in wanted.items()
    }


def may_have(server: str, names: Iterable[str]) -> bool:
    """Whether one of these names, as models call tools, can be of a tool of the server."""
    begins = f"{_clean(server)}__"[: MOST_NAME - MARK - 1]
    return any(name.startswith(begins) for name in names)


def _clean(name: str) -> str:
    return _NOT_NAME.sub("_", name).strip("_") or "_"


def _marked(name: str, pair: tuple[str, str]) -> str:
    mark = hashlib.sha256("\0".join(pair).encode()).hexdigest()[:MARK]
    return f"{name[: MOST_NAME - len(mark) - 1]}_{mark}"
