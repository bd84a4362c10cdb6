"""One session with one MCP server: what is asked of it, each answer bounded and in our values."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

import anyio

import chatty_desktop
from chatty_desktop.domain.errors import ChattyError, Refused, TimedOut, Unreachable
from chatty_desktop.domain.json_text import read_json
from chatty_desktop.domain.mcp import McpArgument, McpPrompt, McpResource, McpText, McpTool
from chatty_desktop.domain.mcp_settings import McpServer
from chatty_desktop.domain.tools import ToolResult
from chatty_desktop.providers.mcp.http import Seen, address_streams
from chatty_desktop.providers.mcp.pipes import Lifeline
from chatty_desktop.providers.mcp.process import program_streams
from chatty_desktop.providers.mcp.results import bounded, prompt_text, resource_text, result_of
from chatty_desktop.providers.mcp.server_log import ServerLog

if TYPE_CHECKING:
    from mcp import Client
    from mcp_types import Tool

MOST_ENTRIES = 1_000
"""Tools, resources or prompts of one server; what it lists beyond is left out."""

MOST_PAGES = 100

MOST_ARGUMENTS = 50
"""Of one prompt."""

MOST_DESCRIPTION = 4_000
"""Letters of a description."""

MOST_SCHEMA = 100_000
"""Letters of the schema of a tool's arguments; a tool with a longer one is left out."""

ASK_SECONDS = 30.0
"""How long one answer may take that is not a call."""

_T = TypeVar("_T")


class Session:
    """Speaks to a server that has greeted. May be used from any task of its loop."""

    def __init__(self, name: str, client: Client, seen: Seen) -> None:
        self.name = name
        self._client = client
        self._seen = seen

    @property
    def title(self) -> str:
        """What the server calls itself, with its version."""
        info = self._client.server_info
        if info is None:
            return ""
        return bounded(" ".join(filter(None, (info.title or info.name, info.version))), 200)

    async def tools(self) -> tuple[tuple[McpTool, ...], str]:
        """All it lists, and a remark on what was left out. Raises `Unreachable`."""
        if self._client.server_capabilities.tools is None:
            return (), ""
        listed, more = await self._all(
            lambda cursor: self._client.list_tools(cursor=cursor, cache_mode="bypass"), "tools"
        )
        found: dict[str, McpTool] = {}
        odd = 0
        for tool in listed:
            schema = _schema_of(tool)
            if tool.name in found or schema is None:
                odd += 1
                continue
            about = bounded(tool.description or tool.title or "", MOST_DESCRIPTION)
            found[tool.name] = McpTool(tool.name, about, schema)
        remarks = []
        if more:
            remarks.append(f"It lists more than {MOST_ENTRIES} tools; the others are left out.")
        if odd:
            remarks.append(
                f"{odd} of its tools are left out: their description is too long or no JSON, or two"
                " have one name."
            )
        return tuple(found.values()), " ".join(remarks)

    async def resources(self) -> tuple[McpResource, ...]:
        """What can be read. Raises `Unreachable`."""
        if self._client.server_capabilities.resources is None:
            return ()
        listed, _more = await self._all(
            lambda cursor: self._client.list_resources(cursor=cursor, cache_mode="bypass"),
            "resources",
        )
        return tuple(
            McpResource(
                self.name,
                str(entry.uri),
                bounded(entry.title or entry.name, 200),
                bounded(entry.description or "", MOST_DESCRIPTION),
                entry.mime_type or "",
            )
            for entry in listed
        )

    async def prompts(self) -> tuple[McpPrompt, ...]:
        """The prepared texts. Raises `Unreachable`."""
        if self._client.server_capabilities.prompts is None:
            return ()
        listed, _more = await self._all(
            lambda cursor: self._client.list_prompts(cursor=cursor, cache_mode="bypass"), "prompts"
        )
        return tuple(
            McpPrompt(
                self.name,
                entry.name,
                bounded(entry.description or entry.title or "", MOST_DESCRIPTION),
                tuple(
                    McpArgument(
                        wanted.name,
                        bounded(wanted.description or "", MOST_DESCRIPTION),
                        bool(wanted.required),
                    )
                    for wanted in (entry.arguments or ())[:MOST_ARGUMENTS]
                ),
            )
            for entry in listed
        )

    async def read(self, uri: str) -> McpText:
        """The text of a resource. Raises `Unreachable`, and `Refused` also when it is none."""
        text = resource_text(
            await self._ask(lambda: self._client.read_resource(uri, cache_mode="bypass"))
        )
        if text is None:
            raise Refused(
                f"The resource {bounded(uri, 200)} of the MCP server {self.name} holds no text."
            )
        return text

    async def prompt(self, name: str, arguments: dict[str, str]) -> str:
        """A prompt, filled. Raises `Unreachable`, `Refused`."""
        return prompt_text(await self._ask(lambda: self._client.get_prompt(name, arguments)))

    async def call(self, tool: str, arguments: dict[str, Any], seconds: float) -> ToolResult:
        """Call a tool. What it or its server does wrong is a result that says so; cancelling, and
        the end of its time, are told to the server. Raises `Unreachable` when the server is gone.
        """
        try:
            given = await self._ask(lambda: self._client.call_tool(tool, arguments), seconds)
            return result_of(given)
        except Refused as error:
            return ToolResult(str(error), failed=True, timed_out=isinstance(error, TimedOut))

    async def changes(self, changed: Callable[[], None]) -> None:
        """Tell of each change of its lists, where a server has to be asked for that."""
        async with self._client.listen(
            tools_list_changed=True, prompts_list_changed=True, resources_list_changed=True
        ) as told:
            async for _event in told:
                changed()

    @property
    def must_be_asked_for_changes(self) -> bool:
        """Whether the server speaks the protocol that has `changes`."""
        from mcp_types.version import MODERN_PROTOCOL_VERSIONS

        return self._client.protocol_version in MODERN_PROTOCOL_VERSIONS

    async def _all(self, page: Callable[[str | None], Awaitable[Any]], what: str) -> Any:
        """Every page of a list up to the bound, and whether there was more."""
        found: list[Any] = []
        cursor: str | None = None
        for _number in range(MOST_PAGES):
            given = await self._ask(lambda at=cursor: page(at))  # type: ignore[misc]
            found += getattr(given, what)
            cursor = given.next_cursor
            if not cursor or len(found) > MOST_ENTRIES:
                break
        return found[:MOST_ENTRIES], bool(cursor) or len(found) > MOST_ENTRIES

    async def _ask(self, question: Callable[[], Awaitable[_T]], seconds: float = ASK_SECONDS) -> _T:
        """An answer in time. Raises `Refused` when the server says no or talks nonsense,
        `Unreachable` when it is gone."""
        try:
            with anyio.fail_after(seconds):
                return await question()
        except ChattyError:
            raise
        except TimeoutError:
            raise TimedOut(
                f"The MCP server {self.name} did not answer within {seconds:g} s, so it was told to"
                " stop."
            ) from None
        except Exception as error:
            found = failure(error, self._seen)
            text = f"The MCP server {self.name}: {found}"
            if isinstance(found, Unreachable):
                raise Unreachable(text, cause=found.cause) from error
            raise Refused(text) from error


@asynccontextmanager
async def greeted(
    name: str,
    server: McpServer,
    log: ServerLog,
    lifeline: Lifeline,
    changed: Callable[[], None],
    *,
    plain: bool = False,
) -> AsyncIterator[Session]:
    """Start or reach a server and exchange greetings. Must be left by the task that entered it.

    `plain`: without asking first whether it speaks the newest protocol, which some servers take
    amiss. Raises what the SDK raises, for `failure`.
    """
    # Half a second: not on the event loop.
    await asyncio.to_thread(import_module, "mcp")
    # A question that is cancelled may be closed by the loop, in another context than it was asked
    # in; the SDK's tracing, which nobody listens to here, would call that an error.
    logging.getLogger("opentelemetry.context").setLevel(logging.CRITICAL)
    from mcp import Client
    from mcp_types import (
        Implementation,
        PromptListChangedNotification,
        ResourceListChangedNotification,
        ToolListChangedNotification,
    )

    lists = (
        ToolListChangedNotification,
        PromptListChangedNotification,
        ResourceListChangedNotification,
    )

    async def heard(message: object) -> None:
        if isinstance(message, lists):
            changed()

    seen = Seen()
    if server.is_program:
        streams = program_streams(server, log, lifeline)
    else:
        streams = address_streams(server, seen)
    try:
        async with Client(
            streams,
            message_handler=heard,
            client_info=Implementation(name="chatty-desktop", version=chatty_desktop.__version__),
            mode="legacy" if plain else "auto",
            cache=None,
        ) as client:
            yield Session(name, client, seen)
    except ChattyError:
        raise
    except Exception as error:
        raise failure(error, seen) from error


def _schema_of(tool: Tool) -> dict[str, Any] | None:
    """The schema of a tool's arguments, None where no request can hold it: it is too long, or has
    numbers that JSON has no form for."""
    try:
        text = json.dumps(tool.input_schema, ensure_ascii=False)
        return dict(read_json(text)) if len(text) <= MOST_SCHEMA else None
    except (ValueError, RecursionError):
        return None


def failure(error: BaseException, seen: Seen) -> ChattyError:
    """What the SDK and what is below it raise, as what the person can do something about; the
    server is "it" in the text."""
    from mcp_types import CONNECTION_CLOSED, PARSE_ERROR
    from pydantic import ValidationError

    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, ChattyError):
        return error
    from httpx2 import HTTPError, InvalidURL
    from mcp import MCPError

    said = bounded(" ".join(str(error).split()), 500).rstrip(".")
    if isinstance(error, MCPError) and error.code == CONNECTION_CLOSED:
        return Unreachable("It is gone: the connection was closed.", cause="server")
    if isinstance(error, HTTPError | InvalidURL):
        return Unreachable(f"It cannot be reached: {said or type(error).__name__}.")
    if isinstance(error, MCPError):
        if trouble := seen.trouble:
            return Unreachable(trouble, cause="server")
        if error.code == PARSE_ERROR:
            return Refused("It answered with what is no MCP message.")
        return Refused(f"It says: {said or 'no'}.")
    if isinstance(error, ValidationError):
        return Refused("It answered with what the protocol does not allow.")
    if isinstance(error, anyio.ClosedResourceError | anyio.BrokenResourceError | OSError):
        return Unreachable("It is gone: the connection was closed.", cause="server")
    return Refused(f"It could not be asked: {said or type(error).__name__}.")
