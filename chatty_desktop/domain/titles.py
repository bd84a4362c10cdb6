"""What a chat is called before a person names it: its first words, or a title of a model's."""

from __future__ import annotations

import re
from collections.abc import Mapping

from chatty_desktop.domain.requests import ChatMessage

LONGEST = 60
"""Characters of a title that no person gave."""

UNTITLED = "New chat"
"""Shown where a chat has no title yet."""

_ASKED_CHARS, _REPLY_CHARS = 600, 400
"""Of the first message and the reply to it, what a model is shown."""

_LABEL = re.compile(
    r"^\s*(?:chat\s+)?(?:title|titel|titre|título|标题|標題|タイトル)\s*[:：-]\s*", re.I
)
_EDGES = " \t*_`#\"'“”„«»‚‘’「」『』《》<>[]()"


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


def title_question(prompts: Mapping[str, str], asked: str, reply: str) -> tuple[ChatMessage, ...]:
    """How a model is asked for a title: the first paragraph of the prompt "title" says what to
    do, the second follows the beginning of the chat.

    Of ten first exchanges the 0.5B named ten sensibly by these words, each in its language. Three
    worked examples made the question four times as long, and it answered a chat in Chinese in
    English and one about a trip with the question at the end of the reply.
    """
    task, last = prompts["title"].strip().split("\n\n")
    beginning = f"Person: {_shown(asked, _ASKED_CHARS)}\nAssistant: {_shown(reply, _REPLY_CHARS)}"
    return ChatMessage("system", task), ChatMessage("user", f"{beginning}\n\n{last}")


def title_in(answer: str) -> str:
    """The title in a model's answer less reasoning: the first line that has one, without label,
    quotes and Markdown; "" where there is none."""
    for line in answer.splitlines():
        words = (
            _LABEL.sub("", line.strip(_EDGES)).strip(_EDGES).rstrip(".,;:。、-–— ").strip(_EDGES)
        )
        if any(char.isalnum() for char in words):
            return title_from(words)
    return ""


def _shown(text: str, chars: int) -> str:
    return " ".join(text[: 2 * chars].split())[:chars]
