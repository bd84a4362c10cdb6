"""What is on this computer already: model files of other programs, and an Ollama that runs."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import stat
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from chatty_desktop.domain.errors import Invalid, Unreachable
from chatty_desktop.domain.json_text import read_json
from chatty_desktop.domain.model_files import (
    ModelFile,
    OllamaFound,
    OllamaModel,
    counted,
    embeds_by_family,
    size_label,
)
from chatty_desktop.providers.addresses import ollama_root
from chatty_desktop.providers.clients import make_client, way_to
from chatty_desktop.providers.gguf import NotGGUF, Value, read_header
from chatty_desktop.providers.model_folders import Found, files_in, known_folders
from chatty_desktop.providers.ollama import OLLAMA_URL

log = logging.getLogger(__name__)

_ASK_SECONDS = 1.0
_MOST_FILES = 500

_EMBEDS, _RANKS = (1, 2, 3), 4
"""Kinds of pooling (llama.cpp's enum): into one vector for a text, and into a judgement of how
well two texts go together."""

_PART = re.compile(r"-(\d{5})-of-(\d{5})\.gguf$", re.IGNORECASE)
_QUANTIZATION = re.compile(
    r"(?<![a-z0-9])(i?q\d_\w+|i?q\d|bf16|f16|f32|mxfp4\w*|tq\d_\d)(?![a-z0-9])", re.IGNORECASE
)

# fmt: off
_FILE_TYPES = {
    0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0", 9: "Q5_1", 10: "Q2_K",
    11: "Q3_K_S", 12: "Q3_K_M", 13: "Q3_K_L", 14: "Q4_K_S", 15: "Q4_K_M", 16: "Q5_K_S",
    17: "Q5_K_M", 18: "Q6_K", 19: "IQ2_XXS", 20: "IQ2_XS", 21: "Q2_K_S", 22: "IQ3_XS",
    23: "IQ3_XXS", 24: "IQ1_S", 25: "IQ4_NL", 26: "IQ3_S", 27: "IQ3_M", 28: "IQ2_S", 29: "IQ2_M",
    30: "IQ4_XS", 31: "IQ1_M", 32: "BF16", 36: "TQ1_0", 37: "TQ2_0", 38: "MXFP4",
}
# fmt: on
"""`general.file_type` by llama.cpp's enum of file types."""


class Discovery:
    """Looks, and changes nothing. `models` is the app's own folder of models; files named in
    `unlisted` are not told of there. What was read of a file is kept while it stays the same."""

    def __init__(
        self,
        models: Path,
        *,
        unlisted: tuple[str, ...] = (),
        home: Path | None = None,
        environment: Mapping[str, str] | None = None,
        platform: str = sys.platform,
    ) -> None:
        self._models = models
        self._unlisted = unlisted
        self._home = home
        self._environment = os.environ if environment is None else environment
        self._platform = platform
        self._read: dict[tuple[str, int, int], ModelFile] = {}

    async def model_files(self) -> list[ModelFile]:
        """The model files on this computer, each once: the app's own first, then by program.

        Files that cannot be used are among them and say why; of a model in several files the
        first stands for all, and what belongs to another file is left out. Raises nothing: a
        folder that cannot be read is passed over.
        """
        return await asyncio.to_thread(lambda: list(self._model_files()))

    async def ollama(self, base_url: str | None = None) -> OllamaFound | None:
        """An Ollama that answers at an address, else at that of `OLLAMA_HOST`, else at its
        default; None when none answers within a second."""
        try:
            address = ollama_root(base_url) if base_url else _ollama_host(self._environment)
        except Invalid:
            return None
        listing = await self._listing(address)
        if listing is None:
            return None
        models = [_ollama_model(entry) for entry in listing if isinstance(entry, dict)]
        return OllamaFound(address, tuple(model for model in models if model.name))

    async def _listing(self, address: str) -> list[Any] | None:
        try:
            client = await asyncio.to_thread(lambda: make_client(**way_to(address)))
        except Unreachable as problem:
            log.info("No Ollama is looked for: %s", problem)
            return None
        import httpx

        try:
            async with asyncio.timeout(_ASK_SECONDS), client:
                answer = await client.get(f"{address}/api/tags")
                models = read_json(answer.content)["models"]
        except (httpx.HTTPError, OSError, TimeoutError, ValueError, KeyError, TypeError) as error:
            log.info("No Ollama answers at %s: %r", address, error)
            return None
        return models if isinstance(models, list) else []

    # --- in a thread --------------------------------------------------------------------------

    def _model_files(self) -> Iterator[ModelFile]:
        seen: set[str] = set()
        for found in self._candidates():
            part = _PART.search(found.path.name)
            if part and int(part[1]) != 1:
                continue
            try:
                real = os.path.realpath(found.path)
                status = found.path.stat()
            except OSError as error:
                log.info("%s cannot be looked at: %s", found.path, error)
                continue
            if real in seen or not stat.S_ISREG(status.st_mode):
                continue
            seen.add(real)
            key = (str(found.path), status.st_size, status.st_mtime_ns)
            if key not in self._read or part:
                linked = found.place == "chatty" and found.path.is_symlink()
                self._read[key] = _described(found, status.st_size, linked)
            yield self._read[key]
            if len(seen) >= _MOST_FILES:
                log.info("There are more than %d model files; the others are left out", _MOST_FILES)
                return

    def _candidates(self) -> Iterator[Found]:
        for found in files_in("chatty", self._models):
            if found.path.name not in self._unlisted:
                yield found
        home = self._home or Path.home()
        for place, folder in known_folders(home, self._environment, self._platform):
            yield from files_in(place, folder)


def describe(path: Path) -> ModelFile:
    """What one model file says of itself, which may be that it cannot be used. Reads the disk;
    raises `OSError` for a file that is not there."""
    return _described(Found(path, "chatty"), path.stat().st_size)


def _described(found: Found, size: int, linked: bool = False) -> ModelFile:
    """What can be said of a file from its header, its name and its size."""
    path = found.path
    name = found.name or _PART.sub("", path.name).removesuffix(".gguf").removesuffix(".GGUF")
    problem = ""
    header: dict[str, Value] = {}
    try:
        header = read_header(path)
        size, problem = _all_parts(path, size)
    except NotGGUF as error:
        problem = f"The file {error}. Get it again."
    except OSError as error:
        problem = f"The file cannot be read: {error.strerror or error}."
    architecture = _text(header, "general.architecture")
    pooling = header.get(f"{architecture}.pooling_type")
    if not problem:
        problem = _unsuited(header, architecture, pooling, path.name)
    context = header.get(f"{architecture}.context_length")
    kind = header.get("general.file_type")
    quantization = _FILE_TYPES.get(kind, "") if isinstance(kind, int) else ""
    in_name = _QUANTIZATION.search(name)
    return ModelFile(
        path=str(path),
        name=name,
        size=size,
        place=found.place,
        architecture=architecture,
        parameters=_parameters(header, name),
        quantization=quantization or (in_name.group().upper() if in_name else ""),
        context_length=context if isinstance(context, int) and context > 0 else None,
        has_chat_template="tokenizer.chat_template" in header,
        embeds=embeds_by_family(architecture) or pooling in _EMBEDS,
        problem=problem,
        linked=linked,
    )


def _all_parts(path: Path, size: int) -> tuple[int, str]:
    """The size of all the files of a model, and what is wrong when one of them is missing."""
    part = _PART.search(path.name)
    if not part:
        return size, ""
    count = int(part[2])
    front = path.name[: part.start()]
    missing = 0
    for number in range(2, min(count, 1_000) + 1):
        try:
            size += (path.parent / f"{front}-{number:05}-of-{count:05}.gguf").stat().st_size
        except OSError:
            missing += 1
    if missing:
        return size, f"{missing} of its {count} files are missing. Get them again."
    return size, ""


def _unsuited(header: dict[str, Value], architecture: str, pooling: object, name: str) -> str:
    """Why a whole file is nothing to chat or embed with, "" when it is."""
    kind = _text(header, "general.type")
    if architecture == "clip" or kind == "mmproj" or name.lower().startswith("mmproj"):
        return "It only goes with another model, to let that one see or hear."
    if kind in ("adapter", "imatrix", "vocab"):
        return "It is not a model of its own, but belongs to one."
    if pooling == _RANKS:
        return "It only ranks texts; it can neither chat nor embed."
    if not architecture or f"{architecture}.context_length" not in header:
        return "It is not a model for text."
    if "tokenizer.ggml.model" not in header:
        return "It has no vocabulary, which the local engine needs."
    return ""


def _parameters(header: dict[str, Value], name: str) -> str:
    count = header.get("general.parameter_count")
    if isinstance(count, int) and count > 0:
        return counted(count)
    return _text(header, "general.size_label") or size_label(name)


def _text(header: dict[str, Value], key: str) -> str:
    value = header.get(key)
    return value.strip() if isinstance(value, str) else ""


def _ollama_host(environment: Mapping[str, str]) -> str:
    """The address `OLLAMA_HOST` names: a host, a port or both, with or without a scheme. A server
    told to listen everywhere is asked on this computer."""
    text = environment.get("OLLAMA_HOST", "").strip().strip("\"'")
    if not text:
        return OLLAMA_URL
    scheme, divider, rest = text.partition("://")
    if not divider:
        scheme, rest = "http", text
    where, slash, path = rest.partition("/")
    host, colon, port = where.rpartition(":")
    if not colon or "]" in port:
        default = {"http": "80", "https": "443"} if divider else {}
        host, port = where, default.get(scheme, "11434")
    host = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "[::]": "[::1]"}.get(host, host)
    return ollama_root(f"{scheme}://{host}:{port}{slash}{path}")


def _ollama_model(entry: dict[str, Any]) -> OllamaModel:
    details = entry.get("details")
    details = details if isinstance(details, dict) else {}
    family = str(details.get("family") or "")
    size = entry.get("size")
    return OllamaModel(
        name=str(entry.get("model") or entry.get("name") or ""),
        size=size if isinstance(size, int) else 0,
        parameters=str(details.get("parameter_size") or ""),
        quantization=str(details.get("quantization_level") or ""),
        embeds=embeds_by_family(family),
    )
