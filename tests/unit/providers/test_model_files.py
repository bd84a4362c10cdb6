"""A model file that cannot be loaded is told before the engine tries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from chatty_desktop.domain.engines import ModelNeeds
from chatty_desktop.domain.errors import Unreachable
from chatty_desktop.providers.model_files import check_memory, check_model_file, needs_of
from tests.helpers.gguf import header


def test_a_file_that_begins_as_a_model_has_its_size(tmp_path: Path) -> None:
    file = tmp_path / "m.gguf"
    file.write_bytes(b"GGUF" + b"\0" * 96)
    assert check_model_file(file) == 100


@pytest.mark.parametrize("content", [b"", b"GG", b"<html>Not found</html>"])
def test_what_is_no_model_is_told_with_what_to_do(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "m.gguf"
    file.write_bytes(content)
    with pytest.raises(
        Unreachable, match=r"not a model in GGUF form.*Download it again"
    ) as failure:
        check_model_file(file)
    assert failure.value.cause == "missing"


def test_a_missing_file_and_a_folder_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(Unreachable, match="is not there"):
        check_model_file(tmp_path / "gone.gguf")
    with pytest.raises(Unreachable, match="is a folder"):
        check_model_file(tmp_path)


def test_a_model_larger_than_the_free_memory_is_told_with_both_sizes() -> None:
    with pytest.raises(Unreachable, match=r"5\.3 GB of memory, and 2\.0 GB are free"):
        check_memory(Path("big.gguf"), 5_300_000_000, 2_000_000_000)
    check_memory(Path("small.gguf"), 500_000_000, 2_000_000_000)


QWEN = {
    "general.architecture": "qwen2",
    "qwen2.block_count": 24,
    "qwen2.embedding_length": 896,
    "qwen2.attention.head_count": 14,
    "qwen2.attention.head_count_kv": 2,
}


@pytest.mark.parametrize(
    ("more", "per_token"),
    [
        ({}, 24 * 2 * 64 * 2 * 2),  # measured too: 12.3 kB of memory for each token
        ({"qwen2.attention.key_length": 128, "qwen2.attention.value_length": 128}, 24_576),
        ({"qwen2.attention.sliding_window": 1024}, 6_144),
        ({"qwen2.ssm.state_size": 128}, 0),
        ({"qwen2.attention.head_count_kv": [2, 4]}, 0),
    ],
)
def test_a_model_needs_its_weights_and_so_much_for_each_token_of_context(
    tmp_path: Path, more: dict[str, Any], per_token: int
) -> None:
    file = tmp_path / "m.gguf"
    file.write_bytes(header({**QWEN, **more}) + b"\0" * 1000)
    needs = needs_of(file)
    assert needs == ModelNeeds(file.stat().st_size, per_token)
    assert needs.of(2000) - needs.of(1000) == 1000 * per_token


def test_a_header_that_is_broken_leaves_the_size_alone_to_go_by(tmp_path: Path) -> None:
    file = tmp_path / "m.gguf"
    file.write_bytes(b"GGUF" + b"\xff" * 96)
    assert needs_of(file) == ModelNeeds(100, 0)
