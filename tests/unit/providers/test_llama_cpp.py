"""Which local models there are, and what is said of those that are not; no engine is started."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatty_desktop.domain.errors import Unreachable
from chatty_desktop.domain.requests import ChatMessage, ChatRequest
from chatty_desktop.domain.settings import ProviderSettings
from chatty_desktop.paths import Paths
from chatty_desktop.providers.llama_cpp import LlamaCppProvider
from chatty_desktop.providers.starter import STARTER, StarterModel

pytest.importorskip("xllamacpp")


def provider(tmp_path: Path, *models: str, starter_parts: int = 0) -> LlamaCppProvider:
    paths = Paths(tmp_path)
    paths.create()
    parts = [tmp_path / f"{number}.bin" for number in range(starter_parts)]
    return LlamaCppProvider(
        ProviderSettings(id="local", kind="llama_cpp", models=models),
        paths,
        lambda event: None,
        starter=StarterModel(
            paths.models, lambda event: None, reference="local/starter", find_parts=lambda: parts
        ),
    )


async def ask(model_of: LlamaCppProvider, name: str) -> None:
    request = ChatRequest((ChatMessage("user", "Hello?"),))
    async for _ in model_of.chat_model(name).stream(request):
        pass


async def test_models_whose_files_are_there_are_listed(tmp_path: Path) -> None:
    there = tmp_path / "there.gguf"
    there.write_bytes(b"GGUF")
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "dropped-in.gguf").write_bytes(b"GGUF")
    local = provider(tmp_path, str(there), "gone.gguf", "dropped-in.gguf")
    assert await local.listed() == [str(there), "dropped-in.gguf"]
    assert local.chat_model(str(there)).reference == f"local/{there}"


async def test_the_starter_model_is_listed_once_all_its_parts_are_installed(tmp_path: Path) -> None:
    assert await provider(tmp_path, starter_parts=STARTER.parts - 1).listed() == []
    assert await provider(tmp_path, starter_parts=STARTER.parts).listed() == ["starter"]


async def test_a_starter_model_that_is_not_installed_is_unreachable(tmp_path: Path) -> None:
    with pytest.raises(Unreachable, match="make run") as failure:
        await ask(provider(tmp_path, "starter"), "starter")
    assert failure.value.cause == "missing"


async def test_a_file_that_is_not_there_is_unreachable(tmp_path: Path) -> None:
    with pytest.raises(Unreachable, match=r"gone\.gguf is not there") as failure:
        await ask(provider(tmp_path, "/nowhere/gone.gguf"), "/nowhere/gone.gguf")
    assert failure.value.cause == "missing"


async def test_a_closed_provider_starts_nothing(tmp_path: Path) -> None:
    file = tmp_path / "m.gguf"
    file.write_bytes(b"GGUF")
    local = provider(tmp_path, str(file))
    await local.close()
    with pytest.raises(Unreachable, match="shut down"):
        await ask(local, str(file))
