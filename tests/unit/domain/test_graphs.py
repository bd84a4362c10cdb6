"""Graph files, what keeps a graph from running, and the graphs that come with the app."""

from __future__ import annotations

import contextlib
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatty_desktop.domain.agents import read_agent
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.graph_problems import problems_of, require_sound
from chatty_desktop.domain.graph_prompts import filled, names_in, prompt_of
from chatty_desktop.domain.graphs import (
    Graph,
    Node,
    checked,
    effective_strategy,
    read_graph,
    write_graph,
)
from chatty_desktop.domain.strategies import Composite, NoMemory, State, Strategy, Window
from chatty_desktop.paths import resources_folder

STARTERS = sorted((resources_folder() / "graphs").glob("*.json"))

IDS = st.text("abcdé_- 1", min_size=1, max_size=4).filter(lambda text: text == text.strip())
OVERRIDES: st.SearchStrategy[Strategy | None] = st.sampled_from(
    [None, NoMemory(), Window(max_messages=3), State(spec="s"), Composite(layers=(Window(),))]
)


def node(node_id: str, kind: Any = "agent", **more: Any) -> Node:
    return Node(id=node_id, kind=kind, agent="Ada" if kind == "agent" else None, **more)


def graph(*edges: str, nodes: tuple[Node, ...] = ()) -> Graph:
    """A graph of `a>b` edges; `in` and `out` are its ends, all else agents."""
    pairs = tuple((edge.split(">")[0], edge.split(">")[1]) for edge in edges)
    kinds = {"in": "input", "out": "output"}
    found = {each.id: each for each in nodes}
    for pair in pairs:
        for each in pair:
            found.setdefault(each, node(each, kinds.get(each, "agent")))
    return Graph(name="G", nodes=tuple(found.values()), edges=pairs)


@st.composite
def drawn(draw: st.DrawFn) -> Graph:
    """Any graph an editor could come to hold, right or wrong."""
    ids = draw(st.lists(IDS, max_size=7))
    nodes = tuple(
        Node(
            id=each,
            kind=draw(st.sampled_from(["input", "agent", "agent", "output"])),
            agent=draw(st.sampled_from([None, "Ada", "Gone"])),
            prompt=draw(st.text("ab{}1 i\n", max_size=12) | st.sampled_from(["", "{input}"])),
            memory_override=draw(OVERRIDES),
        )
        for each in ids
    )
    ends = st.sampled_from([*ids, "nowhere"])
    edges = draw(st.lists(st.tuples(ends, ends), max_size=12).map(tuple))
    places = st.floats(-1e6, 1e6)
    where = draw(st.dictionaries(IDS, st.tuples(places, places), max_size=3))
    return Graph(name=draw(IDS), nodes=nodes, edges=edges, positions=where)


@given(drawn())
def test_a_graph_survives_being_written_to_a_file_and_read_again(each: Graph) -> None:
    assert read_graph(write_graph(each)) == each == checked(each)


@given(drawn())
def test_a_graph_either_can_run_in_order_or_is_refused_with_the_node_named(each: Graph) -> None:
    found = problems_of(each, {"Ada"})
    ids = [node.id for node in each.nodes]
    if found:
        assert all(problem.text and (problem.node in ids or not problem.node) for problem in found)
        with pytest.raises(Invalid) as caught:
            require_sound(each, {"Ada"})
        assert all(problem.text in str(caught.value) for problem in found)
        return
    order = [node.id for node in each.in_order()]
    assert sorted(order) == sorted(ids)
    assert all(order.index(source) < order.index(target) for source, target in each.edges)
    texts = dict.fromkeys(ids, "said")
    for one in each.nodes:
        if one.kind != "input":
            prompt_of(each, one, "given", texts)
            assert each.before(one.id)
        if one.kind == "agent":
            assert one.agent == "Ada"


@given(st.text(max_size=300))
def test_whatever_a_file_holds_it_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(Invalid):
        read_graph(text)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["name", "nodes", "edges", "id", "kind", "positions", "x"]), inner
            )
        ),
    )
)
def test_whatever_json_a_file_holds_it_is_read_or_refused(value: Any) -> None:
    with contextlib.suppress(Invalid):
        read_graph(json.dumps(value))


def test_a_graph_file_holds_exactly_the_fields_other_programs_rely_on() -> None:
    written = write_graph(
        Graph(name="G", nodes=(node("in", "input"), node("a")), edges=(("in", "a"),))
    )
    assert json.loads(written) == {
        "name": "G",
        "nodes": [
            {"id": "in", "kind": "input", "agent": None, "prompt": "", "memory_override": None},
            {"id": "a", "kind": "agent", "agent": "Ada", "prompt": "", "memory_override": None},
        ],
        "edges": [["in", "a"]],
    }


def test_a_file_may_leave_out_what_a_node_does_not_need() -> None:
    read = read_graph('{"name": "G", "nodes": [{"id": "i", "kind": "input", "prompt": null}]}')
    assert read.nodes == (Node(id="i", kind="input"),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1, column 1: not JSON"),
        ('{"name": "G",\n nodes}', "line 2, column 2: not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "A graph file holds one JSON object."),
        ("{}", "line 1: name: this field is missing"),
        ('{"name": " "}', "line 1: name: give the graph a name"),
        ('{"name": "G",\n"nodes": [\n{"id": "a", "kind": "box"}]}', "line 3: nodes.0.kind: should"),
        (
            '{"name": "G", "nodes": [{"kind": "input"}]}',
            "line 1: nodes.0.id: this field is missing",
        ),
        (
            '{"name": "G", "nodes": [{"id": "{a}", "kind": "input"}]}',
            "line 1: nodes.0.id: must not",
        ),
        ('{"name": "G", "edges": [["a"]]}', "line 1: edges.0.1: this field is missing"),
        ('{"name": "G", "colour": 1}', "line 1: colour: this field is not known here"),
        ('{"name": "G", "positions": {"a": [1e300, 0]}}', "line 1: positions: the place of 'a'"),
        ('{"name": "G", "positions": {"a": [NaN, 0]}}', "line 1, column 35: not JSON (NaN"),
        (
            '{"name": "G", "nodes": [{"id": "a", "kind": "agent", "memory_override":\n'
            ' {"kind": "window", "max_messages": 0}}]}',
            "line 2: nodes.0.memory_override.max_messages: should be greater",
        ),
    ],
)
def test_a_wrong_file_is_refused_with_the_line_and_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(Invalid) as caught:
        read_graph(text)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("drawn", "problems"),
    [
        (graph("in>a", "a>out"), []),
        (graph("in>a", "in>b", "a>out", "b>out", "a>b"), []),
        (graph("in>a", "a>b", "in>out"), []),
        (graph("in>out"), []),
        (graph(), [("", "no_input"), ("", "no_output")]),
        (graph("a>out"), [("", "no_input")]),
        (graph("in>a"), [("", "no_output")]),
        (graph("in>a", "a>b", "b>a", "a>out"), [("a", "cycle"), ("b", "cycle")]),
        (graph("in>a", "a>a", "a>out"), [("a", "cycle")]),
        (graph("in>a", "b>a", "a>out"), [("b", "unreachable")]),
        (graph("in>a", "a>out", nodes=(node("lone"),)), [("lone", "unreachable")]),
        (graph("in>a", "a>out", "a>in"),
         [("a", "cycle"), ("in", "cycle"), ("in", "edge_into_input")]),
        (graph("in>out", "out>a"), [("out", "edge_from_output")]),
        (graph("in>a", "a>out", nodes=(Node(id="a", kind="agent"),)),
         [("a", "no_agent")]),
        (graph("in>a", "a>out", nodes=(Node(id="a", kind="agent", agent="Gone"),)),
         [("a", "missing_agent")]),
        (graph("in>a", "a>b", "b>out", nodes=(node("b", prompt="{a} {input} {in} {x}"),)),
         [("b", "unknown_name"), ("b", "unknown_name")]),
        (graph("in>input", "input>out"), [("input", "reserved_id")]),
    ],
)  # fmt: skip
def test_each_fault_stands_at_its_node(drawn: Graph, problems: list[tuple[str, str]]) -> None:
    found = [(problem.node, problem.kind) for problem in problems_of(drawn, {"Ada"})]
    assert sorted(found) == sorted(problems)


def test_two_nodes_of_one_name_and_an_edge_to_nothing_are_faults() -> None:
    twice = Graph(
        name="G",
        nodes=(node("in", "input"), node("a"), node("a"), node("out", "output")),
        edges=(("in", "a"), ("a", "out"), ("a", "gone")),
    )
    found = {(problem.node, problem.kind, problem.about) for problem in problems_of(twice, {"Ada"})}
    assert found == {("a", "duplicate_id", ""), ("a", "edge_to_nothing", "gone")}


def test_a_graph_of_a_thousand_nodes_is_checked_without_end_of_stack() -> None:
    names = ["in", *(f"n{number}" for number in range(998)), "out"]
    chain = graph(*(f"{first}>{second}" for first, second in pairwise(names)))
    assert problems_of(chain) == ()


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{a} and {b}", "one and two"),
        ("{ a }", "one"),
        ("{{a}} {a}", "{a} one"),
        ('{"a": "{a}"}', '{"a": "one"}'),
        ("} { {} {{}}", "} { {} {}"),
        ("{unknown}", "{unknown}"),
        ("{a.__class__} {a!r} {a:>9}", "{a.__class__} {a!r} {a:>9}"),
    ],
)
def test_a_template_puts_texts_in_place_of_names_and_nothing_else(template: str, text: str) -> None:
    assert filled(template, {"a": "one", "b": "two"}) == text


def test_a_text_that_looks_like_a_template_is_not_filled_again() -> None:
    assert filled("{a} {b}", {"a": "{b}", "b": "{{x}}"}) == "{b} {{x}}"


@given(st.text("ab{}\n\"'x", max_size=40))
def test_what_is_escaped_comes_out_as_it_was(text: str) -> None:
    escaped = text.replace("{", "{{").replace("}", "}}")
    assert filled(escaped, {"a": "1", "b": "2"}) == text
    assert names_in(escaped) == ()


def test_without_a_template_a_node_gets_what_comes_before_it() -> None:
    both = graph("in>a", "in>b", "a>c", "b>c", "a>out", "b>out")
    texts = {"in": "hello", "a": "A says", "b": "B says"}

    def sent(node_id: str) -> str:
        found = both.node(node_id)
        assert found is not None
        return prompt_of(both, found, "hello", texts)

    assert sent("a") == "hello"
    assert sent("c") == "a:\nA says\n\nb:\nB says"
    assert sent("out") == "A says\n\nB says"


@pytest.mark.parametrize(
    ("override", "own", "effective"),
    [
        (None, Window(), Window()),
        (None, NoMemory(), NoMemory()),
        (NoMemory(), Window(), NoMemory()),
        (Window(max_messages=3), Window(max_messages=9), Window(max_messages=3)),
        (Composite(layers=(State(), Window())), NoMemory(), Composite(layers=(State(), Window()))),
    ],
)
def test_a_slot_has_the_memory_of_its_override_else_the_agents_own(
    override: Strategy | None, own: Strategy, effective: Strategy
) -> None:
    assert effective_strategy(node("a", memory_override=override), own) == effective


@pytest.mark.parametrize("file", STARTERS, ids=lambda file: str(file.stem))
def test_a_starter_graph_can_run_with_the_agents_that_come_with_the_app(file: Path) -> None:
    agents = {
        read_agent(each.read_text("utf-8")).name
        for each in (resources_folder() / "agents").glob("*.json")
    }
    each = read_graph(file.read_text("utf-8"))
    assert problems_of(each, agents) == ()
    assert set(each.positions) == {node.id for node in each.nodes}


def test_three_graphs_come_with_the_app() -> None:
    assert {read_graph(file.read_text("utf-8")).name for file in STARTERS} == {
        "Critique",
        "Draft and revise",
        "Research",
    }
