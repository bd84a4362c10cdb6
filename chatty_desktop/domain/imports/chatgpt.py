"""ChatGPT's `conversations.json`: a list of conversations, each a `mapping` of nodes by id.

A node has a `parent` and a `message` or none; `current_node` is the end of the branch that was
open. A message has an `author.role`, and a `content` of some `content_type`, its text mostly in
`parts`, where images are objects.
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

PROGRAM = "ChatGPT"

_HIDDEN = ("user_editable_context", "model_editable_context")
"""What the program adds to the prompt by itself."""


def is_one(chat: Any) -> bool:
    """Whether a value looks like a conversation of this program."""
    return isinstance(mapping(chat).get("mapping"), dict)


def read(chat: dict[str, Any]) -> ImportedChat:
    """One conversation."""
    tree = Tree()
    for node_id, value in mapping(chat.get("mapping")).items():
        node = mapping(value)
        parent = words(node.get("parent")) or None
        tree.add(node_id, parent, _message(node_id, mapping(node.get("message")), tree))
    messages = tree.messages()
    leaf = tree.nearest(words(chat.get("current_node")) or None) or tree.newest_leaf()
    return ImportedChat(
        title=words(chat.get("title")).strip(),
        created_at=seconds(chat.get("create_time")),
        updated_at=seconds(chat.get("update_time")),
        messages=messages,
        leaf_id=leaf,
        left_out=dict(tree.left_out),
    )


def _message(node_id: str, message: dict[str, Any], tree: Tree) -> ImportedMessage | None:
    role = words(mapping(message.get("author")).get("role"))
    content = mapping(message.get("content"))
    kind = words(content.get("content_type")) or "text"
    extra = mapping(message.get("metadata"))
    if not message or role == "system" or kind in _HIDDEN:
        return None
    if extra.get("is_visually_hidden_from_conversation") is True:
        return None
    if role == "tool":
        tree.left_out["tool result"] += 1
        return None
    if role not in ("user", "assistant"):
        tree.left_out["message of another kind"] += 1
        return None
    if role == "assistant" and words(message.get("recipient")) not in ("", "all"):
        tree.left_out["tool call"] += 1
        return None
    if kind in ("thoughts", "reasoning_recap"):
        tree.left_out["reasoning"] += 1
        return None
    text = _text(content, kind, tree)
    if not text:
        return None
    said: Said = "user" if role == "user" else "assistant"
    model = words(extra.get("model_slug")) if said == "assistant" else ""
    return ImportedMessage(node_id, None, said, text, seconds(message.get("create_time")), model)


def _text(content: dict[str, Any], kind: str, tree: Tree) -> str:
    if kind == "code":
        language = words(content.get("language"))
        language = "" if language == "unknown" else language
        code = words(content.get("text"))
        return f"```{language}\n{code}\n```" if code.strip() else ""
    parts: list[str] = []
    for part in items(content.get("parts")):
        if isinstance(part, str):
            parts.append(part)
            continue
        inner = mapping(part)
        if words(inner.get("text")):
            parts.append(words(inner.get("text")))
        elif inner:
            named = words(inner.get("content_type"))
            tree.left_out["image" if "image" in named else "attachment"] += 1
    return joined(parts or [words(content.get("text")), words(content.get("result"))])
