"""Model files as they are found on this computer, models of an Ollama that runs on it, and what
using one changes in the settings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from chatty_desktop.domain.settings import ProviderSettings, Settings

Place = Literal["chatty", "ollama", "lm_studio", "hugging_face", "gpt4all", "llama_cpp", "jan"]
"""Whose folder a file lies in; `chatty` is the app's own."""

PLACE_NAMES: dict[Place, str] = {
    "chatty": "Chatty Desktop",
    "ollama": "Ollama",
    "lm_studio": "LM Studio",
    "hugging_face": "Hugging Face",
    "gpt4all": "GPT4All",
    "llama_cpp": "llama.cpp",
    "jan": "Jan",
}

_LABEL = re.compile(r"(?<![a-z0-9.])(\d+x)?\d+(\.\d+)?[bm](?![a-z0-9])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One model on the disk, as its header describes it.

    path: what to name in the settings, absolute. name: for people. size: bytes, of all parts
    of a model in several files. parameters: such as "0.5B", "" when not known. quantization: such
    as "Q4_K_M", "" when not known. context_length: tokens it was trained for, None when not told.
    has_chat_template: whether it says how a chat is written for it. embeds: made for embeddings,
    not for chats. problem: why it cannot be used, "" when it can. linked: what lies in the folder
    is only a link to the file of another program.
    """

    path: str
    name: str
    size: int
    place: Place
    architecture: str = ""
    parameters: str = ""
    quantization: str = ""
    context_length: int | None = None
    has_chat_template: bool = False
    embeds: bool = False
    problem: str = ""
    linked: bool = False

    @property
    def chats(self) -> bool:
        """Whether it can be talked with."""
        return not self.problem and not self.embeds


@dataclass(frozen=True, slots=True)
class OllamaModel:
    """A model an Ollama has; `size` in bytes, `parameters` and `quantization` as it says them."""

    name: str
    size: int = 0
    parameters: str = ""
    quantization: str = ""
    embeds: bool = False


@dataclass(frozen=True, slots=True)
class OllamaFound:
    """An Ollama that answers at an address, and its models in its own order."""

    base_url: str
    models: tuple[OllamaModel, ...] = ()


def embeds_by_family(architecture: str) -> bool:
    """Whether all models of an architecture, by llama.cpp's name of it, embed and do not chat."""
    name = architecture.lower()
    return "bert" in name or name in ("gemma-embedding", "t5encoder")


def size_label(name: str) -> str:
    """The count of parameters a model's name tells, such as "0.5B"; "" when it tells none."""
    found = _LABEL.search(name)
    return found.group().upper().replace("X", "x") if found else ""


def counted(parameters: int) -> str:
    """A number of parameters as names tell it: 494032768 is "0.5B", 22713216 "23M"."""
    if parameters >= 100_000_000:
        return f"{parameters / 1e9:.1f}".removesuffix(".0") + "B"
    return f"{max(1, round(parameters / 1e6))}M"


def with_local_model(
    settings: Settings, name: str, *, embeds: bool = False, default: bool = False
) -> tuple[Settings, str]:
    """The settings with a model file among those of the local engine, and its reference
    (`provider/model`). `name` is a path, or a name in the app's folder of models. An engine entry
    is made where there is none; with `default` new chats use the model."""
    local = next((entry for entry in settings.providers if entry.kind == "llama_cpp"), None)
    if local is None:
        local = ProviderSettings(id=_free_id(settings, "local"), kind="llama_cpp")
        settings = settings.model_copy(update={"providers": (*settings.providers, local)})
    changed: dict[str, object] = {}
    if name not in local.models:
        changed["models"] = (*local.models, name)
    if embeds and local.options_of(name).embeds is None:
        options = local.options_of(name).model_copy(update={"embeds": True})
        changed["model_options"] = {**local.model_options, name: options}
    settings = settings.with_provider(local.model_copy(update=changed))
    reference = f"{local.id}/{name}"
    if default:
        settings = settings.model_copy(update={"default_model": reference})
    return settings, reference


def with_ollama(settings: Settings, base_url: str) -> Settings:
    """The settings with an Ollama at that address as the last provider."""
    entry = ProviderSettings(id=_free_id(settings, "ollama"), kind="ollama", base_url=base_url)
    return settings.model_copy(update={"providers": (*settings.providers, entry)})


def without_local_model(settings: Settings, name: str) -> Settings:
    """The settings without a model file: not among those of any local engine, not the default,
    nor what folds or embeds."""
    for entry in settings.providers:
        if entry.kind != "llama_cpp" or name not in entry.models:
            continue
        left = tuple(model for model in entry.models if model != name)
        options = {model: of for model, of in entry.model_options.items() if model != name}
        settings = settings.with_provider(
            entry.model_copy(update={"models": left, "model_options": options})
        )
    gone: dict[str, object] = {
        field: None
        for field in ("default_model", "memory_extractor_model")
        if _is_local(settings, getattr(settings, field), name)
    }
    embedder = settings.embedder
    if embedder and _is_local(settings, f"{embedder.provider}/{embedder.model}", name):
        gone["embedder"] = None
    return settings.model_copy(update=gone)


def is_listed(settings: Settings, name: str) -> bool:
    """Whether a model file is among those of a local engine."""
    return any(e.kind == "llama_cpp" and name in e.models for e in settings.providers)


def uses_of(settings: Settings, name: str) -> tuple[str, ...]:
    """What a local model is chosen for: some of "default", "memory", "embedder"."""
    embedder = settings.embedder
    chosen = {
        "default": settings.default_model,
        "memory": settings.memory_extractor_model,
        "embedder": f"{embedder.provider}/{embedder.model}" if embedder else None,
    }
    return tuple(use for use, reference in chosen.items() if _is_local(settings, reference, name))


def _is_local(settings: Settings, reference: str | None, name: str) -> bool:
    provider_id, _, model = (reference or "").partition("/")
    entry = settings.provider(provider_id)
    return entry is not None and entry.kind == "llama_cpp" and model == name


def _free_id(settings: Settings, name: str) -> str:
    taken = {entry.id for entry in settings.providers}
    names = (name, *(f"{name}{number}" for number in range(2, len(taken) + 3)))
    return next(name for name in names if name not in taken)
