"""Looking back in the inspector: the slider, the banner, comparing, restoring."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton

from chatty_desktop.ui.inspector.panel import InspectorPanel
from chatty_desktop.ui.theme import Theme
from tests.helpers.desk import STATE
from tests.ui.panels import Bench, answer, bench, button, on_screen, says, until


@pytest.fixture
async def at(tmp_path: Path, theme: Theme) -> AsyncIterator[Bench]:
    async with bench(tmp_path / "bench", theme, STATE) as bench_:
        for place in ("Kyoto", "Osaka"):
            folds: list[dict[str, Any]] = [{"key": "goal", "value": place}]
            bench_.model.folds.append(folds)
            await bench_.desk.say(f"My goal is {place}.")
        yield bench_


async def looking_back(at: Bench) -> InspectorPanel:
    """An inspector with its slider shown, at now."""
    panel = at.inspector()
    panel.set_scope(at.desk.scope)
    await until(lambda: says(panel.memory, "1 of 3 keys"))
    button(panel, "Look back …").click()
    await until(lambda: panel.time.bar.slider.maximum() == 4)
    return panel


async def test_the_slider_shows_memory_as_it_was_read_only_and_leads_through_the_chat(
    at: Bench,
) -> None:
    panel = await looking_back(at)
    wanted: list[str] = []
    panel.message_wanted.connect(wanted.append)
    slider = panel.time.bar.slider
    for _ in range(3):
        QTest.keyClick(slider, Qt.Key.Key_Left)
    await until(lambda: says(panel.time.past, "Kyoto"))
    assert says(panel, "The past – to be read only")
    assert "After message 2 of 4" in slider.accessibleDescription()
    edits = QToolButton.ToolButtonPopupMode.InstantPopup
    assert all(b.popupMode() is not edits for b in on_screen(panel.time.past, QToolButton))
    branch = list(await at.desk.messages.branch(at.desk.session.id))
    await until(lambda: wanted[-1:] == [branch[1].id])
    assert not panel.memory.isVisible()

    QTest.keyClick(slider, Qt.Key.Key_Escape)
    await until(panel.memory.isVisible)
    assert not panel.time.bar.isVisible()
    assert says(panel.memory, "Osaka")


async def test_any_two_points_are_compared_the_earlier_one_first(at: Bench) -> None:
    panel = await looking_back(at)
    bar = panel.time.bar
    bar.slider.setValue(1)
    button(panel, "Compare").click()
    view = panel.time.differences
    await until(lambda: view.isVisible() and says(view, "Osaka"))
    assert says(view, "Kyoto")
    bar.other.setValue(0)
    await until(lambda: says(view, "Kyoto") and not says(view, "Osaka"))
    assert not says(view, "− before")
    bar.other.setValue(1)
    await until(lambda: says(view, "Nothing is different"))


async def test_memory_is_restored_to_the_point_shown(at: Bench) -> None:
    panel = await looking_back(at)
    panel.time.bar.slider.setValue(1)
    await until(lambda: says(panel.time.past, "Kyoto"))
    button(panel, "Restore this").click()
    await answer(panel, "Restore")
    await until(lambda: panel.memory.isVisible() and says(panel.memory, "Kyoto"))
    assert await at.desk.state() == {"goal": "Kyoto"}
    assert (await at.desk.ledger())[-1].kind == "by_hand"


async def test_the_slider_follows_the_chat_and_goes_with_it(at: Bench) -> None:
    panel = await looking_back(at)
    panel.time.bar.slider.setValue(1)
    await until(lambda: says(panel.time.past, "Kyoto"))
    await at.desk.say("Hello")
    await until(lambda: panel.time.bar.slider.maximum() == 6)
    assert panel.time.bar.slider.value() == 1
    panel.set_scope(None)
    assert not panel.time.bar.isVisible()
