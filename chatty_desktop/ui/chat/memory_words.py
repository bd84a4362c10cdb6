"""What an agent's memory does, in a line for people who have read nothing about it."""

from __future__ import annotations

from chatty_desktop.domain.strategies import Strategy
from chatty_desktop.ui.agents.strategy_form import about


def short(strategy: Strategy) -> str:
    """A few words for the line under the composer."""
    words = about(strategy.kind)
    return words.short(strategy) if words.short else words.title


def sentence(strategy: Strategy) -> str:
    """What a chat that is still empty says about its agent's memory."""
    words = about(strategy.kind)
    return words.sentence(strategy) if words.sentence else words.when
