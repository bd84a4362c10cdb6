"""The tools that come with the app, as a box. A new one is a file, and a line here."""

from __future__ import annotations

from collections.abc import Collection

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.tools import ToolResult, ToolSpec, ToolUse
from chatty_desktop.engine.tools.calculator import Calculator
from chatty_desktop.engine.tools.clock import Clock
from chatty_desktop.engine.tools.contract import Reach, Tool
from chatty_desktop.engine.tools.fetch_page import FetchPage
from chatty_desktop.engine.tools.list_files import ListFiles
from chatty_desktop.engine.tools.read_file import ReadFile
from chatty_desktop.engine.tools.read_state import ReadState
from chatty_desktop.engine.tools.search_files import SearchFiles
from chatty_desktop.engine.tools.search_memory import SearchMemory
from chatty_desktop.engine.tools.write_file import WriteFile

_TOOLS = (
    Clock,
    Calculator,
    SearchMemory,
    ReadState,
    ReadFile,
    ListFiles,
    SearchFiles,
    WriteFile,
    FetchPage,
)
"""In the order in which they are shown: the harmless first."""


class BuiltInTools:
    """`ports.ToolBox` of the app's own tools."""

    def __init__(self, reach: Reach) -> None:
        made: list[Tool] = [tool(reach) for tool in _TOOLS]
        self._tools = {tool.spec.name: tool for tool in made}

    async def tools(self, names: Collection[str] | None = None) -> list[ToolSpec]:
        return self.known_tools()

    def known_tools(self) -> list[ToolSpec]:
        return [tool.spec for tool in self._tools.values()]

    async def call(self, use: ToolUse) -> ToolResult:
        tool = self._tools.get(use.tool.name)
        if tool is None:
            raise Invalid(f"There is no tool called {use.tool.name}.")
        return await tool.run(use)
