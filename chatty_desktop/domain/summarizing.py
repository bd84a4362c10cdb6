"""A rolling summary: how a model is asked for the next one, and when its answer is one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from string import Template

from chatty_desktop.domain.answers import without_reasoning
from chatty_desktop.domain.errors import Refused
from chatty_desktop.domain.grounding import Dropped, telling
from chatty_desktop.domain.messages import Message
from chatty_desktop.domain.questions import MESSAGE_CHARS, Turn, message_lines, turns

_SENTENCE = re.compile(r"(?<=[.!?])\s+")

NONE_YET = "(none yet)"
"""What stands in the question in the place of a summary that is not there."""


FREE_CHARS = 4_000
"""A summary of so many characters may be longer than what it sums up."""


def summary_prompt(
    prompts: Mapping[str, str],
    *,
    instruction: str | None,
    summary: str,
    messages: Sequence[Message],
    message_chars: int = MESSAGE_CHARS,
) -> list[Turn]:
    """The question to send: the summary so far, "" for none, and the messages after it.

    `prompts` are the texts of resources/prompts by file name without ending. An `instruction` of
    the person's own stands in the place of the built-in one and of its worked examples, which
    might say otherwise.
    """
    asked = turns(prompts["summary"])
    role, question = asked[-1]
    own = (instruction or "").strip()
    before: list[Turn] = [("system", own)] if own else asked[:-1]
    filled = Template(question).substitute(
        summary=summary or NONE_YET,
        messages="\n".join(message_lines(message, message_chars) for message in messages),
    )
    return [*before, (role, filled)]


def read_summary(reply: str, finish: str, known: str) -> str:
    """The summary of what is `known` in an answer. Raises `Refused` when there is none: nothing
    but reasoning, or the answer was cut off, since half a summary would pass for the whole, or it
    makes more of what it sums up: each request from then on would carry it."""
    text = without_reasoning(reply).strip()
    if not text:
        what = "holds only reasoning" if reply.strip() else "is empty"
        raise Refused(f"The answer {what}, so there is no summary.")
    if text == NONE_YET:
        raise Refused("The answer repeats that there is no summary.")
    if finish == "length":
        raise Refused(f"The summary was cut off for its length, after {len(text)} characters.")
    if len(text) > max(FREE_CHARS, len(known)):
        raise Refused(
            f"The summary is longer, {len(text)} characters, than what it sums up, {len(known)}."
        )
    return text


def without_examples(
    summary: str, question: Sequence[Turn], known: str
) -> tuple[str, list[Dropped]]:
    """(the summary, less the sentences that small models take from the worked examples of the
    question; those sentences, as the ledger shows them).

    `known` is what the summary is of. A sentence goes when it tells nothing that stands there,
    and most of it stands in the examples.
    """
    examples = {word for role, text in question if role == "assistant" for word in telling(text)}
    there = telling(known)

    def copied(sentence: str) -> bool:
        tells = telling(sentence)
        return bool(tells) and not tells & there and 2 * len(tells & examples) > len(tells)

    dropped = [each for each in _SENTENCE.split(summary) if copied(each)]
    if not dropped:
        return summary, []
    kept = " ".join(each for each in _SENTENCE.split(summary) if not copied(each))
    reason = "it is from the worked example, not from this chat"
    return kept, [{"key": "summary", "value": each, "reason": reason} for each in dropped]


def shrunk(before: str, after: str) -> str:
    """What to tell when a summary is shorter than the one it replaces, "" when it is not."""
    if len(after) >= len(before):
        return ""
    return (
        f"Shorter than the one before, {len(after)} characters instead of {len(before)};"
        " that one is kept as a revision."
    )
