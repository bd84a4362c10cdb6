"""Graphs run by the whole engine, through the real SDK, against a scripted server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from chatty_desktop.app import App
from chatty_desktop.domain.agents import AgentDefinition
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.events import Event, GraphNodeChanged, GraphRunChanged
from chatty_desktop.domain.graph_problems import problems_of
from chatty_desktop.domain.graph_runs import GraphRun
from chatty_desktop.domain.graphs import Graph, Node
from chatty_desktop.domain.messages import Message, Scope, Status
from chatty_desktop.domain.strategies import parse_strategy
from tests.helpers.desk import STATE
from tests.helpers.folder import settings_for
from tests.helpers.servers import Answer, OpenAIServer
from tests.helpers.servers.http import Received

NAMES = ("Ada", "Bea", "Cleo")


def said(received: Received) -> str:
    """The newest message of a request."""
    return str(received.body["messages"][-1]["content"])


def system(received: Received) -> str:
    return str(received.body["messages"][0]["content"])


def echo(received: Received) -> Answer:
    """An answer that says who was asked what."""
    name = system(received).split(".")[0].removeprefix("You are ")
    return Answer(f"<{name}: {said(received)}>")


def graph(*edges: str, overrides: dict[str, Any] | None = None, **nodes: str) -> Graph:
    """A graph of `a>b` edges; `nodes` gives each agent's node its agent, or "agent: prompt"."""
    boxes = [Node(id="in", kind="input")]
    for node_id, what in nodes.items():
        agent, _, prompt = what.partition(": ")
        override = (overrides or {}).get(node_id)
        boxes.append(
            Node(
                id=node_id,
                kind="agent",
                agent=agent,
                prompt=prompt,
                memory_override=override and parse_strategy(override),
            )
        )
    boxes.append(Node(id="out", kind="output"))
    pairs = tuple((edge.split(">")[0], edge.split(">")[1]) for edge in edges)
    return Graph(name="G", nodes=tuple(boxes), edges=pairs)


FORK = graph("in>a", "in>b", "a>c", "b>c", "c>out", a="Ada", b="Bea", c="Cleo: {a} + {b}")


class Hall:
    """The open app with three agents in it, and a session for graphs."""

    def __init__(self, app: App, session_id: str) -> None:
        self.app = app
        self.session_id = session_id
        self.events: list[Event] = []
        app.events.subscribe(self.events.append)

    @classmethod
    async def open(cls, folder: Path, strategy: dict[str, Any] | None = None) -> Hall:
        app = await App.open(folder)
        for name in NAMES:
            if await app.agents.by_name(name) is None:
                memory = parse_strategy(strategy or {"kind": "none"})
                prompt = f"You are {name}."
                await app.agents.save(
                    AgentDefinition(name=name, system_prompt=prompt, memory_strategy=memory)
                )
        session = await app.sessions.find("Work")
        if session is None:
            session = await app.sessions.create("Work", kind="graph")
        return cls(app, session.id)

    async def scope(self, name: str) -> Scope:
        agent = await self.app.agents.by_name(name)
        assert agent is not None
        return Scope(agent.id, self.session_id)

    async def run(self, drawn: Graph, text: str = "go") -> GraphRun:
        """Run to the end, memory included."""
        await self.app.graph_runs.start(self.session_id, drawn, text)
        return await self.ended()

    async def resume(self) -> GraphRun:
        await self.app.graph_runs.resume(self.session_id)
        return await self.ended()

    async def ended(self) -> GraphRun:
        await self.app.graph_runs.wait(self.session_id)
        run = await self.app.graph_runs.newest(self.session_id)
        assert run is not None
        return run

    async def messages(self) -> list[Message]:
        return list(await self.app.messages.branch(self.session_id))

    async def result(self) -> Message:
        return (await self.messages())[-1]

    def states(self, node: str) -> list[str]:
        """The states a node went through, each once."""
        told = [e.node for e in self.events if isinstance(e, GraphNodeChanged)]
        states = [each.state for each in told if each.node == node]
        return [s for i, s in enumerate(states) if i == 0 or states[i - 1] != s]


@pytest.fixture
async def server() -> AsyncIterator[OpenAIServer]:
    async with OpenAIServer(context_length=8192) as server:
        server.default = echo
        yield server


@pytest.fixture
async def hall(tmp_path: Path, server: OpenAIServer) -> AsyncIterator[Hall]:
    settings_for(tmp_path, server.base_url)
    hall = await Hall.open(tmp_path)
    yield hall
    await hall.app.close()


def states(run: GraphRun) -> dict[str, str]:
    return {node.node: node.state for node in run.nodes}


async def test_a_graph_runs_to_a_result_that_stands_in_its_session(hall: Hall) -> None:
    run = await hall.run(FORK, "a trip")
    assert run.status == "done"
    assert set(states(run).values()) == {"done"}
    messages = await hall.messages()
    first, result = messages[0], messages[-1]
    assert (first.role, first.content, first.agent_id, first.node) == ("user", "a trip", "", "in")
    assert result.content == "<Cleo: <Ada: a trip> + <Bea: a trip>>"
    assert (result.role, result.agent_id, result.node) == ("assistant", "", "out")
    assert result.status is Status.COMPLETE
    for node, name in {"a": "Ada", "b": "Bea", "c": "Cleo"}.items():
        asked, reply = [message for message in messages if message.node == node]
        agent = (await hall.scope(name)).agent_id
        assert (asked.role, reply.role) == ("user", "assistant")
        assert asked.agent_id == reply.agent_id == agent
        ran = run.node(node)
        assert (ran.prompt_id, ran.reply_id) == (asked.id, reply.id)
        assert asked.run_id == reply.run_id == ran.run_id
        assert ran.seconds is not None
        assert ran.prompt_tokens
        assert ran.completion_tokens
    assert all(b.parent_id == a.id for a, b in pairwise(messages))
    assert hall.states("c") == ["waiting", "running", "done"]
    ends = [e.status for e in hall.events if isinstance(e, GraphRunChanged)]
    assert ends == ["running", "done"]


async def start_both_branches(hall: Hall, server: OpenAIServer) -> asyncio.Event:
    """Both first nodes of `FORK` are being answered, until what is returned is set."""
    held = asyncio.Event()
    server.script(Answer("one", held=held), Answer("two", held=held))
    await hall.app.graph_runs.start(hall.session_id, FORK, "go")
    await server.received(2)
    return held


async def test_branches_without_dependence_run_at_the_same_time(
    hall: Hall, server: OpenAIServer
) -> None:
    held = await start_both_branches(hall, server)
    assert hall.states("a")[-1] == hall.states("b")[-1] == "running"
    assert hall.states("c") == ["waiting"]
    held.set()
    assert (await hall.ended()).status == "done"


async def test_no_more_run_at_once_than_the_settings_say(hall: Hall, server: OpenAIServer) -> None:
    await hall.app.settings.change(lambda s: s.model_copy(update={"graph_nodes_at_once": 1}))
    held = asyncio.Event()
    server.script(Answer("one", held=held), Answer("two", held=held))
    await hall.app.graph_runs.start(hall.session_id, FORK, "go")
    await server.received(1)
    assert sorted([hall.states("a")[-1], hall.states("b")[-1]]) == ["running", "waiting"]
    held.set()
    assert (await hall.ended()).status == "done"


async def test_one_failure_stops_what_depends_on_it_and_the_rest_finishes(
    hall: Hall, server: OpenAIServer
) -> None:
    drawn = graph(
        "in>a", "in>b", "a>c", "c>out", "b>out", a="Ada", b="Bea", c="Cleo"
    )  # fmt: skip
    server.default = lambda r: Answer.fail(400, "no") if "Ada" in system(r) else echo(r)
    run = await hall.run(drawn)
    assert run.status == "failed"
    assert states(run) == {
        "in": "done", "a": "failed", "b": "done", "c": "skipped", "out": "skipped",
    }  # fmt: skip
    assert "no" in run.node("a").error
    result = await hall.result()
    assert result.status is Status.FAILED
    assert result.error.startswith("a: ")


async def test_a_failed_run_is_resumed_from_the_node_that_failed(
    hall: Hall, server: OpenAIServer
) -> None:
    server.default = lambda r: Answer.fail(400, "no") if "Cleo" in system(r) else echo(r)
    failed = await hall.run(FORK)
    assert states(failed)["c"] == "failed"
    server.default = echo
    before = len(server.chats)
    run = await hall.resume()
    assert (run.id, run.status) == (failed.id, "done")
    assert len(server.chats) == before + 1
    assert (await hall.result()).content == "<Cleo: <Ada: go> + <Bea: go>>"
    assert run.node("a").reply_id == failed.node("a").reply_id
    asked = [m for m in await hall.messages() if m.node == "c" and m.role == "user"]
    assert len(asked) == 1
    with pytest.raises(Invalid, match="no run to go on with"):
        await hall.app.graph_runs.resume(hall.session_id)


async def test_stop_ends_every_node_and_keeps_what_had_come(
    hall: Hall, server: OpenAIServer
) -> None:
    held = asyncio.Event()
    server.script(Answer("first words", held=held, held_after=1), Answer("other words", held=held))
    await hall.app.graph_runs.start(hall.session_id, FORK, "go")
    await server.received(2)
    partial = [m for m in await hall.messages() if m.role == "assistant"]
    while not partial:
        await asyncio.sleep(0.01)
        partial = [m for m in await hall.messages() if m.role == "assistant"]
    hall.app.graph_runs.stop(hall.session_id)
    run = await hall.ended()
    held.set()
    assert run.status == "stopped"
    assert {states(run)[node] for node in "abc"} == {"stopped"}
    kept = {m.node: m.content for m in await hall.messages() if m.status is Status.STOPPED}
    assert "first" in kept.values()
    assert (await hall.result()).status is Status.STOPPED
    assert (await hall.resume()).status == "done"


async def test_a_run_under_way_keeps_its_session_from_another(
    hall: Hall, server: OpenAIServer
) -> None:
    held = await start_both_branches(hall, server)
    with pytest.raises(Invalid, match="still answering"):
        await hall.app.graph_runs.start(hall.session_id, FORK, "again")
    assert hall.app.chat.running() == [hall.session_id]
    held.set()
    await hall.ended()
    assert hall.app.chat.running() == []


@pytest.mark.parametrize(
    ("drawn", "message"),
    [
        (graph("in>a", "a>out", a="Nobody"), "a: There is no agent called 'Nobody'"),
        (graph("in>a", "a>b", "b>a", "a>out", a="Ada", b="Bea"), "a: This node would wait"),
        (graph("in>a", "a>out", a="Ada: {x}"), "a: The prompt uses {x}"),
    ],
)
async def test_a_graph_that_cannot_run_is_refused_with_the_node_and_nothing_is_said(
    hall: Hall, drawn: Graph, message: str
) -> None:
    with pytest.raises(Invalid) as caught:
        await hall.app.graph_runs.start(hall.session_id, drawn, "go")
    assert message in str(caught.value)
    assert await hall.messages() == []


async def test_a_graph_does_not_run_in_a_chat(hall: Hall) -> None:
    chat = await hall.app.sessions.create("Talk")
    with pytest.raises(Invalid, match="is a chat"):
        await hall.app.graph_runs.start(chat.id, FORK, "go")


# --- memory --------------------------------------------------------------------------------------

WINDOW = {"kind": "window", "max_messages": 20}
MEMORIES: dict[str, dict[str, Any]] = {
    "none": {"kind": "none"},
    "window": WINDOW,
    "full_transcript": {"kind": "full_transcript"},
    "summarized": {"kind": "summarized", "every": 2},
    "episodic": {"kind": "episodic", "threshold": -1},
    "semantic": {"kind": "semantic"},
    "state": STATE,
    "composite": {"kind": "composite", "layers": [STATE, WINDOW]},
}
ONE = graph("in>a", "a>out", a="Ada")


def remembering(received: Received) -> Answer:
    """What a fold, a summary or an extraction is answered with, and a chat."""
    text = json.dumps(received.body)
    schema = json.dumps(received.body.get("response_format", {}))
    if "facts" in schema:
        return Answer(
            json.dumps({"facts": [{"subject": "user", "fact": "The user lives in Kyoto."}]})
        )
    if "changes" in schema:
        return Answer.fold([{"key": "goal", "value": "Kyoto"}])
    if "You are Ada" not in text:
        return Answer("Kyoto was spoken of.")
    return Answer("Kyoto is nice.")


@pytest.mark.parametrize("kind", sorted(MEMORIES))
async def test_an_override_of_every_kind_takes_the_place_of_the_agents_own(
    tmp_path: Path, server: OpenAIServer, kind: str
) -> None:
    settings_for(tmp_path, server.base_url, embedder="small")
    server.default = server.default_fold = remembering
    hall = await Hall.open(tmp_path, {"kind": "none"} if kind != "none" else WINDOW)
    drawn = graph("in>a", "a>out", a="Ada", overrides={"a": MEMORIES[kind]})
    await hall.run(drawn, "I live in Kyoto.")
    await hall.run(drawn, "Is Kyoto nice in May?")
    scope = await hall.scope("Ada")
    snapshot = await hall.app.memories.inspect(scope)
    assert snapshot.strategy["kind"] == kind
    sent = await hall.app.memories.last_request(scope)
    assert sent is not None
    remembered = [part for part in sent.sections if part.origin not in ("system", "new", "spec")]
    assert bool(remembered) == (kind != "none"), sent.sections
    (slot,) = await hall.app.memories.slots(scope)
    assert (slot.node, slot.overridden) == ("a", True)
    assert (await hall.app.memories.inspect(scope, node="a")).layers == snapshot.layers
    await hall.app.close()


@pytest.mark.parametrize("kind", sorted(MEMORIES))
async def test_an_agent_in_two_slots_has_one_log_and_each_slot_its_own_memory(
    tmp_path: Path, server: OpenAIServer, kind: str
) -> None:
    settings_for(tmp_path, server.base_url, embedder="small")
    server.default = server.default_fold = remembering
    hall = await Hall.open(tmp_path)
    other = {"kind": "summarized", "every": 2} if kind == "state" else STATE
    drawn = graph(
        "in>a", "a>b", "b>out", a="Ada: first {in}", b="Ada: second {a}",
        overrides={"a": MEMORIES[kind], "b": other},
    )  # fmt: skip
    assert (await hall.run(drawn, "Kyoto one")).status == "done"
    assert (await hall.run(drawn, "Kyoto two")).status == "done"
    scope = await hall.scope("Ada")
    first = await hall.app.memories.inspect(scope, node="a")
    second = await hall.app.memories.inspect(scope, node="b")
    assert first.strategy["kind"] == kind
    assert second.strategy["kind"] == other["kind"]
    assert all(entry.layer.startswith("a/") for entry in first.ledger)
    assert all(entry.layer.startswith("b/") for entry in second.ledger)
    assert second.ledger
    both = await hall.app.memories.inspect(scope)
    assert both.layers == first.layers + second.layers
    log = (await hall.app.messages.branch(hall.session_id)).of_agent(scope.agent_id)
    assert [message.node for message in log] == ["a", "a", "b", "b"] * 2
    # Both took in what was said in either slot: there is one log.
    taken = {each for entry in second.ledger for each in entry.message_ids}
    assert {message.id for message in log if message.node == "a"} & taken
    await hall.app.close()


async def test_two_slots_with_the_same_memory_do_not_share_what_it_made(
    tmp_path: Path, server: OpenAIServer
) -> None:
    settings_for(tmp_path, server.base_url)
    hall = await Hall.open(tmp_path, STATE)
    drawn = graph("in>a", "a>b", "b>out", a="Ada: first {in}", b="Ada: second {a}")
    server.script_folds(
        [{"key": "goal", "value": "first go"}], [{"key": "goal", "value": "second go"}]
    )
    await hall.run(drawn)
    scope = await hall.scope("Ada")
    told = [(await hall.app.memories.inspect(scope, node=n)).layers[0].state for n in "ab"]
    assert told == [{"goal": "first go"}, {"goal": "second go"}]
    await hall.app.close()


async def test_slots_of_one_agent_take_turns(hall: Hall, server: OpenAIServer) -> None:
    held = asyncio.Event()
    server.script(Answer("one", held=held), Answer("two", held=held))
    drawn = graph("in>a", "in>b", "a>out", "b>out", a="Ada", b="Ada")
    await hall.app.graph_runs.start(hall.session_id, drawn, "go")
    await server.received(1)
    assert [hall.states(node)[-1] for node in "ab"] == ["running", "waiting"]
    held.set()
    await hall.ended()
    assert [m.content for m in await hall.messages()] == ["go", "go", "one", "go", "two",
                                                          "one\n\ntwo"]  # fmt: skip


async def test_running_again_after_a_restart_each_agent_goes_on_with_what_it_remembers(
    tmp_path: Path, server: OpenAIServer
) -> None:
    settings_for(tmp_path, server.base_url)
    hall = await Hall.open(tmp_path, WINDOW)
    await hall.run(FORK, "one")
    await hall.app.close()
    hall = await Hall.open(tmp_path)
    await hall.run(FORK, "two")
    asked = {system(chat).split(".")[0]: chat.body["messages"] for chat in server.chats[3:]}
    assert [m["content"] for m in asked["You are Ada"][1:]] == ["one", "<Ada: one>", "two"]
    assert [m["content"] for m in asked["You are Bea"][1:]] == ["one", "<Bea: one>", "two"]
    assert [run.status for run in await hall.app.graph_runs.list(hall.session_id)] == ["done"] * 2
    await hall.app.close()


async def test_a_run_that_the_end_of_the_app_broke_off_is_resumed_after_it(
    tmp_path: Path, server: OpenAIServer
) -> None:
    settings_for(tmp_path, server.base_url)
    hall = await Hall.open(tmp_path)
    held = asyncio.Event()

    def slow(received: Received) -> Answer:
        return Answer("late", held=held) if "Cleo" in system(received) else echo(received)

    server.default = slow
    await hall.app.graph_runs.start(hall.session_id, FORK, "go")
    await server.received(3)
    await hall.app.close()
    held.set()
    server.default = echo
    hall = await Hall.open(tmp_path)
    run = await hall.app.graph_runs.newest(hall.session_id)
    assert run is not None
    assert (run.status, states(run)["a"], states(run)["c"]) == ("stopped", "done", "stopped")
    before = len(server.chats)
    assert (await hall.resume()).status == "done"
    assert len(server.chats) == before + 1
    await hall.app.close()


# --- a session like any other --------------------------------------------------------------------


async def test_deleting_what_a_graph_was_given_takes_its_run_along(hall: Hall) -> None:
    await hall.run(FORK, "one")
    await hall.run(FORK, "two")
    first = (await hall.messages())[0]
    await hall.app.chat.delete_message(first.id)
    left = await hall.messages()
    assert left[0].content == "two"
    assert len(left) == 8
    assert len(await hall.app.graph_runs.list(hall.session_id)) == 1


async def test_deleting_what_a_node_was_sent_takes_its_answer_along_and_no_other(
    hall: Hall,
) -> None:
    await hall.run(FORK)
    asked = next(m for m in await hall.messages() if m.node == "a")
    await hall.app.chat.delete_message(asked.id)
    assert [m.node for m in await hall.messages() if m.node == "a"] == []
    assert len(await hall.messages()) == 6
    run = await hall.app.graph_runs.newest(hall.session_id)
    assert run is not None
    assert (run.node("a").prompt_id, run.node("a").reply_id, run.node("a").run_id) == (
        None,
        None,
        "",
    )


async def test_a_graph_run_is_copied_exported_and_imported_whole(hall: Hall) -> None:
    run = await hall.run(FORK, "a trip")
    copy = await hall.app.duplicates.duplicate(hall.session_id, "Copy")
    document = await hall.app.exchange.document(hall.session_id)
    added = await hall.app.exchange.add_document(document)
    assert copy.kind == added.kind == "graph"
    for session_id in (copy.id, added.id):
        again = await hall.app.graph_runs.newest(session_id)
        assert again is not None
        assert again.id != run.id
        assert (again.graph, states(again)) == (run.graph, states(run))
        said_by_c = await hall.app.messages.get(again.node("c").reply_id or "")
        assert said_by_c is not None
        assert (said_by_c.session_id, said_by_c.node) == (session_id, "c")
        assert await hall.app.memories.request_of(again.node("c").run_id) is not None
    read = await hall.app.exchange.text(hall.session_id, "md")
    assert "To Cleo · c" in read
    assert "## Result" in read


async def test_a_graph_session_is_deleted_with_all_of_it_while_it_runs(
    hall: Hall, server: OpenAIServer
) -> None:
    held = await start_both_branches(hall, server)
    await hall.app.chat.delete_session(hall.session_id)
    held.set()
    assert await hall.app.sessions.get(hall.session_id) is None
    assert await hall.app.graph_runs.newest(hall.session_id) is None


async def test_deleting_an_agent_stops_the_graph_it_works_in(
    hall: Hall, server: OpenAIServer
) -> None:
    held = await start_both_branches(hall, server)
    await hall.app.chat.delete_agent((await hall.scope("Cleo")).agent_id)
    held.set()
    run = await hall.app.graph_runs.newest(hall.session_id)
    assert run is not None
    assert run.status == "stopped"


async def test_versions_of_messages_are_refused_in_a_graph_run(hall: Hall) -> None:
    await hall.run(FORK)
    asked = next(m for m in await hall.messages() if m.node == "a")
    acts: list[Callable[[], Any]] = [
        lambda: hall.app.chat.edit(asked.id, "other"),
        lambda: hall.app.chat.answer_again(asked.id),
        lambda: hall.app.chat.branch_from(asked.id),
        lambda: hall.app.chat.retry(hall.session_id),
    ]
    before = await hall.messages()
    for act in acts:
        with pytest.raises(Invalid, match="run the graph again"):
            await act()
    assert await hall.messages() == before


async def test_what_a_refused_fold_of_a_slot_left_out_is_folded_again_in_that_slot(
    tmp_path: Path, server: OpenAIServer
) -> None:
    settings_for(tmp_path, server.base_url)
    hall = await Hall.open(tmp_path)
    drawn = graph("in>a", "a>out", a="Ada", overrides={"a": STATE})
    server.script_folds("no object", "no object")
    await hall.run(drawn, "Kyoto")
    scope = await hall.scope("Ada")
    (row,) = (await hall.app.memories.inspect(scope)).ledger
    assert row.outcome == "refused"
    server.script_folds([{"key": "goal", "value": "Kyoto"}])
    await hall.app.memories.fold_again(row.id)
    await hall.app.graph_runs.wait(hall.session_id)
    assert (await hall.app.memories.inspect(scope, node="a")).layers[0].state == {"goal": "Kyoto"}
    await hall.app.close()


@pytest.mark.parametrize("seed", range(12))
async def test_whatever_is_drawn_runs_to_a_result_or_is_refused_with_the_node(
    hall: Hall, seed: int
) -> None:
    random = Random(seed)
    ids = [f"n{number}" for number in range(random.randint(1, 6))]
    ends = ["in", *ids, "out"]
    edges = {(ends[i], ends[j]) for i, j in _pairs(random, len(ends), ahead=seed % 2 == 0)}
    edges |= {("in", each) for each in [*ids, "out"] if seed % 2 == 0 or random.random() < 0.7}
    slots: dict[str, Any] = {each: random.choice(NAMES) for each in ids}
    drawn = graph(*(f"{source}>{target}" for source, target in sorted(edges)), **slots)
    found = problems_of(drawn, NAMES)
    if found:
        with pytest.raises(Invalid) as caught:
            await hall.app.graph_runs.start(hall.session_id, drawn, "go")
        said = str(caught.value)
        assert all(f"{each.node}: {each.text}" in said for each in found)
        return
    run = await hall.run(drawn)
    assert run.status == "done"
    assert (await hall.result()).content


def _pairs(random: Random, count: int, *, ahead: bool) -> list[tuple[int, int]]:
    """Pairs of different numbers below `count`; `ahead`: the smaller first."""
    pairs = [random.sample(range(count), 2) for _each in range(random.randint(1, 9))]
    return [(min(pair), max(pair)) if ahead else (pair[0], pair[1]) for pair in pairs]
