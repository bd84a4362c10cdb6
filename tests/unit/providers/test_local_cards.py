"""What the local engine's provider tells of model files, without loading them."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatty_desktop.domain.models import ModelCard
from chatty_desktop.domain.settings import ProviderSettings
from chatty_desktop.paths import Paths
from chatty_desktop.providers.llama_cpp import LlamaCppProvider
from tests.helpers.gguf import CHAT, EMBEDDER, write_model

pytest.importorskip("xllamacpp")


@pytest.fixture
def local(tmp_path: Path) -> LlamaCppProvider:
    """A provider of a model that chats, one that embeds, a broken file and one that is gone."""
    paths = Paths(tmp_path)
    paths.create()
    write_model(paths.models / "tiny.gguf", CHAT)
    write_model(paths.models / "embedder.gguf", EMBEDDER)
    (paths.models / "broken.gguf").write_bytes(b"no model")
    entry = ProviderSettings.model_validate(
        {
            "id": "local",
            "kind": "llama_cpp",
            "models": ["tiny.gguf", "embedder.gguf", "broken.gguf", "gone.gguf"],
            "context_length": 4096,
            "model_options": {"embedder.gguf": {"context_length": 512}},
        }
    )
    return LlamaCppProvider(entry, paths, lambda event: None)


async def test_the_list_tells_size_and_context_of_files_that_are_there(
    local: LlamaCppProvider, tmp_path: Path
) -> None:
    cards = await local.cards()
    size = (tmp_path / "models" / "tiny.gguf").stat().st_size
    assert [(card.name, card.context_length) for card in cards] == [
        ("tiny.gguf", 4096),
        ("embedder.gguf", 512),
        ("broken.gguf", 4096),
    ]
    assert cards[0].size == size


async def test_a_file_says_what_it_is_made_for(local: LlamaCppProvider) -> None:
    chats = await local.card("tiny.gguf")
    assert (chats.embeds, chats.longest_context, chats.parameters) == (False, 32768, "0.5B")
    assert chats.json_schema is True, "the engine holds any model to a form"
    embeds = await local.card("embedder.gguf")
    assert (embeds.embeds, embeds.longest_context, embeds.json_schema) == (True, 2048, None)


async def test_of_a_broken_file_and_one_that_is_gone_nothing_is_claimed(
    local: LlamaCppProvider,
) -> None:
    broken = await local.card("broken.gguf")
    assert (broken.embeds, broken.json_schema) == (None, None)
    gone = await local.card("gone.gguf")
    # That no model of this engine sees images is no claim about the file.
    assert gone == ModelCard("gone.gguf", context_length=4096, vision=False)
