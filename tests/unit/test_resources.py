"""The files that come with the app can be read by it, and none lies there unused."""

from __future__ import annotations

import ast
from importlib.util import find_spec
from pathlib import Path

import pytest

import chatty_desktop
from chatty_desktop.domain.agents import read_agent, write_agent
from chatty_desktop.paths import resources_folder

AGENTS = sorted(resources_folder().glob("agents/*.json"))
PROMPTS = sorted(resources_folder().glob("prompts/*.md"))


@pytest.mark.parametrize("file", AGENTS, ids=lambda file: file.stem)
def test_a_starter_agent_loads_runs_in_this_version_and_survives_export(file: Path) -> None:
    agent = read_agent(file.read_text("utf-8"))
    assert find_spec(f"chatty_desktop.engine.memory.{agent.memory_strategy.kind}")
    assert read_agent(write_agent(agent)) == agent


def test_starter_agents_have_names_of_their_own_and_one_shows_state() -> None:
    agents = [read_agent(file.read_text("utf-8")) for file in AGENTS]
    assert len({agent.name for agent in agents}) == len(agents)
    assert "state" in {agent.memory_strategy.kind for agent in agents}


@pytest.mark.parametrize("file", PROMPTS, ids=lambda file: file.stem)
def test_a_prompt_says_something_and_is_asked_for_by_its_name(file: Path) -> None:
    assert file.read_text("utf-8").strip()
    package = Path(chatty_desktop.__file__).parent
    words = {
        node.value
        for source in package.rglob("*.py")
        for node in ast.walk(ast.parse(source.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert file.stem in words
