"""The State form of the agent editor: a table of fields, and the problems beside them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from chatty_desktop.domain.strategies import State, parse_strategy
from chatty_desktop.ui.agents.fields_model import DESCRIPTION, NAME, FieldsModel, ProblemRole
from chatty_desktop.ui.agents.strategy_form import FormParts
from chatty_desktop.ui.agents.strategy_state import Form
from chatty_desktop.ui.controls import ModelChoices
from chatty_desktop.ui.theme import Theme
from tests.helpers.desk import STATE
from tests.helpers.scripted import ScriptedModel, ScriptedModels
from tests.ui.panels import button, says


@pytest.fixture
def form(theme: Theme, qtbot: QtBot) -> Form:
    """The form over goal, working_on and open, on the screen."""
    choices = ModelChoices(ScriptedModels(ScriptedModel()))
    made = Form(FormParts(theme, choices))
    made.set(STATE)
    qtbot.addWidget(made)
    made.show()
    return made


def names(form: Form) -> list[str]:
    return [field["name"] for field in form.value()["fields"]]


def current(form: Form, row: int, column: int = NAME) -> None:
    form.table.view.setCurrentIndex(form.table.model.index(row, column))
    form.table.view.setFocus()


def type_into_cell(form: Form, text: str, qtbot: QtBot) -> None:
    """Type into the cell that is being edited, and leave it."""
    (cell,) = form.table.view.viewport().findChildren(QLineEdit)
    QTest.keyClicks(cell, text)
    QTest.keyClick(cell, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: text in names(form), timeout=20_000)


def test_what_is_shown_comes_back_as_it_was(form: Form) -> None:
    assert parse_strategy(form.value()) == parse_strategy(STATE)


def test_a_field_is_added_and_its_name_typed_at_once(form: Form, qtbot: QtBot) -> None:
    button(form, "Add field").click()
    type_into_cell(form, "deadline", qtbot)
    assert names(form) == ["goal", "working_on", "open", "deadline"]


def test_a_field_is_renamed_in_its_cell_and_chats_are_said_to_keep_the_old_name(
    form: Form, qtbot: QtBot
) -> None:
    current(form, 0)
    QTest.keyClick(form.table.view, Qt.Key.Key_F2)
    type_into_cell(form, "aim", qtbot)
    assert names(form) == ["aim", "working_on", "open"]
    assert says(form, "keep something under goal keep it under that name")


def test_naming_it_back_takes_the_remark_away(form: Form) -> None:
    model = form.table.model
    model.setData(model.index(0, NAME), "aim")
    model.setData(model.index(0, NAME), "goal")
    assert not says(form, "under that name")


def test_fields_move_by_buttons_and_by_alt_arrows_and_stay_current(form: Form) -> None:
    current(form, 2)
    button(form, "Move field up (Alt+Up)").click()
    assert names(form) == ["goal", "open", "working_on"]
    QTest.keyClick(form.table.view, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert names(form) == ["open", "goal", "working_on"]
    assert form.table.view.currentIndex().row() == 0
    assert not button(form, "Move field up (Alt+Up)").isEnabled()
    QTest.keyClick(form.table.view, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    assert names(form) == ["goal", "open", "working_on"]


def test_fields_are_deleted_by_key_and_by_button(form: Form) -> None:
    current(form, 1)
    QTest.keyClick(form.table.view, Qt.Key.Key_Delete)
    assert names(form) == ["goal", "open"]
    button(form, "Delete field (Delete)").click()
    assert names(form) == ["goal"]
    button(form, "Delete field (Delete)").click()
    assert names(form) == []
    assert not button(form, "Delete field (Delete)").isEnabled()


def test_tab_leaves_the_table(form: Form) -> None:
    current(form, 0)
    assert not form.table.view.tabKeyNavigation()


@pytest.mark.parametrize(
    ("moved", "before", "order"),
    [
        (0, 3, ["working_on", "open", "goal"]),
        (0, 2, ["working_on", "goal", "open"]),
        (2, 0, ["open", "goal", "working_on"]),
        (1, 1, ["goal", "working_on", "open"]),
        (1, 2, ["goal", "working_on", "open"]),
        (0, -1, ["working_on", "open", "goal"]),
    ],
)
def test_a_row_dropped_between_others_stands_there_and_none_is_lost(
    form: Form, moved: int, before: int, order: list[str]
) -> None:
    model = form.table.model
    carried = model.mimeData([model.index(moved, NAME)])
    taken = model.dropMimeData(carried, Qt.DropAction.MoveAction, before, 0, QModelIndex())
    assert names(form) == order
    assert not taken, "the view would delete a row as well"


def test_problems_are_marked_at_their_cells_and_said_in_words(form: Form) -> None:
    left = form.show_problems(
        [
            ("fields.1.name", "must not be empty"),
            ("fields", "two fields are called 'goal'"),
            ("max_chars", "should be less"),
            ("elsewhere", "lost"),
        ]
    )
    model = form.table.model
    assert model.index(1, NAME).data(ProblemRole) == "must not be empty"
    assert model.index(1, NAME).data(Qt.ItemDataRole.ToolTipRole) == "<qt>must not be empty</qt>"
    assert model.index(1, DESCRIPTION).data(ProblemRole) == ""
    assert says(form, "Row 2, name: must not be empty")
    assert says(form, "two fields are called 'goal'")
    assert says(form, "Should be less")
    assert left == [("elsewhere", "lost")]
    form.show_problems([])
    assert model.index(1, NAME).data(ProblemRole) == ""
    assert not says(form, "Row 2")


def test_a_change_in_the_table_is_told_and_marking_problems_is_none(form: Form) -> None:
    told: list[str] = []
    form.changed.connect(lambda: told.append("changed"))
    form.show_problems([("fields.0.name", "must not be empty")])
    assert told == []
    form.table.model.setData(form.table.model.index(0, NAME), "aim")
    form.table.model.move(0, 1)
    form.table.model.delete([0])
    form.table.model.add()
    assert len(told) == 4


_steps = st.lists(
    st.one_of(
        st.tuples(st.just("move"), st.integers(-1, 8), st.integers(-1, 8)),
        st.tuples(st.just("add"), st.just(0), st.just(0)),
        st.tuples(st.just("delete"), st.integers(0, 5), st.just(0)),
    ),
    max_size=12,
)


@given(_steps)
def test_however_rows_are_moved_added_and_deleted_the_order_is_that_of_a_list(
    steps: list[tuple[str, int, int]],
) -> None:
    model = FieldsModel()
    model.set_fields({"name": name, "description": ""} for name in "abcd")
    expected = list("abcd")
    for step, first, second in steps:
        if step == "add":
            model.add()
            expected.append("")
        elif step == "delete" and first < len(expected):
            model.delete([first])
            del expected[first]
        elif step == "move":
            moves = first != second and all(0 <= i < len(expected) for i in (first, second))
            assert model.move(first, second) is moves
            if moves:
                expected.insert(second, expected.pop(first))
    assert [field["name"] for field in model.fields()] == expected
    assert model.rowCount() == len(expected)


def test_the_defaults_of_a_new_state_are_those_of_the_configuration(form: Form) -> None:
    form.set({"kind": "state"})
    assert parse_strategy(form.value()) == State()
