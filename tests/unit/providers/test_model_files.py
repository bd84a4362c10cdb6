"""A model file that cannot be loaded is told before the engine tries."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from chatty_desktop.domain.errors import Unreachable
from chatty_desktop.providers.model_files import available_memory, check_memory, check_model_file


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
        check_memory(Path("big.gguf"), 5_000_000_000, 2_000_000_000)
    check_memory(Path("small.gguf"), 500_000_000, 2_000_000_000)
    check_memory(Path("any.gguf"), 500_000_000, None)


@pytest.mark.skipif(sys.platform not in ("linux", "win32"), reason="told on Linux and Windows")
def test_the_free_memory_of_this_computer_is_known() -> None:
    free = available_memory()
    assert free is not None and 10_000_000 < free < 10**14
