"""Finding out what a model can do: what its server tells, and what comes of trying."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import cast

from chatty_desktop.domain.errors import Refused, Unreachable
from chatty_desktop.domain.json_text import NotJson, read_json
from chatty_desktop.domain.models import Finding, Findings, ModelCard, ProbeStep, with_findings
from chatty_desktop.domain.requests import ChatMessage, ChatRequest, Delta, ToolOffer
from chatty_desktop.domain.settings import Settings, split_model
from chatty_desktop.domain.tool_calls import calls_in
from chatty_desktop.engine.ports import ChatModel
from chatty_desktop.providers.embedders import Embed
from chatty_desktop.providers.registry import ProviderRegistry

Change = Callable[[Callable[[Settings], Settings]], Awaitable[None]]
"""Saves a change of the settings."""

Tell = Callable[[ProbeStep], None]

_STEP_SECONDS = 180.0
"""How long one try may take: a large model may first have to be loaded from a slow disk."""

_ANSWER_TOKENS = 400
"""The longest answer waited for; enough for a short thought before it."""

_WEATHER = ToolOffer(
    "get_weather",
    "Tells what the weather is like in a city now.",
    {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
)
_ASK_WEATHER = "What is the weather in Paris now? Use the tool."

_MARK = "violet"
_MARKED = {
    "type": "object",
    "properties": {"mark": {"type": "string", "enum": [_MARK]}},
    "required": ["mark"],
    "additionalProperties": False,
}
_ASK_HELLO = "Say hello in French, in plain words."
"""Nothing of the schema is in it: who answers by it was made to."""

_NO_CHAT = Finding(False, "It is made for vectors and does not chat.")


class ModelProbing:
    """Finds out what models can do and saves it with their options."""

    def __init__(
        self, models: ProviderRegistry, change: Change, *, step_seconds: float = _STEP_SECONDS
    ) -> None:
        self._models = models
        self._change = change
        self._step_seconds = step_seconds

    async def find_out(self, reference: str, tell: Tell) -> Findings:
        """Ask and try; `tell` hears what is being tried. It takes three short requests, and
        loads the model. Cancelling ends the request that runs, and saves nothing.

        Raises `Unreachable` or `Refused` when the server cannot even be asked about the model,
        `Invalid` for one of no provider, `StorageFailed` when the outcome cannot be saved.
        """
        tell("asking")
        card = await self._models.card(reference)
        embed = self._models.embedding_of(split_model(reference)[0])
        model = self._models.chat_model(reference)
        found = await _Probe(model, embed, card, self._step_seconds).find_out(tell)
        await self._change(lambda settings: with_findings(settings, found))
        return found


class _Probe:
    """The finding out about one model. `_answered`: it has answered a chat; `_turned_down`: a
    request to chat was refused, or there is nothing that would take one."""

    def __init__(self, model: ChatModel, embed: Embed, card: ModelCard, seconds: float) -> None:
        self._model = model
        self._embed = embed
        self._card = card
        self._seconds = seconds
        self._answered = False
        self._turned_down = False

    async def find_out(self, tell: Tell) -> Findings:
        if self._card.embeds:
            tools = schema = _NO_CHAT
        else:
            tell("tools")
            tools = await self._tools()
            tell("json_schema")
            schema = await self._schema()
        tell("embeds")
        embeds, dimension = await self._embeds()
        if embeds.holds and self._turned_down and not self._answered:
            tools = schema = _NO_CHAT
        reference = self._model.reference
        return Findings(reference, self._card, tools, schema, embeds, dimension=dimension)

    async def _tools(self) -> Finding:
        if self._card.tools is False:
            return Finding(False, "The server says so.")
        answer = await self._answer(_question(_ASK_WEATHER, tools=(_WEATHER,)))
        if isinstance(answer, Finding):
            return answer
        if any(call.name == _WEATHER.name for call in answer.last.tool_calls):
            return Finding(True, "It called a tool that it was offered.")
        if calls_in(answer.text, [_WEATHER.name]):
            return Finding(True, "It called a tool that it was offered, in the text of its answer.")
        return answer.unfinished() or Finding(False, "It answered in words and called no tool.")

    async def _schema(self) -> Finding:
        answer = await self._answer(_question(_ASK_HELLO, json_schema=_MARKED))
        if isinstance(answer, Finding):
            return answer
        if _is_marked(answer.text):
            return Finding(True, "Its answer had the form that it was held to.")
        return answer.unfinished() or Finding(
            False, "Its server took the wanted form of the answer and did not hold to it."
        )

    async def _embeds(self) -> tuple[Finding, int | None]:
        """Whether it makes vectors, and of which length."""
        if self._card.embeds is False:
            return Finding(False, "It is made for chats."), None
        name = split_model(self._model.reference)[1]
        try:
            async with asyncio.timeout(self._seconds):
                vectors = await self._embed(name, ["Hello"])
        except TimeoutError:
            return self._too_long(), None
        except Refused as failure:
            return Finding(False, str(failure)), None
        except Unreachable as failure:
            # An address that is not there is a no only where the server serves others.
            no = failure.cause == "missing" and self._answered
            return Finding(False if no else None, str(failure)), None
        if not vectors or not vectors[0]:
            return Finding(False, "The server answered without a vector."), None
        length = len(vectors[0])
        return Finding(True, f"It makes vectors of {length} numbers."), length

    async def _answer(self, request: ChatRequest) -> _Answer | Finding:
        """An answer, or why none came. Who refuses temperature 0 is asked without one."""
        try:
            try:
                return await self._asked(request)
            except Refused:
                return await self._asked(replace(request, temperature=None))
        except TimeoutError:
            return self._too_long()
        except Refused as failure:
            self._turned_down = True
            return Finding(False, str(failure))
        except Unreachable as failure:
            self._turned_down |= failure.cause == "missing"
            return Finding(None, str(failure))

    async def _asked(self, request: ChatRequest) -> _Answer:
        text, last = "", Delta()
        async with (
            asyncio.timeout(self._seconds),
            # Closed at once, so that a server does not go on with what nobody waits for.
            aclosing(cast("AsyncGenerator[Delta, None]", self._model.stream(request))) as deltas,
        ):
            async for delta in deltas:
                text += delta.text
                last = delta
        self._answered = True
        return _Answer(text, last)

    def _too_long(self) -> Finding:
        return Finding(None, f"There was no answer within {self._seconds:g} s.")


@dataclass(frozen=True, slots=True)
class _Answer:
    """A whole answer less its reasoning, and how it ended."""

    text: str
    last: Delta

    def unfinished(self) -> Finding | None:
        """Why an answer says nothing about the model, None when it does."""
        if self.last.finish is None:
            return Finding(None, "The connection broke off in mid-answer.")
        if self.text.strip():
            return None
        if self.last.finish == "length":
            return Finding(None, f"It was still thinking after {_ANSWER_TOKENS} tokens.")
        return Finding(None, "It gave an empty answer.")


def _question(text: str, **more: object) -> ChatRequest:
    request = ChatRequest((ChatMessage("user", text),), temperature=0.0, max_tokens=_ANSWER_TOKENS)
    return replace(request, **more)  # type: ignore[arg-type]


def _is_marked(text: str) -> bool:
    try:
        return bool(read_json(text) == {"mark": _MARK})
    except NotJson:
        return False
