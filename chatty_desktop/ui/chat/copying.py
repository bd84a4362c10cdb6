"""Messages as text for the clipboard: as Markdown, or without its marks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtGui import QTextDocument

from chatty_desktop.domain.attachments import named
from chatty_desktop.domain.messages import Message

Speaker = Callable[[Message], str]


LONGEST = 100_000
"""Characters; a longer message is copied with its marks, since Qt takes long to read them."""


def plain_text(message: Message) -> str:
    """The words of a message without the marks of Markdown; what a person types has none."""
    if message.role == "user":
        return _with_names(message)
    if len(message.content) > LONGEST:
        return message.content
    document = QTextDocument()
    document.setMarkdown(message.content)
    return document.toPlainText()


def as_plain_text(messages: Sequence[Message], names: Sequence[str]) -> str:
    """Several messages, each under the name of who said it."""
    return "\n\n".join(
        f"{name}:\n{plain_text(message).strip()}"
        for name, message in zip(names, messages, strict=True)
        if message.content or message.attachments
    )


def as_markdown(messages: Sequence[Message], names: Sequence[str]) -> str:
    """Several messages as they were written, each under the name of who said it."""
    return "\n\n".join(
        f"**{name}:**\n\n{_with_names(message).strip()}"
        for name, message in zip(names, messages, strict=True)
        if message.content or message.attachments
    )


def _with_names(message: Message) -> str:
    """The words as they were written, with the names of attached files below them."""
    if not message.attachments:
        return message.content
    below = f"Attached: {named(message.attachments)}"
    return "\n\n".join(part for part in (message.content.strip(), below) if part)
