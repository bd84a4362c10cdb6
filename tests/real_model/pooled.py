"""A chat model's file made into one that embeds: what tells the two apart is in its header."""

from __future__ import annotations

import shutil
import struct
from pathlib import Path
from typing import BinaryIO

_ALIGNMENT = 32
_UINT32 = 4
_STRING, _ARRAY = 8, 9
_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
"""Bytes of the plain types of values in a header."""

_MEAN = 1


def with_pooling(source: Path, target: Path) -> Path:
    """Copy a Qwen2 model, adding that a text's vector is the mean of its tokens'."""
    key = b"qwen2.pooling_type"
    entry = struct.pack("<Q", len(key)) + key + struct.pack("<II", _UINT32, _MEAN)
    with source.open("rb") as read, target.open("wb") as write:
        magic, version, tensors, values = struct.unpack("<4sIQQ", read.read(24))
        for _ in range(values):
            _skip_text(read)
            _skip_value(read, struct.unpack("<I", read.read(4))[0])
        values_end = read.tell()
        for _ in range(tensors):
            _skip_text(read)
            (dimensions,) = struct.unpack("<I", read.read(4))
            read.seek(8 * dimensions + 4 + 8, 1)
        header_end = read.tell()
        read.seek(24)
        write.write(struct.pack("<4sIQQ", magic, version, tensors, values + 1))
        write.write(read.read(values_end - 24) + entry + read.read(header_end - values_end))
        write.write(b"\0" * (-write.tell() % _ALIGNMENT))
        read.seek(header_end + -header_end % _ALIGNMENT)
        shutil.copyfileobj(read, write, 1 << 22)
    return target


def _skip_text(stream: BinaryIO) -> None:
    stream.seek(struct.unpack("<Q", stream.read(8))[0], 1)


def _skip_value(stream: BinaryIO, kind: int) -> None:
    if kind == _STRING:
        _skip_text(stream)
    elif kind == _ARRAY:
        inner, count = struct.unpack("<IQ", stream.read(12))
        for _ in range(count):
            _skip_value(stream, inner)
    else:
        stream.seek(_SIZES[kind], 1)
