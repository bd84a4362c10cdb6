"""Tools, the web, and asking the person."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol

from chatty_desktop.domain.mcp import McpState, McpText
from chatty_desktop.domain.pages import Page
from chatty_desktop.domain.tools import Consent, ToolResult, ToolSpec, ToolUse


class ServerOffers(Protocol):
    """What MCP servers have for the person to put into messages."""

    def states(self) -> Mapping[str, McpState]:
        """How each server is and what it has, by its name."""
        ...

    def start(self, name: str) -> None:
        """Start a server, also one that failed. Raises `Invalid`."""
        ...

    async def have_ready(self) -> None:
        """Start every server that is switched on, and wait a while for them; what becomes of each
        is in its state."""
        ...

    async def prompt(self, name: str, arguments: dict[str, str], server: str = "") -> str:
        """A prepared text, filled. Raises `Invalid`, `Unreachable`, `Refused`."""
        ...

    async def read(self, uri: str, server: str = "") -> McpText:
        """The text of a resource. Raises `Invalid`, `Unreachable`, and `Refused` also when it
        holds none."""
        ...


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
