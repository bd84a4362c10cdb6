"""Composite, in the editor."""

from __future__ import annotations

from chatty_desktop.ui.agents.strategy_form import About

ABOUT = About(
    "Composite",
    "For chats that need both the recent messages and recall: several of the others, one after the"
    " other.",
)
