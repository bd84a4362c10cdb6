"""Scoring folds: what counts as right, missed, touched, forgotten, overwritten; and the verdict."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatty_desktop.domain.agents import read_agent
from chatty_desktop.domain.errors import Invalid
from chatty_desktop.domain.measurement import Measurement, totals, verdict
from chatty_desktop.domain.measuring import (
    MeasuredFold,
    Script,
    best_script,
    fits,
    judge,
    judged_fields,
    overwrote,
    read_script,
    state_of,
)
from chatty_desktop.domain.strategies import StateField, parse_strategy
from chatty_desktop.paths import resources_folder

NAMES = ("a", "b", "c", "d")
names = st.sampled_from(NAMES)
states = st.dictionaries(names, st.sampled_from(["red", "blue", 3, ["red", "x"]]))
wants = st.dictionaries(
    names, st.none() | st.lists(st.sampled_from(["red", "blue"]), min_size=1).map(tuple)
)

SCRIPTS = {
    file.stem: read_script(file.read_text("utf-8"))
    for file in resources_folder().glob("measuring/*.json")
}


@given(wants, states, states)
def test_every_field_gets_one_mark_and_a_field_left_alone_gets_none(
    want: dict[str, Any], before: dict[str, Any], after: dict[str, Any]
) -> None:
    judged = judge(want, before, after, NAMES)
    marked = [*judged.right, *judged.missed, *judged.touched, *judged.forgotten]
    assert len(marked) == len(set(marked))
    unmarked = set(NAMES) - set(marked)
    assert all(name not in want and before.get(name) == after.get(name) for name in unmarked)
    assert set(judged.right) | set(judged.missed) <= set(want)
    assert not set(judged.touched) & set(want)
    assert all(name in before and name not in after for name in judged.forgotten)


@given(wants, states)
def test_a_fold_that_does_just_what_is_wanted_is_good(
    want: dict[str, Any], before: dict[str, Any]
) -> None:
    after = {name: value for name, value in before.items() if want.get(name, "") is not None}
    after |= {name: f"It is {values[0]}." for name, values in want.items() if values}
    judged = judge(want, before, after, NAMES)
    assert judged.good and set(judged.right) == set(want)
    assert not overwrote(before, after, want)


@given(wants, states, states)
def test_fields_whose_answers_are_not_known_are_not_judged(
    want: dict[str, Any], before: dict[str, Any], after: dict[str, Any]
) -> None:
    judged = judge(want, before, after, ["a"])
    assert {*judged.right, *judged.missed, *judged.touched, *judged.forgotten} <= {"a"}


def test_a_value_counts_by_any_of_the_answers_in_any_case_also_inside_a_list() -> None:
    assert fits("To KYOTO, in May", ("kyoto", "nara"))
    assert fits(["Kyoto", "Nara"], ("nara",))
    assert fits(1500, ("1500",))
    assert fits(None, None) and not fits("", None) and not fits(None, ("kyoto",))


def test_to_replace_all_that_was_known_is_an_overwrite_unless_it_was_asked_for() -> None:
    before = {"a": "1", "b": "2"}
    assert overwrote(before, {"a": "x", "b": "y"}, None)
    assert overwrote(before, {}, {"a": None})
    assert not overwrote(before, {"a": "x", "b": "y"}, {"a": ("x",), "b": ("y",)})
    assert not overwrote(before, {"a": "x", "b": "2"}, None)
    assert not overwrote({"a": "1"}, {"a": "x"}, None)


# --- scripts ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(SCRIPTS))
def test_our_scripts_have_turns_that_tell_nothing_that_change_and_that_forget(name: str) -> None:
    turns = SCRIPTS[name].turns
    assert any(not turn.want for turn in turns)
    assert any(value is None for turn in turns for value in turn.want.values())
    told: set[str] = set()
    for turn in turns:
        said = f"{turn.user} {turn.assistant}".casefold()
        for field, values in turn.want.items():
            assert values is None or any(value in said for value in values), (field, values)
            assert values is not None or field in told
        told |= {field for field, values in turn.want.items() if values}
        told -= {field for field, values in turn.want.items() if values is None}


def test_our_scripts_know_the_fields_of_the_starter_agents_they_are_for() -> None:
    known = {}
    for file in resources_folder().glob("agents/*.json"):
        agent = read_agent(file.read_text("utf-8"))
        if config := state_of(agent.memory_strategy):
            best = best_script(SCRIPTS, config.fields)
            assert best is not None
            known[agent.name] = (best, len(judged_fields(SCRIPTS[best], config.fields)))
    assert known["Project notes"] == ("work", 5)
    assert known["Planner"] == ("planning", 5)
    assert known["Companion"] == ("person", 4)


def field(name: str, description: str = "") -> StateField:
    return StateField(name=name, description=description)


def test_fields_are_matched_by_what_they_are_for_and_not_by_a_name_alone() -> None:
    script = Script.model_validate(
        {
            "title": "Shop",
            "fields": [
                {"name": "open", "description": "what is still unresolved"},
                {"name": "goal", "description": "what they are trying to achieve"},
                {"name": "bare"},
            ],
            "turns": [{"user": "Hi", "assistant": "Hello"}],
        }
    )
    ours = [
        field("todo", "What is still unresolved?"),
        field("open", "the hours at which the shop opens"),
        field("goal"),
        field("Bare"),
        field("aim", "the dog's breed"),
    ]
    assert judged_fields(script, ours) == {"todo": "open", "goal": "goal", "Bare": "bare"}


def test_the_measured_state_is_the_first_with_fields_also_inside_a_composite() -> None:
    state = {"kind": "state", "fields": [{"name": "goal"}]}
    layers = [{"kind": "window"}, {"kind": "state"}, state]
    found = state_of(parse_strategy({"kind": "composite", "layers": layers}))
    assert found is not None and found.fields[0].name == "goal"
    assert state_of(parse_strategy({"kind": "window"})) is None
    assert state_of(parse_strategy({"kind": "state"})) is None


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("{", "not JSON"),
        ('{"title": "T", "fields": [], "turns": []}', "fields"),
        (
            json.dumps(
                {
                    "title": "T",
                    "fields": [{"name": "a"}],
                    "turns": [{"user": "u", "assistant": "a", "want": {"b": None}}],
                }
            ),
            "turn 1 wants 'b'",
        ),
    ],
)
def test_a_broken_script_is_refused_with_the_place(text: str, part: str) -> None:
    with pytest.raises(Invalid, match=part):
        read_script(text)


# --- verdicts --------------------------------------------------------------------------------


def fold(kind: str) -> MeasuredFold:
    """A fold that went well ("+"), touched a field ("x"), was refused ("-"), came after a retry
    ("r"), or replaced everything ("o")."""
    before: dict[str, Any] = {"a": "red", "b": "red"}
    after = {"x": before | {"b": "new"}, "o": {"a": "1", "b": "2"}}.get(kind, before)
    return MeasuredFold(
        messages=(),
        before=before,
        after=after,
        outcome="refused" if kind == "-" else "accepted",
        attempts=2 if kind in "-r" else 1,
        want={},
        judged=judge({}, before, after, ("a", "b")),
        overwrote=overwrote(before, after, {}),
        seconds=2.0,
    )


def measured(kinds: str, judged: tuple[str, ...] = ("a", "b")) -> Measurement:
    folds = tuple(fold(kind) for kind in kinds)
    return Measurement(
        id="m",
        agent_id="a",
        model="lab/small",
        source="s",
        at=0,
        fields=("a", "b"),
        judged=judged,
        folds=folds,
    )


@pytest.mark.parametrize(
    ("kinds", "said"),
    [
        ("++++", "too_few"),
        ("++++++++++++", "rely"),
        ("+++++++++++x", "rely"),
        ("++++++++++r+", "rely"),
        ("+++++++++xxx", "larger"),
        ("++++++++++--", "larger"),
        ("+++++++++++o", "larger"),
        ("+++++xxxxxxx", "summarized"),
        ("++++++------", "summarized"),
    ],
)
def test_the_verdict_follows_the_thresholds(kinds: str, said: str) -> None:
    assert verdict(measured(kinds)) == said


@pytest.mark.parametrize(
    ("kinds", "said"),
    [
        ("++++++xxxxxx", "right_form"),
        ("++++++++++--", "larger"),
        ("+++++++++ooo", "larger"),
        ("++++--------", "summarized"),
    ],
)
def test_without_right_answers_only_the_form_is_judged(kinds: str, said: str) -> None:
    assert verdict(measured(kinds, judged=())) == said


@given(st.text(alphabet="+x-ro", max_size=30))
def test_totals_add_up_and_survive_json(kinds: str) -> None:
    value = measured(kinds)
    assert Measurement.model_validate_json(value.model_dump_json()) == value
    sums = totals(value.folds)
    assert sums.folds == len(kinds) == sums.accepted + sums.refused
    assert (sums.after_retry, sums.refused) == (kinds.count("r"), kinds.count("-"))
    assert (sums.good, sums.overwrites) == (kinds.count("+") + kinds.count("r"), kinds.count("o"))


def test_a_fold_that_reached_no_model_counts_as_none() -> None:
    gone = fold("+").model_copy(update={"outcome": "unreachable", "judged": None})
    assert totals((fold("+"), gone)).folds == 1
