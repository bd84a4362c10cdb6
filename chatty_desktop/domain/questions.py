"""What the questions that memory asks a model are made of: turns of a prompt file, messages as
the model reads them, the schema of an answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal, cast

from chatty_desktop.domain.messages import Message
from chatty_desktop.domain.tokens import estimate

Role = Literal["system", "user", "assistant"]
Turn = tuple[Role, str]
"""Role and content of one message of the question."""

MESSAGE_CHARS = 6000
"""Characters of one message that a fold looks at; of a longer one, its beginning and its end."""

SAID_CHARS = 600
"""Characters of the person's words that the question repeats at its end."""


SHORTEST_SHARE = 8
"""Tokens that are left of a call or a result, however many there are."""

_AROUND = 12
"""Tokens around a call or a result: who speaks, the name of the tool, how much is left out."""


def turns(text: str) -> list[Turn]:
    """A prompt file as turns: each begins with a line `## system`, `## user` or `## assistant`."""
    parts = re.split(r"^## (system|user|assistant)[ \t]*\n", text, flags=re.MULTILINE)
    roles, contents = parts[1::2], parts[2::2]
    return [
        (cast("Role", role), content.strip()) for role, content in zip(roles, contents, strict=True)
    ]


def message_lines(message: Message, limit: int) -> str:
    """A message as the fold sees it: who speaks, then what."""
    lines = [f"{message.role}: {shortened(message.told, limit)}"] if message.told else []
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


def condensed(messages: Sequence[Message], room: int) -> list[Message]:
    """The messages as memory reads them, where `room` tokens of them fit: calls of tools and their
    results share evenly what the words of people and models leave of it, at least half, so that a
    run of many steps is read in one question, however long they are."""
    parts = sum((message.role == "tool") + len(message.tool_calls) for message in messages)
    if not parts:
        return list(messages)
    words = sum(estimate(m.told) for m in messages if m.role != "tool" and m.told)
    share = max(SHORTEST_SHARE, max(room - words, room // 2) // parts - _AROUND)
    return [
        replace(
            message,
            content=_within(message.content, share) if message.role == "tool" else message.content,
            tool_calls=tuple(
                replace(call, arguments=_within(call.arguments, share))
                for call in message.tool_calls
            ),
        )
        for message in messages
    ]


def exchanges_of_tools(messages: Sequence[Message]) -> Iterator[list[Message]]:
    """The messages one by one, but for calls of tools, which keep their results."""
    group: list[Message] = []
    for message in messages:
        if group and message.role != "tool":
            yield group
            group = []
        group.append(message)
    if group:
        yield group


def _within(text: str, tokens: int) -> str:
    taken = estimate(text)
    return text if taken <= tokens else shortened(text, len(text) * tokens // taken)


def said(messages: Sequence[Message]) -> str:
    """The person's words, or everyone's where the person said nothing: shown once more right
    before the answer, they keep a small model from taking up what only the assistant said."""
    own = [message.told for message in messages if message.role == "user"]
    return shortened(" ".join(own or [message.told for message in messages]), SAID_CHARS)


def closed(**properties: Any) -> dict[str, Any]:
    """An object of just these properties, in this order."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
