"""Where programs keep their model files, and which files lie there."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from chatty_desktop.domain.json_text import read_json
from chatty_desktop.domain.model_files import Place

log = logging.getLogger(__name__)

_DEEPEST = 6
_MOST_ENTRIES = 20_000
"""Files and folders looked at in one place: a folder of something else must not take minutes."""
_LARGEST_MANIFEST = 1024 * 1024
_OWN_REGISTRY = "registry.ollama.ai"
_MODEL_LAYER = "application/vnd.ollama.image.model"


@dataclass(frozen=True, slots=True)
class Found:
    """A file that may be a model; `name` as its program calls it, "" when it is the file's."""

    path: Path
    place: Place
    name: str = ""


def known_folders(
    home: Path, environment: Mapping[str, str], platform: str = sys.platform
) -> list[tuple[Place, Path]]:
    """The folders of programs that keep models, there or not, by what the environment says first
    and by each program's default for the platform (`sys.platform`)."""

    def named(variable: str) -> list[Path]:
        value = environment.get(variable, "").strip()
        return [Path(value).expanduser()] if value else []

    if platform == "win32":
        local = next(iter(named("LOCALAPPDATA")), home / "AppData/Local")
        roaming = next(iter(named("APPDATA")), home / "AppData/Roaming")
        gpt4all, llama, jan = local / "nomic.ai/GPT4All", local / "llama.cpp", roaming / "Jan/data"
    elif platform == "darwin":
        support = home / "Library/Application Support"
        gpt4all, jan = support / "nomic.ai/GPT4All", support / "Jan/data"
        llama = home / "Library/Caches/llama.cpp"
    else:
        share = next(iter(named("XDG_DATA_HOME")), home / ".local/share")
        gpt4all, jan = share / "nomic.ai/GPT4All", share / "Jan/data"
        llama = next(iter(named("XDG_CACHE_HOME")), home / ".cache") / "llama.cpp"
    cache = next(iter(named("XDG_CACHE_HOME")), home / ".cache")
    hugging_face = next(iter(named("HF_HOME")), cache / "huggingface") / "hub"
    ollama = [*named("OLLAMA_MODELS"), home / ".ollama/models"]
    if platform == "linux":
        # Where the service of the installer, and that of distributions, keeps them.
        ollama += [Path("/usr/share/ollama/.ollama/models"), Path("/var/lib/ollama")]
    return [
        ("lm_studio", home / ".lmstudio/models"),
        ("lm_studio", home / ".cache/lm-studio/models"),
        *(("hugging_face", folder) for folder in [*named("HF_HUB_CACHE"), hugging_face]),
        ("gpt4all", gpt4all),
        *(("llama_cpp", folder) for folder in [*named("LLAMA_CACHE"), llama]),
        ("jan", jan / "llamacpp/models"),
        ("jan", jan / "models"),
        *(("ollama", folder) for folder in ollama),
    ]


def files_in(place: Place, folder: Path) -> Iterator[Found]:
    """The files in a place that may be models. What cannot be read is passed over."""
    if place == "ollama":
        yield from _ollama_files(folder)
        return
    # Data sets lie beside the models of Hugging Face, and may be any number of files.
    folders = sorted(folder.glob("models--*")) if place == "hugging_face" else [folder]
    for path in (path for each in folders for path in _walk(each)):
        if path.name.lower().endswith(".gguf"):
            # Jan calls every file "model" and gives the folder the model's name.
            name = path.parent.name if path.stem.lower() == "model" else ""
            yield Found(path, place, name)


def _walk(folder: Path) -> Iterator[Path]:
    """The files below a folder, in order of names, links followed, each folder once."""
    left = _MOST_ENTRIES
    seen: set[tuple[int, int]] = set()
    waiting = [(folder, 0)]
    while waiting:
        current, depth = waiting.pop()
        try:
            status = current.stat()
            if (status.st_dev, status.st_ino) in seen:
                continue
            seen.add((status.st_dev, status.st_ino))
            with os.scandir(current) as entries:
                inside = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            if not isinstance(error, FileNotFoundError | NotADirectoryError):
                log.info("%s cannot be searched for models: %s", current, error)
            continue
        folders = []
        for entry in inside:
            left -= 1
            if left < 0:
                log.info("%s holds too much to search it all for models", folder)
                return
            try:
                if entry.is_dir():
                    folders.append((current / entry.name, depth + 1))
                elif entry.is_file():
                    yield current / entry.name
            except OSError as error:
                log.info("%s cannot be looked at: %s", entry.path, error)
        if depth < _DEEPEST:
            waiting += reversed(folders)


def _ollama_files(folder: Path) -> Iterator[Found]:
    """Ollama's files have no names; its manifests say which is which."""
    manifests = folder / "manifests"
    for manifest in _walk(manifests):
        try:
            if manifest.stat().st_size > _LARGEST_MANIFEST:
                continue
            layers = read_json(manifest.read_text("utf-8"))["layers"]
            digests = [
                str(layer["digest"]) for layer in layers if layer["mediaType"] == _MODEL_LAYER
            ]
        except (OSError, ValueError, KeyError, TypeError) as error:
            log.info("The manifest %s of Ollama cannot be read: %s", manifest, error)
            continue
        name = _ollama_name(manifest.relative_to(manifests).parts)
        for digest in digests:
            algorithm, _, number = digest.partition(":")
            if algorithm == "sha256" and number.isalnum():
                yield Found(folder / "blobs" / f"sha256-{number}", "ollama", name)


def _ollama_name(parts: tuple[str, ...]) -> str:
    """`host/namespace/model/tag` as people write it: what is Ollama's default is left out."""
    *front, tag = parts
    if front[:1] == [_OWN_REGISTRY]:
        front = front[1:]
    if front[:1] == ["library"]:
        front = front[1:]
    return f"{'/'.join(front)}:{tag}"
