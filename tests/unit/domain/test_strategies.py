"""The eight strategies as configuration: what is read, refused, and said about it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from chatty_desktop.domain.agents import AgentDefinition
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.strategies import (
    Composite,
    Episodic,
    FullTranscript,
    NoMemory,
    Semantic,
    State,
    StateField,
    Strategy,
    Summarized,
    Window,
    parse_strategy,
    problems,
)

DESIGN_EXAMPLE = """
{"kind": "state", "spec": "Keep what this person is working on and what is still open.",
 "fields": [{"name": "goal", "description": "what they are trying to achieve"},
            {"name": "working_on", "description": "the ids in play right now"},
            {"name": "open", "description": "what is still unresolved"}],
 "max_chars": 4000}
"""

_models = st.none() | st.text(max_size=30)
_names = st.text(min_size=1, max_size=64).filter(
    lambda name: name == name.strip() and not any(ord(c) < 32 for c in name)
)
_leaves = st.one_of(
    st.builds(NoMemory),
    st.builds(Window, max_messages=st.integers(1, 100_000)),
    st.builds(FullTranscript),
    st.builds(Summarized, every=st.integers(2, 10_000), model=_models, summary_prompt=_models),
    st.builds(
        Episodic,
        top_k=st.integers(1, 1_000),
        threshold=st.floats(-1, 1),
        ranking=st.sampled_from(["vector", "hybrid"]),
    ),
    st.builds(
        Semantic,
        extractor_prompt=_models,
        model=_models,
        max_chars=st.integers(100, 1_000_000),
    ),
    st.builds(
        State,
        spec=st.text(max_size=50),
        fields=st.lists(
            st.builds(StateField, name=_names, description=st.text(max_size=30)),
            max_size=6,
            unique_by=lambda field: field.name,
        ).map(tuple),
        max_chars=st.integers(2, 1_000_000),
        model=_models,
    ),
)
_strategies = _leaves | st.builds(Composite, layers=st.lists(_leaves, max_size=4).map(tuple))


@given(_strategies)
def test_every_strategy_survives_being_written_as_json_and_read_again(strategy: Strategy) -> None:
    text = json.dumps(strategy.model_dump(mode="json"), ensure_ascii=False)
    assert parse_strategy(json.loads(text)) == strategy


@pytest.mark.parametrize(
    ("kind", "defaults"),
    [
        ("none", {}),
        ("window", {"max_messages": 20}),
        ("full_transcript", {}),
        ("summarized", {"every": 20, "model": None, "summary_prompt": None}),
        ("episodic", {"top_k": 6, "threshold": 0.3, "ranking": "vector"}),
        ("semantic", {"extractor_prompt": None, "model": None, "max_chars": 4000}),
        ("state", {"spec": "", "fields": [], "max_chars": 4000, "model": None}),
        ("composite", {"layers": []}),
    ],
)
def test_what_a_configuration_leaves_out_has_its_default(
    kind: str, defaults: dict[str, Any]
) -> None:
    assert parse_strategy({"kind": kind}).model_dump(mode="json") == {"kind": kind, **defaults}


def test_the_state_example_of_the_design_loads_as_it_stands() -> None:
    state = parse_strategy(json.loads(DESIGN_EXAMPLE))
    assert isinstance(state, State)
    assert [field.name for field in state.fields] == ["goal", "working_on", "open"]
    assert state.fields[1].description == "the ids in play right now"
    assert (state.max_chars, state.model) == (4000, None)


def test_nested_composites_are_flattened_in_order() -> None:
    composite = parse_strategy(
        {
            "kind": "composite",
            "layers": [
                {"kind": "state"},
                {
                    "kind": "composite",
                    "layers": [{"kind": "window"}, {"kind": "composite", "layers": []}],
                },
                {"kind": "episodic"},
            ],
        }
    )
    assert isinstance(composite, Composite)
    assert [layer.kind for layer in composite.layers] == ["state", "window", "episodic"]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"kind": "window", "size": 3}, "size: this field is not known here"),
        ({"kind": "none", "model": "a/b"}, "model: this field is not known here"),
        ({"kind": "window", "max_messages": 0}, "max_messages: should be greater than or equal"),
        ({"kind": "window", "max_messages": "many"}, "max_messages: should be a valid integer"),
        ({"kind": "summarized", "every": 1}, "every: should be greater than or equal to 2"),
        ({"kind": "episodic", "threshold": 1.5}, "threshold: should be less than or equal to 1"),
        ({"kind": "episodic", "ranking": "best"}, "ranking: should be 'vector' or 'hybrid'"),
        ({"kind": "semantic", "max_chars": 10}, "max_chars: should be greater than or equal to"),
        ({"kind": "state", "fields": [{"name": ""}]}, "fields.0.name: must not be empty"),
        ({"kind": "state", "fields": [{}]}, "fields.0.name: this field is missing"),
        (
            {"kind": "state", "fields": [{"name": "a"}, {"name": " b"}]},
            "fields.1.name: must not begin or end with a space or hold a line break",
        ),
        (
            {"kind": "state", "fields": [{"name": "a"}, {"name": "a"}]},
            "fields: two fields are called 'a'",
        ),
        (
            {"kind": "composite", "layers": [{"kind": "window"}, {"kind": "window", "n": 1}]},
            "layers.1.n: this field is not known here",
        ),
    ],
)
def test_a_fault_is_said_with_its_field_and_the_reason(value: dict[str, Any], message: str) -> None:
    with pytest.raises(Invalid) as caught:
        parse_strategy(value)
    assert str(caught.value).startswith(message)


def test_an_unknown_kind_is_refused_with_the_kinds_there_are() -> None:
    with pytest.raises(Invalid) as caught:
        parse_strategy({"kind": "magic"})
    assert "'magic' is no kind of memory" in str(caught.value)
    assert "'full_transcript'" in str(caught.value)


def test_a_strategy_without_a_kind_is_told_to_name_one() -> None:
    with pytest.raises(Invalid, match="name the kind of memory"):
        parse_strategy({"max_messages": 3})


@pytest.mark.parametrize("value", [None, 3, "window", ["window"]])
def test_what_is_no_object_is_refused(value: Any) -> None:
    with pytest.raises(Invalid):
        parse_strategy(value)


def test_every_fault_is_reported_not_only_the_first() -> None:
    with pytest.raises(ValidationError) as caught:
        AgentDefinition.model_validate(
            {
                "name": "  ",
                "max_steps": 0,
                "memory_strategy": {"kind": "state", "fields": [{"name": ""}], "max_chars": 1},
            }
        )
    assert {where for where, _ in problems(caught.value)} == {
        "name",
        "max_steps",
        "memory_strategy.fields.0.name",
        "memory_strategy.max_chars",
    }


def test_configurations_cannot_be_changed_in_place() -> None:
    window = Window()
    with pytest.raises(ValidationError):
        window.max_messages = 3  # type: ignore[misc]
