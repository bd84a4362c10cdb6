"""The forms of Summarized, Semantic and Composite memory in the agent editor."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from chatty_desktop.domain.agents import AgentDefinition
from chatty_desktop.domain.strategies import parse_strategy
from chatty_desktop.engine.tools.boxes import ToolBoxes
from chatty_desktop.ui.agents import strategy_composite
from chatty_desktop.ui.agents.editor import AgentEditor
from chatty_desktop.ui.theme import Theme
from tests.helpers.desk import STATE
from tests.ui.panels import Bench, bench, button, says, texts, until

WINDOW: dict[str, Any] = {"kind": "window", "max_messages": 8}
SUMMARIZED: dict[str, Any] = {
    "kind": "summarized",
    "every": 6,
    "model": "test/large",
    "summary_prompt": "Short, please.",
}
SEMANTIC: dict[str, Any] = {
    "kind": "semantic",
    "extractor_prompt": None,
    "model": None,
    "max_chars": 900,
}


@pytest.fixture
async def at(tmp_path: Path, theme: Theme) -> AsyncIterator[Bench]:
    """Ada alone, with State memory."""
    async with bench(tmp_path / "desk", theme, STATE) as made:
        yield made


async def edited(at: Bench, strategy: dict[str, Any]) -> AgentEditor:
    """The editor, open on an agent of that memory."""
    memory = parse_strategy(strategy)
    agent = await at.desk.agents.save(
        AgentDefinition(name="Ada", memory_strategy=memory), at.desk.agent.id
    )
    editor = AgentEditor(
        agents=at.desk.agents,
        models=at.models,
        tools=ToolBoxes([]),
        episodes=at.desk.episodes,
        settings=lambda: at.desk.settings,
        events=at.desk.bus,
        theme=at.theme,
        tasks=at.tasks,
    )
    at._shown.append(editor)
    editor.edit(agent.id)
    await until(editor.isVisible)
    return editor


def layers_of(editor: AgentEditor) -> strategy_composite.Form:
    form = editor.form.strategy.form
    assert isinstance(form, strategy_composite.Form)
    return form


def kinds(editor: AgentEditor) -> list[str]:
    return [layer["kind"] for layer in editor.form.value()["memory_strategy"]["layers"]]


@pytest.mark.parametrize("strategy", [SUMMARIZED, SEMANTIC])
async def test_a_form_gives_back_what_it_was_given(at: Bench, strategy: dict[str, Any]) -> None:
    editor = await edited(at, strategy)
    assert editor.form.value()["memory_strategy"] == strategy
    assert not editor.dirty


async def test_a_composite_shows_each_layer_with_the_form_of_its_kind(at: Bench) -> None:
    editor = await edited(at, {"kind": "composite", "layers": [STATE, WINDOW, SUMMARIZED]})
    shown = editor.form.value()["memory_strategy"]
    assert parse_strategy(shown) == parse_strategy(
        {"kind": "composite", "layers": [STATE, WINDOW, SUMMARIZED]}
    )
    assert {"1.  State", "2.  Window", "3.  Summarized"} <= set(texts(editor))
    assert says(editor, "Messages in the window")
    assert not editor.dirty


async def test_layers_are_added_from_a_menu_that_offers_no_composite(at: Bench) -> None:
    editor = await edited(at, {"kind": "composite", "layers": []})
    form = layers_of(editor)
    assert says(editor, "No layer yet")
    actions = {action.data(): action for action in form.add_button.menu().actions()}
    assert set(actions) == {
        "window",
        "full_transcript",
        "summarized",
        "episodic",
        "semantic",
        "state",
    }
    actions["window"].trigger()
    actions["semantic"].trigger()
    assert kinds(editor) == ["window", "semantic"]
    assert editor.dirty
    editor.save()
    await until(lambda: not editor.isVisible())
    stored = await at.desk.agents.get(at.desk.agent.id)
    assert stored is not None
    assert stored.definition.memory_strategy == parse_strategy(
        {"kind": "composite", "layers": [{"kind": "window"}, {"kind": "semantic"}]}
    )


async def test_layers_change_places_by_button_by_key_and_by_dragging(at: Bench) -> None:
    editor = await edited(at, {"kind": "composite", "layers": [WINDOW, SEMANTIC, SUMMARIZED]})
    form = layers_of(editor)
    form.cards[0].down.click()
    assert kinds(editor) == ["semantic", "window", "summarized"]

    form.cards[1].head.setFocus()
    QTest.keyClick(form.cards[1].head, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert kinds(editor) == ["window", "semantic", "summarized"]
    QTest.keyClick(form.cards[0].head, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert kinds(editor) == ["window", "semantic", "summarized"]

    await until(lambda: form.cards[2].y() > form.cards[1].y())
    dragged = form.cards[2]
    QTest.mousePress(dragged.head, Qt.MouseButton.LeftButton, pos=QPoint(30, 10))
    top = form.mapToGlobal(QPoint(30, 2))
    for _ in range(2):
        QTest.mouseMove(dragged.head, dragged.head.mapFromGlobal(top))
        form.column.activate()
    QTest.mouseRelease(dragged.head, Qt.MouseButton.LeftButton)
    assert kinds(editor)[0] == "summarized"
    assert "1.  Summarized" in texts(editor)


async def test_a_layer_is_removed_by_button_and_by_key(at: Bench) -> None:
    editor = await edited(at, {"kind": "composite", "layers": [WINDOW, SEMANTIC]})
    form = layers_of(editor)
    form.cards[0].remove.click()
    assert kinds(editor) == ["semantic"]
    QTest.keyClick(form.cards[0].head, Qt.Key.Key_Delete)
    assert kinds(editor) == []
    assert says(editor, "No layer yet")


async def test_what_is_wrong_in_a_layer_is_said_beside_its_field(at: Bench) -> None:
    bad = {**STATE, "fields": [{"name": "goal", "description": ""}]}
    editor = await edited(at, {"kind": "composite", "layers": [WINDOW, bad]})
    form = layers_of(editor).cards[1].form
    assert form is not None
    form.set({**bad, "fields": [{"name": "goal"}, {"name": "goal"}]})
    editor.save()
    assert editor.isVisible()
    assert says(editor, "wo fields are called 'goal'")


async def test_tab_walks_the_layers_in_their_order(at: Bench) -> None:
    editor = await edited(at, {"kind": "composite", "layers": [WINDOW, SEMANTIC]})
    form = layers_of(editor)
    form.cards[0].down.click()
    editor.form.strategy.choice.setFocus()
    QTest.keyClick(editor.form.strategy.choice, Qt.Key.Key_Tab)
    await until(lambda: editor.focusWidget() is editor.form.strategy.about)
    QTest.keyClick(editor.form.strategy.about, Qt.Key.Key_Tab)
    await until(lambda: editor.focusWidget() is form.cards[0].head)
    assert button(form.cards[0], "Remove layer (Delete)").isEnabled()
