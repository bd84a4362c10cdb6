"""The agent editor: writing, checking, saving, and not losing what was written."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QFileDialog, QMessageBox

from chatty_desktop.domain.agents import AgentDefinition, read_agent, write_agent
from chatty_desktop.domain.settings import EmbedderSettings
from chatty_desktop.domain.strategies import State, Window
from chatty_desktop.engine.tools.boxes import ToolBoxes
from chatty_desktop.ui.agents.definition_views import FORM, JSON
from chatty_desktop.ui.agents.editor import AgentEditor
from chatty_desktop.ui.theme import Theme
from tests.helpers.bag_of_words import BagOfWords
from tests.helpers.desk import STATE
from tests.ui.panels import Bench, answer, bench, button, says, until


@pytest.fixture
async def at(tmp_path: Path, theme: Theme) -> AsyncIterator[Bench]:
    """Ada alone, with State memory."""
    async with bench(tmp_path / "desk", theme, STATE) as made:
        yield made


@pytest.fixture
def editor(at: Bench) -> AgentEditor:
    made = AgentEditor(
        agents=at.desk.agents,
        models=at.models,
        tools=ToolBoxes([]),
        episodes=at.desk.episodes,
        settings=lambda: at.desk.settings,
        events=at.desk.bus,
        theme=at.theme,
        tasks=at.tasks,
    )
    at._shown.append(made)
    return made


async def opened(editor: AgentEditor, agent_id: str | None) -> None:
    editor.edit(agent_id)
    await until(editor.isVisible)


def choose(editor: AgentEditor, kind: str) -> None:
    choice = editor.form.strategy.choice
    choice.setCurrentIndex(choice.findData(kind))


def question(editor: AgentEditor) -> bool:
    return any(box.isVisible() for box in editor.findChildren(QMessageBox))


async def test_an_agent_is_shown_changed_and_saved(at: Bench, editor: AgentEditor) -> None:
    saved: list[str] = []
    editor.saved.connect(saved.append)
    await opened(editor, at.desk.agent.id)
    assert editor.form.name.text() == "Ada"
    assert not editor.dirty
    editor.form.system_prompt.setPlainText("You are Ada, and brief.")
    editor.form.max_steps.setValue(7)
    assert editor.dirty
    assert editor.isWindowModified()
    editor.save_button.click()
    await until(lambda: saved)
    assert saved == [at.desk.agent.id]
    assert not editor.isVisible()
    stored = await at.desk.agents.get(at.desk.agent.id)
    assert stored is not None
    assert stored.definition.system_prompt == "You are Ada, and brief."
    assert stored.definition.max_steps == 7
    assert stored.definition.memory_strategy == at.desk.agent.definition.memory_strategy


async def test_a_new_agent_is_stored_under_a_new_id(at: Bench, editor: AgentEditor) -> None:
    await opened(editor, None)
    editor.form.name.setText("Bo")
    choose(editor, "window")
    editor.save()
    await until(lambda: not editor.isVisible())
    stored = await at.desk.agents.by_name("Bo")
    assert stored is not None
    assert stored.id != at.desk.agent.id
    assert stored.definition.memory_strategy == Window()


async def test_ctrl_s_saves(at: Bench, editor: AgentEditor) -> None:
    await opened(editor, at.desk.agent.id)
    editor.form.name.setText("Ada L.")
    editor.activateWindow()
    await until(editor.isActiveWindow)
    QTest.keyClick(editor.form.name, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    await until(lambda: not editor.isVisible())
    assert await at.desk.agents.by_name("Ada L.") is not None


async def test_what_is_wrong_is_said_beside_its_field_and_goes_when_mended(
    at: Bench, editor: AgentEditor
) -> None:
    await opened(editor, None)
    editor.save()
    assert editor.form.fields["name"].problem == "Must not be empty"
    assert editor.isVisible()
    editor.form.name.setText("Bo")
    assert editor.form.fields["name"].problem == ""
    assert await at.desk.agents.by_name("Bo") is None


async def test_a_name_that_is_taken_is_said_beside_the_name(at: Bench, editor: AgentEditor) -> None:
    await opened(editor, None)
    editor.form.name.setText("Ada")
    editor.save()
    await until(lambda: "Another agent has this name" in editor.form.fields["name"].problem)
    assert len(await at.desk.agents.list()) == 1
    assert editor.save_button.isEnabled()


async def test_every_kind_is_shown_with_when_to_choose_it(editor: AgentEditor) -> None:
    await opened(editor, None)
    choice = editor.form.strategy.choice
    assert [choice.itemData(row) for row in range(choice.count())] == [
        "none",
        "window",
        "full_transcript",
        "summarized",
        "episodic",
        "semantic",
        "state",
        "composite",
    ]
    for kind, words in {
        "none": "short tasks that run tools",
        "window": "short tasks that run tools",
        "summarized": "long advisory chats",
        "episodic": "recalled",
        "semantic": "recalled",
        "state": "whose prompt must stop growing",
        "composite": "both the recent messages and recall",
    }.items():
        choose(editor, kind)
        assert says(editor, words), kind


async def test_changing_the_strategy_says_that_nothing_is_deleted(
    at: Bench, editor: AgentEditor
) -> None:
    await opened(editor, at.desk.agent.id)
    assert not says(editor, "lose nothing")
    choose(editor, "window")
    assert says(editor, "lose nothing")
    assert says(editor, "starts at the last exchange")
    choose(editor, "state")
    assert not says(editor, "lose nothing")


async def test_going_to_another_kind_and_back_keeps_what_was_entered(
    at: Bench, editor: AgentEditor
) -> None:
    await opened(editor, at.desk.agent.id)
    before = editor.form.value()
    choose(editor, "window")
    choose(editor, "state")
    assert editor.form.value() == before
    assert not editor.dirty


async def test_models_are_offered_with_the_default_first_and_others_can_be_typed(
    at: Bench, editor: AgentEditor
) -> None:
    await opened(editor, None)
    model = editor.form.model
    await until(lambda: model.count() == 3)
    assert [model.itemText(row) for row in range(3)] == [
        "Default model (test/small)",
        "test/small",
        "test/large",
    ]
    assert model.value() is None
    model.setCurrentIndex(2)
    assert model.value() == "test/large"
    model.setEditText("lab/by hand")
    assert model.value() == "lab/by hand"
    model.setEditText("")
    assert model.value() is None


async def test_models_that_come_late_leave_what_was_typed_alone(
    at: Bench, editor: AgentEditor
) -> None:
    editor.edit(None)
    editor.form.model.setEditText("lab/by hand")
    await until(lambda: editor.form.model.count() == 3)
    assert editor.form.model.value() == "lab/by hand"
    assert editor.form.model.currentText() == "lab/by hand"


async def test_tab_walks_the_form_from_top_to_bottom_and_then_the_buttons(
    at: Bench, editor: AgentEditor
) -> None:
    await opened(editor, at.desk.agent.id)
    editor.activateWindow()
    await until(editor.isActiveWindow)
    editor.form.name.setFocus()
    walked: list[str] = []
    for _ in range(20):
        focused = QApplication.focusWidget()
        assert focused is not None
        text = focused.text() if isinstance(focused, QAbstractButton) else ""
        walked.append(focused.accessibleName() or text)
        if focused is editor.save_button:
            break
        QTest.keyClick(focused, Qt.Key.Key_Tab)
    assert walked == [
        "Name",
        "System prompt",
        "Model",
        "Memory",
        "What is this?",
        "What to keep",
        "Fields",
        "Add field",
        "Move field down (Alt+Down)",
        "Delete field (Delete)",
        "Most characters",
        "Model that folds",
        "Ask me before what was folded changes memory",
        "Most steps in one answer",
        "Import …",
        "Export …",
        "Measure …",
        "Cancel",
        "Save",
    ]


# --- JSON ------------------------------------------------------------------------------------


async def test_the_json_is_that_of_the_form_and_is_edited_both_ways(
    at: Bench, editor: AgentEditor
) -> None:
    await opened(editor, at.desk.agent.id)
    editor.form.name.setText("Ada L.")
    editor.tabs.setCurrentIndex(JSON)
    value = json.loads(editor.json.text.toPlainText())
    assert value["name"] == "Ada L."
    value["memory_strategy"] = {"kind": "window", "max_messages": 5}
    editor.json.text.setPlainText(json.dumps(value))
    editor.tabs.setCurrentIndex(FORM)
    assert editor.form.strategy.kind == "window"
    assert editor.form.name.text() == "Ada L."
    editor.save()
    await until(lambda: not editor.isVisible())
    stored = await at.desk.agents.get(at.desk.agent.id)
    assert stored is not None
    assert stored.definition.memory_strategy == Window(max_messages=5)


async def test_json_that_is_wrong_says_what_and_stays_to_be_mended(
    at: Bench, editor: AgentEditor
) -> None:
    await opened(editor, at.desk.agent.id)
    editor.tabs.setCurrentIndex(JSON)
    wrong = editor.json.text.toPlainText().replace('"max_steps"', '"steps"')
    editor.json.text.setPlainText(wrong)
    await until(lambda: says(editor, "steps: this field is not known here"))
    editor.tabs.setCurrentIndex(FORM)
    assert editor.tabs.currentIndex() == JSON
    assert editor.json.text.toPlainText() == wrong
    editor.save()
    assert editor.isVisible()
    button(editor, "Discard what was edited here").click()
    editor.tabs.setCurrentIndex(FORM)
    assert editor.tabs.currentIndex() == FORM
    assert not editor.dirty


async def test_json_can_be_saved_without_going_back_to_the_form(
    at: Bench, editor: AgentEditor
) -> None:
    await opened(editor, None)
    editor.tabs.setCurrentIndex(JSON)
    editor.json.text.setPlainText('{"name": "Bo"}')
    editor.save()
    await until(lambda: not editor.isVisible())
    assert await at.desk.agents.by_name("Bo") is not None


async def test_an_unfinished_form_can_be_looked_at_as_json_and_left_again(
    editor: AgentEditor,
) -> None:
    await opened(editor, None)
    editor.tabs.setCurrentIndex(JSON)
    editor.tabs.setCurrentIndex(FORM)
    assert editor.tabs.currentIndex() == FORM


# --- files -----------------------------------------------------------------------------------


async def test_an_imported_file_fills_the_form_and_is_stored_by_saving(
    at: Bench, tmp_path: Path, editor: AgentEditor
) -> None:
    file = tmp_path / "bo.json"
    file.write_text(write_agent(AgentDefinition(name="Bo", system_prompt="Hm.")), "utf-8")
    await opened(editor, None)
    button(editor, "Import …").click()
    dialog = editor.findChild(QFileDialog)
    assert dialog is not None
    dialog.fileSelected.emit(str(file))
    dialog.close()
    await until(lambda: editor.form.name.text() == "Bo")
    assert editor.dirty
    assert await at.desk.agents.by_name("Bo") is None
    editor.save()
    await until(lambda: not editor.isVisible())
    assert await at.desk.agents.by_name("Bo") is not None


async def test_a_bad_file_is_refused_and_the_form_stays(
    at: Bench, tmp_path: Path, editor: AgentEditor
) -> None:
    file = tmp_path / "bo.json"
    file.write_text('{"name": "Bo", "memory_strategy": {"kind": "magic"}}', "utf-8")
    await opened(editor, at.desk.agent.id)
    editor.import_from(file)
    await until(lambda: says(editor, "bo.json is not an agent file"))
    assert says(editor, "'magic' is no kind of memory")
    assert editor.form.name.text() == "Ada"


async def test_exporting_writes_what_is_in_the_form(
    at: Bench, tmp_path: Path, editor: AgentEditor
) -> None:
    await opened(editor, at.desk.agent.id)
    editor.form.name.setText("Ada L.")
    button(editor, "Export …").click()
    dialog = editor.findChild(QFileDialog)
    assert dialog is not None
    file = tmp_path / "ada.json"
    dialog.fileSelected.emit(str(file))
    dialog.close()
    await at.tasks.idle()
    exported = read_agent(file.read_text("utf-8"))
    assert exported.name == "Ada L."
    assert isinstance(exported.memory_strategy, State)


# --- closing, and changes from elsewhere -----------------------------------------------------


async def test_closing_without_changes_asks_nothing(at: Bench, editor: AgentEditor) -> None:
    await opened(editor, at.desk.agent.id)
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    assert not editor.isVisible()


@pytest.mark.parametrize(
    ("pressed", "open_after", "name_after"),
    [("Cancel", True, "Ada"), ("Discard", False, "Ada"), ("Save", False, "Ada L.")],
)
async def test_closing_with_changes_asks_what_to_do_with_them(
    at: Bench, editor: AgentEditor, pressed: str, open_after: bool, name_after: str
) -> None:
    await opened(editor, at.desk.agent.id)
    editor.form.name.setText("Ada L.")
    editor.close()
    assert editor.isVisible()
    await answer(editor, pressed)
    await at.tasks.idle()
    assert editor.isVisible() is open_after
    stored = await at.desk.agents.get(at.desk.agent.id)
    assert stored is not None
    assert stored.name == name_after


async def test_saving_at_closing_what_is_wrong_keeps_the_editor_open(
    at: Bench, editor: AgentEditor
) -> None:
    await opened(editor, at.desk.agent.id)
    editor.form.name.setText("")
    editor.close()
    await answer(editor, "Save")
    assert editor.isVisible()
    assert editor.form.fields["name"].problem


async def test_going_to_another_agent_asks_about_changes_first(
    at: Bench, editor: AgentEditor
) -> None:
    other = await at.desk.agents.save(AgentDefinition(name="Bo"))
    await opened(editor, at.desk.agent.id)
    editor.form.name.setText("Ada L.")
    editor.edit(other.id)
    assert question(editor)
    assert editor.form.name.text() == "Ada L."
    await answer(editor, "Discard")
    await until(lambda: editor.form.name.text() == "Bo")


async def test_a_change_from_elsewhere_is_taken_in_when_nothing_is_edited_here(
    at: Bench, editor: AgentEditor
) -> None:
    await opened(editor, at.desk.agent.id)
    await at.desk.use({"kind": "window", "max_messages": 4})
    await until(lambda: editor.form.strategy.kind == "window")
    assert not editor.dirty


async def test_a_change_from_elsewhere_does_not_overwrite_what_is_edited_here(
    at: Bench, editor: AgentEditor
) -> None:
    await opened(editor, at.desk.agent.id)
    editor.form.name.setText("Ada L.")
    await at.desk.use({"kind": "window"})
    await until(lambda: says(editor, "This agent was changed elsewhere"))
    assert editor.form.name.text() == "Ada L."


async def test_an_agent_deleted_meanwhile_can_be_kept_as_a_new_one(
    at: Bench, editor: AgentEditor
) -> None:
    await opened(editor, at.desk.agent.id)
    await at.desk.agents.delete(at.desk.agent.id)
    await until(lambda: says(editor, "This agent was deleted"))
    assert editor.dirty
    editor.save()
    await until(lambda: not editor.isVisible())
    kept = await at.desk.agents.by_name("Ada")
    assert kept is not None
    assert kept.id != at.desk.agent.id


async def test_the_form_of_episodic_shows_the_scores_of_the_agents_own_chats(
    at: Bench, editor: AgentEditor
) -> None:
    bag = at.desk.embedders.embedder = BagOfWords(dimension=256)
    named = EmbedderSettings(provider=bag.provider, model=bag.model)
    at.desk.settings = at.desk.settings.model_copy(update={"embedder": named})
    await at.desk.use({"kind": "episodic"})
    await at.desk.say("My cat is called Mio")
    await at.desk.say("What is my cat called")
    await opened(editor, at.desk.agent.id)
    await until(lambda: says(editor, "In this agent's chats what was recalled scored 0."))
    await opened(editor, None)
    await until(lambda: not says(editor, "In this agent's chats"))
