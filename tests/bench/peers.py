"""What a turn costs in the memory of other libraries, beside ours: the extra `bench` brings them.

Theirs is memory alone: a message in, the messages of a request out, the reply in. Ours is the
request alone, since a whole turn, with runs, ledger and all that is stored, is measured by itself.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Awaitable, Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from chatty_desktop.engine.prompt import build_prompt
from tests.bench.engine import desk_with
from tests.bench.filled import WORDS
from tests.bench.table import Measured
from tests.helpers.filled import message

STORED = 10_000
TURNS = 60
LAST = 20
"""How many messages a window sends."""


async def requests() -> list[Measured]:
    """Building a request from 10,000 stored messages: ours, and theirs where installed."""
    rows = [await _prompt({"kind": "window"}), await _prompt({"kind": "full_transcript"})]
    if find_spec("langchain_core"):
        rows += [await _langchain(LAST), await _langchain(None)]
    if find_spec("llama_index"):
        rows += [await _llama_index(LAST), await _llama_index(None)]
    return rows


async def _prompt(strategy: dict[str, Any]) -> Measured:
    async with desk_with(strategy) as (desk, _):
        memory = desk.memories.of(desk.agent, desk.scope, "", only_looks=True)

        async def turn(number: int) -> int:
            incoming = message("s0", STORED, desk.agent.id, f"message {number}")
            prompt = build_prompt("Be kind.", await memory.recall(incoming), incoming)
            return len(prompt.messages())

        return await _measured(f"chatty-desktop, {strategy['kind']}", turn)


async def _langchain(last: int | None) -> Measured:
    from langchain_core.chat_history import InMemoryChatMessageHistory
    from langchain_core.messages import (
        AIMessage,
        HumanMessage,
        SystemMessage,
        convert_to_openai_messages,
        trim_messages,
    )

    history = InMemoryChatMessageHistory()
    for number in range(STORED):
        kind = AIMessage if number % 2 else HumanMessage
        history.add_message(kind(_text(number)))

    async def turn(number: int) -> int:
        await history.aadd_messages([HumanMessage(f"message {number}")])
        said = [SystemMessage("Be kind."), *await history.aget_messages()]
        if last is not None:
            said = trim_messages(
                said, max_tokens=last + 1, token_counter=len, strategy="last", include_system=True
            )
        await history.aadd_messages([AIMessage("So it is.")])
        return len(convert_to_openai_messages(said))

    what = "langchain-core, in memory, " + ("full history" if last is None else f"last {last}")
    return await _measured(what, turn)


async def _llama_index(last: int | None) -> Measured:
    # It would fetch a tokenizer, and word lists, from the network.
    os.environ.setdefault("NLTK_DATA", tempfile.gettempdir())
    from llama_index.core.base.llms.types import ChatMessage
    from llama_index.core.memory import Memory

    with tempfile.TemporaryDirectory() as folder:
        words = sum(len(_text(number).split()) for number in range(STORED)) // STORED
        memory = Memory.from_defaults(
            session_id="one",
            token_limit=10_000_000 if last is None else int(last * words / 0.7),
            tokenizer_fn=str.split,
            async_database_uri=f"sqlite+aiosqlite:///{Path(folder) / 'peer.db'}",
        )
        await memory.aput_messages(
            [
                ChatMessage(role="assistant" if number % 2 else "user", content=_text(number))
                for number in range(STORED)
            ]
        )

        async def turn(number: int) -> int:
            await memory.aput(ChatMessage(role="user", content=f"message {number}"))
            said = await memory.aget()
            await memory.aput(ChatMessage(role="assistant", content="So it is."))
            return len(said)

        what = "llama-index-core, SQLite, " + ("full history" if last is None else f"last {last}")
        return await _measured(what, turn)


async def _measured(who: str, turn: Callable[[int], Awaitable[int]]) -> Measured:
    assert await turn(-1) > 1, f"{who}: the request holds nothing that was said"
    spent = []
    for number in range(TURNS):
        begun = time.perf_counter()
        await turn(number)
        spent.append((time.perf_counter() - begun) * 1000)
    return Measured(f"a request from 10,000 messages: {who}", "ms", tuple(spent))


def _text(number: int) -> str:
    return " ".join(WORDS[(number * 7 + at) % len(WORDS)] for at in range(12))
