"""The connection to one Ollama: its wire, and what its failures mean.

Importing this module imports the SDK, 0.2 s: `ollama` does it in a thread, on first use.
"""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from collections.abc import AsyncGenerator, Awaitable, Sequence
from contextlib import aclosing
from contextvars import ContextVar
from typing import Any, TypeVar, cast

import httpx
import ollama
from pydantic import ValidationError

from chatty_desktop.domain.errors import ChattyError, Unreachable
from chatty_desktop.domain.json_text import NotJson, read_json
from chatty_desktop.domain.messages import ToolCall
from chatty_desktop.domain.models import ModelCard
from chatty_desktop.domain.requests import (
    ChatRequest,
    Delta,
    ToolOffer,
    Usage,
    WireMessage,
    count_of,
)
from chatty_desktop.providers import failures
from chatty_desktop.providers.clients import resending, way_to
from chatty_desktop.providers.failures import Asked
from chatty_desktop.providers.patience import Patience, retry_after
from chatty_desktop.providers.reasoning import ReasoningSplitter

_T = TypeVar("_T")

_responses: ContextVar[list[httpx.Response] | None] = ContextVar("responses", default=None)
"""The responses behind the answer that is being asked for. The SDK keeps them to itself, and
closing its generator leaves the closing of the connection to the garbage collector and the
loop's hooks for generators, which Qt's loop does not have: Ollama would go on after Stop."""


_NOT_AN_ANSWER = (ValidationError, ValueError, AttributeError, TypeError, RecursionError)
"""What the SDK raises for an answer that it cannot make sense of."""


class _Client(ollama.AsyncClient):
    """The SDK's, which takes no HTTP client from outside, above one that asks again."""

    def __init__(self, host: str, **options: Any) -> None:
        super(ollama.AsyncClient, self).__init__(resending(httpx.AsyncClient), host, **options)


class OllamaConnection:
    """One client of one Ollama; `url` is its root."""

    def __init__(self, provider_id: str, url: str, key: str | None, patience: Patience) -> None:
        self._provider_id = provider_id
        self._url = url
        self._patience = patience
        self._key = key or ""
        self._client = _Client(
            host=url,
            timeout=httpx.Timeout(patience.read, connect=patience.connect),
            headers={"Authorization": f"Bearer {key}"} if key else None,
            event_hooks={"response": [_refuse_pages, _keep_response]},
            **way_to(url),
        )

    async def models(self) -> list[ModelCard]:
        """The models pulled so far. Raises `Unreachable` or `Refused`."""
        listing = await self._ask(self._client.list(), self._asked())
        return [
            ModelCard(
                model.model,
                size=int(model.size) if model.size else None,
                parameters=(model.details and model.details.parameter_size) or "",
            )
            for model in listing.models
            if model.model
        ]

    async def shown(self, model: str) -> ModelCard:
        """What Ollama tells of a model: the context it was trained for, what it can do. Raises
        `Unreachable` or `Refused`."""
        shown = await self._ask(self._client.show(model), self._asked(model))
        information = (shown.modelinfo or {}).items()
        contexts = [v for k, v in information if k.endswith(".context_length")]
        # Older ones tell of no abilities.
        can = shown.capabilities
        return ModelCard(
            model,
            longest_context=next((each for each in contexts if isinstance(each, int)), None),
            parameters=(shown.details and shown.details.parameter_size) or "",
            tools="tools" in can if can else None,
            embeds="embedding" in can if can else None,
            vision="vision" in can if can else None,
        )

    async def embed(
        self, model: str, texts: Sequence[str], num_ctx: int | None = None
    ) -> list[list[float]]:
        """A vector for each text; Ollama cuts what is too long for the model. Loading it may take
        as long as reading a prompt. Raises `Unreachable` or `Refused`."""
        asked = self._asked(model)
        options = {"num_ctx": num_ctx} if num_ctx else None
        kept_responses()
        try:
            answer = await self._client.embed(model, list(texts), options=options)
        except Exception as error:
            if (known := self._failure(error, asked)) is None:
                raise
            raise known from error
        return [list(row) for row in answer.embeddings]

    async def stream(
        self, model: str, request: ChatRequest, num_ctx: int
    ) -> AsyncGenerator[Delta, None]:
        """One answer, piece by piece; closing the iterator closes the connection.

        Raises `Unreachable` or `Refused`.
        """
        asked = self._asked(model, request)
        tries = 0
        while True:
            tries += 1
            begun = False
            try:
                async with aclosing(self._answer(model, request, num_ctx)) as deltas:
                    async for delta in deltas:
                        begun = True
                        yield delta
            except Exception as error:
                busy = isinstance(error, ollama.ResponseError) and error.status_code == 429
                if busy and not begun and await self._patience.before_retry(tries, _wait()):
                    continue
                if (known := self._failure(error, asked, begun)) is None:
                    raise
                raise known from error
            return

    async def close(self) -> None:
        """Close every connection."""
        await self._client.close()  # type: ignore[no-untyped-call]

    async def _answer(
        self, model: str, request: ChatRequest, num_ctx: int
    ) -> AsyncGenerator[Delta, None]:
        """One answer as it comes, with the SDK's own errors."""
        # In a thread: images become base64, some megabytes of it.
        body = await asyncio.to_thread(chat_body, model, request, num_ctx)
        responses = kept_responses()
        parts = await self._client.chat(stream=True, **body)
        splitter = ReasoningSplitter(goes_on=request.goes_on)
        calls: list[ToolCall] = []
        part = None
        last: Delta | None = None
        try:
            async for part in parts:
                if part.message.thinking:
                    yield Delta(reasoning=part.message.thinking)
                for delta in splitter.feed(part.message.content or ""):
                    yield delta
                for call in part.message.tool_calls or ():
                    arguments = json.dumps(dict(call.function.arguments), ensure_ascii=False)
                    calls.append(ToolCall(f"call_{len(calls)}", call.function.name, arguments))
                if part.done:
                    usage = Usage(count_of(part.prompt_eval_count), count_of(part.eval_count))
                    finish = part.done_reason or "stop"
                    last = Delta(finish=finish, usage=usage, tool_calls=tuple(calls))
        finally:
            for response in responses:
                await response.aclose()
            await cast("AsyncGenerator[ollama.ChatResponse, None]", parts).aclose()
        if part is None:
            raise ValueError(failures.NO_REPLY)
        for delta in splitter.finish():
            yield delta
        if last is not None:
            yield last

    async def _ask(self, question: Awaitable[_T], asked: Asked) -> _T:
        """Something Ollama answers off hand."""
        kept_responses()
        try:
            async with asyncio.timeout(self._patience.question):
                return await question
        except Exception as error:
            if (known := self._failure(error, asked)) is None:
                raise
            raise known from error

    def _asked(self, model: str = "", request: ChatRequest | None = None) -> Asked:
        return Asked(
            self._provider_id,
            self._url,
            model,
            start_hint="Is Ollama running? Start it, or mend the address in the settings.",
            missing_hint=f"Get it with `ollama pull {model}`, or pick another model.",
            options=tuple(request.sampling()) if request and request.chat else (),
            key=self._key,
            keyless=not self._key,
        )

    def _failure(self, error: Exception, asked: Asked, begun: bool = False) -> ChattyError | None:
        """What an error means; None when it is not Ollama's. `begun`: in mid-answer."""
        if isinstance(error, ollama.ResponseError):
            # An error inside the stream comes without a status.
            status = error.status_code if error.status_code >= 400 else 500
            return failures.by_status(asked, status, failures.words_of(error.error), _wait())
        if isinstance(error, httpx.TimeoutException | TimeoutError):
            return failures.no_answer(asked)
        if isinstance(error, httpx.TransportError) and begun:
            return Unreachable(
                f"The connection to {asked.name} broke off in mid-answer. Try again.",
                cause="connection",
            )
        if isinstance(error, httpx.TransportError | ConnectionError):
            return failures.no_connection(asked, error)
        if isinstance(error, _NOT_AN_ANSWER):
            return failures.not_understood(asked, str(error))
        return None


def kept_responses() -> list[httpx.Response]:
    """A list that takes the responses of what this task asks for next."""
    responses: list[httpx.Response] = []
    _responses.set(responses)
    return responses


def _wait() -> float | None:
    """The seconds that Ollama asks to be left alone for, in the newest response to this task."""
    responses = _responses.get()
    return retry_after(responses[-1].headers.get("retry-after")) if responses else None


async def _refuse_pages(response: httpx.Response) -> None:
    """A proxy's page for signing in comes with a good status, and the SDK would read it as JSON."""
    if response.is_success and "text/html" in response.headers.get("content-type", ""):
        raise ValueError(failures.WEB_PAGE)


async def _keep_response(response: httpx.Response) -> None:
    if (responses := _responses.get()) is not None:
        responses.append(response)


def chat_body(model: str, request: ChatRequest, num_ctx: int) -> dict[str, Any]:
    """What a chat is asked with; nothing is in it that was not set."""
    body: dict[str, Any] = {
        "model": model,
        "messages": [_message(message) for message in request.messages],
        "options": _options(request, num_ctx),
    }
    if request.tools:
        body["tools"] = [_tool(offer) for offer in request.tools]
    if request.json_schema is not None:
        # Constrained output and thinking do not go together in Ollama.
        body |= {"format": request.json_schema, "think": False}
    return body


def _message(message: WireMessage) -> dict[str, Any]:
    value: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.images:
        value["images"] = [b64encode(image.data).decode("ascii") for image in message.images]
    if message.tool_calls:
        value["tool_calls"] = [
            {"function": {"name": call.name, "arguments": _arguments(call.arguments)}}
            for call in message.tool_calls
        ]
    return value


def _arguments(text: str) -> dict[str, Any]:
    """Ollama wants a call's arguments as an object; what a model wrote may be none."""
    try:
        value = read_json(text)
    except NotJson:
        return {}
    return value if isinstance(value, dict) else {}


def _options(request: ChatRequest, num_ctx: int) -> dict[str, Any]:
    """The options of a call: Ollama's names are ours but for the length of an answer."""
    options: dict[str, Any] = {"num_ctx": num_ctx, **request.sampling()}
    if "max_tokens" in options:
        options["num_predict"] = options.pop("max_tokens")
    return options


def _tool(offer: ToolOffer) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {
            "name": offer.name,
            "description": offer.description,
            "parameters": offer.parameters,
        },
    }
