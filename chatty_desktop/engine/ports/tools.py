"""Tools, the web, and asking the person."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from chatty_desktop.domain.pages import Page
from chatty_desktop.domain.tools import Consent, ToolResult, ToolSpec, ToolUse


class ToolBox(Protocol):
    """Tools of one origin: those that come with the app, or those of MCP servers."""

    async def tools(self, names: Collection[str] | None = None) -> list[ToolSpec]:
        """Those there are at this moment; where names are given, at least those of them. Starts
        what it takes to know."""
        ...

    def known_tools(self) -> list[ToolSpec]:
        """Those that are known of without starting anything."""
        ...

    async def call(self, use: ToolUse) -> ToolResult:
        """Run a tool; what goes wrong in it is a result that says so. Cancelling reaches the
        tool. Raises `Invalid` when there is no such tool, `Unreachable` when its server is gone."""
        ...


class Pages(Protocol):
    """Pages of the web."""

    async def fetch(self, url: str) -> Page:
        """A page as text. Raises `Invalid` for what is no address, `Refused` for one that is out
        of bounds or gives no text, `Unreachable`."""
        ...


class Consents(Protocol):
    """Asks the person whether a call may run."""

    async def ask(self, use: ToolUse) -> Consent:
        """What the person says. Where nobody can be asked, raises `Refused` with the reason."""
        ...
