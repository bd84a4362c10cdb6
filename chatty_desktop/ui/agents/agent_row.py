"""How an agent shows in the list: its name, and its memory and model in a few words."""

from __future__ import annotations

from typing import Final

from chatty_desktop.domain.agents import Agent
from chatty_desktop.ui.agents.strategy_form import about
from chatty_desktop.ui.language import tr

AGENT_MIME: Final = "application/x-chatty-agent"
"""What an agent is dragged as: its id."""


def described(agent: Agent) -> str:
    """The memory and the model of an agent in a few words."""
    definition = agent.definition
    kind = definition.memory_strategy.kind
    memory = tr("{kind} memory", kind=about(kind).title) if kind != "none" else tr("No memory")
    return f"{memory} · {definition.model or tr('default model')}"
