"""What names a provider, and what becomes of that when it is renamed, moved or removed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from chatty_desktop.domain.agents import Agent, AgentDefinition
from chatty_desktop.domain.embedder_choice import is_built_in
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.settings import ProviderSettings, Settings
from chatty_desktop.domain.strategies import Composite, Strategy


@dataclass(frozen=True, slots=True)
class ProviderUse:
    """What names one provider. `agents` are the names of those that name a model of it, to answer
    with or for their memory. The embedder that comes with the app needs no provider."""

    default_model: bool = False
    extractor: bool = False
    embedder: bool = False
    agents: tuple[str, ...] = ()


def use_of(settings: Settings, agents: Iterable[Agent], provider_id: str) -> ProviderUse:
    """What names a provider of the settings."""
    named = [agent.name for agent in agents if _names(agent.definition, provider_id)]
    embedder = settings.embedder
    return ProviderUse(
        default_model=_is_of(settings.default_model, provider_id),
        extractor=_is_of(settings.memory_extractor_model, provider_id),
        embedder=embedder is not None
        and embedder.provider == provider_id
        and not is_built_in(settings, embedder),
        agents=tuple(named),
    )


def added(settings: Settings, entry: ProviderSettings) -> Settings:
    """The settings with a new provider, the last to fall back on. Raises `Invalid`."""
    if settings.provider(entry.id) is not None:
        raise Invalid(f"There is a provider called {entry.id} already; choose another name.")
    return settings.model_copy(update={"providers": (*settings.providers, entry)})


def in_order(settings: Settings, ids: Sequence[str]) -> Settings:
    """The providers in that order; those it does not name follow as they were."""
    rank = {provider_id: place for place, provider_id in enumerate(ids)}
    entries = sorted(settings.providers, key=lambda entry: rank.get(entry.id, len(rank)))
    return settings.model_copy(update={"providers": tuple(entries)})


def renamed(settings: Settings, old: str, new: str) -> Settings:
    """The settings with a provider called otherwise, and all that names it with it. Raises
    `Invalid`."""
    entry = settings.provider(old)
    if entry is None:
        raise Invalid(f"The provider {old} is no longer there.")
    if settings.provider(new) is not None:
        raise Invalid(f"There is a provider called {new} already; choose another name.")
    entries = tuple(
        e.model_copy(update={"id": new}) if e.id == old else e for e in settings.providers
    )
    embedder = settings.embedder
    if embedder and embedder.provider == old and not is_built_in(settings, embedder):
        embedder = embedder.model_copy(update={"provider": new})
    return settings.model_copy(
        update={
            "providers": entries,
            "default_model": _renamed(settings.default_model, old, new),
            "memory_extractor_model": _renamed(settings.memory_extractor_model, old, new),
            "embedder": embedder,
        }
    )


def removed(settings: Settings, provider_id: str) -> Settings:
    """The settings without a provider and without what names it: no default model then, no model
    for memory, no embedder."""
    use = use_of(settings, (), provider_id)
    changes: dict[str, object] = {
        "providers": tuple(e for e in settings.providers if e.id != provider_id)
    }
    changes |= {"default_model": None} if use.default_model else {}
    changes |= {"memory_extractor_model": None} if use.extractor else {}
    changes |= {"embedder": None} if use.embedder else {}
    return settings.model_copy(update=changes)


def renamed_in_agent(definition: AgentDefinition, old: str, new: str) -> AgentDefinition:
    """The agent with every model of a provider under the provider's new name."""
    return definition.model_copy(
        update={
            "model": _renamed(definition.model, old, new),
            "memory_strategy": _renamed_in_strategy(definition.memory_strategy, old, new),
        }
    )


def _renamed_in_strategy(strategy: Strategy, old: str, new: str) -> Strategy:
    if isinstance(strategy, Composite):
        layers = tuple(_renamed_in_strategy(layer, old, new) for layer in strategy.layers)
        return strategy.model_copy(update={"layers": layers})
    model = getattr(strategy, "model", None)
    if model is None:
        return strategy
    return strategy.model_copy(update={"model": _renamed(model, old, new)})


def _names(definition: AgentDefinition, provider_id: str) -> bool:
    return renamed_in_agent(definition, provider_id, f"{provider_id}'") != definition


def _is_of(reference: str | None, provider_id: str) -> bool:
    return reference is not None and reference.startswith(f"{provider_id}/")


def _renamed(reference: str | None, old: str, new: str) -> str | None:
    if reference is None or not _is_of(reference, old):
        return reference
    return f"{new}/{reference.removeprefix(f'{old}/')}"
