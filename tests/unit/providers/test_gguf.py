"""The header of a model file is read, and nothing that it claims costs more than the file has."""

from __future__ import annotations

import struct
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatty_desktop.providers.gguf import NotGGUF, read_header
from tests.helpers.gguf import CHAT, header, write_model

LONG = 0xFFFF_FFFF_FFFF_FFFF


def text(value: bytes) -> bytes:
    return struct.pack("<Q", len(value)) + value


def test_numbers_and_texts_are_read_and_arrays_passed_over(tmp_path: Path) -> None:
    found = read_header(write_model(tmp_path / "m.gguf", CHAT))
    assert found["general.name"] == "Tiny"
    assert found["qwen2.context_length"] == 32768
    assert found["tokenizer.chat_template"]
    assert "tokenizer.ggml.tokens" not in found
    assert "tokenizer.ggml.scores" not in found


def test_a_vocabulary_larger_than_one_piece_is_passed_over(tmp_path: Path) -> None:
    words = [f"word {number}" * 3 for number in range(120_000)]
    pairs = {"tokenizer.ggml.tokens": words, "after": 7}
    assert read_header(write_model(tmp_path / "m.gguf", pairs, weights=0)) == {"after": 7}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is not a model in GGUF form"),
        (b"GG", "is not a model in GGUF form"),
        (b"<html>Not found</html>", "is not a model in GGUF form"),
        (b"GGUF", "is cut off"),
        (header(CHAT)[:-300], "is cut off"),
        (header(CHAT, count=50), "is cut off"),
        (header(CHAT, version=1), "old form"),
        (header(CHAT, order=">"), "another byte order"),
        (header(CHAT, count=LONG), "is damaged"),
        (header({}, count=1) + text(b"k") + struct.pack("<I", 99), "is damaged"),
        (header({}, count=1) + struct.pack("<Q", LONG), "is damaged"),
        (header({}, count=1) + text(b"k") + struct.pack("<IQ", 8, LONG), "is cut off"),
        (header({}, count=1) + text(b"k") + struct.pack("<IIQ", 9, 8, LONG), "is cut off"),
        (header({}, count=1) + text(b"k") + struct.pack("<IIQ", 9, 4, LONG), "is cut off"),
        (
            header({}, count=1) + text(b"k") + struct.pack("<I", 9) + struct.pack("<IQ", 9, 1) * 9,
            "is damaged",
        ),
        (
            header({}, count=1) + text(b"k") + struct.pack("<IIQIQ", 9, 9, LONG, 4, 0),
            "is cut off",
        ),
    ],
)
def test_what_is_broken_is_told_and_not_believed(
    tmp_path: Path, content: bytes, reason: str
) -> None:
    file = tmp_path / "m.gguf"
    file.write_bytes(content)
    with pytest.raises(NotGGUF, match=reason):
        read_header(file)


@given(place=st.integers(0, len(header(CHAT)) - 1), value=st.integers(0, 255))
def test_one_wrong_byte_anywhere_is_survived(
    tmp_path_factory: pytest.TempPathFactory, place: int, value: int
) -> None:
    content = bytearray(header(CHAT))
    content[place] = value
    file = tmp_path_factory.getbasetemp() / "flipped.gguf"
    file.write_bytes(content)
    with suppress(NotGGUF):
        assert isinstance(read_header(file), dict)
