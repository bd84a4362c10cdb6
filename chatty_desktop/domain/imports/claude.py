"""Claude's `conversations.json`: a list of conversations, each with its `chat_messages` in order.

A message has a `sender` ("human" or "assistant"), and its text in `content`, a list of blocks of
some `type`, or in older exports in `text`. Newer exports name a `parent_message_uuid`.
"""

from __future__ import annotations

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

PROGRAM = "Claude"

_NO_PARENT = "00000000-0000-4000-8000-000000000000"
"""What the first message of a conversation names as its parent."""


def is_one(chat: Any) -> bool:
    """Whether a value looks like a conversation of this program."""
    return isinstance(mapping(chat).get("chat_messages"), list)


def read(chat: dict[str, Any]) -> ImportedChat:
    """One conversation."""
    tree = Tree()
    before: str | None = None
    for number, value in enumerate(items(chat.get("chat_messages"))):
        message = mapping(value)
        node_id = words(message.get("uuid")) or f"message-{number}"
        parent = words(message.get("parent_message_uuid"))
        # Without one it follows the message before it in the list.
        named = before if not parent else (None if parent == _NO_PARENT else parent)
        tree.add(node_id, named, _message(node_id, message, tree))
        before = node_id
    messages = tree.messages()
    leaf = tree.nearest(words(chat.get("current_leaf_message_uuid")) or None)
    return ImportedChat(
        title=words(chat.get("name")).strip(),
        created_at=seconds(chat.get("created_at")),
        updated_at=seconds(chat.get("updated_at")),
        messages=messages,
        leaf_id=leaf or tree.nearest(before),
        left_out=dict(tree.left_out),
    )


def _message(node_id: str, message: dict[str, Any], tree: Tree) -> ImportedMessage | None:
    sender = words(message.get("sender"))
    if sender not in ("human", "assistant"):
        tree.left_out["message of another kind"] += 1
        return None
    texts: list[str] = []
    thoughts: list[str] = []
    for value in items(message.get("content")):
        block = mapping(value)
        kind = words(block.get("type"))
        if kind == "text":
            texts.append(words(block.get("text")))
        elif kind == "thinking":
            thoughts.append(words(block.get("thinking")))
        elif kind in ("tool_use", "tool_result"):
            tree.left_out["tool call" if kind == "tool_use" else "tool result"] += 1
        elif kind:
            tree.left_out["image" if kind == "image" else "attachment"] += 1
    text = joined(texts) or words(message.get("text")).strip("\n")
    text = joined([text, *_attachments(message, tree)])
    if not text:
        return None
    said: Said = "user" if sender == "human" else "assistant"
    at = seconds(message.get("created_at"))
    return ImportedMessage(node_id, None, said, text, at, reasoning=joined(thoughts))


def _attachments(message: dict[str, Any], tree: Tree) -> list[str]:
    """Files that the export holds as text; of others it has no more than a name."""
    found = []
    for value in items(message.get("attachments")):
        attachment = mapping(value)
        name = words(attachment.get("file_name")) or "attachment"
        text = words(attachment.get("extracted_content"))
        if text.strip():
            found.append(f"{name}:\n\n```\n{text.strip()}\n```")
        else:
            tree.left_out["attachment"] += 1
    tree.left_out["attachment"] += len(items(message.get("files")))
    if not tree.left_out["attachment"]:
        del tree.left_out["attachment"]
    return found
