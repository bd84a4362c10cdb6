"""What a first run decides: which model answers and which one embeds, as settings."""

from __future__ import annotations

import re
from dataclasses import dataclass

from chatty_desktop.domain.model_files import ModelFile, with_local_model
from chatty_desktop.domain.settings import EmbedderSettings, ProviderSettings, Settings

STARTER = "starter"
"""The name of the model that comes with the app, in a local provider."""

OLLAMA_PORT = "11434"

_HOST_AND_PORT = re.compile(r"(?:[a-z]+://)?(?P<host>[^/:\s\[\]]*)(?::(?P<port>\d+))?(?:/|$)")

_NO_NAMES = ("", "api", "www", "com", "localhost")
"""Parts of a host's name that name nobody."""


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A model of the local engine: `STARTER`, or the path of a file; `file` is what was found
    there."""

    name: str
    file: ModelFile | None = None


@dataclass(frozen=True, slots=True)
class PresentModel:
    """The default model of the settings as they are."""

    reference: str


@dataclass(frozen=True, slots=True)
class ServerModel:
    """A model of a server. Its provider need not be in the settings, and its id may be taken
    there; see `with_server`."""

    server: ProviderSettings
    model: str
    listed: bool = True


ChosenModel = PresentModel | LocalModel | ServerModel


def server_at(address: str) -> ProviderSettings:
    """A provider for an address that a person typed: Ollama by its port, else an
    OpenAI-compatible server, named by its host."""
    text = address.strip()
    parts = _HOST_AND_PORT.match(text.lower())
    host, port = (parts["host"], parts["port"]) if parts else ("", None)
    if port == OLLAMA_PORT:
        return ProviderSettings(id="ollama", kind="ollama", base_url=text)
    return ProviderSettings(id=_name_of(host), kind="openai", base_url=text)


def with_server(
    settings: Settings, server: ProviderSettings, *, first: bool = False
) -> tuple[Settings, str]:
    """The settings with a server among the providers, and its id there: that of an entry for the
    same address, else its own, with a number where that is taken. A new one comes last, or
    `first`."""
    for entry in settings.providers:
        same = (
            entry.base_url and server.base_url and _bare(entry.base_url) == _bare(server.base_url)
        )
        if entry.kind == server.kind and same:
            return settings, entry.id
    taken = {entry.id for entry in settings.providers}
    names = (server.id, *(f"{server.id}{number}" for number in range(2, len(taken) + 3)))
    free = next(name for name in names if name not in taken)
    entry = server.model_copy(update={"id": free})
    entries = (entry, *settings.providers) if first else (*settings.providers, entry)
    return settings.model_copy(update={"providers": entries}), free


def with_chat_model(settings: Settings, chosen: ChosenModel) -> tuple[Settings, str]:
    """The settings with a model as the default of new chats, and its reference."""
    if isinstance(chosen, PresentModel):
        return settings, chosen.reference
    if isinstance(chosen, LocalModel):
        return with_local_model(settings, chosen.name, default=True)
    settings, provider_id = with_server(settings, chosen.server, first=True)
    settings = _with_name(settings, provider_id, chosen)
    reference = f"{provider_id}/{chosen.model}"
    return settings.model_copy(update={"default_model": reference}), reference


def with_embedder(settings: Settings, chosen: EmbedderSettings | ServerModel | None) -> Settings:
    """The settings with an embedder, None for none."""
    if isinstance(chosen, ServerModel):
        settings, provider_id = with_server(settings, chosen.server)
        settings = _with_name(settings, provider_id, chosen)
        chosen = EmbedderSettings(provider=provider_id, model=chosen.model)
    return settings.model_copy(update={"embedder": chosen})


def _with_name(settings: Settings, provider_id: str, chosen: ServerModel) -> Settings:
    """A model that its server does not list is written down, so that it can be picked again."""
    entry = settings.provider(provider_id)
    if chosen.listed or entry is None or chosen.model in entry.models:
        return settings
    return settings.with_provider(
        entry.model_copy(update={"models": (*entry.models, chosen.model)})
    )


def _name_of(host: str) -> str:
    """A short id for a server: "openai" for api.openai.com, "server" for a number or this
    computer."""
    if host.replace(".", "").isdigit():
        return "server"
    words = [word for word in host.split(".") if word not in _NO_NAMES]
    return words[0].strip()[:64] if words and words[0].strip() else "server"


def _bare(address: str) -> str:
    """An address without what can be left out of it."""
    text = address.strip().rstrip("/").lower()
    return text.removeprefix("http://").removesuffix("/v1")
