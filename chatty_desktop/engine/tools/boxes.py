"""Several boxes of tools as one, by the names of the tools."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence

from chatty_desktop.domain.errors import ChattyError, Invalid
from chatty_desktop.domain.tools import ToolResult, ToolSpec, ToolUse
from chatty_desktop.engine.ports import ToolBox

log = logging.getLogger(__name__)


class ToolBoxes:
    """`ports.ToolBox` over others. Of two tools of one name the one of the earlier box is there;
    a box in trouble does not take the others along."""

    def __init__(self, boxes: Sequence[ToolBox]) -> None:
        self._boxes = tuple(boxes)
        self._sources: dict[str, ToolBox] = {}

    async def tools(self, names: Collection[str] | None = None) -> list[ToolSpec]:
        """All, or those of the names that there are; a box is asked only for what the ones before
        it have not, since asking may start a server."""
        found = await self._found(names)
        wanted = found if names is None else dict.fromkeys(names)
        return [found[name] for name in wanted if name in found]

    def known_tools(self) -> list[ToolSpec]:
        """Those that are known of without starting anything."""
        found: dict[str, ToolSpec] = {}
        for box in self._boxes:
            for spec in box.known_tools():
                found.setdefault(spec.name, spec)
        return list(found.values())

    async def call(self, use: ToolUse) -> ToolResult:
        """Run a tool in the box it came from. Raises as `ports.ToolBox.call` does."""
        box = self._sources.get(use.tool.source)
        if box is None:
            raise Invalid(f"There is no tool called {use.tool.name}.")
        return await box.call(use)

    async def _found(self, names: Collection[str] | None) -> dict[str, ToolSpec]:
        found: dict[str, ToolSpec] = {}
        for box in self._boxes:
            wanted = None if names is None else [name for name in names if name not in found]
            if wanted == []:
                break
            try:
                specs = await box.tools(wanted)
            except ChattyError as problem:
                log.warning("Some tools are missing: %s", problem)
                continue
            for spec in specs:
                self._sources[spec.source] = box
                found.setdefault(spec.name, spec)
        return found
