"""The run log: what a session's runs left there, and what they add."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from chatty_desktop.domain.events import LogEntry, RunLogged
from chatty_desktop.ui.inspector.run_log import MOST_LINES, RunLogPanel, clock
from chatty_desktop.ui.theme import Theme
from tests.ui.panels import Bench, bench, button, says, until


@pytest.fixture
async def at(tmp_path: Path, theme: Theme) -> AsyncIterator[Bench]:
    async with bench(tmp_path, theme, None) as made:
        yield made


def run_log(at: Bench) -> RunLogPanel:
    panel = RunLogPanel(runs=at.desk.runs, events=at.desk.bus, theme=at.theme, tasks=at.tasks)
    panel.resize(320, 200)
    return at.show(panel)


def line(number: int, text: str = "") -> LogEntry:
    return LogEntry("run", 1_700_000_000.0 + number, "info", text or f"line {number}")


def shown(panel: RunLogPanel) -> list[str]:
    return [panel.model.line(row).text for row in range(panel.model.rowCount())]


async def test_without_a_chat_it_says_what_to_do(at: Bench) -> None:
    assert says(run_log(at), "behind the replies")


async def test_a_chat_in_which_nothing_ran_says_what_will_come(at: Bench) -> None:
    panel = run_log(at)
    panel.set_session(at.desk.session.id)
    assert says(panel, "Nothing has run here yet")


async def test_what_was_logged_before_is_read_in_order(at: Bench) -> None:
    for number in range(3):
        await at.desk.runs.log(at.desk.session.id, line(number))
    panel = run_log(at)
    panel.set_session(at.desk.session.id)
    await until(lambda: shown(panel) == ["line 0", "line 1", "line 2"])


async def test_new_lines_come_in_as_they_are_logged_and_those_of_other_chats_do_not(
    at: Bench,
) -> None:
    panel = run_log(at)
    panel.set_session(at.desk.session.id)
    await at.tasks.idle()
    at.desk.bus.publish(RunLogged("another session", line(0)))
    at.desk.bus.publish(RunLogged(at.desk.session.id, line(1)))
    assert shown(panel) == ["line 1"]


async def test_a_line_that_comes_while_the_log_is_read_is_there_once(at: Bench) -> None:
    await at.desk.runs.log(at.desk.session.id, line(0))
    panel = run_log(at)
    panel.set_session(at.desk.session.id)
    await at.desk.runs.log(at.desk.session.id, line(1))
    at.desk.bus.publish(RunLogged(at.desk.session.id, line(1)))
    await until(lambda: len(shown(panel)) == 2)
    await at.tasks.idle()
    assert shown(panel) == ["line 0", "line 1"]


async def test_the_log_of_a_chat_left_meanwhile_is_not_shown(at: Bench) -> None:
    other = await at.desk.sessions.create("Other")
    await at.desk.runs.log(at.desk.session.id, line(1))
    await at.desk.runs.log(other.id, line(2))
    panel = run_log(at)
    panel.set_session(at.desk.session.id)
    panel.set_session(other.id)
    await at.tasks.idle()
    assert shown(panel) == ["line 2"]


async def test_of_very_many_lines_the_newest_are_kept(at: Bench) -> None:
    panel = run_log(at)
    panel.set_session(at.desk.session.id)
    await at.tasks.idle()
    for number in range(MOST_LINES + 7):
        at.desk.bus.publish(RunLogged(at.desk.session.id, line(number)))
    assert len(shown(panel)) == MOST_LINES
    assert shown(panel)[0] == "line 7"
    assert shown(panel)[-1] == f"line {MOST_LINES + 6}"


async def test_it_follows_new_lines_only_while_the_end_is_in_view(at: Bench) -> None:
    panel = run_log(at)
    panel.set_session(at.desk.session.id)
    await at.tasks.idle()
    bar = panel.list.verticalScrollBar()
    for number in range(60):
        at.desk.bus.publish(RunLogged(at.desk.session.id, line(number)))
    await until(lambda: bar.maximum() > 0 and bar.value() == bar.maximum())
    bar.setValue(0)
    at.desk.bus.publish(RunLogged(at.desk.session.id, line(60)))
    await until(lambda: len(shown(panel)) == 61)
    assert bar.value() == 0


async def test_a_long_line_takes_the_height_it_needs(at: Bench) -> None:
    panel = run_log(at)
    panel.set_session(at.desk.session.id)
    await at.tasks.idle()
    at.desk.bus.publish(RunLogged(at.desk.session.id, line(0, "short")))
    at.desk.bus.publish(RunLogged(at.desk.session.id, line(1, "a long one " * 30)))
    heights = [panel.list.visualRect(panel.model.index(row)).height() for row in (0, 1)]
    assert heights[1] > 3 * heights[0]


async def test_the_whole_log_and_chosen_lines_can_be_copied(at: Bench) -> None:
    for number in range(3):
        await at.desk.runs.log(at.desk.session.id, line(number))
    panel = run_log(at)
    panel.set_session(at.desk.session.id)
    await until(lambda: len(shown(panel)) == 3)
    button(panel, "Copy the whole run log").click()
    copied = QGuiApplication.clipboard().text().split("\n")
    assert copied[0] == f"{clock(line(0).at)}  info     line 0"
    assert len(copied) == 3
    panel.list.setCurrentIndex(panel.model.index(1))
    QTest.keyClick(panel.list, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == copied[1]


async def test_both_schemes_and_every_level_can_be_drawn(at: Bench) -> None:
    panel = run_log(at)
    panel.set_session(at.desk.session.id)
    await at.tasks.idle()
    for level in ("info", "warning", "error"):
        entry = LogEntry("run", 1_700_000_000.0, level, "What happened")
        at.desk.bus.publish(RunLogged(at.desk.session.id, entry))
    light = panel.grab().toImage()
    at.theme.force("dark")
    assert panel.grab().toImage() != light
