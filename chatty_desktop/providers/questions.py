"""Single questions to a server over HTTP, with everything that can go wrong told apart."""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from html import unescape
from typing import Any
from urllib.parse import urljoin, urlsplit

from chatty_desktop.domain.json_text import NotJson, read_json
from chatty_desktop.providers import failures
from chatty_desktop.providers.causes import Cause, cause_of
from chatty_desktop.providers.clients import way_to
from chatty_desktop.providers.failures import Asked
from chatty_desktop.providers.patience import Patience, retry_after

_LARGEST = 32 * 1024 * 1024
"""Bytes of an answer that are read; a list of 2,000 models is some 300 KB."""

_MOST_HOPS = 3
_TLS_SECONDS = 3.0

Client = Callable[..., Any]
"""Makes an asynchronous client of httpx, or of a library that is the same under another name."""


class Failed(Exception):
    """The text says what is wrong and what to do; `better_address` is what to write instead."""

    def __init__(self, problem: str, better_address: str = "") -> None:
        super().__init__(problem)
        self.better_address = better_address


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back. Header names are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes
    milliseconds: int

    def json(self) -> Any:
        """The value of the body, None when it is not JSON."""
        try:
            return read_json(self.body)
        except NotJson:
            return None

    def words(self) -> str:
        """The server's own message, "" when there is none to read."""
        return failures.words_of(self.body.decode("utf-8", "replace"))

    @property
    def is_page(self) -> bool:
        html = "text/html" in self.headers.get("content-type", "")
        return html or self.body.lstrip()[:1] == b"<"

    def title(self) -> str:
        """The title of a web page."""
        text = self.body[:20_000].decode("utf-8", "replace")
        found = re.search(r"<title[^>]*>(.*?)</title>", text, re.DOTALL | re.IGNORECASE)
        return " ".join(unescape(found.group(1)).split())[:80] if found else ""


class Questions:
    """Questions to the server of `asked`; the client is made for the first of them.

    `usual_port`: where such a server listens when nobody says otherwise; 0 when there is none.
    """

    def __init__(
        self, asked: Asked, patience: Patience, client: Client, *, usual_port: int = 0
    ) -> None:
        self._asked = asked
        self._patience = patience
        self._make = client
        self._usual_port = usual_port
        self._client: Any = None

    async def get(self, url: str, key: str | None) -> Answer:
        """Raises `Failed` when no answer comes."""
        return await self._follow("GET", url, key, None)

    async def post(self, url: str, key: str | None, value: Any) -> Answer:
        """Raises `Failed` when no answer comes."""
        return await self._follow("POST", url, key, value)

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()

    def check(self, answer: Answer, let_by: Collection[int] = ()) -> None:
        """Raises `Failed` for a status that is a failure, unless it is let by."""
        status = answer.status
        if status < 400 or status in let_by:
            return
        words = answer.words()
        if status == 400 and self._asked.address.startswith("http://") and _wants_https(answer):
            raise self._speaks_https()
        if status == 407:
            raise Failed(
                f"{self._asked.name} cannot be reached: the proxy of this computer's network wants"
                " a name and a password (status 407). Check the proxy's settings."
            )
        if answer.is_page and status < 500:
            raise self.not_understood(answer)
        wait = retry_after(answer.headers.get("retry-after"))
        raise Failed(str(failures.by_status(self._asked, status, words, wait)))

    def not_understood(self, answer: Answer, advice: str = "") -> Failed:
        """The failure of an answer that no such server gives."""
        if answer.is_page:
            title = self._asked.quoted(answer.title())
            page = f"a web page, “{title}”" if title else "a web page"
            return Failed(
                f"{self._asked.name} answered with {page} (status {answer.status}), not as a model"
                " server does. The address may be that of a website, or a proxy or a sign-in page"
                " stands between."
            )
        if answer.status in (404, 405, 501):
            problem = str(failures.by_status(self._asked, 404, answer.words()))
            return Failed(f"{problem} {advice}".strip())
        what = self._asked.quoted(answer.body[:120].decode("utf-8", "replace")) or "nothing came"
        return Failed(f"{failures.not_understood(self._asked, what)} {advice}".strip())

    async def _follow(self, method: str, url: str, key: str | None, value: Any) -> Answer:
        """The answer, also after being sent to another place of the same server."""
        for _ in range(_MOST_HOPS):
            answer = await self._ask(method, url, key, value)
            target = answer.headers.get("location", "")
            if answer.status not in (301, 302, 303, 307, 308) or not target:
                return answer
            target = urljoin(url, target)
            if _origin(target) != _origin(url):
                raise self._sent_on(target)
            url = target
        raise Failed(
            f"{self._asked.name} sends every request on in a circle. Check the address, and the"
            " proxy before the server."
        )

    async def _ask(self, method: str, url: str, key: str | None, value: Any) -> Answer:
        client = await self._ready()
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        begun = time.monotonic()
        seconds = self._patience.question
        try:
            async with (
                asyncio.timeout(seconds),
                client.stream(method, url, headers=headers, json=value) as response,
            ):
                body = b""
                async for piece in response.aiter_bytes():
                    body += piece
                    if len(body) > _LARGEST:
                        raise Failed(
                            f"{self._asked.name} did not come to an end with its list of models."
                            " Is the address right?"
                        )
                took = round((time.monotonic() - begun) * 1000)
                names = {name.lower(): text for name, text in response.headers.items()}
                return Answer(response.status_code, names, body, took)
        except Failed:
            raise
        except Exception as error:
            raise await self._why(error) from error

    async def _ready(self) -> Any:
        """The client, made in a thread: it reads the certificates that are trusted."""
        if self._client is None:
            self._client = await asyncio.to_thread(self._made)
        return self._client

    def _made(self) -> Any:
        return self._make(
            timeout=self._patience.question,
            follow_redirects=False,
            **way_to(self._asked.address),
        )

    async def _why(self, error: Exception) -> Failed:
        cause = cause_of(error)
        late = isinstance(error, TimeoutError) or type(error).__name__ == "ReadTimeout"
        if late and cause.kind != "silent":
            return Failed(
                f"{self._asked.name} took the connection and then said nothing for"
                f" {self._patience.question:g} s. It may be busy or loading a model; if not,"
                " another kind of program listens there."
            )
        if cause.kind == "no_http" and await self._speaks_tls():
            return self._speaks_https()
        better = _better(self._asked.address, cause, self._usual_port)
        problem = str(failures.no_connection(self._asked, error))
        if better and cause.kind != "not_tls":
            problem += f" A server of this kind usually is at {better}."
        return Failed(problem, better)

    async def _speaks_tls(self) -> bool:
        """Whether the port, spoken to over http, takes a handshake of TLS."""
        parts = urlsplit(self._asked.address)
        if parts.scheme != "http":
            return False
        return await asyncio.to_thread(_shakes_hands, parts.hostname or "", parts.port or 80)

    def _speaks_https(self) -> Failed:
        better = self._asked.address.replace("http://", "https://", 1)
        return Failed(
            f"{self._asked.name} speaks https on that port, not http. Write {better}.", better
        )

    def _sent_on(self, target: str) -> Failed:
        better = re.sub(r"(/models|/api/tags|/chat/completions)/?$", "", target.partition("?")[0])
        return Failed(
            f"{self._asked.name} sends every request on to {better}. If that is yours, write that"
            " address: on the way there messages and the key can be lost.",
            better,
        )


def _better(address: str, cause: Cause, usual_port: int) -> str:
    parts = urlsplit(address)
    if cause.kind == "not_tls":
        return address.replace("https://", "http://", 1)
    if cause.kind in ("refused", "silent") and usual_port and parts.port is None:
        return f"{parts.scheme}://{parts.netloc}:{usual_port}"
    return ""


def _wants_https(answer: Answer) -> bool:
    said = f"{answer.title()} {answer.body[:400].decode('utf-8', 'replace')}".lower()
    return "https" in said and "http request" in said


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)


def _shakes_hands(host: str, port: int) -> bool:
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE  # nothing is sent: the handshake is all that is asked for
    try:
        with (
            socket.create_connection((host, port), timeout=_TLS_SECONDS) as plain,
            context.wrap_socket(plain, server_hostname=host),
        ):
            return True
    except (OSError, ValueError):
        return False
