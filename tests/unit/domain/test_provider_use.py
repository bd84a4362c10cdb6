"""What names a provider goes along when it is renamed, and is known before it is removed."""

from __future__ import annotations

from typing import Any

import pytest

from chatty_desktop.domain.agents import Agent, AgentDefinition
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.provider_use import (
    ProviderUse,
    added,
    in_order,
    removed,
    renamed,
    renamed_in_agent,
    use_of,
)
from chatty_desktop.domain.settings import ProviderSettings, Settings, checked


def settings(**fields: Any) -> Settings:
    providers = [{"id": name, "kind": "openai"} for name in ("lab", "lab2", "home")]
    return Settings.model_validate(
        {"providers": providers, "default_model": None, "embedder": None, **fields}
    )


def agent(name: str, **fields: Any) -> Agent:
    definition = AgentDefinition.model_validate({"name": name, **fields})
    return Agent(id=name, definition=definition, created_at=0.0)


COMPOSITE = {
    "kind": "composite",
    "layers": [{"kind": "window"}, {"kind": "state", "spec": "x", "model": "lab/small"}],
}


def test_what_names_a_provider_is_found_in_settings_agents_and_their_memory() -> None:
    now = settings(
        default_model="lab/vendor/small",
        memory_extractor_model="lab2/small",
        embedder={"provider": "lab", "model": "nomic"},
    )
    agents = [
        agent("Ada", model="lab/small"),
        agent("Bob", memory_strategy=COMPOSITE),
        agent("Cleo", model="lab2/small"),
        agent("Dan"),
    ]
    assert use_of(now, agents, "lab") == ProviderUse(
        default_model=True, embedder=True, agents=("Ada", "Bob")
    )
    assert use_of(now, agents, "lab2") == ProviderUse(extractor=True, agents=("Cleo",))
    assert use_of(now, agents, "home") == ProviderUse()


def test_the_built_in_embedder_names_no_provider() -> None:
    local = Settings()
    assert not use_of(local, (), "local").embedder
    assert removed(local, "local").embedder == local.embedder
    assert renamed(local, "local", "here").embedder == local.embedder
    assert renamed(local, "local", "here").default_model == "here/starter"


def test_a_renamed_provider_keeps_all_that_names_it() -> None:
    now = settings(
        default_model="lab/vendor/small",
        memory_extractor_model="lab2/small",
        embedder={"provider": "lab", "model": "nomic", "query_prefix": "q: "},
    )
    after = checked(renamed(now, "lab", "office"))
    assert [entry.id for entry in after.providers] == ["office", "lab2", "home"]
    assert after.default_model == "office/vendor/small"
    assert after.memory_extractor_model == "lab2/small"
    assert after.embedder is not None
    assert (after.embedder.provider, after.embedder.query_prefix) == ("office", "q: ")
    changed = renamed_in_agent(agent("Bob", memory_strategy=COMPOSITE).definition, "lab", "office")
    assert changed.memory_strategy.model_dump()["layers"][1]["model"] == "office/small"


@pytest.mark.parametrize(("old", "new"), [("lab", "home"), ("gone", "new")])
def test_a_name_that_is_taken_and_a_provider_that_is_gone_are_refused(old: str, new: str) -> None:
    with pytest.raises(Invalid):
        renamed(settings(), old, new)


def test_a_name_with_a_slash_is_refused() -> None:
    with pytest.raises(Invalid, match="slash"):
        checked(renamed(settings(), "lab", "a/b"))


def test_a_removed_provider_leaves_nothing_that_names_it() -> None:
    now = settings(
        default_model="lab/small",
        memory_extractor_model="lab/small",
        embedder={"provider": "lab", "model": "nomic"},
    )
    after = removed(now, "lab")
    assert use_of(after, (), "lab") == ProviderUse()
    assert [entry.id for entry in after.providers] == ["lab2", "home"]
    assert removed(now, "lab2").default_model == "lab/small"


def test_a_new_provider_is_the_last_and_may_not_take_a_name() -> None:
    new = ProviderSettings(id="new", kind="ollama")
    assert added(settings(), new).providers[-1] == new
    with pytest.raises(Invalid, match="already"):
        added(settings(), ProviderSettings(id="lab", kind="ollama"))


def test_an_order_may_leave_some_out() -> None:
    ids = [entry.id for entry in in_order(settings(), ["home", "lab", "unknown"]).providers]
    assert ids == ["home", "lab", "lab2"]
