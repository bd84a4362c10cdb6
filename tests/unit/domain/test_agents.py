"""Agent files, and the agents that come with the app."""

from __future__ import annotations

import json
from importlib.util import find_spec
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatty_desktop.domain.agents import AgentDefinition, read_agent, write_agent
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.strategies import NoMemory, State, Window
from chatty_desktop.paths import resources_folder

STARTERS = sorted((resources_folder() / "agents").glob("*.json"))


@given(
    st.builds(
        AgentDefinition,
        name=st.text(min_size=1, max_size=50).filter(lambda name: bool(name.strip())),
        system_prompt=st.text(max_size=200),
        model=st.none() | st.text(max_size=20),
        memory_strategy=st.builds(Window, max_messages=st.integers(1, 99)),
        tools=st.lists(st.text(max_size=9), max_size=3).map(tuple),
        max_steps=st.integers(1, 1000),
    )
)
def test_an_agent_survives_being_written_to_a_file_and_read_again(agent: AgentDefinition) -> None:
    assert read_agent(write_agent(agent)) == agent


def test_an_agent_file_holds_exactly_the_fields_other_programs_rely_on() -> None:
    assert json.loads(write_agent(AgentDefinition(name="Ada"))) == {
        "name": "Ada",
        "system_prompt": "",
        "model": None,
        "memory_strategy": {"kind": "none"},
        "tools": [],
        "max_steps": 30,
    }


def test_an_agent_file_is_read_by_people_too() -> None:
    text = write_agent(AgentDefinition(name="Zoë", system_prompt="Sei kurz – ぜひ。"))
    assert "Zoë" in text and "ぜひ" in text and text.count("\n") > 5


@pytest.mark.parametrize("strategy", [{}, {"memory_strategy": None}])
def test_without_a_strategy_an_agent_has_no_memory(strategy: dict[str, Any]) -> None:
    agent = read_agent(json.dumps({"name": "Ada", **strategy}))
    assert agent.memory_strategy == NoMemory()


def test_a_name_loses_the_spaces_around_it() -> None:
    assert read_agent('{"name": "  Ada "}').name == "Ada"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "This is not JSON"),
        ("[]", "An agent file holds one JSON object."),
        ("{}", "name: this field is missing"),
        ('{"name": ""}', "name: must not be empty"),
        ('{"name": "  "}', "name: give the agent a name"),
        ('{"name": "A", "temperature": 1}', "temperature: this field is not known here"),
        ('{"name": "A", "max_steps": 0}', "max_steps: should be greater than or equal to 1"),
        (
            '{"name": "A", "memory_strategy": {"kind": "window", "max_messages": 0}}',
            "memory_strategy.max_messages: should be greater than or equal to 1",
        ),
        (
            '{"name": "A", "memory_strategy": {"kind": "state", "fields": [{"name": 1}]}}',
            "memory_strategy.fields.0.name: should be a valid string",
        ),
    ],
)
def test_a_wrong_file_is_refused_with_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(Invalid) as caught:
        read_agent(text)
    assert str(caught.value).startswith(message)


def test_thirteen_agents_come_with_the_app_and_the_first_is_companion() -> None:
    agents = [read_agent(file.read_text("utf-8")) for file in STARTERS]
    assert len({agent.name for agent in agents}) == len(agents) == 13
    first = min(agents, key=lambda agent: agent.name.casefold())
    assert first.name == "Companion"
    assert isinstance(first.memory_strategy, State)
    assert 4 <= len(first.memory_strategy.fields) <= 6


@pytest.mark.parametrize("file", STARTERS, ids=lambda file: str(file.stem))
def test_a_starter_agent_can_be_used_as_it_is(file: Any) -> None:
    agent = read_agent(file.read_text("utf-8"))
    assert find_spec(f"chatty_desktop.engine.memory.{agent.memory_strategy.kind}")
    assert agent.model is None, "the default model is the one that is there"
    assert agent.system_prompt
    if isinstance(agent.memory_strategy, State):
        names = [field.name for field in agent.memory_strategy.fields]
        assert all(name == name.lower() and name.isidentifier() for name in names)
        assert all(field.description for field in agent.memory_strategy.fields)


def test_asking_before_memory_changes_is_in_a_file_only_where_it_is_on() -> None:
    agent = AgentDefinition(name="Ada")
    assert "approve_memory" not in write_agent(agent)
    assert "approve_memory" not in agent.model_dump_json()
    asking = agent.model_copy(update={"approve_memory": True})
    assert read_agent(write_agent(asking)) == asking
