"""What is known of a model: what its server tells, and what trying it has shown."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ModelCard:
    """What a provider tells of one of its models without being put to work; None and "" where it
    tells nothing.

    `context_length` is what fits it as it is served, `longest_context` what it was made for, both
    in tokens. `size` is in bytes; `parameters` such as "7B". `tools`, `json_schema` and `embeds`
    are what the provider says that it can do.
    """

    name: str
    context_length: int | None = None
    longest_context: int | None = None
    size: int | None = None
    parameters: str = ""
    tools: bool | None = None
    json_schema: bool | None = None
    embeds: bool | None = None


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
