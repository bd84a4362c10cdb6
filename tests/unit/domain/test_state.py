"""The rules by which a patch changes Σ."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from chatty_desktop.domain.errors import Refused
from chatty_desktop.domain.state import MAX_DEPTH, PatchRefused, apply_patch, compact

FIELDS = ("goal", "working_on", "open")
ROOM = 4000

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts
scalars = scalars.filter(lambda value: value not in (float("inf"), float("-inf")))
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
keys = st.sampled_from(FIELDS)
patches = st.dictionaries(keys, values)
states = st.dictionaries(keys, values.filter(lambda value: value is not None))


@given(states, patches, texts.filter(lambda key: key not in FIELDS), values)
def test_an_unknown_key_anywhere_refuses_the_whole_patch_and_leaves_the_state(
    state: dict[str, Any], patch: dict[str, Any], unknown: str, value: Any
) -> None:
    before = copy.deepcopy(state)
    with pytest.raises(PatchRefused) as refusal:
        apply_patch(state, {**patch, unknown: value}, FIELDS, ROOM)
    assert state == before
    assert unknown in str(refusal.value)
    assert all(name in str(refusal.value) for name in FIELDS)


@given(states, patches, st.integers(2, 60))
def test_the_state_after_a_patch_is_never_longer_than_allowed(
    state: dict[str, Any], patch: dict[str, Any], max_chars: int
) -> None:
    wanted = {**state, **patch}
    kept = {key: value for key, value in wanted.items() if value is not None}
    size = len(json.dumps(kept, ensure_ascii=False, separators=(",", ":")))
    if size > max_chars:
        with pytest.raises(PatchRefused, match=f"{size} characters .* {max_chars} are allowed"):
            apply_patch(state, patch, FIELDS, max_chars)
    else:
        assert apply_patch(state, patch, FIELDS, max_chars) == kept


@given(states, patches)
def test_null_deletes_and_every_other_value_is_set(
    state: dict[str, Any], patch: dict[str, Any]
) -> None:
    after = apply_patch(state, patch, FIELDS, 1_000_000)
    for key in FIELDS:
        expected = patch[key] if key in patch else state.get(key)
        assert after.get(key) == expected
        assert (key in after) == (expected is not None)


@given(states, patches)
def test_the_same_patch_twice_is_the_same_as_once(
    state: dict[str, Any], patch: dict[str, Any]
) -> None:
    once = apply_patch(state, patch, FIELDS, 1_000_000)
    assert apply_patch(once, patch, FIELDS, 1_000_000) == once


@given(states, patches)
def test_neither_the_state_nor_the_patch_given_is_changed_or_shared(
    state: dict[str, Any], patch: dict[str, Any]
) -> None:
    before, proposed = copy.deepcopy(state), copy.deepcopy(patch)
    after = apply_patch(state, patch, FIELDS, 1_000_000)
    for value in after.values():
        if isinstance(value, list):
            value.append("later")
        if isinstance(value, dict):
            value["later"] = True
    assert (state, patch) == (before, proposed)


@given(states, patches)
def test_what_comes_out_survives_being_written_and_read(
    state: dict[str, Any], patch: dict[str, Any]
) -> None:
    after = apply_patch(state, patch, FIELDS, 1_000_000)
    assert json.loads(compact(after).encode("utf-8")) == after


@given(states)
def test_an_empty_patch_changes_nothing(state: dict[str, Any]) -> None:
    assume(len(compact(state)) <= ROOM)
    assert apply_patch(state, {}, FIELDS, ROOM) == state


def test_an_unknown_key_is_the_reason_given_even_when_the_size_is_wrong_too() -> None:
    with pytest.raises(PatchRefused, match='"mood" is no key of the state'):
        apply_patch({}, {"goal": "x" * 100, "mood": "fine"}, FIELDS, 10)


def test_nulls_are_taken_out_before_the_size_is_looked_at() -> None:
    state = {"goal": "x" * 90}
    after = apply_patch(state, {"goal": None, "open": "y" * 80}, FIELDS, 100)
    assert after == {"open": "y" * 80}


def test_a_state_of_exactly_the_allowed_length_is_accepted_and_one_more_is_not() -> None:
    exact = len('{"goal":"Zürich"}')
    assert apply_patch({}, {"goal": "Zürich"}, FIELDS, exact) == {"goal": "Zürich"}
    with pytest.raises(PatchRefused, match=f"{exact} characters long .* {exact - 1} are allowed"):
        apply_patch({}, {"goal": "Zürich"}, FIELDS, exact - 1)


def test_length_is_counted_in_characters_not_in_bytes_or_escapes() -> None:
    assert len(compact({"goal": "京都🙂"})) == len('{"goal":"京都🙂"}')
    assert compact([1, {"a": None}]) == '[1,{"a":null}]'


def test_a_key_of_former_fields_stays_but_can_no_longer_be_patched() -> None:
    state = {"mood": "fine", "goal": "rest"}
    assert apply_patch(state, {"goal": "work"}, FIELDS, ROOM) == {"mood": "fine", "goal": "work"}
    with pytest.raises(PatchRefused, match="mood"):
        apply_patch(state, {"mood": None}, FIELDS, ROOM)


def test_deleting_what_is_not_there_changes_nothing() -> None:
    assert apply_patch({"goal": "rest"}, {"open": None}, FIELDS, ROOM) == {"goal": "rest"}


def test_null_inside_a_value_is_kept() -> None:
    assert apply_patch({}, {"open": [None, {"a": None}]}, FIELDS, ROOM) == {
        "open": [None, {"a": None}]
    }


@pytest.mark.parametrize(
    ("patch", "what"),
    [(None, "null"), ([], "a list"), ("goal", "text"), (3, "a number"), (True, "true or false")],
)
def test_a_patch_that_is_no_object_is_refused_and_called_what_it_is(patch: Any, what: str) -> None:
    with pytest.raises(PatchRefused, match=f"one JSON object, but this is {what}"):
        apply_patch({}, patch, FIELDS, ROOM)


def _nested(levels: int) -> Any:
    value: Any = "core"
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (float("nan"), "not a finite number"),
        ([{"a": float("-inf")}], "not a finite number"),
        ("half \ud83d", "half a character"),
        ({"half \udc00": 1}, "half a character"),
        ({1: "one"}, "a name that is not text"),
        ({"a", "b"}, "a Python set"),
        (_nested(MAX_DEPTH + 1), "nested more than"),
        (_nested(100_000), "nested more than"),
    ],
)
def test_a_value_that_json_or_a_file_cannot_hold_is_refused(value: Any, why: str) -> None:
    with pytest.raises(PatchRefused, match=why) as refusal:
        apply_patch({}, {"open": value}, FIELDS, ROOM)
    assert '"open"' in str(refusal.value)


def test_nesting_up_to_the_limit_is_accepted() -> None:
    assert apply_patch({}, {"open": _nested(MAX_DEPTH)}, FIELDS, ROOM)["open"] == _nested(MAX_DEPTH)


def test_without_fields_every_key_is_refused_and_the_reason_says_so() -> None:
    with pytest.raises(PatchRefused, match="no fields are defined"):
        apply_patch({}, {"goal": "x"}, (), ROOM)


def test_a_refusal_is_of_the_kind_refused_and_carries_what_was_proposed() -> None:
    with pytest.raises(Refused) as refusal:
        apply_patch({}, {"mood": "fine"}, FIELDS, ROOM)
    assert isinstance(refusal.value, PatchRefused)
    assert refusal.value.patch == {"mood": "fine"}
