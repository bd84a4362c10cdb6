"""What is known of a model: what its server tells, and what trying it has shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from chatty_desktop.domain.settings import ModelOptions, Settings, split_model


@dataclass(frozen=True, slots=True)
class ModelCard:
    """What a provider tells of one of its models without being put to work; None and "" where it
    tells nothing.

    `context_length` is what fits it as it is served, `longest_context` what it was made for, both
    in tokens. `size` is in bytes; `parameters` such as "7B". `tools`, `json_schema`, `embeds`
    and `vision` are what the provider says that it can do.
    """

    name: str
    context_length: int | None = None
    longest_context: int | None = None
    size: int | None = None
    parameters: str = ""
    tools: bool | None = None
    json_schema: bool | None = None
    embeds: bool | None = None
    vision: bool | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """Whether a model can do something. `holds` None: that could not be told; `reason` says how
    it is known, or why it is not."""

    holds: bool | None
    reason: str


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found out about a model. `dimension` is the length of its vectors, None where it
    makes none."""

    reference: str
    card: ModelCard
    tools: Finding
    json_schema: Finding
    embeds: Finding
    dimension: int | None = field(default=None, kw_only=True)


ProbeStep = Literal["asking", "tools", "json_schema", "embeds"]
"""What is being found out: what the server tells, or one of the abilities."""


def with_options(settings: Settings, reference: str, **changed: Any) -> Settings:
    """The settings with some options of a model changed, None to leave one to the server again.
    Those of a provider that is gone change nothing. Raises `Invalid` for what names no model."""
    provider_id, name = split_model(reference)
    provider = settings.provider(provider_id)
    if provider is None:
        return settings
    options = provider.options_of(name).model_copy(update=changed)
    others = {model: of for model, of in provider.model_options.items() if model != name}
    kept = {**others, name: options} if options != ModelOptions() else others
    return settings.with_provider(provider.model_copy(update={"model_options": kept}))


def with_findings(settings: Settings, found: Findings) -> Settings:
    """The settings with what was found out; what could not be told stays as it was."""
    known = {"tools": found.tools, "json_schema": found.json_schema, "embeds": found.embeds}
    told = {name: finding.holds for name, finding in known.items() if finding.holds is not None}
    return with_options(settings, found.reference, **told)


def with_model(settings: Settings, reference: str) -> Settings:
    """The settings with a model named by hand at its provider. Raises `Invalid` for what names
    no model."""
    provider_id, name = split_model(reference)
    provider = settings.provider(provider_id)
    if provider is None or name in provider.models:
        return settings
    return settings.with_provider(provider.model_copy(update={"models": (*provider.models, name)}))


def without_model(settings: Settings, reference: str) -> Settings:
    """The settings without a model that was named by hand: its options go too, and what it was
    chosen for is chosen by the app again. Raises `Invalid` for what names no model."""
    provider_id, name = split_model(reference)
    provider = settings.provider(provider_id)
    if provider is None:
        return settings
    left = {
        "models": tuple(model for model in provider.models if model != name),
        "model_options": {k: of for k, of in provider.model_options.items() if k != name},
    }
    chosen = ("default_model", "memory_extractor_model")
    gone = {use: None for use in chosen if getattr(settings, use) == reference}
    return settings.with_provider(provider.model_copy(update=left)).model_copy(update=gone)
