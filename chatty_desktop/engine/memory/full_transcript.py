"""Full transcript: the model sees every message of the scope on the current branch."""

from __future__ import annotations

from collections.abc import Sequence

from chatty_desktop.domain.branch import Branch
from chatty_desktop.domain.memory import LayerSnapshot, MemorySnapshot
from chatty_desktop.domain.messages import Message
from chatty_desktop.domain.runs import Run, Section
from chatty_desktop.domain.strategies import FullTranscript, Window
from chatty_desktop.engine.memory.contract import Surroundings


class Layer:
    """Reads the message log; stores nothing of its own."""

    def __init__(self, config: FullTranscript | Window, around: Surroundings) -> None:
        self._config = config
        self._around = around

    async def recall(self, incoming: Message) -> list[Section]:
        branch = await self._around.messages.branch(self._around.scope.session_id)
        shown = self._shown(branch, branch.place(incoming.id))
        return [Section(self._config.kind, messages=tuple(shown))] if shown else []

    async def record(self, message: Message) -> None:
        """The message log is all there is."""

    async def settle(self, run: Run) -> None:
        """Nothing to do."""

    async def inspect(self) -> MemorySnapshot:
        shown = self._shown(await self._around.messages.branch(self._around.scope.session_id))
        layer = LayerSnapshot(
            self._config.kind, verbatim_from=shown[0].id if shown else None, size=len(shown)
        )
        return MemorySnapshot(self._config.model_dump(mode="json"), (layer,))

    def _shown(self, branch: Branch, end: int | None = None) -> Sequence[Message]:
        """What a request carries of the messages before place `end`."""
        return branch.of_agent(self._around.scope.agent_id, end=end)
