"""What an agent's memory does, in a line for people who have read nothing about it."""

from __future__ import annotations

from chatty_desktop.domain.strategies import State, Strategy, Window
from chatty_desktop.engine.memory import implemented, missing


def short(strategy: Strategy) -> str:
    """A few words for the line under the composer."""
    if not implemented(strategy.kind):
        return missing(strategy.kind)
    if isinstance(strategy, State):
        return "Keeps what matters in a state you can read"
    if isinstance(strategy, Window):
        return f"Sees the last {strategy.max_messages} messages"
    return {
        "none": "No memory: sees only your new message",
        "full_transcript": "Sees the whole chat, every time",
    }.get(strategy.kind, strategy.kind.replace("_", " "))


def sentence(strategy: Strategy) -> str:
    """What a chat that is still empty says about its agent's memory."""
    if not implemented(strategy.kind):
        return missing(strategy.kind)
    if isinstance(strategy, State):
        names = [field.name.replace("_", " ") for field in strategy.fields]
        about = f" ({', '.join(names[:4])}{' …' if len(names) > 4 else ''})" if names else ""
        return (
            f"This agent notes what matters{about} after each answer and goes on from its notes, "
            "not from the whole chat. Watch the notes fill on the right."
        )
    if isinstance(strategy, Window):
        return (
            f"This agent sees the last {strategy.max_messages} messages; what is older is"
            " forgotten."
        )
    if strategy.kind == "full_transcript":
        return "This agent reads the whole chat again with every message."
    return "This agent has no memory: it sees only the message you send."
