"""No memory, in the editor."""

from __future__ import annotations

from typing import Any

from chatty_desktop.ui.agents.strategy_form import About, StrategyForm

ABOUT = About(
    "None",
    "For short tasks that run tools, and questions that stand alone: the model sees only the new"
    " message.",
)


class Form(StrategyForm):
    """There is nothing to set."""

    def value(self) -> dict[str, Any]:
        return {"kind": "none"}
