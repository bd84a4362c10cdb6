"""Where the palette leads besides the actions: chats, agents, pages of the settings."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from chatty_desktop.domain.measuring import state_of
from chatty_desktop.domain.titles import UNTITLED
from chatty_desktop.engine.ports import Agents, Sessions
from chatty_desktop.ui.language import tr
from chatty_desktop.ui.palette.entries import Entry
from chatty_desktop.ui.settings.pages import PAGES
from chatty_desktop.ui.theme import Theme

Go = Callable[[str], object]
"""Goes to something by its id or name."""


def pages(open_page: Go, theme: Theme) -> list[Entry]:
    """The pages of the settings."""
    return [
        Entry(
            key=f"page:{name}",
            words=tr(title),
            place=tr("Settings"),
            do=partial(open_page, name),
            icon=theme.icon(icon),
            english=title,
            place_in_english="Settings",
        )
        for name, title, icon in PAGES
    ]


async def agents_and_chats(
    *,
    agents: Agents,
    sessions: Sessions,
    begin: Go,
    edit: Go,
    measure: Go,
    open_chat: Go,
    theme: Theme,
) -> list[Entry]:
    """A new chat with each agent, each agent to edit, and the chats, the newest first."""
    known, chats = await agents.list(), await sessions.list()
    new, pencil, chat = (
        theme.icon(name) for name in ("chat-circle-dots", "user-gear", "chat-circle")
    )
    found = [
        Entry(
            key=f"begin:{agent.id}",
            words=tr("New chat with {name}", name=agent.name),
            place=tr("Agents"),
            do=partial(begin, agent.id),
            icon=new,
            english=f"New chat with {agent.name}",
            place_in_english="Agents",
        )
        for agent in known
    ]
    found += [
        Entry(
            key=f"edit:{agent.id}",
            words=tr("Edit {name}", name=agent.name),
            place=tr("Agents"),
            do=partial(edit, agent.id),
            icon=pencil,
            english=f"Edit {agent.name}",
            place_in_english="Agents",
        )
        for agent in known
    ]
    found += [
        Entry(
            key=f"measure:{agent.id}",
            words=tr("Measure models for {name}", name=agent.name),
            place=tr("Agents"),
            do=partial(measure, agent.id),
            icon=theme.icon("chart-bar"),
            english=f"Measure models for {agent.name}",
            place_in_english="Agents",
        )
        for agent in known
        if state_of(agent.definition.memory_strategy) is not None
    ]
    found += [
        Entry(
            key=f"chat:{session.id}",
            words=session.title or tr(UNTITLED),
            place=tr("Chats"),
            do=partial(open_chat, session.id),
            icon=chat,
        )
        for session in chats
    ]
    return found
