"""The model files of this computer are found and described; a running Ollama too."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from chatty_desktop.domain.model_files import ModelFile
from chatty_desktop.providers.discovery import Discovery
from chatty_desktop.providers.downloads import Downloads
from chatty_desktop.providers.model_folders import known_folders
from tests.helpers.gguf import CHAT, EMBEDDER, header, write_model
from tests.helpers.servers import OllamaServer

DIGEST = "ab" * 32


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def models(tmp_path: Path) -> Path:
    return tmp_path / "models"


def discovery(home: Path, models: Path, **environment: str) -> Discovery:
    return Discovery(models, home=home, environment=environment, platform="linux")


async def found(home: Path, models: Path, **environment: str) -> dict[str, ModelFile]:
    files = await discovery(home, models, **environment).model_files()
    assert len({file.name for file in files}) == len(files)
    return {file.name: file for file in files}


def pulled(folder: Path, name: str, digest: str = DIGEST) -> Path:
    """A manifest of Ollama; returns where its blob belongs."""
    manifest = folder / "manifests" / name
    manifest.parent.mkdir(parents=True, exist_ok=True)
    layers = [
        {"mediaType": "application/vnd.ollama.image.model", "digest": f"sha256:{digest}"},
        {"mediaType": "application/vnd.ollama.image.template", "digest": "sha256:00"},
    ]
    manifest.write_text(json.dumps({"layers": layers}))
    return folder / "blobs" / f"sha256-{digest}"


async def test_a_model_that_chats_is_described(home: Path, models: Path) -> None:
    file = write_model(home / ".lmstudio/models/pub/repo/Tiny-0.5B-Q4_K_M.gguf", CHAT)
    tiny = (await found(home, models))["Tiny-0.5B-Q4_K_M"]
    assert tiny == ModelFile(
        path=str(file),
        name="Tiny-0.5B-Q4_K_M",
        size=file.stat().st_size,
        place="lm_studio",
        architecture="qwen2",
        parameters="0.5B",
        quantization="Q4_K_M",
        context_length=32768,
        has_chat_template=True,
    )
    assert tiny.chats


async def test_a_model_that_embeds_is_told_apart(home: Path, models: Path) -> None:
    write_model(home / ".local/share/nomic.ai/GPT4All/nomic.gguf", EMBEDDER)
    qwen = {
        "general.architecture": "qwen3",
        "qwen3.context_length": 1024,
        "qwen3.pooling_type": 3,
        "tokenizer.ggml.model": "gpt2",
    }
    write_model(home / ".cache/llama.cpp/Qwen3-Embedding-0.6B-Q8_0.gguf", qwen)
    files = await found(home, models)
    assert files["nomic"].embeds and files["nomic"].place == "gpt4all"
    assert files["nomic"].parameters == "0.1B"
    embedding = files["Qwen3-Embedding-0.6B-Q8_0"]
    assert embedding.embeds and not embedding.problem and not embedding.chats
    assert (embedding.parameters, embedding.quantization) == ("0.6B", "Q8_0")


async def test_a_model_of_ollama_has_the_name_of_its_manifest(home: Path, models: Path) -> None:
    folder = home / "somewhere"
    blob = write_model(pulled(folder, "registry.ollama.ai/library/qwen2.5/0.5b"), CHAT)
    pulled(folder, "registry.ollama.ai/library/gone/latest", "cd" * 32)
    (folder / "manifests/registry.ollama.ai/library/broken").write_text("{")
    write_model(
        pulled(home / ".ollama/models", "hf.co/maker/Tiny-GGUF/Q4_K_M", "ef" * 32), EMBEDDER
    )
    files = await found(home, models, OLLAMA_MODELS=str(folder))
    assert files.keys() == {"qwen2.5:0.5b", "hf.co/maker/Tiny-GGUF:Q4_K_M"}
    assert files["qwen2.5:0.5b"].path == str(blob)
    assert files["qwen2.5:0.5b"].place == "ollama"


async def test_a_manifest_cannot_name_a_file_elsewhere(home: Path, models: Path) -> None:
    write_model(home / "secret.gguf", CHAT)
    pulled(home / ".ollama/models", "registry.ollama.ai/library/odd/latest", "../../secret.gguf")
    assert await found(home, models) == {}


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
async def test_a_file_reached_in_two_ways_is_told_once(home: Path, models: Path) -> None:
    hub = home / "hf/hub/models--maker--Tiny"
    blob = write_model(hub / "blobs/1234", CHAT)
    snapshot = hub / "snapshots/main/tiny.gguf"
    snapshot.parent.mkdir(parents=True)
    snapshot.symlink_to(blob)
    write_model(home / "hf/hub/datasets--maker--texts/snapshots/main/data.gguf", CHAT)
    (models / "a").mkdir(parents=True)
    (models / "a/own.gguf").symlink_to(snapshot)
    (models / "a/round").symlink_to(models)
    (models / "a/nothing.gguf").symlink_to(home / "nothing")
    files = await found(home, models, HF_HOME=str(home / "hf"))
    assert files.keys() == {"own"}
    assert files["own"].place == "chatty"


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
async def test_a_file_without_a_name_is_adopted_under_that_of_its_model(
    home: Path, models: Path
) -> None:
    blob = write_model(
        pulled(home / ".ollama/models", "registry.ollama.ai/library/qwen2.5/0.5b"), CHAT
    )
    named = write_model(home / ".lmstudio/models/tiny.gguf", CHAT)
    downloads = Downloads(models, lambda _event: None)
    before = await found(home, models)
    name = await downloads.adopt(before["qwen2.5:0.5b"])
    assert name == "qwen2.5-0.5b.gguf"
    assert (models / name).resolve() == blob.resolve()
    assert await downloads.adopt(before["qwen2.5:0.5b"]) == name
    assert await downloads.adopt(before["tiny"]) == str(named)
    after = await found(home, models)
    assert after.keys() == {"qwen2.5-0.5b", "tiny"}
    assert after["qwen2.5-0.5b"].linked and after["qwen2.5-0.5b"].place == "chatty"
    assert await downloads.adopt(after["qwen2.5-0.5b"]) == name
    await downloads.delete_model(after["qwen2.5-0.5b"].path)
    assert blob.exists() and (await found(home, models)).keys() == before.keys()


async def test_a_model_in_parts_is_one_with_the_size_of_all(home: Path, models: Path) -> None:
    sizes = 0
    for number in (1, 2, 3):
        pairs = CHAT if number == 1 else {"split.no": number}
        sizes += write_model(models / f"big-0000{number}-of-00003.gguf", pairs).stat().st_size
    write_model(models / "half-00001-of-00002.gguf", CHAT)
    files = await found(home, models)
    assert files.keys() == {"big", "half"}
    assert files["big"].size == sizes and files["big"].problem == ""
    assert files["big"].path.endswith("big-00001-of-00003.gguf")
    assert "1 of its 2 files are missing" in files["half"].problem


@pytest.mark.parametrize(
    ("pairs", "problem"),
    [
        ({"general.architecture": "clip"}, "only goes with another model"),
        ({**CHAT, "general.type": "mmproj"}, "only goes with another model"),
        ({**CHAT, "general.type": "adapter"}, "not a model of its own"),
        ({**EMBEDDER, "nomic-bert.pooling_type": 4}, "only ranks"),
        ({"general.architecture": "flux"}, "not a model for text"),
        ({**CHAT, "general.architecture": "other"}, "not a model for text"),
        ({"general.architecture": "qwen2", "qwen2.context_length": 8}, "no vocabulary"),
    ],
)
async def test_what_is_nothing_to_chat_with_says_why(
    home: Path, models: Path, pairs: dict[str, object], problem: str
) -> None:
    write_model(models / "m.gguf", pairs)
    file = (await found(home, models))["m"]
    assert problem in file.problem
    assert not file.chats


async def test_a_broken_file_is_shown_with_what_is_wrong(home: Path, models: Path) -> None:
    write_model(models / "folder.gguf/cut.gguf", {}).write_bytes(header(CHAT)[:80])
    write_model(models / "notes.txt", CHAT)
    files = await found(home, models)
    assert files.keys() == {"cut"}
    assert files["cut"].problem == "The file is cut off in its first part. Get it again."


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes there")
async def test_a_pipe_that_looks_like_a_model_is_not_waited_for(home: Path, models: Path) -> None:
    write_model(models / "m.gguf", CHAT)
    os.mkfifo(models / "pipe.gguf")
    assert (await found(home, models)).keys() == {"m"}


async def test_a_file_that_changes_is_read_again(home: Path, models: Path) -> None:
    looking = discovery(home, models)
    file = write_model(models / "m.gguf", CHAT)
    assert [f.embeds for f in await looking.model_files()] == [False]
    write_model(file, EMBEDDER)
    assert [f.embeds for f in await looking.model_files()] == [True]
    file.unlink()
    assert await looking.model_files() == []


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_every_platform_has_folders_below_home(home: Path, platform: str) -> None:
    folders = known_folders(home, {}, platform)
    assert {place for place, _ in folders} == {
        "lm_studio",
        "hugging_face",
        "gpt4all",
        "llama_cpp",
        "jan",
        "ollama",
    }
    outside = [folder for _, folder in folders if not folder.is_relative_to(home)]
    assert bool(outside) == (platform == "linux")


# --- Ollama ------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["127.0.0.1:{port}", "http://localhost:{port}/", "0.0.0.0:{port}"])
async def test_an_ollama_that_runs_is_found_with_its_models(
    home: Path, models: Path, form: str
) -> None:
    async with OllamaServer(models=("qwen2.5:0.5b", "small:latest")) as server:
        looking = discovery(home, models, OLLAMA_HOST=form.format(port=server.port))
        running = await looking.ollama()
        assert running is not None
        assert running.base_url.endswith(f":{server.port}")
        assert [model.name for model in running.models] == ["qwen2.5:0.5b", "small:latest"]
        assert running.models[0].size == 400_000_000


async def test_no_ollama_is_no_error(home: Path, models: Path) -> None:
    async with OllamaServer() as server:
        address = server.base_url
    looking = discovery(home, models)
    assert await looking.ollama(address) is None
    assert await looking.ollama("not an address at all//") is None


async def test_a_server_that_is_no_ollama_is_not_taken_for_one(home: Path, models: Path) -> None:
    async with OllamaServer(key="secret") as server:
        assert await discovery(home, models).ollama(server.base_url) is None
