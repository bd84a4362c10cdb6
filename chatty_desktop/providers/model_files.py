"""What can be said of a model file before the engine loads it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from chatty_desktop.domain.engines import ModelNeeds
from chatty_desktop.domain.errors import Unreachable
from chatty_desktop.providers.gguf import NotGGUF, Value, read_header

_MAGIC = b"GGUF"


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


def needs_of(path: Path) -> ModelNeeds:
    """What a model file takes in memory, by its size and its header. Raises as
    `check_model_file` does. Reads the disk."""
    size = check_model_file(path)
    try:
        return ModelNeeds(size, _bytes_per_token(read_header(path)))
    except (NotGGUF, OSError):
        return ModelNeeds(size, 0)  # the engine will say what is wrong with it


def check_memory(path: Path, needed: int, available: int) -> None:
    """Raise `Unreachable` when a model that needs so many bytes does not fit those available."""
    if needed > available:
        raise _unusable(
            f"{path.name} needs about {_gigabytes(needed)} of memory, and"
            f" {_gigabytes(max(available, 0))} are free. Close other programs, unload another"
            " model, or choose a smaller one or a shorter context."
        )


def _bytes_per_token(header: Mapping[str, Value]) -> int:
    """What the engine keeps for each token of context: a key and a value of two bytes a number,
    for each head of each layer. 0 where the header does not tell."""
    prefix = f"{header.get('general.architecture')}."

    def number(name: str) -> int:
        value = header.get(prefix + name, 0)
        return value if isinstance(value, int) else 0

    layers, heads = number("block_count"), number("attention.head_count")
    # An array, of which nothing is read, when layers differ; or layers that remember otherwise.
    shared = number("attention.head_count_kv")
    recurrent = any(key.startswith(f"{prefix}ssm.") for key in header)
    if not (layers and heads and shared) or recurrent:
        return 0
    key = number("attention.key_length") or number("embedding_length") // heads
    value = number("attention.value_length") or number("embedding_length") // heads
    # Every second layer, as a rule, looks back over a window of fixed length alone.
    divisor = 2 if number("attention.sliding_window") else 1
    return layers * shared * (key + value) * 2 // divisor


def _unusable(message: str) -> Unreachable:
    return Unreachable(message, cause="missing")


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.1f} GB"
