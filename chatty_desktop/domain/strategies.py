"""The eight memory strategies as configuration: JSON with a `kind`, checked on the way in.

Unknown fields are refused; every message names the field and what is right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    field_validator,
)
from pydantic_core import ErrorDetails

from chatty_desktop.domain.errors import Invalid


class _Config(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class NoMemory(_Config):
    """The model sees only the new message."""

    kind: Literal["none"] = "none"


class Window(_Config):
    """The last `max_messages` messages of the scope."""

    kind: Literal["window"] = "window"
    max_messages: int = Field(default=20, ge=1, le=100_000)


class FullTranscript(_Config):
    """Every message of the scope on the current branch."""

    kind: Literal["full_transcript"] = "full_transcript"


class Summarized(_Config):
    """A rolling summary, then every message after its cut; renewed every `every` messages."""

    kind: Literal["summarized"] = "summarized"
    every: int = Field(default=20, ge=2, le=10_000)
    model: str | None = None
    summary_prompt: str | None = None


class Episodic(_Config):
    """Past messages recalled by similarity; `threshold` is a cosine, -1 to 1."""

    kind: Literal["episodic"] = "episodic"
    top_k: int = Field(default=6, ge=1, le=1_000)
    threshold: float = Field(default=0.3, ge=-1.0, le=1.0)
    ranking: Literal["vector", "hybrid"] = "vector"


class Semantic(_Config):
    """Facts extracted from each run; `max_chars` bounds what of them is sent."""

    kind: Literal["semantic"] = "semantic"
    extractor_prompt: str | None = None
    model: str | None = None
    max_chars: int = Field(default=4000, ge=100, le=1_000_000)


class StateField(_Config):
    """One key of Σ and what it is for."""

    name: str = Field(min_length=1, max_length=64)
    description: str = ""

    @field_validator("name")
    @classmethod
    def _plain(cls, name: str) -> str:
        if name != name.strip() or any(ord(c) < 32 for c in name):
            raise ValueError("must not begin or end with a space or hold a line break")
        return name


class State(_Config):
    """Structured state Σ over a closed set of keys; `max_chars` bounds its compact JSON."""

    kind: Literal["state"] = "state"
    spec: str = ""
    fields: tuple[StateField, ...] = ()
    max_chars: int = Field(default=4000, ge=2, le=1_000_000)
    model: str | None = None

    @field_validator("fields")
    @classmethod
    def _distinct(cls, fields: tuple[StateField, ...]) -> tuple[StateField, ...]:
        seen: set[str] = set()
        for field in fields:
            if field.name in seen:
                raise ValueError(f"two fields are called {field.name!r}")
            seen.add(field.name)
        return fields


class Composite(_Config):
    """Layers consulted and written in order; nested composites are flattened."""

    kind: Literal["composite"] = "composite"
    layers: tuple[Strategy, ...] = ()

    @field_validator("layers")
    @classmethod
    def _flatten(cls, layers: tuple[Strategy, ...]) -> tuple[Strategy, ...]:
        flat: list[Strategy] = []
        for layer in layers:
            flat.extend(layer.layers if isinstance(layer, Composite) else (layer,))
        return tuple(flat)


Strategy = Annotated[
    NoMemory | Window | FullTranscript | Summarized | Episodic | Semantic | State | Composite,
    Field(discriminator="kind"),
]
Composite.model_rebuild()

_ADAPTER: TypeAdapter[Strategy] = TypeAdapter(Strategy)


def parse_strategy(value: Any) -> Strategy:
    """Read a strategy from decoded JSON. Raises `Invalid`, naming the field and the reason."""
    try:
        return _ADAPTER.validate_python(value)
    except ValidationError as error:
        raise Invalid(describe(error)) from error


def layer_keys(kinds: Iterable[str], slot: str = "") -> list[str]:
    """What each of an agent's layers keeps its memory under: its kind, numbered from the second
    of that kind on. So memory stays with its layer when others come, go or change places. In a
    graph each `slot` (a node's id) has keys of its own."""
    seen: Counter[str] = Counter()
    keys = []
    for kind in kinds:
        seen[kind] += 1
        key = kind if seen[kind] == 1 else f"{kind}:{seen[kind]}"
        keys.append(f"{slot}/{key}" if slot else key)
    return keys


def slot_of(layer_key: str) -> str:
    """The slot that a layer's key is of, "" for that of a chat."""
    return layer_key.rpartition("/")[0]


def layers_of(strategy: Strategy, slot: str = "") -> list[str]:
    """What each of a strategy's layers keeps its memory under."""
    layers = strategy.layers if isinstance(strategy, Composite) else (strategy,)
    return layer_keys((layer.kind for layer in layers), slot)


def by_model(strategy: Strategy, model: str) -> Strategy:
    """The same strategy, its memory made with this model."""
    if isinstance(strategy, Composite):
        layers = tuple(by_model(layer, model) for layer in strategy.layers)
        return strategy.model_copy(update={"layers": layers})
    if isinstance(strategy, Summarized | Semantic | State):
        return strategy.model_copy(update={"model": model})
    return strategy


MOST_FAULTS = 5
"""That are told of one text; the others are counted."""

_LONGEST_PLACE, _LONGEST_REASON = 100, 300
"""Characters told of a fault: both quote what was written."""


def describe(error: ValidationError) -> str:
    """A pydantic error as one line a person can act on: `field: reason; field: reason`, and how
    many more there are."""
    found = problems(error)
    said = [f"{where}: {what}" if where else what for where, what in found[:MOST_FAULTS]]
    more = len(found) - len(said)
    return "; ".join([*said, f"and {more} more"] if more else said)


def problems(error: ValidationError) -> list[tuple[str, str]]:
    """Each fault of a pydantic error as (dotted field path, reason); strategy tags left out."""
    kinds = {"none", "window", "full_transcript", "summarized", "episodic", "semantic"}
    kinds |= {"state", "composite"}
    found = []
    for fault in error.errors(include_url=False):
        path = [str(part) for part in fault["loc"]]
        where = ".".join(p for i, p in enumerate(path) if not (p in kinds and i != len(path) - 1))
        if where in kinds:
            where = "kind"
        found.append(
            (_shortened(where, _LONGEST_PLACE), _shortened(_reason(fault), _LONGEST_REASON))
        )
    return found


def _shortened(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}…"


def _reason(fault: ErrorDetails) -> str:
    """What is wrong, in words for people where pydantic's are for programmers."""
    match fault["type"]:
        case "extra_forbidden":
            return "this field is not known here"
        case "missing":
            return "this field is missing"
        case "string_too_short":
            return "must not be empty"
        case "union_tag_not_found":
            return 'name the kind of memory, such as {"kind": "window"}'
        case "union_tag_invalid":
            context = fault.get("ctx", {})
            return (
                f"{context.get('tag')!r} is no kind of memory; {context.get('expected_tags')} are"
            )
    return fault["msg"].removeprefix("Value error, ").replace("Input should", "should")
