"""Why no connection came about, from what the HTTP libraries raise."""

from __future__ import annotations

import errno
import socket
import ssl
from dataclasses import dataclass
from typing import Literal

CauseKind = Literal[
    "refused",
    "unknown_name",
    "no_route",
    "silent",
    "certificate",
    "not_tls",
    "no_http",
    "proxy",
    "other",
]

_NO_ROUTE = (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EHOSTDOWN)
_BROKEN = ("RemoteProtocolError", "ReadError", "WriteError", "CloseError")
_LONGEST = 300


@dataclass(frozen=True, slots=True)
class Cause:
    """A reason as the second half of a sentence, and what to do about it ("" where that depends
    on the kind of server)."""

    kind: CauseKind
    words: str
    advice: str = ""


def cause_of(error: BaseException) -> Cause:
    """The cause under an error of an HTTP library. Those wrap what the system said, and say
    "All connection attempts failed" themselves."""
    chain = _chain(error)
    for inner in reversed(chain):
        if (cause := _known(inner)) is not None:
            return cause
    names = [type(inner).__name__ for inner in chain]
    if "ProxyError" in names:
        return Cause(
            "proxy",
            f"the proxy of this computer's network did not let it through ({_text(chain)})",
            "Check the proxy's settings, or name the host in NO_PROXY.",
        )
    if any(name in _BROKEN for name in names):
        return Cause(
            "no_http",
            "what listens there broke off without an answer",
            "Check the port, and whether the address begins with https://.",
        )
    return Cause("other", _text(chain))


def _known(error: BaseException) -> Cause | None:
    if isinstance(error, ssl.SSLCertVerificationError):
        return Cause(
            "certificate",
            f"its certificate is not one that is trusted here ({error.verify_message})",
            "Give the server a certificate that is; name the file of its own authority in the"
            " environment variable SSL_CERT_FILE; or write http:// where the network is your own.",
        )
    if isinstance(error, ssl.SSLError):
        return Cause(
            "not_tls",
            "it does not speak https on that port",
            "Write http:// in place of https://, or another port.",
        )
    if isinstance(error, socket.gaierror):
        return Cause(
            "unknown_name",
            "no computer of that name is known",
            "Check the spelling of the address, and whether this computer is online.",
        )
    if isinstance(error, ConnectionRefusedError):
        return Cause("refused", "the connection was refused; no program listens on that port")
    if isinstance(error, OSError) and error.errno in _NO_ROUTE:
        return Cause(
            "no_route",
            "no way leads to that computer",
            "Check the address, and whether both computers are in the same network.",
        )
    if type(error).__name__ == "ConnectTimeout":
        return Cause(
            "silent",
            "nothing answers at that address",
            "Check the address and the port; a firewall may stand between.",
        )
    return None


def _chain(error: BaseException) -> list[BaseException]:
    """The error and what caused it, the innermost last; the first of several at once."""
    seen = [error]
    while True:
        last = seen[-1]
        inner = last.__cause__ or last.__context__
        if isinstance(last, BaseExceptionGroup):
            inner = last.exceptions[0]
        if inner is None or inner in seen:
            return seen
        seen.append(inner)


def _text(chain: list[BaseException]) -> str:
    """The innermost words there are, which say more than "Connection error."."""
    for error in reversed(chain):
        if text := " ".join(str(error).split()):
            return text[:_LONGEST].rstrip(".")
    return type(chain[0]).__name__
