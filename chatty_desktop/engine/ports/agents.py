"""Agents, the settings, and keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from chatty_desktop.domain.agents import Agent, AgentDefinition
from chatty_desktop.domain.messages import (
    DeletionCounts,
)
from chatty_desktop.domain.settings import Settings


class Agents(Protocol):
    """The stored agents; names are unique."""

    async def list(self) -> list[Agent]:
        """By name."""
        ...

    async def get(self, agent_id: str) -> Agent | None: ...

    async def by_name(self, name: str) -> Agent | None: ...

    async def save(self, definition: AgentDefinition, agent_id: str | None = None) -> Agent:
        """Store under `agent_id`, or as a new agent. Raises `Invalid` when the name is taken."""
        ...

    async def import_(self, definition: AgentDefinition) -> Agent:
        """Store, replacing the agent of that name (it keeps its id, so its memory resumes)."""
        ...

    async def delete(self, agent_id: str) -> DeletionCounts:
        """Delete the agent with its memory in every session; what was said stays in the chats."""
        ...


class SettingsStore(Protocol):
    """The settings as they are, and the way to change them."""

    @property
    def current(self) -> Settings: ...

    async def change(self, change: Callable[[Settings], Settings]) -> None:
        """Save a change. Raises `Invalid` or `StorageFailed`; nothing is changed then."""
        ...


class Keys(Protocol):
    """The keys of providers and of MCP servers."""

    async def set(self, provider_id: str, key: str, *, into_file: bool = False) -> None:
        """Keep a key. Raises `Invalid`, `NoKeyring` when the person has to be asked whether it
        may go into a file (`into_file`), `StorageFailed`."""
        ...

    async def copy(self, provider_id: str, new_id: str) -> bool:
        """Give a stored key to another id, too; False where there is none. Raises
        `StorageFailed`."""
        ...

    async def forget(self, provider_id: str) -> None:
        """Forget a stored key. Raises `StorageFailed` when it is still there afterwards."""
        ...
