"""What can be said of a model file before the engine loads it."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

from chatty_desktop.domain.errors import Unreachable

_MAGIC = b"GGUF"

_WORKING_MEMORY = 300_000_000
"""Bytes a small model needs beside its weights, for its context and scratch space."""


def check_model_file(path: Path) -> int:
    """The size of a model file in bytes. Raises `Unreachable`, saying what to do, for one that
    the engine cannot load. Reads the disk."""
    try:
        if path.is_dir():
            raise _unusable(f"{path} is a folder; name the .gguf file in it.")
        with path.open("rb") as stream:
            magic = stream.read(len(_MAGIC))
            size = os.fstat(stream.fileno()).st_size
    except FileNotFoundError:
        raise _unusable(
            f"The model file {path} is not there. Put it there, or name another in the settings."
        ) from None
    except OSError as error:
        raise _unusable(
            f"The model file {path} cannot be read: {error.strerror or error}."
        ) from error
    if magic != _MAGIC:
        raise _unusable(
            f"{path} is not a model in GGUF form (it may be incomplete)."
            " Download it again, or name another file in the settings."
        )
    return size


def check_memory(path: Path, size: int, available: int | None) -> None:
    """Raise `Unreachable` when a model of `size` bytes does not fit the memory that can be had.

    `available` is in bytes, None when not known.
    """
    if available is not None and size + _WORKING_MEMORY > available:
        raise _unusable(
            f"{path.name} needs about {_gigabytes(size + _WORKING_MEMORY)} of memory, and"
            f" {_gigabytes(available)} are free. Close other programs, or choose a smaller model."
        )


def available_memory() -> int | None:
    """Bytes of memory that can be had without swapping, None where that cannot be told."""
    if sys.platform == "linux":
        return _linux_memory(Path("/proc/meminfo"))
    if sys.platform == "win32":
        return _windows_memory()
    return None


def _linux_memory(meminfo: Path) -> int | None:
    try:
        for line in meminfo.read_text(encoding="ascii").splitlines():
            name, _, value = line.partition(":")
            if name == "MemAvailable":
                return int(value.split()[0]) * 1024
    except (OSError, ValueError):
        return None
    return None


class _MemoryStatus(ctypes.Structure):
    """MEMORYSTATUSEX of the Windows API."""

    _fields_ = [
        ("length", ctypes.c_uint32),
        ("load", ctypes.c_uint32),
        ("total_physical", ctypes.c_uint64),
        ("available_physical", ctypes.c_uint64),
        ("total_page_file", ctypes.c_uint64),
        ("available_page_file", ctypes.c_uint64),
        ("total_virtual", ctypes.c_uint64),
        ("available_virtual", ctypes.c_uint64),
        ("available_extended_virtual", ctypes.c_uint64),
    ]


def _windows_memory() -> int | None:
    status = _MemoryStatus()
    status.length = ctypes.sizeof(status)
    kernel: object = getattr(getattr(ctypes, "windll", None), "kernel32", None)
    ask = getattr(kernel, "GlobalMemoryStatusEx", None)
    if ask is None or not ask(ctypes.byref(status)):
        return None
    return int(status.available_physical)


def _unusable(message: str) -> Unreachable:
    return Unreachable(message, cause="missing")


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.1f} GB"
