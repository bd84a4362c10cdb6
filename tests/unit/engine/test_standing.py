"""Which model answers, why that one, and whether it can, by what its provider says."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from chatty_desktop.domain.agents import AgentDefinition
from chatty_desktop.domain.errors import ChattyError, Unreachable
from chatty_desktop.domain.models import ModelCard
from chatty_desktop.domain.settings import ProviderKind, ProviderSettings, Settings
from chatty_desktop.domain.standing import Standing
from chatty_desktop.engine.models import ModelChooser
from chatty_desktop.engine.standing import ModelStanding
from tests.helpers.scripted import ScriptedModel, ScriptedModels


class World:
    """A provider "test" and what can be learnt of it."""

    def __init__(self, kind: ProviderKind, default: str | None = "test/small") -> None:
        entry = ProviderSettings(id="test", kind=kind)
        self.settings = Settings(providers=(entry,), default_model=default)
        self.answer: Sequence[str] | ChattyError = ()
        self.asked: list[str] = []
        chooser = ModelChooser(
            ScriptedModels(ScriptedModel("test/small"), ScriptedModel("test/large")),
            lambda: self.settings,
        )
        self.standing = ModelStanding(chooser, lambda: self.settings, self._cards, self._check)

    async def _cards(self, provider_id: str) -> list[ModelCard]:
        self.asked.append(provider_id)
        if isinstance(self.answer, ChattyError):
            raise self.answer
        return [ModelCard(name) for name in self.answer]

    async def _check(self, reference: str) -> None:
        self.asked.append(reference)
        if isinstance(self.answer, ChattyError):
            raise self.answer


async def test_the_agents_own_model_comes_before_the_default_and_that_before_the_first() -> None:
    world = World("openai")
    own = AgentDefinition(name="Ada", model="test/large")
    assert await world.standing.of(own) == Standing("test/large", "agent", "openai")
    none = AgentDefinition(name="Bob")
    assert await world.standing.of(none) == Standing("test/small", "default", "openai")
    world.settings = world.settings.model_copy(update={"default_model": None})
    found = await world.standing.of(none)
    assert (found.reference, found.chosen_by) == ("test/small", "first")


@pytest.mark.parametrize(
    ("kind", "names", "listed"),
    [
        ("openai", [], True),
        ("openai", ["small", "other"], True),
        ("openai", ["other"], False),
        ("openai", ["small:latest"], False),
        ("ollama", ["small:latest"], True),
        ("ollama", ["small:7b"], False),
    ],
)
async def test_a_model_is_listed_by_its_name_or_by_a_server_that_lists_nothing(
    kind: ProviderKind, names: list[str], listed: bool
) -> None:
    world = World(kind)
    world.answer = names
    assert (await world.standing.of(None)).listed is listed


async def test_what_the_server_fails_with_is_the_problem() -> None:
    world = World("ollama")
    world.answer = Unreachable("The server is down.")
    assert await world.standing.of(None) == Standing(
        "test/small", "default", "ollama", "The server is down."
    )


async def test_a_local_model_is_checked_by_its_file_and_no_list_is_asked_for() -> None:
    world = World("llama_cpp")
    assert not (await world.standing.of(None)).problem
    assert world.asked == ["test/small"]


async def test_a_model_of_no_provider_is_a_problem_of_no_kind() -> None:
    world = World("openai", default="gone/small")
    found = await world.standing.of(None)
    assert found.kind is None and "gone" in found.problem and world.asked == []
