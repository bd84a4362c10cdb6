"""The tools of one run: which are offered, and what comes of the calls that a model makes.

Whatever goes wrong with a call is a result that says so: the model can mend it, and no call is
ever without its result.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from chatty_desktop.domain.agents import AgentDefinition
from chatty_desktop.domain.characters import whole_text
from chatty_desktop.domain.errors import ChattyError, Declined, Invalid, Refused
from chatty_desktop.domain.events import ToolEnded, ToolStarted
from chatty_desktop.domain.messages import Message, Scope, Status, ToolCall
from chatty_desktop.domain.requests import ToolOffer
from chatty_desktop.domain.tools import Policy, ToolResult, ToolSpec, ToolUse
from chatty_desktop.engine.ports import Consents, Publish, ToolBox
from chatty_desktop.engine.tools.arguments import checked_arguments

log = logging.getLogger(__name__)

TOOL_SECONDS = 120.0
"""How long a tool may take; waiting for the person's consent does not count."""

AT_ONCE = 4
"""Calls of one step that run at the same time."""

GRACE_SECONDS = 2.0
"""How long a tool that is cancelled has to end."""

NOTHING = "The tool gave nothing back."
STOPPED = "Stopped by the person before it was done."


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call came to; `seconds` it ran, 0 for one that did not run. `ended` tells how one that
    failed did where that was not the tool's doing."""

    text: str
    failed: bool = False
    seconds: float = 0.0
    ended: Status = Status.COMPLETE


def policy_of(agent: AgentDefinition, spec: ToolSpec) -> Policy:
    """Whether an agent may call a tool."""
    return agent.tool_policies.get(spec.name, spec.policy)


def usable(agent: AgentDefinition) -> list[str]:
    """The names of the tools that an agent has, less those that are switched off for it."""
    return [name for name in agent.tools if agent.tool_policies.get(name) != "never"]


def offered(agent: AgentDefinition, specs: Iterable[ToolSpec]) -> tuple[ToolOffer, ...]:
    """What a model is told of those of these tools that the agent has."""
    return tuple(
        spec.offer
        for spec in specs
        if spec.name in agent.tools and policy_of(agent, spec) != "never"
    )


class Calling:
    """The tools of one agent in one run."""

    def __init__(
        self,
        agent: AgentDefinition,
        scope: Scope,
        specs: Sequence[ToolSpec],
        *,
        box: ToolBox,
        consents: Consents,
        publish: Publish,
        seconds: float = TOOL_SECONDS,
    ) -> None:
        self._agent = agent
        self._scope = scope
        self._specs: Mapping[str, ToolSpec] = {spec.name: spec for spec in specs}
        self._box = box
        self._consents = consents
        self._publish = publish
        self._seconds = seconds
        self._places = asyncio.Semaphore(AT_ONCE)
        self._left: set[asyncio.Task[ToolResult]] = set()

    @property
    def offers(self) -> tuple[ToolOffer, ...]:
        """What a model is told of: every tool that it may use."""
        return offered(self._agent, self._specs.values())

    @property
    def missing(self) -> list[str]:
        """Tools that the agent has, but that are not there."""
        return [name for name in usable(self._agent) if name not in self._specs]

    def begin(
        self, message: Message, calls: Sequence[ToolCall]
    ) -> dict[str, asyncio.Task[Outcome]]:
        """Start calls of a message, all at the same time; a task for each, by the id of the
        call. Whoever is given them awaits them, or cancels them with `stop`."""
        return {call.id: asyncio.create_task(self._outcome(message.id, call)) for call in calls}

    async def stop(self, tasks: Mapping[str, asyncio.Task[Outcome]]) -> dict[str, Outcome]:
        """Stop the calls that are not done, and say what each came to."""
        for task in tasks.values():
            task.cancel()
        if tasks:
            await asyncio.wait(tasks.values())
        return {
            call_id: stopped(STOPPED) if task.cancelled() else task.result()
            for call_id, task in tasks.items()
        }

    async def _outcome(self, message_id: str, call: ToolCall) -> Outcome:
        try:
            use = self._use(call)
            await self._permit(use)
            async with self._places:
                return await self._run(message_id, use)
        except Declined as problem:
            return Outcome(str(problem), failed=True, ended=Status.DECLINED)
        except ChattyError as problem:
            return Outcome(whole_text(str(problem)), failed=True)
        except Exception as problem:  # a tool must not take the run along
            log.exception("The tool %s failed", call.name)
            return Outcome(whole_text(f"{call.name} failed: {problem!r}"), failed=True)

    def _use(self, call: ToolCall) -> ToolUse:
        """The call as it would run. Raises `Invalid`."""
        spec = self._specs.get(call.name)
        if self._agent.tool_policies.get(call.name) == "never":
            raise Refused(f"{call.name} is switched off for this agent.")
        if spec is None:
            names = ", ".join(offer.name for offer in self.offers) or "none"
            raise Invalid(f"There is no tool called {call.name}. The tools are: {names}.")
        arguments = checked_arguments(call, spec)
        return ToolUse(self._scope, call.id, spec, arguments, self._agent.folders)

    async def _permit(self, use: ToolUse) -> None:
        """Return when the call may run. Raises `Refused` when it may not."""
        policy = policy_of(self._agent, use.tool)
        if policy == "ask" and await self._consents.ask(use) == "refused":
            raise Declined(
                f"The person declined this call of {use.tool.name}. Go on without it, or ask"
                " them what they want instead."
            )

    async def _run(self, message_id: str, use: ToolUse) -> Outcome:
        session_id = use.scope.session_id
        self._publish(ToolStarted(session_id, message_id, use.call_id))
        started = time.monotonic()
        failed = True
        try:
            result = await self._timed(use)
            failed = result.failed
            seconds = time.monotonic() - started
            ended = Status.TIMED_OUT if result.timed_out else Status.COMPLETE
            return Outcome(whole_text(result.text) or NOTHING, result.failed, seconds, ended)
        except ChattyError as problem:
            return Outcome(whole_text(str(problem)), True, time.monotonic() - started)
        finally:
            seconds = time.monotonic() - started
            self._publish(ToolEnded(session_id, message_id, use.call_id, seconds, failed))

    async def _timed(self, use: ToolUse) -> ToolResult:
        """The result of a call, within its time. Cancelling reaches the tool; one that does not
        end by that is left to itself, and what it still gives is dropped."""
        task = asyncio.create_task(self._call(use))
        try:
            done, _ = await asyncio.wait([task], timeout=self._seconds)
            if done:
                return task.result()
        except asyncio.CancelledError:
            # Stopped in the moment in which it got done: what it did is not to be denied.
            if task.done() and not task.cancelled() and (own := asyncio.current_task()):
                own.uncancel()
                return task.result()
            raise
        finally:
            if not task.done():
                await self._cancel(task)
        return ToolResult(
            f"{use.tool.name} was not done within {self._seconds:g} seconds and was stopped.",
            failed=True,
            timed_out=True,
        )

    async def _call(self, use: ToolUse) -> ToolResult:
        return await self._box.call(use)

    async def _cancel(self, task: asyncio.Task[ToolResult]) -> None:
        task.cancel()
        self._left.add(task)
        task.add_done_callback(self._drop)
        await asyncio.wait([task], timeout=GRACE_SECONDS)

    def _drop(self, task: asyncio.Task[ToolResult]) -> None:
        self._left.discard(task)
        if not task.cancelled() and (problem := task.exception()):
            log.info("A tool that was stopped ended with %r", problem)


def stopped(text: str) -> Outcome:
    """Of a call that was broken off, or never began, since the run ended."""
    return Outcome(text, failed=True, ended=Status.STOPPED)


def result_message(call: ToolCall, outcome: Outcome, draft: Message) -> Message:
    """The message that holds what a call came to, in the place of a draft."""
    return replace(
        draft,
        role="tool",
        content=outcome.text,
        error=outcome.text if outcome.failed else "",
        status=outcome.ended,
        seconds=outcome.seconds,
        tool_call_id=call.id,
    )
