"""Facts: how a model is asked for those in new messages, how its answer is read, which of them
the messages bear out, and how many of what is known are sent."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import Template
from typing import Any

from chatty_desktop.domain.answers import json_in, without_reasoning
from chatty_desktop.domain.errors import Refused
from chatty_desktop.domain.grounding import BORNE_OUT, Dropped, evidence, telling
from chatty_desktop.domain.memory import Fact
from chatty_desktop.domain.messages import Message
from chatty_desktop.domain.questions import (
    MESSAGE_CHARS,
    Turn,
    closed,
    message_lines,
    said,
    shortened,
    turns,
)

MOST_FACTS = 16
"""Facts that one answer may hold; a small model that finds no end would fill its whole room."""

FACT_CHARS = 500
"""The longest fact that is kept; what is longer is no fact but a retelling."""


@dataclass(frozen=True, slots=True)
class Found:
    """A fact in an answer. `source_ids` are the messages that bear it out."""

    subject: str
    fact: str
    source_ids: tuple[str, ...] = ()


# --- the question ----------------------------------------------------------------------------


def facts_prompt(
    prompts: Mapping[str, str],
    *,
    instruction: str | None,
    messages: Sequence[Message],
    constrained: bool = True,
    message_chars: int = MESSAGE_CHARS,
) -> list[Turn]:
    """The question to send: which facts do these new messages tell?

    `prompts` are the texts of resources/prompts by file name without ending. An `instruction` of
    the person's own stands in the place of the built-in one and of its worked examples, which
    might say otherwise. `constrained` says whether the server is given `facts_schema` along.
    """
    asked = turns(prompts["facts"])
    role, question = asked[-1]
    own = (instruction or "").strip()
    before: list[Turn] = [("system", own)] if own else asked[:-1]
    if own or not constrained:
        question = f"{question}\n\n{prompts['facts_words'].strip()}"
    lines = "\n".join(message_lines(message, message_chars) for message in messages)
    filled = Template(question).substitute(
        messages=lines, said=json.dumps(said(messages), ensure_ascii=False)
    )
    return [*before, (role, filled)]


def facts_retry(
    prompts: Mapping[str, str], question: Sequence[Turn], reply: str, reason: str, chars: int
) -> list[Turn]:
    """The question once more, after `reply` was refused for `reason`."""
    answered = shortened(without_reasoning(reply).strip(), chars) or "(no answer)"
    again = Template(prompts["facts_retry"].strip()).substitute(reason=reason)
    return [*question, ("assistant", answered), ("user", again)]


def facts_schema() -> dict[str, Any]:
    """The JSON schema of an answer: {"facts": [{"subject", "fact"}]}."""
    fact = closed(subject={"type": "string"}, fact={"type": "string"})
    return closed(facts={"type": "array", "items": fact, "maxItems": MOST_FACTS})


# --- the answer ------------------------------------------------------------------------------


def read_facts(reply: str, messages: Sequence[Message]) -> tuple[list[Found], list[Dropped]]:
    """(the facts in a reply that the messages bear out, what was left out and why).

    Read are {"facts": [{"subject", "fact"}]}, the list alone and one fact alone, wherever they
    stand in the text. Raises `Refused` when nothing of that kind can be read: that is not the
    same as nothing to note, which an empty list says.
    """
    answer = without_reasoning(reply).strip()
    if not answer:
        what = "holds only reasoning" if reply.strip() else "is empty"
        raise Refused(f"The answer {what}. Answer with one JSON object.")
    values = list(json_in(answer))
    if not values:
        raise Refused("There is no JSON in the answer. Answer with one JSON object.")
    kept: list[Found] = []
    dropped: list[Dropped] = []
    there = [(message.id, telling(message.told)) for message in evidence(messages)]
    seen: set[tuple[str, str]] = set()
    for found in (fact for value in values for fact in _facts(value)):
        if (found.subject, found.fact) in seen:
            continue
        reason = _objection(found)
        sources = () if reason else _sources(found, there)
        if sources:
            seen.add((found.subject, found.fact))
            kept.append(Found(found.subject, found.fact, sources))
        else:
            reason = reason or "too little of it is in the new messages"
            dropped.append({"key": found.subject, "value": found.fact, "reason": reason})
    return kept, dropped


def _facts(value: Any) -> Iterator[Found]:
    """The facts in a JSON value. Raises `Refused` for anything else."""
    if isinstance(value, dict) and set(value) == {"facts"}:
        value = value["facts"]
    items = [value] if isinstance(value, dict) and "fact" in value else value
    if not isinstance(items, list):
        raise Refused('The answer must have the form {"facts": [{"subject": …, "fact": …}]}.')
    for item in items:
        subject = item.get("subject", "") if isinstance(item, dict) else None
        fact = item.get("fact") if isinstance(item, dict) else None
        if not isinstance(subject, str) or not isinstance(fact, str):
            excerpt = shortened(json.dumps(item, ensure_ascii=False), 80)
            raise Refused(f'A fact must have the form {{"subject": …, "fact": …}}, not {excerpt}.')
        yield Found(" ".join(subject.split()) or "user", " ".join(fact.split()))


def _objection(found: Found) -> str:
    """Why a fact is not kept, whatever was said, or ""."""
    if not found.fact:
        return "it says nothing"
    if len(found.fact) > FACT_CHARS or len(found.subject) > FACT_CHARS:
        return f"it is longer than {FACT_CHARS} characters"
    return ""


def _sources(found: Found, said: Sequence[tuple[str, set[str]]]) -> tuple[str, ...]:
    """The messages that bear a fact out, in order: those that share the most of its words.

    Enough of what the fact says must be there, in one message or several: small models
    fill in the rest from the worked examples, or from nothing."""
    stems = telling(found.fact) or telling(found.subject)
    shared = [(message_id, len(stems & there)) for message_id, there in said]
    everywhere = stems & {stem for _id, there in said for stem in there}
    if not everywhere or len(everywhere) < BORNE_OUT * len(stems):
        return ()
    most = max(count for _id, count in shared)
    return tuple(message_id for message_id, count in shared if count == most)


# --- what is known ---------------------------------------------------------------------------


def known_lines(facts: Iterable[Fact], max_chars: int) -> list[str]:
    """What the model is told, a line a fact, oldest first: of `facts`, newest first, as many of
    the newest as have room in `max_chars` characters, line breaks counted."""
    lines: list[str] = []
    used = 0
    for fact in facts:
        line = fact_line(fact)
        used += len(line) + (1 if lines else 0)
        if used > max_chars:
            break
        lines.append(line)
    return lines[::-1]


def fact_line(fact: Fact) -> str:
    """A fact as one line: its subject only where the fact does not name it."""
    named = fact.subject.casefold() in fact.fact.casefold()
    return f"- {fact.fact}" if named else f"- {fact.subject}: {fact.fact}"
