"""settings.json: providers, default models, the embedder, the look of the window.

Fields this version does not know are kept as they are, so a newer file survives an older app. What
is as it is by default is left out of the file, but for the four fields that name models.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.json_places import described_by_line
from chatty_desktop.domain.json_text import WRITTEN_BY_HAND, NotJson, read_json
from chatty_desktop.domain.mcp_settings import SHARED_KEY, McpServer
from chatty_desktop.domain.strategies import describe

ProviderKind = Literal["llama_cpp", "openai", "ollama"]


class _Part(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)


class ModelOptions(_Part):
    """How one model of a provider is asked, and what is known that it can do. None: the provider's
    own setting, or the server's.

    `context_length` and `max_tokens` (of an answer) are in tokens. The sampling options go by the
    names that servers know them by; they hold for chats, not for folds, summaries and extractions,
    which are asked at temperature 0. `tools`, `json_schema` (output constrained by one),
    `embeds` and `vision` (it looks at images) are what a probe found, or what the person says:
    True, False, or None, not known.
    """

    context_length: int | None = Field(default=None, ge=256)
    temperature: float | None = Field(default=None, ge=0, le=5)
    top_p: float | None = Field(default=None, ge=0, le=1)
    top_k: int | None = Field(default=None, ge=0)
    min_p: float | None = Field(default=None, ge=0, le=1)
    repeat_penalty: float | None = Field(default=None, ge=0, le=5)
    presence_penalty: float | None = Field(default=None, ge=-2, le=2)
    frequency_penalty: float | None = Field(default=None, ge=-2, le=2)
    seed: int | None = None
    max_tokens: int | None = Field(default=None, ge=1)
    tools: bool | None = None
    json_schema: bool | None = None
    embeds: bool | None = None
    vision: bool | None = None


class ProviderSettings(_Part):
    """One source of models.

    `models` are names the person wrote down: for `llama_cpp` "starter" or the path of a .gguf
    file; elsewhere names to offer beside those the server lists. `model_options` are by the name
    of a model, listed or not. `context_length` is in tokens: what the local engine is started
    with, and `num_ctx` of every Ollama call; None leaves the local engine at 8192 and Ollama at
    8192.

    Of the local engine alone: `threads` (None: as many as suit the processor), `gpu_layers` (None:
    as many as fit, where the engine has a GPU), `keep_alive_minutes` a model stays loaded after
    its last use (None: until another takes its place or the app ends).
    """

    id: str = Field(min_length=1, max_length=64)
    kind: ProviderKind
    base_url: str | None = None
    models: tuple[str, ...] = ()
    model_options: Mapping[str, ModelOptions] = Field(default_factory=dict)
    context_length: int | None = Field(default=None, ge=256)
    threads: int | None = Field(default=None, ge=1, le=1024)
    gpu_layers: int | None = Field(default=None, ge=0, le=10_000)
    keep_alive_minutes: float | None = Field(default=None, ge=0)

    def options_of(self, model: str) -> ModelOptions:
        """The options of one of its models; all None where nothing was set."""
        return self.model_options.get(model) or ModelOptions()

    def listed_as(self, model: str, listed: Collection[str]) -> str | None:
        """Which of the names that the server lists is a model's: Ollama lists the tag that it adds
        by itself. None where it lists none of it."""
        names = (model, f"{model}:latest") if self.kind == "ollama" else (model,)
        return next((name for name in names if name in listed), None)

    @field_validator("id")
    @classmethod
    def _no_slash(cls, value: str) -> str:
        if "/" in value or value != value.strip():
            raise ValueError("must not hold a slash or begin or end with a space")
        return value


class EmbedderSettings(_Part):
    """Which model embeds: a provider's id and the model's name there.

    The prefixes stand before a text that is looked for and before one that is stored; None
    leaves them to what is known of the model by its name.
    """

    provider: str
    model: str
    query_prefix: str | None = None
    text_prefix: str | None = None


Scheme = Literal["system", "light", "dark"]
Density = Literal["comfortable", "compact"]


class Appearance(_Part):
    """The look of the window. `font_size` in points, None as the system has it; `language` a code
    such as "de", None as the system has it."""

    theme: Scheme = "system"
    font_size: float | None = Field(default=None, ge=6, le=32)
    density: Density = "comfortable"
    language: str | None = None


SendWith = Literal["enter", "ctrl_enter"]


class ChatSettings(_Part):
    """How messages are written. `send_with`: the key that sends; with "ctrl_enter" Enter alone
    begins a new line."""

    send_with: SendWith = "enter"


class Settings(_Part):
    """The whole file. Order of providers = order of fallback. `automatic_titles`: a model names
    new chats; else they are called by their first words. `daily_backups`: a backup is made each day
    by itself. `mcp_servers`, by their names, stand in
    the file under the key that other programs use. `fetch_private_pages`: tools may fetch pages of
    this computer and its network. `graph_nodes_at_once`: so many agents of one graph
    run at the same time."""

    model_config = ConfigDict(populate_by_name=True)

    providers: tuple[ProviderSettings, ...] = (
        ProviderSettings(id="local", kind="llama_cpp", models=("starter",)),
    )
    default_model: str | None = "local/starter"
    memory_extractor_model: str | None = None
    embedder: EmbedderSettings | None = EmbedderSettings(provider="local", model="builtin")
    appearance: Appearance = Appearance()
    chat: ChatSettings = ChatSettings()
    automatic_titles: bool = True
    daily_backups: bool = True
    fetch_private_pages: bool = False
    graph_nodes_at_once: int = Field(default=4, ge=1, le=64)
    mcp_servers: Mapping[str, McpServer] = Field(default_factory=dict, alias=SHARED_KEY)

    def provider(self, provider_id: str) -> ProviderSettings | None:
        """The provider of that id."""
        return next((entry for entry in self.providers if entry.id == provider_id), None)

    def with_provider(self, changed: ProviderSettings) -> Settings:
        """The same, with a provider in the place of the one of its id."""
        entries = tuple(changed if e.id == changed.id else e for e in self.providers)
        return self.model_copy(update={"providers": entries})

    def with_mcp_server(
        self, name: str, server: McpServer | None, instead_of: str = ""
    ) -> Settings:
        """The same, with an MCP server under a name, in the place of the one that has it or of
        the one called `instead_of`; None takes it away."""
        servers: dict[str, McpServer] = {}
        for other, entry in self.mcp_servers.items():
            if other not in (name, instead_of):
                servers[other] = entry
            elif server is not None:
                servers[name] = server
        if server is not None:
            servers.setdefault(name, server)
        return self.model_copy(update={"mcp_servers": servers})

    @field_validator("providers")
    @classmethod
    def _distinct(cls, value: tuple[ProviderSettings, ...]) -> tuple[ProviderSettings, ...]:
        ids = Counter(provider.id for provider in value)
        for provider_id, count in ids.items():
            if count > 1:
                raise ValueError(f"two providers are called {provider_id!r}")
        return value


def with_appearance(**values: object) -> Callable[[Settings], Settings]:
    """A change to the look of the window: of the fields named, the others stay."""

    def change(settings: Settings) -> Settings:
        look = settings.appearance.model_copy(update=values)
        return settings.model_copy(update={"appearance": look})

    return change


def with_chat(**values: object) -> Callable[[Settings], Settings]:
    """A change to how messages are written: of the fields named, the others stay."""

    def change(settings: Settings) -> Settings:
        chat = settings.chat.model_copy(update=values)
        return settings.model_copy(update={"chat": chat})

    return change


def read_settings(text: str) -> Settings:
    """Read settings.json. Raises `Invalid` naming the line, and the field where it is one."""
    try:
        value = read_json(text, WRITTEN_BY_HAND)
    except NotJson as error:
        raise Invalid(error.by_line) from error
    try:
        return Settings.model_validate(value)
    except ValidationError as error:
        raise Invalid(described_by_line(text, error)) from error


def checked(settings: Settings) -> Settings:
    """The settings again, once every rule is seen to hold: a copy with other values need not.
    Raises `Invalid` naming the field that is wrong."""
    try:
        return Settings.model_validate(settings.model_dump())
    except ValidationError as error:
        raise Invalid(describe(error)) from error


def write_settings(settings: Settings) -> str:
    """The settings as indented JSON."""
    named = {"providers", "default_model", "memory_extractor_model", "embedder"}
    written: dict[str, Any] = settings.model_dump(mode="json", include=named)
    written["providers"] = [
        entry.model_dump(mode="json", exclude_defaults=True) for entry in settings.providers
    ]
    if settings.embedder is not None:
        written["embedder"] = settings.embedder.model_dump(mode="json", exclude_defaults=True)
    written |= settings.model_dump(mode="json", exclude=named, exclude_defaults=True, by_alias=True)
    return json.dumps(written, indent=2, ensure_ascii=False) + "\n"


def split_model(reference: str) -> tuple[str, str]:
    """`provider_id/model` in two; the model's own name may hold slashes. Raises `Invalid`."""
    provider, slash, model = reference.partition("/")
    if not (provider and slash and model):
        raise Invalid(f"{reference!r} does not name a model; write provider/model.")
    return provider, model
