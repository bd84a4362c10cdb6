"""Keys in the entries of MCP servers: found, taken out, and put in again at the last moment.

In the settings a placeholder stands where the key was. What can be a key is judged by its name
(API_KEY, TOKEN, Authorization …) or by its own look (sk-…, ghp_…, a password in an address).
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from chatty_desktop.domain.errors import ChattyError, Invalid
from chatty_desktop.domain.keys import checked_key
from chatty_desktop.domain.mcp_settings import McpServer

_NAMES = re.compile(
    r"key|token|secret|passw|pwd|pass$|auth|credential|cookie|bearer|signature|dsn$|connection_?str",
    re.IGNORECASE,
)
_LOOKS = re.compile(
    r"\b(?:sk-|pk-|rk_|ghp_|gho_|ghs_|github_pat_|glpat-|xox[abpr]-|hf_|AKIA|AIza|ya29\.|npm_|pypi-)"
    r"[A-Za-z0-9_\-.]{8,}|\beyJ[A-Za-z0-9_\-]{10,}\.[A-Za-z0-9_\-.]+"
)
_SCHEME = re.compile(r"(?:Bearer|Basic|Token|ApiKey)\s+", re.IGNORECASE)
_QUERY = re.compile(r"(?<=[?&])([^=&#]+)=([^&#]+)")
_FLAG = re.compile(r"--?[A-Za-z][\w-]*")
_PLACEHOLDER = re.compile(r"\$\{keyring:([^}]+)\}|\$\{env:([^}]+)\}|\$\{([A-Za-z_]\w*)\}")
_WITH_PASSWORD = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/@:\s]*:[^/@\s]+@")
_WRAPPED = "b64:"

_Put = Callable[[str, str], str]
"""Keeps a key under a name; returns the placeholder."""


@dataclass(frozen=True, slots=True)
class Parted:
    """An entry without its keys, and the keys by the names of their placeholders."""

    server: McpServer
    keys: Mapping[str, str]


def looks_secret(name: str, value: str) -> bool:
    """Whether a value of an environment or a header is likely a key."""
    if not value or _PLACEHOLDER.search(value):
        return False
    return bool(_NAMES.search(name) or _LOOKS.search(value) or _password(value))


def parted(server_id: str, server: McpServer, marked: Collection[str] = ()) -> Parted:
    """Take out of an entry what looks like a key, and the variables and headers that the person
    has `marked` as ones."""
    keys: dict[str, str] = {}
    used = set(key_names(server))

    def put(name: str, value: str) -> str:
        place, number = f"mcp/{server_id}/{name}", 1
        while place in used:
            number += 1
            place = f"mcp/{server_id}/{name}-{number}"
        used.add(place)
        keys[place] = value
        return f"${{keyring:{place}}}"

    def value_of(name: str, value: str) -> str:
        if not value or _PLACEHOLDER.search(value):
            return value
        if name not in marked and not looks_secret(name, value):
            return value
        scheme = _SCHEME.match(value)
        kept = scheme.group() if scheme else ""
        return kept + put(name, value[len(kept) :])

    env = {name: value_of(name, value) for name, value in server.env.items()}
    headers = {name: value_of(name, value) for name, value in server.headers.items()}
    args = tuple(_without_keys(server.args, put))
    url = server.url and _address_without_keys(server.url, put)
    changed = {"env": env, "headers": headers, "args": args, "url": url}
    return Parted(server.model_copy(update=changed), keys)


def _without_keys(args: tuple[str, ...], put: _Put) -> Iterator[str]:
    """The arguments of a program: `--token x`, `--token=x`, and what looks like a key."""
    before = ""
    for number, arg in enumerate(args, 1):
        flag, equals, value = arg.partition("=")
        named = _FLAG.fullmatch(flag) and _NAMES.search(flag)
        if _PLACEHOLDER.search(arg):
            yield arg
        elif equals and value and named:
            yield f"{flag}={put(f'argument-{number}', value)}"
        elif (before and not arg.startswith("-")) or _password(arg):
            yield put(f"argument-{number}", arg)
        elif found := _LOOKS.search(arg):
            yield (
                arg[: found.start()] + put(f"argument-{number}", found.group()) + arg[found.end() :]
            )
        else:
            yield arg
        before = flag if named and not equals else ""


def _address_without_keys(url: str, put: _Put) -> str:
    if _PLACEHOLDER.search(url):
        return url
    if _password(url):
        return put("url", url)

    def query(found: re.Match[str]) -> str:
        name, value = found.group(1), found.group(2)
        return f"{name}={put(name, value)}" if looks_secret(name, value) else found.group()

    url = _QUERY.sub(query, url)
    return _LOOKS.sub(lambda found: put("url", found.group()), url)


def _password(value: str) -> bool:
    """Whether a text is an address with a password in it."""
    return _WITH_PASSWORD.search(value) is not None


def texts_of(server: McpServer) -> list[str]:
    """Every text of an entry that can hold a placeholder."""
    named = (server.command, server.cwd, server.url)
    return [
        *(text for text in named if text),
        *server.args,
        *server.env.values(),
        *server.headers.values(),
    ]


def key_names(server: McpServer) -> list[str]:
    """The names of the keys that an entry wants from the keyring, each once."""
    found = (m.group(1) for text in texts_of(server) for m in _PLACEHOLDER.finditer(text))
    return list(dict.fromkeys(name for name in found if name))


def filled(server: McpServer, keys: Mapping[str, str], environment: Mapping[str, str]) -> McpServer:
    """An entry with its placeholders filled in. Raises `Invalid` for one that nothing is known
    of, without a word of the others."""

    def fill(text: str) -> str:
        def value(found: re.Match[str]) -> str:
            stored, variable, bare = found.groups()
            if stored:
                if stored not in keys:
                    raise Invalid(
                        f"It needs a key that is not stored ({stored}). Edit the server and write"
                        " the key again."
                    )
                return keys[stored]
            name = variable or bare
            if name not in environment:
                raise Invalid(
                    f"It needs the environment variable {name}, which is not set. Set it before the"
                    " app starts, or edit the server and write the value."
                )
            return environment[name]

        return _PLACEHOLDER.sub(value, text)

    return server.model_copy(
        update={
            "command": server.command and fill(server.command),
            "args": tuple(fill(arg) for arg in server.args),
            "env": {name: fill(value) for name, value in server.env.items()},
            "cwd": server.cwd and fill(server.cwd),
            "url": server.url and fill(server.url),
            "headers": {name: fill(value) for name, value in server.headers.items()},
        }
    )


def wrapped(secret: str) -> str:
    """A secret as the keyring takes it, which wants no spaces and nothing but ASCII."""
    try:
        if checked_key(secret) == secret and not secret.startswith(_WRAPPED):
            return secret
    except ChattyError:
        pass
    return _WRAPPED + base64.b64encode(secret.encode()).decode()


def unwrapped(key: str) -> str:
    """The secret that `wrapped` made this of."""
    if not key.startswith(_WRAPPED):
        return key
    try:
        return base64.b64decode(key.removeprefix(_WRAPPED), validate=True).decode()
    except ValueError:
        return key
