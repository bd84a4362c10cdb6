"""A chat's document that was spoiled: it comes in so that all of it can be read, or not at all."""

from __future__ import annotations

import json
import random
from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.messages import Scope
from chatty_desktop.engine.exchange import ChatExchange
from chatty_desktop.storage.chat_documents import StoredChatDocuments
from tests.helpers.desk import STATE, Desk
from tests.helpers.diligent import Diligent, OneModel, order
from tests.helpers.spoiling import ODD, places

LAYERS = [STATE, {"kind": "semantic"}, {"kind": "summarized", "every": 2}]


@pytest_asyncio.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    desk = await Desk.open(tmp_path, OneModel(Diligent()), {"kind": "composite", "layers": LAYERS})
    yield desk
    await desk.close()


async def test_a_spoiled_document_is_read_whole_or_leaves_nothing(desk: Desk) -> None:
    for number in range(4):
        await desk.say(order("goal", f"v{number}"))
    exchange = ChatExchange(StoredChatDocuments(desk.database), desk.agents, desk.bus.publish)
    good = await exchange.text(desk.session.id, "json")
    chance = random.Random(7)
    taken = 0
    for _ in range(150):
        value = json.loads(good)
        for _ in range(chance.randint(1, 2)):
            holder, key = chance.choice(places(value))
            if chance.random() < 0.2:
                del holder[key]
            else:
                holder[key] = chance.choice(ODD)
        before = len(await desk.sessions.list())
        try:
            incoming = await exchange.read([json.dumps(value)])
            session = await exchange.add_document(incoming.documents[0])
        except (Invalid, IndexError) as problem:
            assert str(problem)  # noqa: PT017
            assert len(await desk.sessions.list()) == before
            continue
        taken += 1
        await exchange.text(session.id, "md")
        await exchange.text(session.id, "html")
        messages = await desk.messages.branch(session.id)
        await desk.memories.inspect(Scope(desk.agent.id, session.id))
        for message in messages:
            await desk.runs.request_of(message.run_id)
    assert taken > 30
