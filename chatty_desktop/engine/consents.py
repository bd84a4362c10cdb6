"""Asking the person whether a call of a tool may run, and remembering what holds for a chat."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from chatty_desktop.domain.errors import Refused
from chatty_desktop.domain.events import ConsentSettled, ConsentWanted
from chatty_desktop.domain.ids import new_id
from chatty_desktop.domain.messages import Scope
from chatty_desktop.domain.tools import Consent, ToolUse
from chatty_desktop.engine.ports import Publish


@dataclass(frozen=True, slots=True)
class _Allowed:
    """What "allow for this chat" covers: one tool of one origin, for one agent in one chat."""

    scope: Scope
    source: str
    name: str


class PersonsConsents:
    """`ports.Consents` that asks by an event and waits for `answer`.

    Until `attend` says that somebody is there, as in a headless run, whatever would be asked is
    refused. What was allowed for a chat holds while the app runs.
    """

    def __init__(self, publish: Publish) -> None:
        self._publish = publish
        self._attended = False
        self._open: dict[str, tuple[ConsentWanted, asyncio.Future[Consent]]] = {}
        self._allowed: set[_Allowed] = set()

    def attend(self) -> None:
        """Somebody is there who sees the questions."""
        self._attended = True

    async def ask(self, use: ToolUse) -> Consent:
        """What the person says, however long it takes. Raises `Refused` where nobody is there."""
        if _covering(use) in self._allowed:
            return "chat"
        if not self._attended:
            raise Refused(
                f"{use.tool.name} runs only after a person has agreed, and nobody can be asked in"
                " a run without a window. The agent's settings can allow the tool for good."
            )
        wanted = ConsentWanted(new_id(), use)
        answer: asyncio.Future[Consent] = asyncio.get_running_loop().create_future()
        self._open[wanted.question_id] = wanted, answer
        self._publish(wanted)
        try:
            return await answer
        finally:
            del self._open[wanted.question_id]
            self._publish(ConsentSettled(wanted.question_id, use.scope.session_id))

    def answer(self, question_id: str, consent: Consent) -> None:
        """What the person said; does nothing when the question is no longer open. "chat" answers
        what else is open of the same tool there, too."""
        if question_id not in self._open:
            return
        wanted, answer = self._open[question_id]
        _say(answer, consent)
        if consent == "chat":
            covering = _covering(wanted.use)
            self._allowed.add(covering)
            for other, waiting in self._open.values():
                if _covering(other.use) == covering:
                    _say(waiting, consent)

    def sessions(self) -> frozenset[str]:
        """The chats in which a question is open."""
        return frozenset(wanted.use.scope.session_id for wanted in self.waiting())

    def waiting(self, session_id: str | None = None) -> tuple[ConsentWanted, ...]:
        """The open questions of a chat, or of all, oldest first."""
        return tuple(
            wanted
            for wanted, answer in self._open.values()
            if not answer.done() and session_id in (None, wanted.use.scope.session_id)
        )


def _say(answer: asyncio.Future[Consent], consent: Consent) -> None:
    if not answer.done():
        answer.set_result(consent)


def _covering(use: ToolUse) -> _Allowed:
    return _Allowed(use.scope, use.tool.source, use.tool.name)
