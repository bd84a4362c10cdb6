"""Memory changed by hand in the inspector, and where it is from."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from chatty_desktop.ui.inspector.key_dialog import KeyDialog, form_of, read, written
from chatty_desktop.ui.inspector.key_row import KeyRow
from chatty_desktop.ui.inspector.origin_dialog import OriginDialog
from chatty_desktop.ui.inspector.panel import InspectorPanel
from chatty_desktop.ui.inspector.words_dialog import WordsDialog
from chatty_desktop.ui.pieces import IconLabel
from chatty_desktop.ui.theme import Theme
from tests.helpers.desk import STATE
from tests.ui.panels import Bench, bench, button, on_screen, says, until


@pytest.fixture
async def at(tmp_path: Path, theme: Theme) -> AsyncIterator[Bench]:
    async with bench(tmp_path / "bench", theme, STATE) as bench_:
        yield bench_


def inspector(at: Bench) -> InspectorPanel:
    panel = at.inspector()
    panel.set_scope(at.desk.scope)
    return panel


def row(panel: InspectorPanel, key: str) -> KeyRow:
    return next(r for r in on_screen(panel, KeyRow) if r.accessibleName().startswith(key))


def goal(value: str) -> list[dict[str, Any]]:
    return [{"key": "goal", "value": value}]


async def test_a_key_is_edited_and_a_refusal_is_said_beside_the_field(at: Bench) -> None:
    panel = inspector(at)
    await at.desk.say("Hello")
    await until(lambda: on_screen(panel, KeyRow))
    row(panel, "goal").edit.trigger()
    (dialog,) = panel.findChildren(KeyDialog)
    dialog.text.setPlainText("x" * 5000)
    dialog.save.click()
    await until(lambda: "4000 are allowed" in dialog.field.problem)
    dialog.text.setPlainText("see Kyoto")
    QTest.keyClick(dialog.text, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    await until(lambda: says(panel, "see Kyoto"))
    assert await at.desk.state() == {"goal": "see Kyoto"}
    row(panel, "goal").forget.trigger()
    await until(lambda: says(panel, "Nothing is known yet"))


async def test_a_pinned_key_shows_what_a_fold_tried(at: Bench) -> None:
    panel = inspector(at)
    at.model.folds.append(goal("Kyoto"))
    await at.desk.say("My goal is Kyoto.")
    await until(lambda: says(panel, "1 of 3 keys"))
    row(panel, "goal").pin.trigger()
    mark = "Pinned: no fold changes this key"
    await until(lambda: any(icon.toolTip() == mark for icon in on_screen(panel, IconLabel)))
    at.model.folds.append(goal("Osaka"))
    await at.desk.say("My goal is Osaka.")
    tried = "A fold tried: Osaka"
    await until(lambda: says(panel, tried))
    button(panel, "Show it in the ledger").click()
    await until(lambda: panel.tabs.currentWidget() is panel.ledger)
    await until(lambda: says(panel.ledger, "this key is pinned, so no fold may change it"))


async def test_a_waiting_change_is_accepted_changed_or_refused(at: Bench) -> None:
    await at.desk.equip(approve_memory=True)
    panel = inspector(at)
    at.model.folds.append(goal("Kyoto"))
    await at.desk.say("My goal is Kyoto.")
    await until(lambda: says(panel, "Waiting for your word"))
    button(panel, "Change …").click()
    (dialog,) = [d for d in panel.findChildren(WordsDialog) if d.isVisible()]
    dialog.text.setPlainText('{"colour": "red"}')
    dialog.save.click()
    await until(lambda: "no key of the state" in dialog.field.problem)
    dialog.text.setPlainText('{"goal": "Nara"}')
    dialog.save.click()
    await until(lambda: says(panel, "Nara") and not says(panel, "Waiting for your word"))
    at.model.folds.append(goal("Osaka"))
    await at.desk.say("My goal is Osaka.")
    await until(lambda: says(panel, "Waiting for your word"))
    button(panel, "Refuse").click()
    await until(lambda: not says(panel, "Waiting for your word"))
    at.model.folds.append(goal("Kobe"))
    await at.desk.say("My goal is Kobe.")
    await until(lambda: says(panel, "Waiting for your word"))
    button(panel, "Accept").click()
    await until(lambda: says(panel, "Not folded yet (0)"))
    assert await at.desk.state() == {"goal": "Kobe"}


async def test_a_click_on_a_value_goes_to_the_message_and_lists_every_change(at: Bench) -> None:
    panel = inspector(at)
    wanted: list[str] = []
    panel.message_wanted.connect(wanted.append)
    for place in ("Kyoto", "Osaka"):
        at.model.folds.append(goal(place))
        await at.desk.say(f"My goal is {place}.")

    def shown() -> list[QLabel]:
        labels = row(panel, "goal").findChildren(QLabel) if on_screen(panel, KeyRow) else []
        return [label for label in labels if label.text() == "Osaka"]

    await until(shown)
    (value,) = shown()
    QTest.mouseClick(value, Qt.MouseButton.LeftButton)
    await until(lambda: panel.findChildren(OriginDialog))
    (dialog,) = panel.findChildren(OriginDialog)
    await until(lambda: wanted)
    branch = list(await at.desk.messages.branch(at.desk.session.id))
    assert wanted == [next(m.id for m in branch if m.content == "My goal is Osaka.")]
    assert says(dialog, "My goal is Kyoto.")
    button(dialog, "Bring this back").click()
    await until(lambda: any(says(d, "By hand") for d in panel.findChildren(OriginDialog)))
    assert await at.desk.state() == {"goal": "Kyoto"}


async def test_a_summary_is_edited_and_its_sentences_lead_to_messages(at: Bench) -> None:
    await at.desk.use({"kind": "summarized", "every": 2})
    panel = inspector(at)
    at.model.folds.append("They greet. They plan Kyoto.")
    await at.desk.say("We plan Kyoto.")
    await until(lambda: says(panel, "They greet. They plan Kyoto."))
    panel.doing.show_summary("summarized", "They plan Kyoto.")
    await until(lambda: panel.findChildren(OriginDialog))
    (dialog,) = panel.findChildren(OriginDialog)
    assert says(dialog, "We plan Kyoto.")
    dialog.close()
    button(panel, "Edit the summary").click()
    (words,) = panel.findChildren(WordsDialog)
    words.text.setPlainText("They plan Nara.")
    words.save.click()
    await until(lambda: says(panel, "Show 1 earlier summary") or says(panel, "They plan Nara."))
    assert (await at.desk.layer()).summary == "They plan Nara."


async def test_a_fact_is_added_by_hand(at: Bench) -> None:
    await at.desk.use({"kind": "semantic"})
    panel = inspector(at)
    at.model.folds.append(json.dumps({"facts": []}))
    await at.desk.say("Hello")
    await until(lambda: says(panel, "0 facts"))
    button(panel, "Add a fact").click()
    (dialog,) = panel.findChildren(WordsDialog)
    dialog.text.setPlainText("likes trains")
    dialog.save.click()
    await until(lambda: "what the fact is about" in dialog.field.problem)
    dialog.text.setPlainText("Leo: likes trains")
    dialog.save.click()
    await until(lambda: says(panel, "likes trains") and says(panel, "1 fact"))


@pytest.mark.parametrize(
    "value", ["text", ["one", "two"], {"a": [1, None]}, 7, True, ["one\ntwo"], []]
)
def test_a_value_is_written_and_read_back_as_it_is(value: Any) -> None:
    form = form_of(value)
    assert read(written(value, form), form) == value
