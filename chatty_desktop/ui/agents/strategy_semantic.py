"""Semantic, in the editor."""

from __future__ import annotations

from chatty_desktop.ui.agents.strategy_form import About

ABOUT = About(
    "Semantic",
    "For knowledge recalled by what it is about: facts are drawn from each reply and kept in a"
    " list.",
)
