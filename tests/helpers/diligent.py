"""A model that does what memory asks of it, so that memory can be held against what was said."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator

from chatty_desktop.domain.requests import ChatRequest, Delta, Usage
from chatty_desktop.engine.ports import ChatModel
from tests.helpers.scripted import ScriptedModels

_ORDER = re.compile(r"Set (\w+) to (\w+)\.")


def order(key: str, value: str) -> str:
    """A message that tells one thing."""
    return f"Set {key} to {value}."


class Diligent:
    """A chat model that answers every message alike, and takes the orders in the messages it is
    shown into the state, the facts or the summary it is asked for. `gate` holds answers back
    after their first words."""

    reference = "test/small"

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.gate.set()
        self.failure: Exception | None = None

    async def sees_images(self) -> bool | None:
        return None

    async def context_length(self) -> int | None:
        return 100_000

    async def stream(self, request: ChatRequest) -> AsyncIterator[Delta]:
        asked = request.messages[-1]
        if request.temperature != 0.0:
            if self.failure is not None:
                raise self.failure
            # An answer that is gone on with ends as it would have ended at once.
            if asked.role != "assistant":
                yield Delta("It is ")
            await self.gate.wait()
            yield Delta("noted.")
        else:
            yield Delta(taken_in(json.dumps(request.json_schema or {}), asked.content))
        yield Delta(finish="stop", usage=Usage(11, 7))


class OneModel(ScriptedModels):
    """`ports.Models`: whatever is asked for is this model."""

    def __init__(self, model: ChatModel) -> None:
        super().__init__()
        self.model = model

    def chat_model(self, reference: str) -> ChatModel:
        return self.model

    def registered(self, reference: str) -> bool:
        return True

    async def first_available(self) -> str | None:
        return self.model.reference


def taken_in(schema: str, question: str) -> str:
    """The orders in a question, as the schema wants them."""
    orders = list(dict.fromkeys(_ORDER.findall(question)))
    if '"facts"' in schema:
        facts = [{"subject": key, "fact": order(key, value)} for key, value in orders]
        return json.dumps({"facts": facts})
    if '"changes"' in schema:
        return json.dumps({"changes": [{"key": k, "value": v} for k, v in dict(orders).items()]})
    return " ".join(order(key, value) for key, value in orders)
