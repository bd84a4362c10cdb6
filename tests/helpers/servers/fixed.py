"""Servers that are no model server, or a broken one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.helpers.servers.http import LoopbackServer, Received, Reply


@dataclass(frozen=True, slots=True)
class Fixed:
    """A whole answer, as it is."""

    status: int = 200
    body: str = ""
    content_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)

    @classmethod
    def page(cls, title: str, status: int = 200) -> Fixed:
        """A web page."""
        text = f"<!doctype html><html><head><title>{title}</title></head><body>…</body></html>"
        return cls(status, text, "text/html; charset=utf-8")

    @classmethod
    def sent_on(cls, target: str, status: int = 307) -> Fixed:
        return cls(status, headers={"Location": target})


class FixedServer(LoopbackServer):
    """Answers every request by a rule; None is no answer at all, until the client leaves."""

    def __init__(self, rule: Fixed | Callable[[Received], Fixed | None] | None) -> None:
        super().__init__()
        self._rule = rule

    async def respond(self, received: Received, reply: Reply) -> None:
        answer = self._rule(received) if callable(self._rule) else self._rule
        if answer is None:
            await asyncio.Event().wait()
        else:
            body = answer.body.encode()
            await reply.whole(answer.status, body, answer.content_type, answer.headers)
