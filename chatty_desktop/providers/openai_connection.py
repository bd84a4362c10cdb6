"""One connection to an OpenAI-compatible server: where its API lies, what it puts up with, and
what its failures mean.

Importing this module imports the SDK, which takes half a second: `openai_compatible` does it in a
thread, on first use.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast

# The SDK looks at what httpx holds if it finds it loaded, which fails while another thread is just
# loading it. Loaded here, it is whole before anything is asked.
import httpx
import openai
from openai import APIError, APIStatusError, AsyncOpenAI, AsyncStream
from openai.types.chat import ChatCompletionChunk

from chatty_desktop.domain.errors import ChattyError, Refused, Unreachable
from chatty_desktop.domain.json_text import read_json
from chatty_desktop.domain.requests import ChatRequest, Delta
from chatty_desktop.providers import failures
from chatty_desktop.providers.addresses import openai_roots, server_root
from chatty_desktop.providers.clients import resending, way_to
from chatty_desktop.providers.failures import Asked
from chatty_desktop.providers.openai_wire import ChunkReader, Dialect, chat_body
from chatty_desktop.providers.patience import Patience, retry_after

log = logging.getLogger(__name__)

NO_KEY = "none"
"""Sent where there is no key: without any, the SDK sends the person's OpenAI key to whichever
server this is."""

_T = TypeVar("_T")

Card = dict[str, Any]
"""A model as a server lists it: `id`, and whatever else it tells."""


class OpenAIConnection:
    """Made once for each server; the client behind it is made on first use.

    `base_url` works with and without /v1: the first place that answers is kept. `key` is asked
    for whenever a client is made, and anew after the server refused it.
    """

    def __init__(
        self,
        provider_id: str,
        base_url: str,
        key: Callable[[], Awaitable[str | None]],
        patience: Patience,
    ) -> None:
        self._provider_id = provider_id
        self._roots = openai_roots(base_url)
        self._server = server_root(base_url)
        self._key = key
        self._patience = patience
        self._client: AsyncOpenAI | None = None
        self._making = asyncio.Lock()
        self._dialect = Dialect()
        self._key_refused = False

    async def stream(self, model: str, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        """One answer, piece by piece; closing the iterator closes the connection.

        Raises `Unreachable` or `Refused`.
        """
        # In a thread: images become base64, some megabytes of it.
        body = await asyncio.to_thread(chat_body, model, request)
        chunks = await self._begin(body, self._asked(model, request))
        reader = ChunkReader(request)
        try:
            async for chunk in chunks:
                for delta in reader.read(chunk):
                    yield delta
        except Exception as error:
            failure = self._failed_midway(error, self._asked(model))
            if failure is None:
                raise
            # Once the answer is complete, what becomes of the connection does not matter.
            if reader.finish is None:
                raise failure from error
        finally:
            await chunks.close()
        if not reader.chunks:
            raise failures.not_understood(self._asked(model), failures.NO_REPLY)
        for delta in reader.last():
            yield delta

    async def models(self) -> list[Card]:
        """The models the server lists; none when it has no list. Raises `Unreachable`,
        `Refused`."""
        client = await self._ready()
        trouble = ""
        for root in self._roots:
            listing = await self._get(client, f"{root}/models")
            data = listing.get("data") if isinstance(listing, dict) else None
            if isinstance(data, list):
                self._roots = (root,)
                return [card for card in data if isinstance(card, dict) and card.get("id")]
            trouble = trouble or _trouble_in(listing)
        if trouble:
            raise failures.not_understood(self._with_key(self._asked()), trouble)
        return []

    async def embed(self, model: str, texts: Sequence[str]) -> list[list[float]]:
        """A vector for each text, in their order. Raises `Unreachable` or `Refused`."""
        asked = self._asked(model)
        _, vectors = await self._at_first(lambda at: self._embed(at, model, texts, asked), asked)
        return vectors

    async def properties(self) -> dict[str, Any]:
        """What llama.cpp tells in /props; empty for other servers. Raises `Unreachable`,
        `Refused`."""
        value = await self._get(await self._ready(), f"{self._server}/props")
        return value if isinstance(value, dict) else {}

    async def close(self) -> None:
        """Close every connection to the server."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    def _asked(self, model: str = "", request: ChatRequest | None = None) -> Asked:
        options = tuple(request.sampling()) if request and request.chat else ()
        return Asked(self._provider_id, self._server, model, options=options)

    def _with_key(self, asked: Asked) -> Asked:
        """The same, with what was sent as the key: no message may repeat it."""
        sent = self._client.api_key if self._client else NO_KEY
        return replace(asked, key="" if sent == NO_KEY else sent, keyless=sent == NO_KEY)

    async def prepare(self) -> None:
        """Read the key and the certificates that are trusted. Asks nobody."""
        await self._ready()

    async def _ready(self) -> AsyncOpenAI:
        """The client, made in a thread: it reads the system's certificates."""
        async with self._making:
            if self._client is None:
                self._client = await asyncio.to_thread(self._make, await self._key())
            elif self._key_refused:
                # The person is told to mend the key, and then tries again.
                self._client.api_key = await self._key() or NO_KEY
                self._key_refused = False
            return self._client

    def _make(self, key: str | None) -> AsyncOpenAI:
        patience = self._patience
        timeout = openai.Timeout(patience.read, connect=patience.connect)
        client = openai.AsyncOpenAI(
            base_url=self._roots[0],
            api_key=key or NO_KEY,
            max_retries=0,
            timeout=timeout,
            http_client=resending(openai.DefaultAsyncHttpxClient)(
                timeout=timeout, **way_to(self._server)
            ),
        )
        _ = client.chat.completions  # imports the rest of what a chat needs
        return client

    async def _begin(self, body: dict[str, Any], asked: Asked) -> AsyncStream[ChatCompletionChunk]:
        """Begin a streamed answer at the first address that holds the API."""
        root, stream = await self._at_first(lambda at: self._post(at, body, asked), asked)
        self._roots = (root,)
        return stream

    async def _at_first(
        self, ask: Callable[[AsyncOpenAI], Awaitable[_T]], asked: Asked
    ) -> tuple[str, _T]:
        """What the first address answers that holds what is asked for, and which one it is."""
        client = await self._ready()
        first_failure: ChattyError | None = None
        for root in self._roots:
            try:
                return root, await ask(client.with_options(base_url=root))
            except _NotHereError as wrong:
                first_failure = first_failure or wrong.failure
        raise first_failure or failures.not_understood(asked, "nothing")

    async def _embed(
        self, client: AsyncOpenAI, model: str, texts: Sequence[str], asked: Asked
    ) -> list[list[float]]:
        tries = 0
        while True:
            tries += 1
            try:
                # As floats: not every server knows the SDK's own default, base64. Not as the SDK's
                # own values, which it makes one number at a time: a second for a hundred texts.
                answer = await client.post(
                    "/embeddings",
                    body={"model": model, "input": list(texts), "encoding_format": "float"},
                    cast_to=httpx.Response,
                )
            except openai.APIStatusError as error:
                if await self._waited(error, tries):
                    continue
                failure = self._refusal(error, asked)
                if error.status_code == 501:
                    # Nothing is wrong with the server: llama.cpp says no in this way.
                    raise Refused(str(failure)) from error
                if error.status_code in (404, 405):
                    raise _NotHereError(failure) from error
                raise failure from error
            except Exception as error:
                if (known := self._failed_to_begin(error, asked)) is None:
                    raise
                raise known from error
            return await asyncio.to_thread(_vectors_in, answer, asked)

    async def _post(
        self, client: AsyncOpenAI, body: dict[str, Any], asked: Asked
    ) -> AsyncStream[ChatCompletionChunk]:
        tries = 0
        while True:
            tries += 1
            sent = self._dialect.put(body, asked.options)
            try:
                stream = cast(
                    "AsyncStream[ChatCompletionChunk]",
                    await client.chat.completions.create(**cast("Any", sent), stream=True),
                )
            except openai.APIStatusError as error:
                if self._gave_in(error, sent, asked) or await self._waited(error, tries):
                    continue
                failure = self._refusal(error, asked)
                if error.status_code in (404, 405):
                    raise _NotHereError(failure) from error
                raise failure from error
            except Exception as error:
                if (known := self._failed_to_begin(error, asked)) is None:
                    raise
                raise known from error
            if "text/html" in stream.response.headers.get("content-type", ""):
                await stream.close()
                raise _NotHereError(failures.not_understood(asked, failures.WEB_PAGE))
            return stream

    async def _get(self, client: AsyncOpenAI, url: str) -> object:
        """The JSON at an address; None where there is none. Raises `Unreachable`, `Refused`."""
        asked = self._asked()
        try:
            quick = client.with_options(timeout=self._patience.question)
            return await quick.get(url, cast_to=object)
        except openai.APIStatusError as error:
            if error.status_code in (404, 405, 501):
                return None
            raise self._refusal(error, asked) from error
        except Exception as error:
            if (known := self._failed_to_begin(error, asked)) is None:
                raise
            raise known from error

    def _refusal(self, error: APIStatusError, asked: Asked) -> ChattyError:
        """What a status means; a key that was refused is asked for anew."""
        self._key_refused = error.status_code in (401, 403)
        return failures.by_status(
            self._with_key(asked), error.status_code, _words_of(error), _wait_of(error)
        )

    def _gave_in(self, error: APIStatusError, sent: dict[str, Any], asked: Asked) -> bool:
        """Whether the server merely refused what can be left out or said otherwise."""
        if error.status_code not in (400, 422):
            return False
        refused = self._dialect.learn(sent, error.response.text, asked.options)
        if refused:
            log.info("%s takes no %s; asking without", asked.name, refused)
        return bool(refused)

    async def _waited(self, error: APIStatusError, tries: int) -> bool:
        """Whether the request may be tried again, after a wait. Money spent is not waited for."""
        if error.status_code != 429 or error.code == "insufficient_quota":
            return False
        return await self._patience.before_retry(tries, _wait_of(error))

    def _failed_midway(self, error: Exception, asked: Asked) -> ChattyError | None:
        """What an error in the middle of an answer means; None when it is not the server's."""
        asked = self._with_key(asked)
        if isinstance(error, openai.APITimeoutError):
            return failures.no_answer(asked)
        if isinstance(error, openai.APIConnectionError):
            return Unreachable(
                f"The connection to {asked.name} broke off in mid-answer. Try again.",
                cause="connection",
            )
        if isinstance(error, openai.APIError):
            return failures.by_status(asked, _code_of(error), _words_of(error))
        if isinstance(error, (ValueError, AttributeError, TypeError, RecursionError)):
            return failures.not_understood(asked, str(error))
        if _is_transport(error):
            return failures.no_connection(asked, error)
        return None

    def _failed_to_begin(self, error: Exception, asked: Asked) -> ChattyError | None:
        asked = self._with_key(asked)
        if isinstance(error, openai.APITimeoutError):
            return failures.no_answer(asked)
        if isinstance(error, openai.APIConnectionError) or _is_transport(error):
            return failures.no_connection(asked, error)
        if isinstance(error, openai.APIError | ValueError | RecursionError):
            return failures.not_understood(asked, str(error))
        return None


class _NotHereError(Exception):
    """This address of the server does not hold the API; another may."""

    def __init__(self, failure: ChattyError) -> None:
        super().__init__(str(failure))
        self.failure = failure


def _trouble_in(listing: object) -> str:
    """What is wrong where a list was to be: a page of a proxy, an error under a good status. ""
    for what is merely no list."""
    if isinstance(listing, str) and listing.lstrip().startswith("<"):
        return failures.WEB_PAGE
    wrong = listing.get("error") if isinstance(listing, dict) else None
    return failures.words_of(wrong)


def _vectors_in(answer: httpx.Response, asked: Asked) -> list[list[float]]:
    """The vectors of an answer, by the numbers of their texts."""
    try:
        value = read_json(answer.content)
        if trouble := _trouble_in(value):
            raise failures.not_understood(asked, trouble)
        rows = sorted(value["data"], key=lambda row: int(row["index"]))
        return [[float(number) for number in row["embedding"]] for row in rows]
    except (KeyError, TypeError, ValueError) as error:
        trouble = _trouble_in(answer.text) or "no vectors came"
        raise failures.not_understood(asked, trouble) from error


def _wait_of(error: APIStatusError) -> float | None:
    return retry_after(error.response.headers.get("retry-after"))


def _words_of(error: APIError) -> str:
    return failures.words_of(error.body) or error.message


def _code_of(error: APIError) -> int:
    """The status inside an error sent in mid-stream; 500 when it names none."""
    try:
        code = int(error.code or 500)
    except ValueError:
        code = 500
    return code if 400 <= code < 600 else 500


def _is_transport(error: Exception) -> bool:
    """Whether the HTTP library below the SDK raised this, past the SDK's own errors."""
    return type(error).__module__.startswith(("httpx", "httpcore"))
