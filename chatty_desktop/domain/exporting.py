"""A chat as a file for people; `chat_document` is the one for programs."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence

from chatty_desktop.domain.messages import Message, Session, Status

_ENDINGS = {
    Status.STOPPED: "stopped",
    Status.CUT: "cut off",
    Status.TRUNCATED: "reached the length limit",
    Status.FAILED: "failed",
    Status.STREAMING: "being written",
}


def current_branch(session: Session, messages: Sequence[Message]) -> list[Message]:
    """Of all messages of a chat, those that lead to its current end, in order."""
    by_id = {message.id: message for message in messages}
    found: list[Message] = []
    at = session.leaf_id
    while at is not None and at in by_id:
        found.append(by_id[at])
        at = by_id[at].parent_id
    return found[::-1]


def chat_as_markdown(
    session: Session, messages: Sequence[Message], agents: Mapping[str, str]
) -> str:
    """The current branch for reading. `messages` are all of the chat, `agents` names by id; times
    are local."""
    parts = [f"# {session.title or 'Untitled chat'}", f"Begun {_when(session.created_at)}"]
    for message in current_branch(session, messages):
        parts.append(f"## {_heading(message, agents)}")
        if message.content:
            parts.append(message.content)
        parts += [f"Calls `{call.name}` with `{call.arguments}`" for call in message.tool_calls]
        if message.error:
            parts.append(f"> {message.error}")
    return "\n\n".join(parts) + "\n"


def file_stem(name: str, unique: str) -> str:
    """A file name, without its ending, that every system takes: readable, and its own by the end
    of an id."""
    plain = re.sub(r"[^\w-]+", " ", name).strip()[:60].strip() or "untitled"
    return f"{plain} {unique[-8:]}"


def _heading(message: Message, agents: Mapping[str, str]) -> str:
    who = {"user": "You", "tool": "Tool"}.get(message.role) or agents.get(
        message.agent_id, "Assistant"
    )
    said = [who, _when(message.at)]
    if message.role == "assistant" and message.model:
        said.append(message.model)
    if message.status in _ENDINGS:
        said.append(_ENDINGS[message.status])
    return " · ".join(said)


def _when(at: float) -> str:
    return dt.datetime.fromtimestamp(at, dt.UTC).astimezone().strftime("%Y-%m-%d %H:%M")
