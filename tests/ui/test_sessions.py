"""The list of chats: groups, search, renaming in place, and a thousand of them."""

from __future__ import annotations

import datetime as dt
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from chatty_desktop.domain.events import RunPhaseChanged
from chatty_desktop.domain.titles import title_from
from chatty_desktop.engine.events import Events
from chatty_desktop.storage.database import Database
from chatty_desktop.storage.sessions import StoredSessions
from chatty_desktop.ui.sessions.groups import group
from chatty_desktop.ui.sessions.list import SessionList
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from tests.ui.panels import says, until


@dataclass
class Scene:
    """The list over a real store."""

    sessions: StoredSessions
    events: Events
    widget: SessionList
    running: list[str]

    def titles(self) -> list[str]:
        """The chats of the list, headings left out."""
        return [row.text for row in self.widget.model._rows if row.session]

    def headings(self) -> list[str]:
        return [row.text for row in self.widget.model._rows if not row.session]


@pytest.fixture
async def scene(theme: Theme, qtbot: QtBot, tmp_path: Path) -> AsyncIterator[Scene]:
    database = await Database.open(tmp_path / "chatty.db", tmp_path / "backups")
    events = Events()
    failures: list[str] = []
    tasks = Tasks(failures.append)
    sessions = StoredSessions(database, events.publish, lambda _id: None)
    running: list[str] = []
    widget = SessionList(
        sessions=sessions, running=lambda: running, events=events, theme=theme, tasks=tasks
    )
    qtbot.addWidget(widget)
    widget.resize(240, 500)
    widget.show()
    yield Scene(sessions, events, widget, running)
    await tasks.close()
    await database.close()
    assert failures == []


def test_a_chat_stands_under_the_day_it_was_last_used() -> None:
    now = dt.datetime(2026, 12, 1, 9, 30).astimezone()

    def of(**ago: int) -> str:
        return group((now - dt.timedelta(**ago)).timestamp(), now.timestamp())

    assert of(minutes=5) == of(hours=9) == "Today"
    assert of(hours=10) == "Yesterday"
    assert of(days=3) == "Last 7 days"
    assert of(days=20) == "Last 30 days"
    assert of(days=40) == "October"
    assert of(days=400) == "2025"


def test_a_title_is_the_first_words_on_one_line() -> None:
    assert title_from("  Hello\n there ") == "Hello there"
    long = title_from("one two three four five six seven eight nine ten eleven twelve thirteen")
    assert long == "one two three four five six seven eight nine ten eleven…"
    assert title_from("x" * 500) == "x" * 59 + "…"
    assert title_from(" \n ") == ""


async def test_an_empty_list_says_how_a_chat_begins(scene: Scene) -> None:
    await until(lambda: says(scene.widget, "No chats yet"))


async def test_new_chats_come_up_on_top_under_today(scene: Scene) -> None:
    await scene.sessions.create("first")
    await scene.sessions.create("second")
    await until(lambda: scene.titles() == ["second", "first"])
    assert scene.headings() == ["Today"]


async def test_searching_shows_only_titles_that_hold_the_words(scene: Scene) -> None:
    for title in ("Kyoto trip", "ÜBUNGEN", "thesis"):
        await scene.sessions.create(title)
    scene.widget.search.setText("übung")
    await until(lambda: scene.titles() == ["ÜBUNGEN"])
    scene.widget.search.setText("nothing like it")
    await until(lambda: says(scene.widget, "nothing like it"))
    scene.widget.search.clear()
    await until(lambda: len(scene.titles()) == 3)


async def test_a_chat_is_renamed_in_its_place(scene: Scene) -> None:
    session = await scene.sessions.create("old")
    await until(lambda: scene.titles() == ["old"])
    scene.widget.set_current(session.id)
    scene.widget.rename_current()
    editor = scene.widget.view.findChild(QLineEdit)
    assert editor is not None
    assert editor.text() == "old"
    # What happens elsewhere must not take the editor away.
    await scene.sessions.create("another")
    editor.setText("  new   name ")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    await until(lambda: "new name" in scene.titles() and "another" in scene.titles())
    stored = await scene.sessions.get(session.id)
    assert stored is not None
    assert stored.title == "new name"


async def test_an_empty_title_changes_nothing(scene: Scene) -> None:
    session = await scene.sessions.create("kept")
    await until(lambda: scene.titles() == ["kept"])
    index = scene.widget.model.index_of(session.id)
    assert not scene.widget.model.setData(index, "   ")
    stored = await scene.sessions.get(session.id)
    assert stored is not None
    assert stored.title == "kept"


async def test_choosing_by_arrow_key_opens_but_a_refresh_does_not(scene: Scene) -> None:
    sessions = [await scene.sessions.create(f"chat {n}") for n in range(3)]
    await until(lambda: len(scene.titles()) == 3)
    chosen: list[str] = []
    scene.widget.chosen.connect(chosen.append)
    scene.widget.set_current(sessions[2].id)
    scene.widget.activateWindow()
    scene.widget.view.setFocus()
    await until(scene.widget.view.hasFocus)
    QTest.keyClick(scene.widget.view, Qt.Key.Key_Down)
    assert chosen == [sessions[1].id]
    scene.widget.set_current(sessions[1].id)
    await scene.sessions.rename(sessions[0].id, "renamed")
    await until(lambda: "renamed" in scene.titles())
    assert chosen == [sessions[1].id]


async def test_what_runs_is_marked_and_said_to_screen_readers(scene: Scene) -> None:
    session = await scene.sessions.create("busy")
    await until(lambda: scene.titles() == ["busy"])
    index = scene.widget.model.index_of(session.id)
    role = Qt.ItemDataRole.AccessibleTextRole
    assert scene.widget.model.data(index, role) == "busy"
    scene.running.append(session.id)
    scene.events.publish(RunPhaseChanged(session.id, "ada", "streaming"))
    await until(lambda: scene.widget.model.data(index, role) == "busy, running")


async def test_deleting_asks_with_the_title(scene: Scene) -> None:
    session = await scene.sessions.create("to go")
    await until(lambda: scene.titles() == ["to go"])
    wanted: list[tuple[str, str]] = []
    scene.widget.delete_wanted.connect(lambda *of: wanted.append(of))
    scene.widget.set_current(session.id)
    scene.widget.view.setFocus()
    await until(lambda: QApplication.focusWidget() is scene.widget.view)
    QTest.keyClick(scene.widget.view, Qt.Key.Key_Delete)
    assert wanted == [(session.id, "to go")]


async def test_a_thousand_chats_keep_place_and_mark_through_a_refresh(scene: Scene) -> None:
    sessions = [await scene.sessions.create(f"chat {n}") for n in range(1_000)]
    await until(lambda: len(scene.titles()) == 1_000)
    scene.widget.set_current(sessions[500].id)
    bar = scene.widget.view.verticalScrollBar()
    at = bar.value()
    assert at > 0
    await scene.sessions.rename(sessions[2].id, "renamed")
    await until(lambda: "renamed" in scene.titles())
    assert bar.value() == at
    row = scene.widget.model.row(scene.widget.view.currentIndex())
    assert row is not None
    assert row.session is not None
    assert row.session.id == sessions[500].id
