"""Models that answer from a script: real classes behind the engine's own ports."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Sequence
from typing import Any

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.requests import ChatRequest, Delta, ModelChoice, Usage
from chatty_desktop.engine.ports import ChatModel

Script = str | Exception | Sequence[Delta] | Sequence[dict[str, Any]]


class ScriptedModel:
    """A chat model. Requests with a schema are folds and take the next of `folds`, the others
    the next of `answers`; an exhausted script says "OK." and changes nothing.

    `gate` holds chats back and `fold_gate` folds until they are set; `requests` keeps what came.
    `passed_on` is how many pieces of the newest answer were taken.
    """

    def __init__(
        self,
        reference: str = "test/small",
        context: int | None = 8192,
        prompt_tokens: int | None = 11,
    ) -> None:
        self.reference = reference
        self.context = context
        self.usage = Usage(prompt_tokens, 7)
        self.answers: deque[Script] = deque()
        self.folds: deque[Script] = deque()
        self.requests: list[ChatRequest] = []
        self.gate = asyncio.Event()
        self.fold_gate = asyncio.Event()
        self.gate.set()
        self.fold_gate.set()
        self.closed = 0
        self.passed_on = 0
        self.constrains = True

    @property
    def chats(self) -> list[ChatRequest]:
        return [request for request in self.requests if not _is_fold(request)]

    @property
    def fold_requests(self) -> list[ChatRequest]:
        return [request for request in self.requests if _is_fold(request)]

    async def sees_images(self) -> bool | None:
        return None

    async def context_length(self) -> int | None:
        return self.context

    async def stream(self, request: ChatRequest) -> AsyncIterator[Delta]:
        self.requests.append(request)
        fold = _is_fold(request)
        script = self.folds if fold else self.answers
        await (self.fold_gate if fold else self.gate).wait()
        item: Script = script.popleft() if script else ([] if fold else "OK.")
        try:
            if isinstance(item, Exception):
                raise item
            for number, delta in enumerate(_deltas(item, self.usage), 1):
                self.passed_on = number
                yield delta
                await asyncio.sleep(0)
        finally:
            self.closed += 1


class ScriptedModels:
    """`ports.Models` over scripted models, by reference; the first one is the fallback."""

    def __init__(self, *models: ScriptedModel) -> None:
        self.models = {model.reference: model for model in models}

    def chat_model(self, reference: str) -> ChatModel:
        if reference not in self.models:
            raise Invalid(f"No provider of the settings has {reference}.")
        return self.models[reference]

    def registered(self, reference: str) -> bool:
        return reference in self.models

    async def first_available(self) -> str | None:
        return next(iter(self.models), None)

    async def choices(self) -> tuple[list[ModelChoice], list[str]]:
        return [ModelChoice(name, name, "test", "openai") for name in self.models], []


def _is_fold(request: ChatRequest) -> bool:
    return request.temperature == 0.0


def _deltas(item: Any, usage: Usage) -> list[Delta]:
    if isinstance(item, str):
        text = item
    elif all(isinstance(part, Delta) for part in item) and item:
        return list(item)
    else:
        text = json.dumps({"changes": list(item)}, ensure_ascii=False)
    half = len(text) // 2
    return [Delta(text[:half]), Delta(text[half:]), Delta(finish="stop", usage=usage)]
