"""What comes with the app: prompts, conversations for measuring, starter agents and graphs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TypeVar

from sqlalchemy import Connection, select

from chatty_desktop.domain.agents import read_agent
from chatty_desktop.domain.errors import Invalid, StorageFailed
from chatty_desktop.domain.graphs import read_graph
from chatty_desktop.paths import resources_folder
from chatty_desktop.storage import tables
from chatty_desktop.storage.agents import StoredAgents
from chatty_desktop.storage.graphs import StoredGraphs
from chatty_desktop.storage.sessions import StoredSessions

log = logging.getLogger(__name__)

T = TypeVar("T")


def read_prompts() -> dict[str, str]:
    """The prompts by name. Blocks. Raises `StorageFailed`."""
    try:
        return _texts("prompts", "*.md")
    except OSError as error:
        raise StorageFailed(f"The app's own prompts cannot be read: {error}") from error


def read_scripts() -> dict[str, str]:
    """The conversations that models are measured with, by name. Blocks. Raises `StorageFailed`."""
    try:
        return _texts("measuring", "*.json")
    except OSError as error:
        raise StorageFailed(f"The app's own conversations cannot be read: {error}") from error


def _texts(kind: str, pattern: str) -> dict[str, str]:
    files = sorted((resources_folder() / kind).glob(pattern))
    return {file.stem: file.read_text("utf-8") for file in files}


async def welcome(agents: StoredAgents, graphs: StoredGraphs, sessions: StoredSessions) -> bool:
    """Put the starter agents and graphs into a folder in which nothing is stored yet; whether it
    was one."""
    if await agents.list() or await graphs.list() or await sessions.list():
        return False
    for definition in await asyncio.to_thread(_read_starters, "agents", read_agent):
        await agents.save(definition)
    for graph in await asyncio.to_thread(_read_starters, "graphs", read_graph):
        await graphs.save(graph)
    return True


def only_starters(connection: Connection) -> bool:
    """Whether every agent and graph of a database is one that comes with the app, as it comes.
    Blocks."""
    agents = [each.model_dump_json() for each in _read_starters("agents", read_agent)]
    graphs = [each.model_dump_json() for each in _read_starters("graphs", read_graph)]
    return all(
        said in shipped
        for table, shipped in ((tables.agents, agents), (tables.graphs, graphs))
        for said in connection.scalars(select(table.c.definition))
    )


def _read_starters(kind: str, read: Callable[[str], T]) -> list[T]:
    found = []
    for file in sorted((resources_folder() / kind).glob("*.json")):
        try:
            found.append(read(file.read_text("utf-8")))
        except (OSError, Invalid) as error:
            log.error("What comes with the app, %s, cannot be read: %s", file, error)
    return found
