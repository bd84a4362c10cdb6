"""How the model that answers stands: asked without loading anything."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from chatty_desktop.domain.agents import AgentDefinition
from chatty_desktop.domain.errors import ChattyError, Invalid
from chatty_desktop.domain.models import ModelCard
from chatty_desktop.domain.settings import ProviderKind, Settings, split_model
from chatty_desktop.domain.standing import ChosenBy, Standing
from chatty_desktop.engine.models import ModelChooser

Cards = Callable[[str], Awaitable[Sequence[ModelCard]]]
"""The models that a provider lists, by its id. Raises a `ChattyError`."""

CheckLocal = Callable[[str], Awaitable[None]]
"""Raises a `ChattyError` when a model of the local engine could not be loaded."""


class ModelStanding:
    """Tells how an agent's model stands."""

    def __init__(
        self,
        chooser: ModelChooser,
        settings: Callable[[], Settings],
        cards: Cards,
        check_local: CheckLocal,
    ) -> None:
        self._chooser = chooser
        self._settings = settings
        self._cards = cards
        self._check_local = check_local

    async def of(self, agent: AgentDefinition | None) -> Standing:
        """How the model of an agent stands, of None: of one that names none. A server has some
        two seconds to answer."""
        named = agent.model if agent is not None else None
        reference, chosen_by = await self._chooser.reference_for(named)
        if reference is None:
            return Standing(None, chosen_by)
        try:
            return await self._asked(reference, chosen_by)
        except ChattyError as problem:
            return Standing(reference, chosen_by, self._kind(reference), str(problem))

    async def _asked(self, reference: str, chosen_by: ChosenBy) -> Standing:
        self._chooser.check(reference)
        provider_id, name = split_model(reference)
        entry = self._settings().provider(provider_id)
        if entry is None:
            raise Invalid(f"There is no provider {provider_id!r} in the settings.")
        if entry.kind == "llama_cpp":
            await self._check_local(reference)
            return Standing(reference, chosen_by, entry.kind)
        cards = await self._cards(provider_id)
        names = [card.name for card in cards]
        # A server that lists none at all is taken to have it.
        listed = not names or entry.listed_as(name, names) is not None
        return Standing(reference, chosen_by, entry.kind, listed=listed)

    def _kind(self, reference: str) -> ProviderKind | None:
        entry = self._settings().provider(reference.partition("/")[0])
        return entry.kind if entry is not None else None
