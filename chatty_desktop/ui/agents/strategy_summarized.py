"""Summarized, in the editor."""

from __future__ import annotations

from chatty_desktop.ui.agents.strategy_form import About

ABOUT = About(
    "Summarized",
    "For long advisory chats: a rolling summary of what lies back, and the newest messages word"
    " for word.",
)
