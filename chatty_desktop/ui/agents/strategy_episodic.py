"""Episodic, in the editor."""

from __future__ import annotations

from chatty_desktop.ui.agents.strategy_form import About

ABOUT = About(
    "Episodic",
    "For chats that come back to old things: past messages that resemble the new one are recalled,"
    " with date and speaker.",
)
