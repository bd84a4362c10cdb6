"""What a chat is called before a person names it."""

from __future__ import annotations

LONGEST = 60
"""Characters of a title made from a message."""

UNTITLED = "New chat"
"""Shown where a chat has no title yet."""


def title_from(message: str) -> str:
    """The first words of a message, on one line, cut between words; "" where it has none."""
    words = message[: 10 * LONGEST].split()
    title = ""
    for word in words:
        longer = f"{title} {word}".strip()
        if len(longer) > LONGEST:
            return f"{title or word[: LONGEST - 1]}…"
        title = longer
    return title
