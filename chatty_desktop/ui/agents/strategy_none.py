"""No memory, in the editor."""

from __future__ import annotations

from typing import Any

from chatty_desktop.domain.strategies import NoMemory
from chatty_desktop.ui.agents.strategy_form import About, StrategyForm
from chatty_desktop.ui.language import N_, tr


def _short(config: NoMemory) -> str:
    return tr("No memory: sees only your new message")


def _sentence(config: NoMemory) -> str:
    return tr("This agent has no memory: it sees only the message you send.")


ABOUT = About(
    N_("None"),
    N_(
        "For short tasks that run tools, and questions that stand alone: the model sees only the"
        " new message."
    ),
    _short,
    _sentence,
)


class Form(StrategyForm):
    """There is nothing to set."""

    def value(self) -> dict[str, Any]:
        return {"kind": "none"}
