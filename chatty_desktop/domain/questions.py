"""What the questions that memory asks a model are made of: turns of a prompt file, messages as
the model reads them, the schema of an answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal, cast

from chatty_desktop.domain.messages import Message

Role = Literal["system", "user", "assistant"]
Turn = tuple[Role, str]
"""Role and content of one message of the question."""

MESSAGE_CHARS = 6000
"""Characters of one message that a fold looks at; of a longer one, its beginning and its end."""

SAID_CHARS = 600
"""Characters of the person's words that the question repeats at its end."""


def turns(text: str) -> list[Turn]:
    """A prompt file as turns: each begins with a line `## system`, `## user` or `## assistant`."""
    parts = re.split(r"^## (system|user|assistant)[ \t]*\n", text, flags=re.MULTILINE)
    roles, contents = parts[1::2], parts[2::2]
    return [
        (cast("Role", role), content.strip()) for role, content in zip(roles, contents, strict=True)
    ]


def message_lines(message: Message, limit: int) -> str:
    """A message as the fold sees it: who speaks, then what."""
    lines = [f"{message.role}: {shortened(message.content, limit)}"] if message.content else []
    lines += [
        f"{message.role} used {call.name}: {shortened(call.arguments, limit // 4)}"
        for call in message.tool_calls
    ]
    return "\n".join(lines)


def shortened(text: str, limit: int) -> str:
    """`text`, or its beginning and end where it is longer than `limit` characters."""
    if len(text) <= limit:
        return text
    tail = limit // 3
    head = limit - tail
    left_out = len(text) - head - tail
    return f"{text[:head]} […{left_out} characters left out…] {text[len(text) - tail :]}"


def said(messages: Sequence[Message]) -> str:
    """The person's words, or everyone's where the person said nothing: shown once more right
    before the answer, they keep a small model from taking up what only the assistant said."""
    own = [message.content for message in messages if message.role == "user"]
    return shortened(" ".join(own or [message.content for message in messages]), SAID_CHARS)


def closed(**properties: Any) -> dict[str, Any]:
    """An object of just these properties, in this order."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
