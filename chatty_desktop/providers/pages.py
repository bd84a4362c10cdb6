"""Pages of the web for tools: fetched with every address on the way checked, and read as text."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from chatty_desktop.domain.errors import Invalid, Refused, Unreachable
from chatty_desktop.domain.pages import Page, out_of_bounds
from chatty_desktop.providers.apart import TooHard
from chatty_desktop.providers.clients import new_client, trusted
from chatty_desktop.providers.page_text import page_text

if TYPE_CHECKING:
    import httpx

LARGEST = 3_000_000
"""Bytes of a page, unpacked."""

SECONDS = 20.0
"""For a page with all its redirects."""

MOST_REDIRECTS = 5

_PACKED = ("gzip", "deflate", "identity", "")
"""Once, and in a way that unpacks a thousandfold at most: what comes at a time is 64 KB."""

_AGENT = "Mozilla/5.0 (compatible; ChattyDesktop)"


class WebPages:
    """`ports.Pages`. `private` says at the moment of asking whether addresses of this computer and
    its network may be fetched; `seconds` how long a page may take."""

    def __init__(self, private: Callable[[], bool], seconds: float = SECONDS) -> None:
        self._private = private
        self._seconds = seconds

    async def fetch(self, url: str) -> Page:
        checked_url(url)
        # No proxies of the environment: they would resolve names on their own.
        authorities = await asyncio.to_thread(trusted)
        client = await new_client(trust_env=False, http2=False, verify=authorities)
        import httpx

        try:
            async with asyncio.timeout(self._seconds), client:
                return await self._follow(client, url)
        except TimeoutError:
            raise Unreachable(
                f"{url} did not come within {self._seconds:g} seconds.", cause="timeout"
            ) from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            why = str(error) or type(error).__name__
            raise Unreachable(f"{url} could not be fetched: {why}") from error

    async def _follow(self, client: httpx.AsyncClient, url: str) -> Page:
        for _ in range(MOST_REDIRECTS + 1):
            host, port = checked_url(url)
            address = await self._address(host, port)
            response = await client.send(_request(client, url, host, address), stream=True)
            try:
                self._check_connected(response, host)
                if response.is_redirect:
                    url = urljoin(url, response.headers["location"])
                    continue
                return await _page(response, url)
            finally:
                await response.aclose()
        raise Refused(f"{url}: it was redirected more than {MOST_REDIRECTS} times.")

    async def _address(self, host: str, port: int) -> str:
        """An address of a host that may be fetched from. All of them have to be in bounds: else
        which one is taken would be a matter of luck."""
        loop = asyncio.get_running_loop()
        try:
            found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise Unreachable(f"There is no computer called {host}: {error}") from error
        addresses = [str(each[4][0]) for each in found]
        for address in addresses:
            self._check(address, host)
        return addresses[0]

    def _check_connected(self, response: httpx.Response, host: str) -> None:
        """Hold the address that was really connected to against the rule, too."""
        stream = response.extensions.get("network_stream")
        connected = stream.get_extra_info("server_addr") if stream is not None else None
        if connected:
            self._check(str(connected[0]), host)

    def _check(self, address: str, host: str) -> None:
        if out_of_bounds(address) and not self._private():
            raise Refused(
                f"{host} is {address}, which is not on the public internet. Pages of this computer"
                " and its network are not fetched, unless the settings allow it."
            )


def checked_url(url: str) -> tuple[str, int]:
    """(host, port) of an address that a page can be fetched from. Raises `Invalid`."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise Invalid(f"{url!r} is no address of a page: {error}") from error
    if parts.scheme not in ("http", "https"):
        raise Invalid(f"{url!r} is no address of a page: write https://…")
    if not host or any(each.isspace() or ord(each) < 32 for each in url):
        raise Invalid(f"{url!r} is no address of a page.")
    if parts.username is not None or parts.password is not None:
        raise Invalid("An address with a name and password in it is not fetched.")
    return host, port or (443 if parts.scheme == "https" else 80)


def _request(client: httpx.AsyncClient, url: str, host: str, address: str) -> httpx.Request:
    """A request to the address that was checked, whatever the name leads to a moment later."""
    import httpx

    try:
        named = httpx.URL(url)
    except httpx.InvalidURL as error:
        raise Invalid(f"{url!r} is no address of a page: {error}") from error
    headers = {
        "Host": named.netloc.decode("ascii"),
        "User-Agent": _AGENT,
        "Accept-Encoding": "gzip, deflate",
        "Accept": "text/html, text/plain;q=0.9, application/json;q=0.8, */*;q=0.1",
    }
    return client.build_request(
        "GET",
        named.copy_with(host=address),
        headers=headers,
        extensions={"sni_hostname": named.raw_host.decode("ascii")},
    )


async def _page(response: httpx.Response, url: str) -> Page:
    if response.is_error:
        raise Refused(f"{url} answered {response.status_code} {response.reason_phrase}.")
    kind = response.headers.get("content-type", "text/html").partition(";")[0].strip().casefold()
    if not (kind.startswith("text/") or kind.endswith(("json", "xml"))):
        raise Refused(f"{url} is no text but {kind}.")
    packed = response.headers.get("content-encoding", "identity").strip().casefold()
    if packed not in _PACKED:
        raise Refused(f"{url} is packed in a way that was not asked for.")
    content = bytearray()
    async for piece in response.aiter_bytes():
        content += piece
        if len(content) > LARGEST:
            raise Refused(f"{url} is larger than {LARGEST // 1_000_000} MB.")
    encoding = response.charset_encoding
    try:
        title, text = await page_text(bytes(content), kind, encoding)
    except TooHard as error:
        raise Refused(f"{url} is made so that it cannot be read. {error}") from error
    if not text:
        raise Refused(f"{url} has no text that could be read. It may need a browser.")
    return Page(url, title, text)
