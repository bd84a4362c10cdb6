"""read_state: what the agent's memory has noted in this chat."""

from __future__ import annotations

import json

from chatty_desktop.domain.tools import ToolResult, ToolSpec, ToolUse
from chatty_desktop.engine.tools.contract import Reach, arguments


class ReadState:
    """Σ of the scope; for memory of another kind its summary or its facts."""

    spec = ToolSpec(
        "read_state",
        "Reads what you have noted about this chat so far: goals, facts, open questions. Use it"
        " when you are not sure what was agreed before.",
        arguments(),
        harmless=True,
    )

    def __init__(self, reach: Reach) -> None:
        self._inspect = reach.inspect

    async def run(self, use: ToolUse) -> ToolResult:
        told = []
        for layer in (await self._inspect(use.scope)).layers:
            if layer.state:
                told.append(json.dumps(layer.state, ensure_ascii=False, indent=1))
            if layer.summary:
                told.append(layer.summary)
            told += [f"{fact.subject}: {fact.fact}" for fact in layer.facts or ()]
        return ToolResult("\n".join(told) or "Nothing is noted about this chat yet.")
