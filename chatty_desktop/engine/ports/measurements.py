"""Measurements of models."""

from __future__ import annotations

from typing import Protocol

from chatty_desktop.domain.measurement import Measurement


class Measurements(Protocol):
    """What measuring models for agents came to; goes with its agent, and with the chat that was
    measured."""

    async def keep(self, measurement: Measurement) -> None:
        """Store, in place of what was stored under its id; nothing where its agent, or its chat,
        is gone. Raises `StorageFailed`."""
        ...

    async def of_agent(self, agent_id: str) -> list[Measurement]:
        """Newest first."""
        ...

    async def forget(self, measurement_id: str) -> None:
        """Delete one. Raises `StorageFailed`."""
        ...
