"""No memory: the model sees only the new message."""

from __future__ import annotations

from chatty_desktop.domain.memory import LayerSnapshot, MemorySnapshot
from chatty_desktop.domain.messages import Message
from chatty_desktop.domain.runs import Run, Section
from chatty_desktop.domain.strategies import NoMemory
from chatty_desktop.engine.memory.contract import Surroundings


class Layer:
    """Recalls nothing and keeps nothing."""

    def __init__(self, config: NoMemory, around: Surroundings) -> None:
        self._config = config

    async def recall(self, incoming: Message) -> list[Section]:
        return []

    async def record(self, message: Message) -> None:
        """Nothing is kept beyond the message log."""

    async def settle(self, run: Run) -> None:
        """Nothing to do."""

    async def inspect(self) -> MemorySnapshot:
        return MemorySnapshot(self._config.model_dump(mode="json"), (LayerSnapshot("none"),))
