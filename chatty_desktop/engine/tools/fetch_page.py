"""fetch_page: a page of the web as readable text."""

from __future__ import annotations

from chatty_desktop.domain.tools import ToolResult, ToolSpec, ToolUse
from chatty_desktop.engine.tools.contract import Reach, arguments, text


class FetchPage:
    """Fetches what the person's own computer can, less addresses of its own network."""

    spec = ToolSpec(
        "fetch_page",
        "Fetches a web page and gives back its text.",
        arguments("url", url=text("The address, beginning with https:// or http://")),
    )

    def __init__(self, reach: Reach) -> None:
        self._pages = reach.pages

    async def run(self, use: ToolUse) -> ToolResult:
        page = await self._pages.fetch(str(use.arguments["url"]).strip())
        head = [f"Title: {page.title}"] if page.title else []
        return ToolResult("\n".join([*head, f"Address: {page.url}", "", page.text]))
