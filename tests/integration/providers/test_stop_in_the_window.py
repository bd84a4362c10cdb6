"""Stop reaches the server from the loop that the window runs in: Qt's own, driven by qasync."""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import asyncio
from collections.abc import AsyncGenerator
from typing import cast

import pytest
from PySide6.QtWidgets import QApplication

from chatty_desktop.domain.requests import Delta
from chatty_desktop.ui.loop import Loop
from tests.helpers.servers import Answer, OllamaServer, OpenAIServer
from tests.integration.providers.conftest import answered, asking, provider_for


async def _stop_in_mid_answer(wire: type[OpenAIServer] | type[OllamaServer], how: str) -> None:
    async with wire(models=("small",)) as server:
        server.script(Answer(text=["more "] * 2000, delay=0.01))
        provider = provider_for(server)
        model = provider.chat_model("small")
        if how == "closed":
            stream = cast("AsyncGenerator[Delta, None]", model.stream(asking()))
            await anext(stream)
            await stream.aclose()
        else:
            task = asyncio.create_task(answered(model))
            await server.received(chats=1)
            await asyncio.sleep(0.05)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        await server.chats[0].left.wait()
        assert (await answered(model)).finish == "stop"
        await provider.close()


async def _stop_in_every_way() -> None:
    for wire in (OpenAIServer, OllamaServer):
        for how in ("closed", "cancelled"):
            await asyncio.wait_for(_stop_in_mid_answer(wire, how), 20)


def test_stopping_an_answer_closes_the_connection(qapp: QApplication) -> None:
    loop = Loop(qapp)
    try:
        loop.run_until_complete(_stop_in_every_way())
    finally:
        loop.close()
