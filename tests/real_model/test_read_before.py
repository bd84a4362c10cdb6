"""What an engine has read of the app's own prompts is not read again by the next one."""

from __future__ import annotations

import hashlib
import struct
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from chatty_desktop.domain.requests import ChatMessage, ChatRequest
from chatty_desktop.domain.settings import ProviderSettings
from chatty_desktop.paths import Paths
from chatty_desktop.providers.llama_cpp import LlamaCppProvider
from chatty_desktop.providers.local_engine import EngineSettings, LocalEngine
from chatty_desktop.providers.read_before import ReadBefore
from tests.helpers.waiting import until
from tests.real_model.asking import answered, engines

OWN = (
    ChatMessage("system", "You note what changes. " + "Keep it short. " * 20),
    ChatMessage("user", "I moved to Rome."),
    ChatMessage("assistant", "city: Rome"),
)
QUESTION = ChatMessage("user", "The secret word is xylophone.")


@pytest.fixture
def settings(tmp_path: Path, starter_file: Path) -> EngineSettings:
    return EngineSettings(starter_file, 1024, tmp_path / "log", prompts=tmp_path / "read")


async def asked(engine: LocalEngine, *messages: ChatMessage) -> dict[str, int]:
    """How many tokens of a question were known (`cache_n`), and how many read (`prompt_n`)."""
    body = {"messages": [{"role": m.role, "content": m.content} for m in messages]}
    headers = {"Authorization": f"Bearer {engine.key}"}
    async with httpx.AsyncClient(timeout=120, trust_env=False) as client:
        url = f"{engine.address}/v1/chat/completions"
        answer = await client.post(url, json={**body, "max_tokens": 1}, headers=headers)
    timings = answer.raise_for_status().json()["timings"]
    return {name: int(timings[name]) for name in ("cache_n", "prompt_n")}


def tokens_in(file: Path) -> int:
    """How many tokens a file of what was read holds."""
    _magic, _version, count = struct.unpack("<III", file.read_bytes()[:12])
    return int(count)


async def test_the_next_engine_knows_the_own_words_also_after_a_chat(
    settings: EngineSettings,
) -> None:
    read = ReadBefore(settings.prompts or Path())
    engine = await LocalEngine.start(settings)
    assert not await read.restore(engine)
    whole = await asked(engine, *OWN, QUESTION)
    await read.keep(engine, OWN)
    await engine.stop()
    (file,) = read.folder.iterdir()
    # Of the question nothing is in it: only what stands before it.
    own = tokens_in(file)
    assert own < whole["prompt_n"] - 8
    engine = await LocalEngine.start(settings)
    try:
        assert await read.restore(engine)
        await asked(engine, ChatMessage("user", "Hello!"))
        again = await asked(engine, *OWN, QUESTION)
        assert again["cache_n"] >= own - 4 and again["prompt_n"] < 30
        before = file.stat().st_mtime_ns
        await read.keep(engine, OWN)
        assert list(read.folder.iterdir()) == [file] and file.stat().st_mtime_ns == before
    finally:
        await engine.stop()


async def test_a_broken_file_and_another_context_are_read_anew(settings: EngineSettings) -> None:
    read = ReadBefore(settings.prompts or Path())
    engine = await LocalEngine.start(settings)
    await asked(engine, *OWN, QUESTION)
    await read.keep(engine, OWN)
    await engine.stop()
    (file,) = read.folder.iterdir()
    for other, damaged in ((replace(settings, context_length=2048), False), (settings, True)):
        if damaged:
            file.write_bytes(file.read_bytes()[:-5000])
        engine = await LocalEngine.start(other)
        try:
            assert not await read.restore(engine)
            assert (await asked(engine, *OWN, QUESTION))["cache_n"] == 0
        finally:
            await engine.stop()
        assert file.exists() is not damaged


async def test_an_engine_that_ends_over_a_file_is_started_again_without_it(
    paths: Paths,
) -> None:
    entry = ProviderSettings(id="local", kind="llama_cpp", models=("starter",), context_length=1024)
    provider = LlamaCppProvider(entry, paths, lambda event: None)
    request = ChatRequest((*OWN, QUESTION), temperature=0.0, max_tokens=2, own_turns=3)
    try:
        model = provider.chat_model("starter")
        await answered(model, request)
        await until(lambda: list(paths.read_before.glob("*.read")))
        await until(lambda: provider.loaded()[0].state == "ready")
        await provider.unload("starter")
        (file,) = paths.read_before.iterdir()
        # Broken, yet named as if it were whole.
        broken = file.read_bytes()[:-5000]
        digest = hashlib.sha256(broken).hexdigest()[:16]
        file.unlink()
        name = f"{file.stem.rpartition('-')[0]}-{digest}.read"
        (paths.read_before / name).write_bytes(broken)
        text, _ = await answered(model, replace(request, own_turns=0))
        assert text and len(engines()) == 1
        assert list(paths.read_before.iterdir()) == []
    finally:
        await provider.close()


async def test_a_question_with_own_words_leaves_them_for_the_next_engine(paths: Paths) -> None:
    entry = ProviderSettings(id="local", kind="llama_cpp", models=("starter",), context_length=1024)
    provider = LlamaCppProvider(entry, paths, lambda event: None)
    try:
        model = provider.chat_model("starter")
        request = ChatRequest((*OWN, QUESTION), temperature=0.0, max_tokens=2, own_turns=3)
        await answered(model, replace(request, own_turns=0))
        assert not paths.read_before.exists()
        await answered(model, request)
        await until(lambda: list(paths.read_before.glob("*.read")))
        await until(lambda: provider.loaded()[0].state == "ready")
        assert len(list(paths.read_before.iterdir())) == 1
    finally:
        await provider.close()
    assert engines() == []


async def test_an_end_right_after_the_question_waits_for_what_was_read(paths: Paths) -> None:
    entry = ProviderSettings(id="local", kind="llama_cpp", models=("starter",), context_length=1024)
    provider = LlamaCppProvider(entry, paths, lambda event: None, finish_seconds=100)
    request = ChatRequest((*OWN, QUESTION), temperature=0.0, max_tokens=2, own_turns=3)
    await answered(provider.chat_model("starter"), request)
    await provider.close()
    assert len(list(paths.read_before.glob("*.read"))) == 1
    assert engines() == []
