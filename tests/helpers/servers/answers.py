"""What a scripted server says, and the queues it takes it from."""

from __future__ import annotations

import asyncio
import json
import re
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.helpers.bag_of_words import bag_of_words
from tests.helpers.servers.http import LoopbackServer, Received

Changes = Sequence[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call; `arguments` is JSON text."""

    name: str
    arguments: str = "{}"
    id: str = "call_1"


@dataclass(frozen=True, slots=True)
class Answer:
    """One scripted answer. Text given as one string is streamed word by word, a sequence of
    strings piece by piece; reasoning comes before it.

    `delay` is seconds before each piece. `finish` None: the answer ends without a finish reason;
    `done` False: without the mark that ends the stream. `drop_after`: so many pieces are sent,
    then the connection is cut. `held`: nothing is sent, not even the head, before it is set;
    `held_after`: so many pieces are sent first. `prompt_tokens`, `completion_tokens`: what is
    reported instead of an honest count; `usage` False reports nothing. `raw`: this body and
    nothing else, in place of an answer. Any status but 200 is a failure with `message`.
    """

    text: str | Sequence[str] = ""
    reasoning: str | Sequence[str] = ""
    tool_calls: tuple[Call, ...] = ()
    finish: str | None = "stop"
    done: bool = True
    delay: float = 0.0
    drop_after: int | None = None
    held: asyncio.Event | None = None
    held_after: int = -1
    usage: bool = True
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    raw: bytes | None = None
    status: int = 200
    message: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    @classmethod
    def fail(cls, status: int, message: str = "", retry_after: float | None = None) -> Answer:
        """An error in the server's own words; `retry_after` in seconds becomes the header."""
        headers = {} if retry_after is None else {"Retry-After": f"{retry_after:g}"}
        return cls(status=status, message=message or f"scripted {status}", headers=headers)

    @classmethod
    def fold(cls, changes: Changes) -> Answer:
        """A fold's answer."""
        return cls(text=fold_reply(changes))

    def pieces(self) -> list[tuple[str, str]]:
        """(text, reasoning) of each piece, in order; one of the two is empty."""
        return [("", part) for part in _parts(self.reasoning)] + [
            (part, "") for part in _parts(self.text)
        ]

    async def hold_before(self, index: int) -> None:
        """Wait as scripted before the piece of that number; -1 is the head of the answer."""
        if self.held is not None and index == self.held_after:
            await self.held.wait()
        if index >= 0 and self.delay:
            await asyncio.sleep(self.delay)


Scripted = Answer | str | Callable[[Received], Answer]
"""An answer, its text alone, or a function that answers a request."""


def fold_reply(changes: Changes) -> str:
    """The text by which a model folds: `[{"key": K, "value": V} | {"key": K, "forget": True}]`."""
    return json.dumps({"changes": list(changes)}, ensure_ascii=False)


class ScriptedServer(LoopbackServer):
    """The two queues of answers and what both wires share.

    `models` are the names it lists. `key`: requests without it are answered 401.
    `context_length` is in tokens, None: not told.
    """

    def __init__(
        self,
        *,
        models: Sequence[str] = ("small",),
        key: str | None = None,
        port: int = 0,
        context_length: int | None = None,
    ) -> None:
        super().__init__(port)
        self.models = tuple(models)
        self.key = key
        self.context_length = context_length
        self.default: Scripted = "Hello from the scripted server."
        self.default_fold: Scripted = Answer.fold([])
        self.fold_mark = '"changes"'
        self.chats: list[Received] = []
        self.folds: list[Received] = []
        self._answers: deque[Scripted] = deque()
        self._fold_answers: deque[Scripted] = deque()
        self._arrived = asyncio.Event()
        self.dimension = 64
        self.embeddings: list[Received] = []
        self._embedding_answers: deque[Answer] = deque()

    def script(self, *answers: Scripted) -> None:
        """Put answers at the end of the chat's queue."""
        self._answers.extend(answers)

    def script_folds(self, *answers: Scripted | Changes) -> None:
        """Put answers at the end of the folds' queue; a list of changes will do."""
        for answer in answers:
            self._fold_answers.append(
                answer
                if isinstance(answer, (Answer, str)) or callable(answer)
                else Answer.fold(answer)
            )

    def script_embeddings(self, *answers: Answer) -> None:
        """Put failures at the end of the embeddings' queue; with none there, texts get vectors
        of `dimension` numbers that are near when they share words."""
        self._embedding_answers.extend(answers)

    def next_embedding(self, received: Received) -> Answer:
        """The answer to a request for vectors, taken from its queue."""
        self.embeddings.append(received)
        return self._embedding_answers.popleft() if self._embedding_answers else Answer()

    def vector(self, text: str) -> list[float]:
        """A vector of no particular length, so that a client has to normalise it."""
        return [3.0 * number for number in bag_of_words(text, self.dimension)]

    async def received(self, chats: int = 1, folds: int = 0) -> None:
        """Return once that many chats and folds have arrived in all."""
        while len(self.chats) < chats or len(self.folds) < folds:
            self._arrived.clear()
            await self._arrived.wait()

    def next_answer(self, received: Received, constrained: bool) -> Answer:
        """The answer to a chat request, taken from its queue."""
        is_fold = constrained or self.fold_mark in _words(received.body)
        (self.folds if is_fold else self.chats).append(received)
        self._arrived.set()
        queue = self._fold_answers if is_fold else self._answers
        scripted = queue.popleft() if queue else self.default_fold if is_fold else self.default
        if isinstance(scripted, str):
            return Answer(text=scripted)
        return scripted if isinstance(scripted, Answer) else scripted(received)

    def authorised(self, received: Received) -> bool:
        return self.key is None or received.headers.get("authorization") == f"Bearer {self.key}"

    def counts(self, received: Received, answer: Answer) -> tuple[int, int]:
        """(prompt, completion) tokens to report: what is scripted, else some honest count."""
        prompt = answer.prompt_tokens
        completion = answer.completion_tokens
        return (
            max(1, len(_words(received.body)) // 4) if prompt is None else prompt,
            len(answer.pieces()) if completion is None else completion,
        )


def _parts(text: str | Sequence[str]) -> list[str]:
    return re.findall(r"\s*\S+|\s+$", text) if isinstance(text, str) else list(text)


def _words(body: Any) -> str:
    """Everything the messages of a request say."""
    return "\n".join(str(message.get("content") or "") for message in body.get("messages", ()))
