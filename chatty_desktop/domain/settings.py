"""settings.json: providers, default models, the embedder.

Fields this version does not know are kept as they are, so a newer file survives an older app.
"""

from __future__ import annotations

import json
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.strategies import describe

ProviderKind = Literal["llama_cpp", "openai", "ollama"]


class _Part(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)


class ProviderSettings(_Part):
    """One source of models.

    `models` are names the person wrote down: for `llama_cpp` "starter" or the path of a .gguf
    file; elsewhere names to offer beside those the server lists. `context_length` is in tokens:
    what the local engine is started with, and `num_ctx` of every Ollama call; None leaves the
    local engine at 8192 and Ollama at 8192.
    """

    id: str = Field(min_length=1, max_length=64)
    kind: ProviderKind
    base_url: str | None = None
    models: tuple[str, ...] = ()
    context_length: int | None = Field(default=None, ge=256)

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


class Settings(_Part):
    """The whole file. Order of providers = order of fallback."""

    providers: tuple[ProviderSettings, ...] = (
        ProviderSettings(id="local", kind="llama_cpp", models=("starter",)),
    )
    default_model: str | None = "local/starter"
    memory_extractor_model: str | None = None
    embedder: EmbedderSettings | None = EmbedderSettings(provider="local", model="builtin")

    @field_validator("providers")
    @classmethod
    def _distinct(cls, value: tuple[ProviderSettings, ...]) -> tuple[ProviderSettings, ...]:
        ids = [provider.id for provider in value]
        for provider_id in ids:
            if ids.count(provider_id) > 1:
                raise ValueError(f"two providers are called {provider_id!r}")
        return value


def read_settings(text: str) -> Settings:
    """Read settings.json. Raises `Invalid` naming the line or the field that is wrong."""
    try:
        value = json.loads(text)
    except ValueError as error:
        raise Invalid(f"not JSON: {error}") from error
    try:
        return Settings.model_validate(value)
    except ValidationError as error:
        raise Invalid(describe(error)) from error


def write_settings(settings: Settings) -> str:
    """The settings as indented JSON."""
    return json.dumps(settings.model_dump(mode="json"), indent=2, ensure_ascii=False) + "\n"


def split_model(reference: str) -> tuple[str, str]:
    """`provider_id/model` in two; the model's own name may hold slashes. Raises `Invalid`."""
    provider, slash, model = reference.partition("/")
    if not (provider and slash and model):
        raise Invalid(f"{reference!r} does not name a model; write provider/model.")
    return provider, model
