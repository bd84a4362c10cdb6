"""The local engine for real: it answers, it stops, it needs its key, it leaves no one behind."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path
from typing import cast

import httpx
import psutil
import pytest

from chatty_desktop.domain.errors import Refused, Unreachable
from chatty_desktop.domain.events import Event, ModelProgress, Notice
from chatty_desktop.domain.requests import Delta
from chatty_desktop.domain.settings import ProviderSettings
from chatty_desktop.engine.ports import ChatModel
from chatty_desktop.paths import Paths
from chatty_desktop.providers.llama_cpp import LlamaCppProvider
from chatty_desktop.providers.local_engine import EngineSettings, LocalEngine
from tests.real_model.asking import answered, asking, endless, engines

LOCAL = ProviderSettings(id="local", kind="llama_cpp", models=("starter",), context_length=2048)


@pytest.fixture
def events() -> list[Event]:
    return []


@pytest.fixture
async def provider(paths: Paths, events: list[Event]) -> AsyncIterator[LlamaCppProvider]:
    made = LlamaCppProvider(LOCAL, paths, events.append)
    yield made
    await made.close()


@pytest.fixture
def model(provider: LlamaCppProvider) -> ChatModel:
    return provider.chat_model("starter")


async def test_the_starter_model_answers_in_pieces_with_usage(
    model: ChatModel, events: list[Event]
) -> None:
    text, deltas = await answered(model, asking("What is the capital of France?", max_tokens=40))
    assert "Paris" in text
    assert len([delta for delta in deltas if delta.text]) > 1
    last = deltas[-1]
    assert last.finish in ("stop", "length")
    assert last.usage is not None
    assert last.usage.prompt_tokens and last.usage.completion_tokens
    progress = [event for event in events if isinstance(event, ModelProgress)]
    assert any("Loading" in event.text for event in progress) and progress[-1].text == ""


async def test_a_schema_holds_the_answer_to_its_form(model: ChatModel) -> None:
    schema = {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
        "additionalProperties": False,
    }
    text, _ = await answered(
        model, asking("Name a city in Japan.", json_schema=schema, max_tokens=60)
    )
    assert set(json.loads(text)) == {"city"}


async def test_nothing_is_started_before_the_first_request(provider: LlamaCppProvider) -> None:
    assert await provider.listed() == ["starter"]
    assert await provider.chat_model("starter").context_length() == 2048
    assert engines() == []


async def test_stop_frees_the_engine_for_the_next_answer(
    provider: LlamaCppProvider, model: ChatModel
) -> None:
    stream = cast("AsyncGenerator[Delta, None]", model.stream(endless()))
    assert (await anext(stream)).text
    await stream.aclose()
    text, _ = await answered(model, asking("Say hello.", max_tokens=5))
    assert text
    assert len(engines()) == 1


async def test_several_requests_at_once_start_one_engine(model: ChatModel) -> None:
    requests = [asking(f"Say the number {i}.", max_tokens=8) for i in range(3)]
    replies = await asyncio.gather(*(answered(model, request) for request in requests))
    assert all(text for text, _ in replies)
    assert len(engines()) == 1


async def test_the_engine_serves_this_computer_alone_and_only_with_the_key(
    tmp_path: Path, starter_file: Path
) -> None:
    engine = await LocalEngine.start(EngineSettings(starter_file, 512, tmp_path / "log"))
    try:
        assert engine.address.startswith("http://127.0.0.1:")
        assert engine.key not in " ".join(psutil.Process(engine.process_id).cmdline())
        async with httpx.AsyncClient(base_url=engine.address, trust_env=False) as client:
            body = {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 1}
            for headers in ({}, {"Authorization": "Bearer guess"}):
                for path in ("/v1/chat/completions", "/completion"):
                    refused = await client.post(path, json=body, headers=headers)
                    assert refused.status_code == 401
            right = {"Authorization": f"Bearer {engine.key}"}
            served = await client.post("/v1/chat/completions", json=body, headers=right)
            assert served.status_code == 200
        listening = psutil.Process(engine.process_id).net_connections("tcp")
        assert {c.laddr.ip for c in listening if c.status == psutil.CONN_LISTEN} == {"127.0.0.1"}
    finally:
        await engine.stop()
    assert engines() == []


async def test_a_crashed_engine_is_restarted_with_a_notice(
    model: ChatModel, events: list[Event]
) -> None:
    await answered(model, asking("Say hello.", max_tokens=3))
    (engine,) = engines()
    engine.send_signal(signal.SIGSEGV)
    text, _ = await answered(model, asking("Say hello.", max_tokens=3))
    assert text
    notices = [event.text for event in events if isinstance(event, Notice)]
    assert notices == ["The local engine stopped unexpectedly; it was restarted."]
    assert engine.pid not in [running.pid for running in engines()]


async def test_a_crash_in_mid_answer_is_unreachable_after_what_came(model: ChatModel) -> None:
    stream = model.stream(endless())
    assert (await anext(stream)).text
    (engine,) = engines()
    engine.kill()

    async def rest() -> None:
        async for _ in stream:
            pass

    with pytest.raises(Unreachable, match="stopped in mid-answer"):
        await rest()


async def test_an_engine_that_keeps_crashing_is_given_up_and_tried_again_later(
    model: ChatModel,
) -> None:
    await answered(model, asking("Say hello.", max_tokens=1))
    for _ in range(2):
        engines()[0].kill()
        stream = cast("AsyncGenerator[Delta, None]", model.stream(endless()))
        assert (await anext(stream)).text
        await stream.aclose()
    engines()[0].kill()
    with pytest.raises(Unreachable, match="3 times in a row"):
        await answered(model, asking("Say hello.", max_tokens=1))
    text, _ = await answered(model, asking("Say hello.", max_tokens=3))
    assert text


async def test_another_model_takes_the_place_of_the_first(
    provider: LlamaCppProvider, paths: Paths, starter_file: Path
) -> None:
    other = paths.data / "other.gguf"
    other.symlink_to(starter_file)
    await answered(provider.chat_model("starter"), asking("Say hello.", max_tokens=2))
    (first,) = engines()
    text, _ = await answered(provider.chat_model(str(other)), asking("Say hello.", max_tokens=3))
    assert text
    (second,) = engines()
    assert second.pid != first.pid


async def test_an_embedding_model_gets_an_engine_of_its_own_and_a_chat_model_is_refused_as_one(
    provider: LlamaCppProvider, model: ChatModel
) -> None:
    await answered(model, asking("Say yes.", max_tokens=5))
    with pytest.raises(Refused, match="ooling"):
        await provider.embed("starter", ["The cat sleeps."])
    assert len(engines()) == 2
    await answered(model, asking("Say yes.", max_tokens=5))
    await provider.close()
    assert engines() == []


async def test_cancelling_while_the_model_loads_leaves_no_process(model: ChatModel) -> None:
    task = asyncio.create_task(answered(model, asking("Say hello.")))
    while not engines():  # noqa: ASYNC110 — nothing tells of a process but the list of them
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert engines() == []


async def test_a_file_with_the_right_beginning_that_is_no_model_says_why(
    provider: LlamaCppProvider, paths: Paths
) -> None:
    broken = paths.data / "broken.gguf"
    broken.write_bytes(b"GGUF" + b"\x03\x00\x00\x00" + b"\xff" * 64)
    with pytest.raises(Unreachable, match=r"cannot load broken\.gguf") as failure:
        await answered(provider.chat_model(str(broken)), asking("Say hello."))
    assert "Choose another model" in str(failure.value)


PARENT = """
import asyncio, sys
from pathlib import Path
from chatty_desktop.providers.local_engine import EngineSettings, LocalEngine

async def main():
    settings = EngineSettings(Path(sys.argv[1]), 512, Path(sys.argv[2]))
    starting = asyncio.create_task(LocalEngine.start(settings))
    if sys.argv[3] == "loaded":
        await starting
    else:
        await asyncio.sleep(float(sys.argv[3]))
    print("started", flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel ends the engine on Linux alone")
@pytest.mark.parametrize("when", ["loaded", "0.3", "0.8"])
async def test_killing_the_app_leaves_no_engine_behind_even_while_a_model_loads(
    tmp_path: Path, starter_file: Path, when: str
) -> None:
    command = [sys.executable, "-c", PARENT, str(starter_file), str(tmp_path / "log"), when]
    parent = await asyncio.create_subprocess_exec(
        *command,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert parent.stdout is not None
    await parent.stdout.readline()
    children = psutil.Process(parent.pid).children(recursive=True)
    assert children
    parent.kill()
    await parent.wait()
    gone, alive = await asyncio.to_thread(psutil.wait_procs, children, 10)
    assert (len(gone), alive) == (len(children), [])
