"""The life of one MCP server: off, starting, ready, crashed and started again, failed."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import os
from collections.abc import Awaitable, Callable
from dataclasses import replace

import anyio

from chatty_desktop.domain.errors import ChattyError, Unreachable
from chatty_desktop.domain.events import McpChanged, Notice
from chatty_desktop.domain.mcp import McpState
from chatty_desktop.domain.mcp_secrets import filled, key_names, unwrapped
from chatty_desktop.domain.mcp_settings import McpServer
from chatty_desktop.engine.ports import Publish
from chatty_desktop.providers.mcp.pipes import Lifeline
from chatty_desktop.providers.mcp.server_log import ServerLog
from chatty_desktop.providers.mcp.session import Session, greeted

log = logging.getLogger(__name__)

KeyOf = Callable[[str], Awaitable[str | None]]
"""A stored key by its name."""

START_SECONDS = 90.0
"""Until it has greeted and listed what it has: the first start of one may load it from the net."""

STEADY_SECONDS = 300.0
"""After so long without a crash those before count no more."""

RETRY_SECONDS = (30.0, 600.0)
"""After a failed start, how long nobody but the person has it started again: at first, and at
most; twice as long after each one more."""

_SETTLE_SECONDS = 0.5
"""Between a change of its lists and reading them: changes come in swarms."""


class Connection:
    """One configured server. A task of its own enters and leaves the session; all others only
    speak through it.

    state: how it is; each change is published. log: what its program wrote. `back_off`: seconds
    waited before each start after a crash; one crash more and it is left alone.
    """

    def __init__(
        self,
        name: str,
        server: McpServer,
        server_log: ServerLog,
        key_of: KeyOf,
        publish: Publish,
        back_off: tuple[float, ...],
    ) -> None:
        self.name = name
        self.server = server
        self.log = server_log
        self.state = McpState()
        self._key_of = key_of
        self._publish = publish
        self._back_off = back_off
        self._session: Session | None = None
        self._owner: asyncio.Task[None] | None = None
        self._scope = anyio.CancelScope()
        self._settled = asyncio.Event()
        self._wake = asyncio.Event()
        self._wanted = asyncio.Event()  # not set: it waits before it is started again
        self._wanted.set()
        self._began = 0.0
        self._rests_until = -math.inf
        self._rest = RETRY_SECONDS[0]
        self._plain = False

    def start(self) -> None:
        """Have it run; nothing happens when it does already."""
        before = self._owner
        if before is not None and not before.done() and not self._scope.cancel_called:
            return
        loop = asyncio.get_running_loop()
        self._began = loop.time()
        self._settled = asyncio.Event()
        self._scope = anyio.CancelScope()
        self._show(phase="starting", reason="")
        self._owner = loop.create_task(
            self._live(self._scope, self._settled, before), name="mcp server"
        )

    async def stop(self) -> None:
        """Have it end, with its process and all that it started."""
        owner, self._session = self._owner, None
        self._scope.cancel()
        if self.state.phase != "off":
            self._show(phase="off", reason="", remark="")
        if owner is not None:
            await asyncio.wait([owner])
        if self._owner is owner and self.state.phase != "off":  # it got ready at that moment
            self._session = None
            self._show(phase="off", reason="", remark="")

    async def session(self, patience: float) -> Session:
        """The session, once it is ready; starts what is off. Raises `Unreachable` when it cannot
        be had within so many seconds."""
        if self._session is not None:
            return self._session
        now = asyncio.get_running_loop().time()
        if not self._wanted.is_set():
            self._begin_again(self._settled)
        elif self.state.phase != "failed" or now >= self._rests_until:
            self.start()
        with contextlib.suppress(TimeoutError):
            # Counted from its start: one that hangs holds up one run, not each.
            async with asyncio.timeout(max(0.0, self._began + patience - now)):
                await self._settled.wait()
        if self._session is None:
            reason = self.state.reason or "It is not ready yet; it is still starting."
            raise Unreachable(f"The MCP server {self.name}: {reason}", cause="server")
        return self._session

    def change_settings(self, server: McpServer) -> None:
        """Take over settings that do not matter to a running process."""
        self.server = server

    # --- its own task --------------------------------------------------------------------------

    async def _live(
        self, scope: anyio.CancelScope, settled: asyncio.Event, before: asyncio.Task[None] | None
    ) -> None:
        """Until it is stopped or fails. `before`: its task before this one, which may still be
        ending."""
        loop = asyncio.get_running_loop()
        crashes, had_been_ready = 0, False
        with scope:
            if before is not None:
                await asyncio.wait([before])
            while True:
                began = loop.time()
                reason, was_ready = await self._run_once()
                self._session = None
                if was_ready and loop.time() - began > STEADY_SECONDS:
                    crashes = 0
                had_been_ready |= was_ready
                if not had_been_ready or crashes == len(self._back_off):
                    self._fail(reason, had_been_ready)
                    return
                wait = self._back_off[crashes]
                crashes += 1
                self._show(phase="starting", reason=reason)
                self._publish(
                    Notice(
                        "warning",
                        f"The MCP server {self.name} is gone for now. {reason} It is started"
                        f" again in {wait:g} s.",
                    )
                )
                self._wanted.clear()
                settled.set()
                try:
                    with anyio.move_on_after(wait):
                        await self._wanted.wait()
                finally:
                    self._begin_again(settled)
        settled.set()

    def _begin_again(self, settled: asyncio.Event) -> None:
        """Wait no longer with the next start: its time has come, or somebody wants the server."""
        self._wanted.set()
        if self._settled is settled and settled.is_set():
            settled.clear()
            self._began = asyncio.get_running_loop().time()

    async def _run_once(self) -> tuple[str, bool]:
        """One life of the server; why it ended, and whether it had been ready."""
        lifeline = Lifeline()
        ready = False
        try:
            with anyio.fail_after(START_SECONDS) as patience:
                server = await self._filled()
                async with greeted(
                    self.name, server, self.log, lifeline, self._changed, plain=self._plain
                ) as session:
                    await self._learn(session)
                    patience.deadline = math.inf
                    ready, self._rest = True, RETRY_SECONDS[0]
                    self._session = session
                    self._settled.set()
                    await self._serve(session, lifeline)
        except TimeoutError:
            return f"It did not get ready within {START_SECONDS:g} s.", ready
        except ChattyError as error:
            if not ready and not self._plain and lifeline.ended.is_set():
                # Some end at a first question that is not the old greeting.
                self._plain = True
                return await self._run_once()
            return await self._why(lifeline.reason or str(error)), ready
        except Exception as error:
            log.exception("The MCP server %s failed in an unknown way", self.name)
            return f"Something went wrong with it ({type(error).__name__}).", ready
        return await self._why(lifeline.reason), ready

    async def _serve(self, session: Session, lifeline: Lifeline) -> None:
        """Until it ends: read its lists again when they change."""
        async with anyio.create_task_group() as group:
            group.start_soon(self._wake_at_end, lifeline)
            if session.must_be_asked_for_changes:
                group.start_soon(self._follow, session)
            while True:
                await self._wake.wait()
                self._wake.clear()
                if lifeline.ended.is_set():
                    break
                await anyio.sleep(_SETTLE_SECONDS)
                self._wake.clear()
                try:
                    await self._learn(session)
                except ChattyError as error:
                    self._show(remark=f"Its list could not be read again. {error}")
                if lifeline.ended.is_set():
                    break
            group.cancel_scope.cancel()

    async def _wake_at_end(self, lifeline: Lifeline) -> None:
        await lifeline.ended.wait()
        self._wake.set()

    async def _follow(self, session: Session) -> None:
        for wait in (1.0, 5.0, 60.0):
            # One that does not tell of changes is asked a few times, and works without.
            with contextlib.suppress(Exception):
                await session.changes(self._changed)
            await anyio.sleep(wait)

    async def _learn(self, session: Session) -> None:
        """Read what it has."""
        tools, remark = await session.tools()
        found: dict[str, object] = {"tools": tools, "title": session.title}
        for what, read in (("resources", session.resources), ("prompts", session.prompts)):
            try:
                found[what] = await read()
            except ChattyError as error:
                found[what] = ()
                remark = f"{remark} Its {what} could not be read. {error}".strip()
        self._show(phase="ready", reason="", remark=remark, **found)

    async def _filled(self) -> McpServer:
        """Its settings with the keys in their places. Raises `Invalid`."""
        if problem := self.server.problem:
            raise Unreachable(problem)
        names = key_names(self.server)
        found = {name: await self._key_of(name) for name in names}
        keys = {name: unwrapped(key) for name, key in found.items() if key is not None}
        self.log.hide(keys.values())
        return filled(self.server, keys, os.environ)

    async def _why(self, reason: str) -> str:
        """A reason with the last words of its log, where it is a program."""
        if not self.server.is_program or "cannot be started" in reason:
            return self.log.clean(reason)
        last = (await self.log.tail(1)).strip()[:300]
        return self.log.clean(f"{reason} Its log ends with: {last}" if last else reason)

    def _fail(self, reason: str, had_been_ready: bool) -> None:
        self._rests_until = asyncio.get_running_loop().time() + self._rest
        self._rest = min(2 * self._rest, RETRY_SECONDS[1])
        if had_been_ready:
            reason = f"{reason} It was started again too often and is left alone for a while."
            self._publish(Notice("error", f"The MCP server {self.name} failed. {reason}"))
        self._show(phase="failed", reason=reason)
        self._settled.set()

    def _changed(self) -> None:
        self._wake.set()

    def _show(self, **values: object) -> None:
        self.state = replace(self.state, **values)  # type: ignore[arg-type]
        self._publish(McpChanged(self.name))
