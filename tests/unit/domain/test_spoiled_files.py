"""Spoiled files: whatever is in one, what comes of it is a value that holds, or a reason."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatty_desktop.domain.agents import read_agent, write_agent
from chatty_desktop.domain.data_folder import settings_without_secrets
from chatty_desktop.domain.downloads import read_catalogue
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.graph_problems import problems_of
from chatty_desktop.domain.graphs import read_graph, write_graph
from chatty_desktop.domain.imports.reading import read_chats
from chatty_desktop.domain.json_text import read_json
from chatty_desktop.domain.mcp_pasting import read_pasted
from chatty_desktop.domain.measuring import read_script
from chatty_desktop.domain.settings import Settings, read_settings, write_settings
from chatty_desktop.paths import resources_folder
from tests.helpers import exports
from tests.helpers.spoiling import Good, spoiled_json


def _good(folder: Path, pattern: str = "*.json") -> Good:
    return Good(json.loads(file.read_text("utf-8")) for file in sorted(folder.glob(pattern)))


_RESOURCES = resources_folder()
_AGENTS = _good(_RESOURCES / "agents")
_GRAPHS = _good(_RESOURCES / "graphs")
_SCRIPTS = _good(_RESOURCES / "measuring")
_CATALOGUE = _good(_RESOURCES, "catalogue.json")
_EXPORTS = _good(Path(exports.__path__[0]))
_SETTINGS = Good((
    json.loads(write_settings(Settings())),
    {
        "providers": [
            {"id": "local", "kind": "llama_cpp", "models": ["starter"], "threads": 2},
            {"id": "lab", "kind": "openai", "base_url": "http://127.0.0.1:8080/v1",
             "models": ["small"], "model_options": {"small": {"temperature": 0.2, "seed": 3}}},
        ],
        "default_model": "lab/small",
        "memory_extractor_model": None,
        "embedder": {"provider": "local", "model": "builtin", "query_prefix": "q: "},
        "appearance": {"theme": "dark", "font_size": 12.5},
        "mcpServers": {"files": {"command": "npx", "args": ["-y", 3], "env": {"A": "1"}},
                       "web": {"url": "https://example.org/mcp", "headers": {"X": "y"}}},
    },
))  # fmt: skip
_PASTED = Good(({"mcpServers": _SETTINGS[1]["mcpServers"]}, _SETTINGS[1]["mcpServers"]))

MORE = settings(max_examples=150)


def read_or_told(read: Callable[[str], Any], text: str) -> Any:
    """What is read, None for what is refused with a reason that a person can be shown."""
    try:
        return read(text)
    except Invalid as error:
        said = str(error)
        assert said.strip()
        # Not in one: what is shown of a failure would be as long.
        length = len(said)
        assert length < 3_000
        said.encode()
        return None


@MORE
@given(spoiled_json(_AGENTS))
def test_an_agent_is_read_as_it_will_be_written_or_refused(text: str) -> None:
    if (agent := read_or_told(read_agent, text)) is not None:
        assert read_agent(write_agent(agent).encode().decode()) == agent


@MORE
@given(spoiled_json(_GRAPHS))
def test_a_graph_is_read_as_it_will_be_written_or_refused(text: str) -> None:
    if (graph := read_or_told(read_graph, text)) is not None:
        assert read_graph(write_graph(graph).encode().decode()) == graph
        problems_of(graph, {})


@MORE
@given(spoiled_json(_SETTINGS))
def test_settings_are_read_as_they_will_be_written_or_refused(text: str) -> None:
    if (found := read_or_told(read_settings, text)) is not None:
        assert read_settings(write_settings(found).encode().decode()) == found
    read_or_told(settings_without_secrets, text)


@given(spoiled_json(_SCRIPTS))
def test_a_conversation_to_measure_with_is_read_or_refused(text: str) -> None:
    read_or_told(read_script, text)


@given(spoiled_json(_CATALOGUE))
def test_a_list_of_models_is_read_or_refused(text: str) -> None:
    read_or_told(read_catalogue, text)


@given(spoiled_json(_PASTED))
def test_pasted_servers_are_read_or_refused(text: str) -> None:
    for server in (read_or_told(read_pasted, text) or {}).values():
        server.model_dump_json()


@MORE
@given(spoiled_json(_EXPORTS))
def test_chats_of_other_programs_are_trees_of_text_or_refused(text: str) -> None:
    found = read_or_told(lambda given: read_chats(read_json(given)), text)
    for chat in found.chats if found else ():
        placed: set[str | None] = {None}
        for message in chat.messages:
            assert message.parent_id in placed
            assert message.content.strip()
            assert 0 <= message.at < 1e11
            message.content.encode()
            placed.add(message.id)
        assert chat.leaf_id in placed
        chat.title.encode()


@pytest.mark.parametrize("read", [read_agent, read_graph, read_settings, read_script, read_pasted])
@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, '{"name":' * 100_000, '{"name": "a", "nodes": [' + "1," * 50_000 + "1]}",
     '{"providers": [' + "1," * 50_000 + "1]}", '{"name": "' + "x" * 4_000_000 + '"}',
     '{"' + "x" * 4_000_000 + '": 1}', '{"memory_strategy": {"kind": "' + "x" * 4_000_000 + '"}}'],
    ids=["lists", "objects", "nodes", "providers", "name", "key", "kind"],
)  # fmt: skip
def test_a_file_that_is_all_one_fault_is_refused_in_a_few_words(
    read: Callable[[str], Any], text: str
) -> None:
    read_or_told(read, text)


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    for read in (read_agent, read_graph, read_settings, read_script, read_pasted):
        read_or_told(read, text)
