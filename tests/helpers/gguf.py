"""Small real GGUF files: a whole header, no weights behind it."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

CHAT: dict[str, Any] = {
    "general.architecture": "qwen2",
    "general.name": "Tiny",
    "general.file_type": 15,
    "general.size_label": "0.5B",
    "qwen2.context_length": 32768,
    "tokenizer.ggml.model": "gpt2",
    "tokenizer.ggml.tokens": ["a", "bb", ""],
    "tokenizer.ggml.scores": [0.5, 1.5],
    "tokenizer.chat_template": "{{ messages }}" * 100,
}
"""The pairs of a model that chats."""

EMBEDDER: dict[str, Any] = {
    "general.architecture": "nomic-bert",
    "general.file_type": 7,
    "general.parameter_count": 136_731_648,
    "nomic-bert.context_length": 2048,
    "nomic-bert.pooling_type": 1,
    "tokenizer.ggml.model": "bert",
}
"""The pairs of a model that embeds."""


def header(
    pairs: dict[str, Any], *, version: int = 3, order: str = "<", count: int | None = None
) -> bytes:
    """A header with the pairs; `count` is what it claims to hold when that should be a lie."""
    told = len(pairs) if count is None else count
    out = b"GGUF" + struct.pack(f"{order}IQQ", version, 0, told)
    return out + b"".join(
        _text(key, order) + struct.pack(f"{order}I", _kind(value)) + _value(value, order)
        for key, value in pairs.items()
    )


def write_model(file: Path, pairs: dict[str, Any], *, weights: int = 100) -> Path:
    """A model file, with so many bytes of zeros in place of weights."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(header(pairs) + bytes(weights))
    return file


def _kind(value: Any) -> int:
    kinds: dict[type, int] = {bool: 7, int: 4, float: 6, str: 8, list: 9}
    return kinds[type(value)]


def _text(text: str, order: str) -> bytes:
    raw = text.encode()
    return struct.pack(f"{order}Q", len(raw)) + raw


def _value(value: Any, order: str) -> bytes:
    if isinstance(value, bool):
        return struct.pack(f"{order}?", value)
    if isinstance(value, int):
        return struct.pack(f"{order}I", value)
    if isinstance(value, float):
        return struct.pack(f"{order}f", value)
    if isinstance(value, str):
        return _text(value, order)
    kind = _kind(value[0]) if value else 4
    items = b"".join(_value(item, order) for item in value)
    return struct.pack(f"{order}IQ", kind, len(value)) + items
