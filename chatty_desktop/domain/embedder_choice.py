"""Choosing the system's embedder: which models to offer, what a change does to recall, and which
thresholds go with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from chatty_desktop.domain.embedding import BUILT_IN, suggested_threshold
from chatty_desktop.domain.episodes import EpisodeCounts, ToEmbed
from chatty_desktop.domain.requests import ModelChoice
from chatty_desktop.domain.settings import EmbedderSettings, Settings
from chatty_desktop.domain.strategies import Composite, Episodic, Strategy

FAR = 0.05
"""A threshold this much off the suggested one was hardly set for that embedder."""


@dataclass(frozen=True, slots=True)
class Switch:
    """What a change of embedder does to recall.

    lost: episodes that the present embedder has embedded, and that no longer match after it.
    embedded: episodes that the new one has embedded already, and that match at once.
    waiting: what it would have to embed for all of them to match.
    """

    lost: int
    embedded: int
    waiting: ToEmbed


def switch(
    counts: EpisodeCounts,
    before: EmbedderSettings | None,
    after: EmbedderSettings | None,
    waiting: ToEmbed,
) -> Switch:
    """What changing from one embedder to another does; None is no embedder."""
    return Switch(embedded_by(counts, before), embedded_by(counts, after), waiting)


def embedded_by(counts: EpisodeCounts, embedder: EmbedderSettings | None) -> int:
    """How many episodes a model has embedded, in whichever dimension."""
    if embedder is None:
        return 0
    name = (embedder.provider, embedder.model)
    return sum(n for by, n in counts.embedded.items() if (by.provider, by.model) == name)


def is_built_in(settings: Settings, embedder: EmbedderSettings) -> bool:
    """Whether it is the model that comes with the app: one of the local provider, which need not
    be in the settings."""
    entry = settings.provider(embedder.provider)
    return embedder.model == BUILT_IN and (entry is None or entry.kind == "llama_cpp")


def built_in(settings: Settings) -> EmbedderSettings:
    """The model that comes with the app, named so that these settings mean no other."""
    present = settings.embedder
    if present is not None and is_built_in(settings, present):
        return present
    local = [entry.id for entry in settings.providers if entry.kind == "llama_cpp"]
    names = ("local", *local, "built-in")
    named = (EmbedderSettings(provider=name, model=BUILT_IN) for name in names)
    return next(each for each in named if is_built_in(settings, each))


def same_model(one: EmbedderSettings | None, other: EmbedderSettings | None) -> bool:
    """Whether vectors of both match each other."""
    if one is None or other is None:
        return one is other
    return (one.provider, one.model) == (other.provider, other.model)


def embedding_first(choices: Iterable[ModelChoice], settings: Settings) -> list[ModelChoice]:
    """The models that embed first: those seen to, those whose name says so, those of which nothing
    is known; last those seen not to. Within each in their order."""

    def rank(choice: ModelChoice) -> int:
        model = choice.reference.removeprefix(f"{choice.provider_id}/")
        entry = settings.provider(choice.provider_id)
        embeds = entry.options_of(model).embeds if entry is not None else None
        if embeds is not None:
            return 0 if embeds else 3
        return 1 if names_embedder(model) else 2

    return sorted(choices, key=rank)


def names_embedder(model: str) -> bool:
    """Whether a model's name says that it embeds."""
    return suggested_threshold(model) is not None or "embed" in model.lower()


def thresholds(strategy: Strategy) -> tuple[float, ...]:
    """The thresholds of a memory, one for each layer that recalls by similarity."""
    layers = strategy.layers if isinstance(strategy, Composite) else (strategy,)
    return tuple(layer.threshold for layer in layers if isinstance(layer, Episodic))


def suits(threshold: float, suggested: float) -> bool:
    """Whether a threshold may have been set for an embedder with that suggestion."""
    return abs(threshold - suggested) <= FAR


def with_threshold(strategy: Strategy, suggested: float) -> Strategy:
    """The same memory with the suggested threshold in each layer that it does not suit."""
    if isinstance(strategy, Composite):
        layers = tuple(with_threshold(layer, suggested) for layer in strategy.layers)
        return strategy.model_copy(update={"layers": layers})
    if isinstance(strategy, Episodic) and not suits(strategy.threshold, suggested):
        return strategy.model_copy(update={"threshold": suggested})
    return strategy
