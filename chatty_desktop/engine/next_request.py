"""How much the next request is, before it is asked for: recalled and built as a run does it."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Mapping, Sequence

from chatty_desktop.domain.agents import Agent
from chatty_desktop.domain.attachments import AttachmentBudget
from chatty_desktop.domain.errors import Unreachable
from chatty_desktop.domain.ids import new_id
from chatty_desktop.domain.messages import Message, Scope
from chatty_desktop.domain.requests import ToolOffer
from chatty_desktop.domain.runs import NextRequest, RequestPart
from chatty_desktop.engine.memory.contract import MemoryLayer
from chatty_desktop.engine.models import ModelChooser, context_of
from chatty_desktop.engine.prompt import Prompt, build_prompt

_PART_OF: Mapping[str, RequestPart] = {
    "system": "system",
    "tools": "tools",
    "spec": "memory",
    "state": "memory",
    "summary": "memory",
    "facts": "memory",
    "episodic": "recalled",
}
"""By the origin of a section; those of messages word for word are not here."""


async def next_request(
    agent: Agent,
    scope: Scope,
    memory: MemoryLayer,
    models: ModelChooser,
    offers: Sequence[ToolOffer],
) -> NextRequest:
    """`offers` are the agent's tools as far as they are known. `memory` is one that only looks
    (`Surroundings.only_looks`). Raises `ChattyError` when it cannot be consulted, or the agent's
    model is of no provider that there is."""
    incoming = Message(
        id=new_id(),
        session_id=scope.session_id,
        parent_id=None,
        agent_id=agent.id,
        run_id="",
        role="user",
        content="",
        at=time.time(),
    )
    recalled = await memory.recall(incoming)
    reference, context, sees, tools = "", None, None, offers
    with contextlib.suppress(Unreachable):  # there is none: whoever sends hears of it
        model = await models.for_agent(agent.definition)
        reference, context = model.reference, await context_of(model)
        sees = await models.sees_images(model)
        tools = offers if models.takes_tools(model) else ()
    prompt = build_prompt(
        agent.definition.system_prompt,
        recalled,
        incoming,
        tools=tools,
        files=AttachmentBudget.within(context, sees_images=sees is not False),
    )
    # Of a transcript of 10,000 messages this takes longer than a frame on the screen.
    parts = await asyncio.to_thread(_parts, prompt)
    return NextRequest(reference, parts, context, sees)


def _parts(prompt: Prompt) -> Mapping[RequestPart, int]:
    parts: dict[RequestPart, int] = {}
    for section in prompt.sections:
        if section.origin != "new":
            part = _PART_OF.get(section.origin, "earlier")
            parts[part] = parts.get(part, 0) + Prompt((section,)).tokens()
    return parts
