"""The forms in which people write down where a server is."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import urlsplit

from chatty_desktop.domain.errors import Invalid

_ENDPOINTS = re.compile(r"(/chat/completions|/completions|/models|/embeddings)$")
_VERSION = re.compile(r"/v\d+[a-z0-9]*$")


def normal(url: str) -> str:
    """The address with a scheme and without a slash at its end. Raises `Invalid`, also when a
    password stands in it: addresses are written to the settings, and named in messages."""
    text = url.strip()
    if "://" not in text:
        text = f"http://{text}"
    if "@" in text.partition("://")[2].partition("/")[0]:
        raise Invalid(
            "This address has a name or a password in it, before the @. It would stand in"
            " settings.json for everyone to read. Take it out; a key belongs into the field for"
            " it, which keeps it in the system's keyring."
        )
    try:
        parts = urlsplit(text)
        usable = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1)
    except ValueError:
        usable = False
    if not usable:
        raise Invalid(f"{url!r} is not the address of a server; write http://127.0.0.1:8080/v1.")
    return text.partition("?")[0].rstrip("/")


def openai_roots(url: str) -> tuple[str, ...]:
    """Where the API of an OpenAI-compatible server may lie, the likeliest first.

    `http://host`, `http://host/v1`, either with a slash at its end, and the address of one
    endpoint all come down to the same two. Raises `Invalid`.
    """
    base = _ENDPOINTS.sub("", normal(url)).rstrip("/")
    if _VERSION.search(base):
        return base, _VERSION.sub("", base)
    return f"{base}/v1", base


def server_root(url: str) -> str:
    """The address without the part that names an API's version. Raises `Invalid`."""
    return _VERSION.sub("", _ENDPOINTS.sub("", normal(url)).rstrip("/"))


def ollama_root(url: str) -> str:
    """Ollama's own address, also from that of its OpenAI-compatible side. Raises `Invalid`."""
    return server_root(url).removesuffix("/api")


def is_loopback(url: str) -> bool:
    """Whether the server is this computer, which no proxy should come between."""
    host = urlsplit(normal(url)).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
