"""Window: the model sees the last `max_messages` messages of the scope."""

from __future__ import annotations

from collections.abc import Sequence

from chatty_desktop.domain.branch import Branch
from chatty_desktop.domain.messages import Message, tail
from chatty_desktop.domain.strategies import Window
from chatty_desktop.engine.memory import full_transcript
from chatty_desktop.engine.memory.contract import Surroundings


class Layer(full_transcript.Layer):
    """The transcript, cut to its end; never begins with a tool result without its call."""

    def __init__(self, config: Window, around: Surroundings) -> None:
        super().__init__(config, around)
        self._count = config.max_messages

    def _shown(self, branch: Branch, end: int | None = None) -> Sequence[Message]:
        end = len(branch) if end is None else end
        reach = self._count
        while True:  # other agents' messages stand between; look back until there are enough
            begin = max(0, end - reach)
            found = branch.of_agent(self._around.scope.agent_id, begin, end)
            if len(found) >= self._count or not begin:
                return tail(found, self._count)
            reach *= 4
