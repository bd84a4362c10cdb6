"""Replaying a chat in the window: curves, marked facts, the request of any turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from chatty_desktop.ui.replay.dialog import ReplayDialog
from tests.ui.panels import button, says, until

if TYPE_CHECKING:
    from tests.ui.opened import Opened


async def opened_replay(at: Opened, turns: int = 6) -> ReplayDialog:
    session = await at.session("Talk", turns)
    at.window.chat.open(session.id)
    await until(lambda: at.window.inspector.scope is not None)
    at.window.actions_.replay.trigger()

    def shown() -> list[ReplayDialog]:
        return [each for each in at.window.findChildren(ReplayDialog) if each.isVisible()]

    await until(shown)
    return shown()[0]


def series(dialog: ReplayDialog) -> dict[str, list[str]]:
    """The numbers of the sizes, by the kind of memory."""
    table = dialog.results.sizes.table
    found = {}
    for column in range(1, table.columnCount()):
        header = table.horizontalHeaderItem(column)
        cells = [table.item(row, column) for row in range(table.rowCount())]
        found[header.text() if header else ""] = [cell.text() if cell else "" for cell in cells]
    return found


async def test_a_chat_is_replayed_under_several_kinds_of_memory(open_window: Opened) -> None:
    dialog = await opened_replay(open_window)
    dialog.form.settings["window"].setText("2, 4")
    dialog.form.own.setChecked(False)
    dialog.run.click()
    await until(lambda: says(dialog, "6 turns replayed"))
    await until(lambda: len(series(dialog)) == 4)
    await until(lambda: all("–" not in values for values in series(dialog).values()))
    found = series(dialog)
    assert list(found) == ["No memory", "Last messages 2", "Last messages 4", "Whole chat"]
    assert len(set(found["No memory"])) == 1
    assert found["Last messages 2"][2:] == found["Last messages 2"][2:3] * 4
    assert says(dialog, "Whole chat: ")
    assert len(open_window.server.requests) == 0 or not any(
        "chat" in each.path for each in open_window.server.requests
    )
    button(dialog, "Replay")
    dialog.close()


async def test_marked_facts_are_followed_through_the_turns(open_window: Opened) -> None:
    dialog = await opened_replay(open_window)
    dialog.form.marks.setPlainText("question 0\nnever said")
    dialog.form.settings["window"].setText("4")
    dialog.run.click()
    facts = dialog.results.facts

    def cells() -> dict[str, str]:
        rows = range(facts.rowCount())
        texts = [[facts.item(row, c) for c in range(facts.columnCount())] for row in rows]
        return {a.text(): b.text() for a, b, *_rest in texts if a and b}

    await until(lambda: cells().get("Whole chat") == "5 of 5")
    assert cells()["No memory"] == "0 of 5"
    assert cells()["Last messages 4"] == "2 of 5, last in turn 3"
    last = facts.item(0, 2)
    assert last is not None
    assert last.text() == "not said in the chat"
    dialog.close()


async def test_what_would_be_sent_at_a_turn_is_shown_from_the_curve(open_window: Opened) -> None:
    dialog = await opened_replay(open_window)
    dialog.run.click()
    await until(lambda: says(dialog, "6 turns replayed"))
    await until(lambda: dialog.results.setup.findText("Whole chat") >= 0)
    dialog.results.sizes.chosen.emit(2)
    assert dialog.results.currentIndex() == 3
    dialog.results.setup.setCurrentIndex(dialog.results.setup.findText("Whole chat"))
    model = dialog.results.model

    def rows() -> list[str]:
        return [str(model.data(model.index(row))) for row in range(model.rowCount())]

    await until(lambda: rows()[-1:] == ["New message (user): question 2"])
    assert sum("question 1" in row for row in rows()) == 1
    dialog.close()


async def test_kinds_that_ask_a_model_say_so_when_none_is_chosen(open_window: Opened) -> None:
    dialog = await opened_replay(open_window, 2)
    dialog.form.boxes["semantic"].setChecked(True)
    dialog.run.click()
    await until(lambda: "choose one" in dialog.problem.text())
    await until(lambda: "Whole chat" in series(dialog))
    dialog.close()


async def test_a_replay_can_be_stopped_and_keeps_what_came_of_it(open_window: Opened) -> None:
    at = open_window
    dialog = await opened_replay(at, 60)
    dialog.run.click()
    await until(lambda: any(each.turns for each in dialog.found))
    button(dialog, "Stop").click()
    await until(lambda: dialog.run.text() == "Replay")
    count = sum(len(each.turns) for each in dialog.found)
    assert 0 < count < 60 * len(dialog.found)
    await at.tasks.idle()
    assert sum(len(each.turns) for each in dialog.found) == count
    dialog.close()


async def test_it_opens_from_the_inspector_by_key(open_window: Opened) -> None:
    at = open_window
    session = await at.session("Talk", 2)
    at.window.chat.open(session.id)
    await until(lambda: at.window.inspector.scope is not None)
    corner = button(at.window.inspector, "Replay with other kinds of memory")
    corner.setFocus(Qt.FocusReason.TabFocusReason)
    corner.click()
    await until(lambda: any(d.isVisible() for d in at.window.findChildren(ReplayDialog)))
    at.window.findChildren(ReplayDialog)[0].close()


async def test_without_a_chat_it_says_what_to_do(open_window: Opened) -> None:
    at = open_window
    at.window.actions_.replay.trigger()
    await until(lambda: at.failures)
    assert at.failures == ["Open a chat first: what was said in it is replayed."]
    at.failures.clear()
