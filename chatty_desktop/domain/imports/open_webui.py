"""Open WebUI's export: a list of chats, each with its messages in `chat.history.messages` by id.

A message has a `role`, a `parentId` and a `content`, a text or a list of parts;
`chat.history.currentId` is the end of the branch that was open. Chats of early versions have a
list in `chat.messages` alone.
"""

from __future__ import annotations

import re
from typing import Any

from chatty_desktop.domain.imports.chats import (
    ImportedChat,
    ImportedMessage,
    Said,
    Tree,
    items,
    joined,
    mapping,
    seconds,
    words,
)

PROGRAM = "Open WebUI"

_REASONING = re.compile(r'<details type="reasoning".*?>(.*?)</details>', re.DOTALL)
_SUMMARY = re.compile(r"<summary>.*?</summary>", re.DOTALL)


def is_one(chat: Any) -> bool:
    """Whether a value looks like a chat of this program."""
    inner = mapping(mapping(chat).get("chat"))
    return isinstance(inner.get("history"), dict) or isinstance(inner.get("messages"), list)


def read(chat: dict[str, Any]) -> ImportedChat:
    """One chat."""
    inner = mapping(chat.get("chat"))
    history = mapping(inner.get("history"))
    tree = Tree()
    before: str | None = None
    nodes = mapping(history.get("messages"))
    for node_id, value in nodes.items():
        message = mapping(value)
        parent = words(message.get("parentId")) or None
        tree.add(node_id, parent, _message(node_id, message, tree))
    if not nodes:
        for number, value in enumerate(items(inner.get("messages"))):
            message = mapping(value)
            node_id = words(message.get("id")) or f"message-{number}"
            tree.add(node_id, before, _message(node_id, message, tree))
            before = node_id
    messages = tree.messages()
    leaf = tree.nearest(words(history.get("currentId")) or before) or tree.newest_leaf()
    created = seconds(chat.get("created_at")) or seconds(inner.get("timestamp"))
    return ImportedChat(
        title=(words(chat.get("title")) or words(inner.get("title"))).strip(),
        created_at=created,
        updated_at=seconds(chat.get("updated_at")) or created,
        messages=messages,
        leaf_id=leaf,
        left_out=dict(tree.left_out),
    )


def _message(node_id: str, message: dict[str, Any], tree: Tree) -> ImportedMessage | None:
    role = words(message.get("role"))
    if role == "system":
        return None
    if role not in ("user", "assistant"):
        tree.left_out["tool result" if role == "tool" else "message of another kind"] += 1
        return None
    for value in items(message.get("files")):
        kind = words(mapping(value).get("type"))
        tree.left_out["image" if kind == "image" else "attachment"] += 1
    text = _text(message.get("content"), tree)
    thoughts = [_SUMMARY.sub("", found).strip() for found in _REASONING.findall(text)]
    text = _REASONING.sub("", text).strip("\n")
    if not text.strip():
        return None
    said: Said = "user" if role == "user" else "assistant"
    model = words(message.get("model")) if said == "assistant" else ""
    at = seconds(message.get("timestamp"))
    return ImportedMessage(node_id, None, said, text, at, model, joined(thoughts))


def _text(content: Any, tree: Tree) -> str:
    if isinstance(content, str):
        return content
    parts = []
    for value in items(content):
        part = mapping(value)
        if words(part.get("type")) == "text":
            parts.append(words(part.get("text")))
        elif part:
            tree.left_out["image" if "image" in words(part.get("type")) else "attachment"] += 1
    return joined(parts)
