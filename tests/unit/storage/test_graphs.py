"""Graphs in the database."""

from __future__ import annotations

import pytest

from chatty_desktop.domain.agents import AgentDefinition
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.events import Event, GraphsChanged
from chatty_desktop.domain.graphs import Graph, Node
from chatty_desktop.domain.strategies import Window
from chatty_desktop.storage.agents import StoredAgents
from chatty_desktop.storage.database import Database
from chatty_desktop.storage.graphs import StoredGraphs

DRAFT = Graph(
    name="Draft",
    nodes=(Node(id="a", kind="agent", agent="Ada", memory_override=Window(max_messages=2)),),
    edges=(("a", "gone"),),
    positions={"a": (1.5, -2)},
)


async def test_a_graph_is_kept_as_it_was_drawn_though_it_cannot_run(database: Database) -> None:
    told: list[Event] = []
    graphs = StoredGraphs(database, told.append)
    stored = await graphs.save(DRAFT)
    assert await graphs.get(stored.id) == stored == await graphs.by_name("Draft")
    assert stored.graph == DRAFT
    assert told == [GraphsChanged()]


async def test_graphs_are_listed_by_name_renamed_and_deleted(database: Database) -> None:
    graphs = StoredGraphs(database, lambda _event: None)
    draft = await graphs.save(DRAFT)
    await graphs.save(Graph(name="apples"))
    await graphs.save(DRAFT.model_copy(update={"name": "Berries"}), draft.id)
    assert [graph.name for graph in await graphs.list()] == ["apples", "Berries"]
    await graphs.delete(draft.id)
    assert [graph.name for graph in await graphs.list()] == ["apples"]
    with pytest.raises(Invalid, match="no longer there"):
        await graphs.save(DRAFT, draft.id)


async def test_a_name_is_taken_by_one_graph_and_an_import_replaces_it(database: Database) -> None:
    graphs = StoredGraphs(database, lambda _event: None)
    draft = await graphs.save(DRAFT)
    with pytest.raises(Invalid, match="Another graph is called 'Draft'"):
        await graphs.save(Graph(name="Draft"))
    again = await graphs.import_(Graph(name="Draft"))
    assert again.id == draft.id
    assert (await graphs.list()) == [again.model_copy(update={"created_at": draft.created_at})]


async def test_what_could_not_be_read_again_is_not_stored(database: Database) -> None:
    graphs = StoredGraphs(database, lambda _event: None)
    with pytest.raises(Invalid, match="name"):
        await graphs.save(DRAFT.model_copy(update={"name": " "}))
    assert await graphs.list() == []


async def test_graphs_follow_an_agent_that_is_given_another_name(database: Database) -> None:
    graphs = StoredGraphs(database, lambda _event: None)
    agents = StoredAgents(database, lambda _event: None, lambda _id: None)
    ada = await agents.save(AgentDefinition(name="Ada"))
    draft = await graphs.save(DRAFT)
    await agents.save(AgentDefinition(name="Ada Lovelace"), ada.id)
    renamed = await graphs.get(draft.id)
    assert renamed is not None
    assert [node.agent for node in renamed.graph.nodes] == ["Ada Lovelace"]
    assert renamed.graph.positions == DRAFT.positions
