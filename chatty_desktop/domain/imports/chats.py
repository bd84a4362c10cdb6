"""A chat as another program exported it, and how its parts are read tolerantly.

These formats are written by programs that change: what is missing, null or of another type is
passed over, and what cannot be taken is counted, so that the person can be told.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

Said = Literal["user", "assistant"]


@dataclass(frozen=True, slots=True)
class ImportedMessage:
    """One message. `parent_id` None: the chat begins with it. `at` is seconds since 1970 UTC, 0
    when the export does not say; `model` is the other program's name of it, or ""."""

    id: str
    parent_id: str | None
    role: Said
    content: str
    at: float = 0.0
    model: str = ""
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class ImportedChat:
    """One chat: a tree of messages, parents before their children, and the end of the branch that
    was open. `left_out` counts by kind what could not be taken, such as {"image": 2}."""

    title: str
    created_at: float
    updated_at: float
    messages: tuple[ImportedMessage, ...]
    leaf_id: str | None
    left_out: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ImportedChats:
    """What a file holds. `program` names who wrote it; `unreadable` has a line for each chat that
    could not be read at all."""

    program: str
    chats: tuple[ImportedChat, ...]
    unreadable: tuple[str, ...] = ()


class Tree:
    """Messages by id while a chat is read; what was not taken is skipped over by its children."""

    def __init__(self) -> None:
        self._parents: dict[str, str | None] = {}
        self._taken: dict[str, ImportedMessage] = {}
        self.left_out: Counter[str] = Counter()

    def add(self, node_id: str, parent_id: str | None, message: ImportedMessage | None) -> None:
        """A node of the other program's tree, with its message where it has one to take."""
        self._parents[node_id] = parent_id
        if message is not None:
            self._taken[node_id] = message

    def messages(self) -> tuple[ImportedMessage, ...]:
        """Those taken, each under the nearest before it that was taken, parents first."""
        found: list[ImportedMessage] = []
        placed: set[str] = set()
        children: dict[str | None, list[ImportedMessage]] = {}
        for node_id, message in self._taken.items():
            parent = self.nearest(self._parents[node_id])
            joined = ImportedMessage(
                message.id, parent, message.role, message.content,
                message.at, message.model, message.reasoning,
            )  # fmt: skip
            children.setdefault(parent, []).append(joined)
        waiting = list(reversed(children.get(None, ())))
        while waiting:
            message = waiting.pop()
            if message.id not in placed:
                placed.add(message.id)
                found.append(message)
                waiting += reversed(children.get(message.id, ()))
        return tuple(found)

    def nearest(self, node_id: str | None) -> str | None:
        """The id of the message taken at a node, or at the nearest node before it."""
        seen: set[str] = set()
        while node_id is not None and node_id not in self._taken:
            if node_id in seen:
                return None
            seen.add(node_id)
            node_id = self._parents.get(node_id)
        return self._taken[node_id].id if node_id is not None else None

    def newest_leaf(self) -> str | None:
        """The message said last."""
        messages = self.messages()
        newest = max(messages, key=lambda message: message.at, default=None)
        if newest is None or newest.at == 0:
            return messages[-1].id if messages else None
        return newest.id


# --- reading tolerantly ----------------------------------------------------------------------


def mapping(value: Any) -> dict[str, Any]:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    """The value where it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def words(value: Any) -> str:
    """The value where it is a text, else ""."""
    return value if isinstance(value, str) else ""


def seconds(value: Any) -> float:
    """A time as seconds since 1970 UTC: a number of seconds, milliseconds or more, or ISO 8601;
    0 for what is no time."""
    if isinstance(value, str):
        try:
            read = datetime.fromisoformat(value.strip().replace("Z", "+00:00"))
        except ValueError:
            return 0.0
        value = (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.0
    try:
        number = float(value)
    except OverflowError:
        return 0.0
    if not math.isfinite(number) or number < 0:
        return 0.0
    while number > 1e11:  # the year 5138
        number /= 1000
    return number


def joined(parts: Iterable[str]) -> str:
    """Parts of a message as one text."""
    return "\n\n".join(part.strip("\n") for part in parts if part.strip())
