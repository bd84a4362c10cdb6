"""The header of a GGUF file: what a model says of itself, read without its weights.

The format: "GGUF", version (u32), count of tensors (u64), count of pairs (u64), then the pairs:
key (string), type (u32), value. A string is its length (u64) and its bytes; an array the type of
its items (u32), their count (u64) and the items. The package of that name reads the tensors too,
needs numpy, and takes seconds for a large vocabulary; a broken file must cost nothing either.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import BinaryIO

Value = int | float | bool | str

_CHUNK = 1024 * 1024
_LONGEST_HEADER = 128 * 1024 * 1024
"""Bytes; the largest vocabularies take some 20 MB."""
_MOST_PAIRS = 10_000
_LONGEST_KEY = 1_024
_LONGEST_TEXT = 200
"""Characters of a text that are kept: a name is wanted whole, of a chat template only that it
is there."""
_DEEPEST = 3

_NUMBERS = {
    0: "B",
    1: "b",
    2: "H",
    3: "h",
    4: "I",
    5: "i",
    6: "f",
    7: "?",
    10: "Q",
    11: "q",
    12: "d",
}
"""Types of GGUF to formats of `struct`, both little-endian."""
_STRING, _ARRAY = 8, 9


class NotGGUF(Exception):
    """Why a file's header cannot be read, as half a sentence: "is not …"."""


def read_header(path: Path) -> dict[str, Value]:
    """The key-value pairs of a model file, but for arrays; long texts are cut. Reads no more than
    the header, whatever it claims. Raises `NotGGUF` and `OSError`."""
    with path.open("rb", buffering=0) as stream:
        return _Header(stream, path.stat().st_size).pairs()


class _Header:
    """A place in the header, and the piece of the file around it."""

    def __init__(self, stream: BinaryIO, size: int) -> None:
        self._stream = stream
        self._end = min(size, _LONGEST_HEADER)
        self._cut_by_us = size > _LONGEST_HEADER
        self._at = 0
        self._piece = b""
        self._from = 0

    def pairs(self) -> dict[str, Value]:
        magic = self._bytes(4) if self._end >= 4 else b""
        if magic != b"GGUF":
            raise NotGGUF("is not a model in GGUF form")
        version = self._number("I")
        if version >= 1 << 16:
            raise NotGGUF("was made for computers of another byte order")
        if version < 2:
            raise NotGGUF("is in an old form that is not read any more")
        self._number("Q")  # of tensors
        count = self._number("Q")
        if count > _MOST_PAIRS:
            raise NotGGUF("is damaged")
        found: dict[str, Value] = {}
        for _ in range(int(count)):
            key = self._text(_LONGEST_KEY, "is damaged")
            value = self._value(int(self._number("I")))
            if value is not None:
                found[key] = value
        return found

    def _value(self, kind: int, depth: int = 0) -> Value | None:
        if kind in _NUMBERS:
            return self._number(_NUMBERS[kind])
        if kind == _STRING:
            return self._text(_LONGEST_TEXT)
        if kind != _ARRAY or depth >= _DEEPEST:
            raise NotGGUF("is damaged")
        inner = int(self._number("I"))
        count = int(self._number("Q"))
        if inner in _NUMBERS:
            self._skip(count * struct.calcsize(_NUMBERS[inner]))
        elif inner == _STRING:
            self._skip_texts(count)
        else:
            for _ in range(count):
                self._value(inner, depth + 1)
        return None

    def _number(self, form: str) -> int | float:
        value: int | float = struct.unpack(f"<{form}", self._bytes(struct.calcsize(form)))[0]
        return value

    def _text(self, longest: int, too_long: str = "") -> str:
        length = int(self._number("Q"))
        if too_long and length > longest:
            raise NotGGUF(too_long)
        self._check(length)
        # A character takes up to four bytes.
        kept = min(length, 4 * longest)
        text = self._bytes(kept).decode("utf-8", "replace")[:longest]
        self._skip(length - kept)
        return text

    def _skip_texts(self, count: int) -> None:
        """Pass over that many strings: a vocabulary has a hundred thousand and more."""
        self._check(8 * count)
        length_at = struct.Struct("<Q").unpack_from
        while count:
            self._have(8)
            piece, place = self._piece, self._at - self._from
            last = len(piece) - 8
            while count and place <= last:
                place += 8 + length_at(piece, place)[0]
                count -= 1
            self._skip(place - (self._at - self._from))

    def _bytes(self, count: int) -> bytes:
        self._have(count)
        start = self._at - self._from
        self._at += count
        return self._piece[start : start + count]

    def _skip(self, count: int) -> None:
        self._check(count)
        self._at += count

    def _have(self, count: int) -> None:
        """See to it that so many bytes from here on are in memory."""
        self._check(count)
        if self._from <= self._at and self._at + count <= self._from + len(self._piece):
            return
        self._stream.seek(self._at)
        self._piece = self._stream.read(max(count, _CHUNK))
        self._from = self._at
        if len(self._piece) < count:
            raise NotGGUF("is cut off in its first part")

    def _check(self, count: int) -> None:
        if self._at + count > self._end:
            raise NotGGUF("is damaged" if self._cut_by_us else "is cut off in its first part")
