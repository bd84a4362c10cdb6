"""Full transcript, in the editor."""

from __future__ import annotations

from typing import Any

from chatty_desktop.domain.strategies import FullTranscript
from chatty_desktop.ui.agents.strategy_form import About, StrategyForm
from chatty_desktop.ui.language import N_, tr


def _short(config: FullTranscript) -> str:
    return tr("Sees the whole chat, every time")


def _sentence(config: FullTranscript) -> str:
    return tr("This agent reads the whole chat again with every message.")


ABOUT = About(
    N_("Full transcript"),
    N_(
        "For a text or a problem worked on closely: the model sees every message of the chat, as"
        " long as its context holds them."
    ),
    _short,
    _sentence,
)


class Form(StrategyForm):
    """There is nothing to set."""

    def value(self) -> dict[str, Any]:
        return {"kind": "full_transcript"}
