"""The list of chats: groups, search, renaming in place, and a thousand of them."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QInputDialog, QLineEdit
from pytestqt.qtbot import QtBot

from chatty_desktop.domain.events import RunPhaseChanged
from chatty_desktop.domain.titles import title_from
from chatty_desktop.engine.events import Events
from chatty_desktop.storage.database import Database
from chatty_desktop.storage.folders import StoredFolders
from chatty_desktop.storage.messages import StoredMessages
from chatty_desktop.storage.search import StoredSearch
from chatty_desktop.storage.sessions import StoredSessions
from chatty_desktop.ui.sessions.groups import group
from chatty_desktop.ui.sessions.list import SessionList
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.window_state import WindowState
from tests.ui.opened import stored
from tests.ui.panels import says, until


@dataclass
class Scene:
    """The list over a real store."""

    sessions: StoredSessions
    folders: StoredFolders
    messages: StoredMessages
    events: Events
    widget: SessionList
    running: list[str]
    another: Callable[[], SessionList]

    def titles(self) -> list[str]:
        """The chats of the list, headings left out."""
        return [row.text for row in self.widget.model.rows if row.session]

    def headings(self) -> list[str]:
        return [row.text for row in self.widget.model.rows if not row.session]


@pytest.fixture
async def scene(theme: Theme, qtbot: QtBot, tmp_path: Path) -> AsyncIterator[Scene]:
    database = await Database.open(tmp_path / "chatty.db", tmp_path / "backups")
    events = Events()
    failures: list[str] = []
    tasks = Tasks(failures.append)
    sessions = StoredSessions(database, events.publish, lambda _id: None)
    running: list[str] = []
    folders = StoredFolders(database, events.publish)

    def another() -> SessionList:
        widget = SessionList(
            sessions=sessions,
            folders=folders,
            search=StoredSearch(database),
            running=lambda: running,
            events=events,
            state=WindowState(tmp_path / "window.ini"),
            theme=theme,
            tasks=tasks,
        )
        qtbot.addWidget(widget)
        widget.resize(240, 500)
        widget.show()
        return widget

    messages = StoredMessages(database)
    yield Scene(sessions, folders, messages, events, another(), running, another)
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


async def test_the_delete_key_asks_for_the_marked_chat_to_go(scene: Scene) -> None:
    session = await scene.sessions.create("to go")
    await until(lambda: scene.titles() == ["to go"])
    wanted: list[list[str]] = []
    scene.widget.acts.delete_wanted.connect(wanted.append)
    scene.widget.set_current(session.id)
    scene.widget.view.setFocus()
    await until(lambda: QApplication.focusWidget() is scene.widget.view)
    QTest.keyClick(scene.widget.view, Qt.Key.Key_Delete)
    assert wanted == [[session.id]]


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


async def said(scene: Scene, session_id: str, *texts: str) -> list[str]:
    """The ids of messages that are put into a chat."""
    ids: list[str] = []
    for text in texts:
        parent = ids[-1] if ids else None
        message = stored(session_id, parent, "ada", "user", text)
        await scene.messages.append(message)
        ids.append(message.id)
    return ids


def hits(scene: Scene) -> list[str]:
    """The words of the hits in messages."""
    return [row.hit.excerpt.text for row in scene.widget.model.rows if row.hit]


async def test_searching_finds_messages_below_titles_and_opens_the_chat_there(
    scene: Scene,
) -> None:
    trip = await scene.sessions.create("Spring")
    await scene.sessions.create("Kyoto")
    ids = await said(scene, trip.id, "hello", "the night train to Kyoto")
    scene.widget.search.setText("kyoto")
    await until(lambda: hits(scene) == ["the night train to Kyoto"])
    assert scene.titles() == ["Kyoto"]
    assert scene.headings() == ["Chats", "Messages", "Spring"]
    chosen: list[tuple[str, str]] = []
    scene.widget.message_chosen.connect(lambda *of: chosen.append(of))
    scene.widget.view.setFocus()
    index = scene.widget.model.index_at(("hit", ids[1]))
    scene.widget.view.setCurrentIndex(index)
    QTest.keyClick(scene.widget.view, Qt.Key.Key_Return)
    assert chosen == [(trip.id, ids[1])]
    aloud = scene.widget.model.data(index, Qt.ItemDataRole.AccessibleTextRole)
    assert aloud.startswith("You in Spring, ")
    assert aloud.endswith("the night train to Kyoto")


async def test_more_hits_come_as_the_list_is_scrolled(scene: Scene) -> None:
    trip = await scene.sessions.create("Spring")
    await said(scene, trip.id, *(f"plum {n}" for n in range(70)))
    scene.widget.search.setText("plum")
    await until(lambda: len(hits(scene)) == 30)
    for count in (60, 70):
        bar = scene.widget.view.verticalScrollBar()
        bar.setValue(bar.maximum())
        await until(lambda count=count: len(hits(scene)) == count)  # type: ignore[misc]
    assert hits(scene) == [f"plum {n}" for n in range(69, -1, -1)]


async def test_escape_empties_the_search_and_down_goes_into_the_list(scene: Scene) -> None:
    await scene.sessions.create("Kyoto")
    await until(lambda: scene.titles() == ["Kyoto"])
    scene.widget.activateWindow()
    scene.widget.search.setFocus()
    await until(scene.widget.search.hasFocus)
    QTest.keyClicks(scene.widget.search, "kyo")
    QTest.keyClick(scene.widget.search, Qt.Key.Key_Down)
    assert scene.widget.view.hasFocus()
    scene.widget.search.setFocus()
    QTest.keyClick(scene.widget.search, Qt.Key.Key_Escape)
    assert scene.widget.search.text() == ""


async def test_pinned_chats_and_folders_come_first_and_archived_ones_are_hidden(
    scene: Scene,
) -> None:
    made = {name: await scene.sessions.create(name) for name in ("one", "two", "three", "four")}
    folder = await scene.folders.create("Work")
    await scene.sessions.pin([made["one"].id], True)
    await scene.sessions.move([made["two"].id], folder.id)
    await scene.sessions.archive([made["three"].id], True)
    await until(lambda: scene.headings() == ["Pinned", "Work", "Today", "Archived"])
    assert scene.titles() == ["one", "two", "four"]


async def test_a_group_is_folded_by_keyboard_and_stays_so_over_a_restart(
    scene: Scene, tmp_path: Path
) -> None:
    session = await scene.sessions.create("one")
    folder = await scene.folders.create("Work")
    await scene.sessions.move([session.id], folder.id)
    await until(lambda: [row.text for row in scene.widget.model.rows] == ["Work", "one"])
    scene.widget.activateWindow()
    scene.widget.view.setFocus()
    await until(scene.widget.view.hasFocus)
    heading = scene.widget.model.index_at(("heading", f"folder:{folder.id}"))
    scene.widget.view.setCurrentIndex(heading)
    QTest.keyClick(scene.widget.view, Qt.Key.Key_Left)
    await until(lambda: scene.titles() == [])
    aloud = scene.widget.model.data(
        scene.widget.model.index_at(("heading", f"folder:{folder.id}")),
        Qt.ItemDataRole.AccessibleTextRole,
    )
    assert aloud == "Work, 1 chat, folded"
    again = scene.another()
    await until(lambda: [row.text for row in again.model.rows] == ["Work"])
    QTest.keyClick(scene.widget.view, Qt.Key.Key_Right)
    await until(lambda: scene.titles() == ["one"])


async def test_chats_are_dropped_into_a_folder_and_out_of_it(scene: Scene) -> None:
    one, two, three = [await scene.sessions.create(name) for name in ("one", "two", "three")]
    folder = await scene.folders.create("Work")
    await until(lambda: len(scene.titles()) == 3 and "Work" in scene.headings())
    model = scene.widget.model
    dragged = model.mimeData([model.index_of(one.id), model.index_of(two.id)])
    heading = model.index_at(("heading", f"folder:{folder.id}"))
    assert model.canDropMimeData(dragged, Qt.DropAction.MoveAction, -1, -1, heading)
    model.dropMimeData(dragged, Qt.DropAction.MoveAction, -1, -1, heading)
    await until(lambda: [row.text for row in model.rows if row.folder_id] == ["Work", "two", "one"])
    dragged = model.mimeData([model.index_of(one.id)])
    onto = model.index_of(three.id)
    model.dropMimeData(dragged, Qt.DropAction.MoveAction, -1, -1, onto)
    await until(lambda: [row.text for row in model.rows if row.folder_id] == ["Work", "two"])


async def test_several_marked_chats_are_archived_and_deleted_together(scene: Scene) -> None:
    made = [await scene.sessions.create(f"chat {n}") for n in range(4)]
    await until(lambda: len(scene.titles()) == 4)
    view, model = scene.widget.view, scene.widget.model
    chosen: list[str] = []
    scene.widget.chosen.connect(chosen.append)
    scene.widget.set_current(made[3].id)
    scene.widget.activateWindow()
    view.setFocus()
    await until(view.hasFocus)
    QTest.keyClick(view, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert [s.title for s in scene.widget.selected()] == ["chat 3", "chat 2"]
    assert chosen == []
    wanted: list[list[str]] = []
    scene.widget.acts.delete_wanted.connect(wanted.append)
    QTest.keyClick(view, Qt.Key.Key_Delete)
    assert wanted == [[made[3].id, made[2].id]]
    scene.widget.acts.archive_chosen()
    await until(lambda: scene.titles() == ["chat 1", "chat 0"])
    assert model.rows[-1].text == "Archived"
    assert model.rows[-1].count == 2


async def test_the_marked_chats_stay_marked_when_the_list_is_read_again(scene: Scene) -> None:
    made = [await scene.sessions.create(f"chat {n}") for n in range(3)]
    await until(lambda: len(scene.titles()) == 3)
    scene.widget.set_current(made[2].id)
    view = scene.widget.view
    view.selectionModel().select(
        scene.widget.model.index_of(made[0].id), QItemSelectionModel.SelectionFlag.Select
    )
    await scene.sessions.create("new")
    await until(lambda: "new" in scene.titles())
    assert [s.title for s in scene.widget.selected()] == ["chat 2", "chat 0"]


async def test_a_folder_is_made_from_the_menu_with_the_chat_in_it(scene: Scene) -> None:
    session = await scene.sessions.create("one")
    await until(lambda: scene.titles() == ["one"])
    scene.widget.set_current(session.id)
    menu = scene.widget.acts.menu_of_folders(scene.widget)
    next(a for a in menu.actions() if a.text() == "New folder …").trigger()
    dialog = scene.widget.findChild(QInputDialog)
    assert dialog is not None
    dialog.setTextValue("Work")
    dialog.accept()
    await until(lambda: [r.text for r in scene.widget.model.rows if r.folder_id] == ["Work", "one"])


async def test_the_delete_key_on_a_heading_deletes_no_chat(scene: Scene) -> None:
    session = await scene.sessions.create("one")
    folder = await scene.folders.create("Work")
    await until(lambda: "Work" in scene.headings() and scene.titles() == ["one"])
    scene.widget.set_current(session.id)
    wanted: list[list[str]] = []
    scene.widget.acts.delete_wanted.connect(wanted.append)
    scene.widget.activateWindow()
    scene.widget.view.setFocus()
    await until(scene.widget.view.hasFocus)
    heading = scene.widget.model.index_at(("heading", f"folder:{folder.id}"))
    scene.widget.view.setCurrentIndex(heading)
    QTest.keyClick(scene.widget.view, Qt.Key.Key_Delete)
    assert wanted == []


async def test_a_click_opens_a_chat_and_one_with_control_only_marks_it(scene: Scene) -> None:
    made = [await scene.sessions.create(f"chat {n}") for n in range(3)]
    await until(lambda: len(scene.titles()) == 3)
    chosen: list[str] = []
    scene.widget.chosen.connect(chosen.append)
    view, model = scene.widget.view, scene.widget.model

    def click(number: int, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        at = view.visualRect(model.index_of(made[number].id)).center()
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, keys, at)

    click(1)
    assert chosen == [made[1].id]
    scene.widget.set_current(made[1].id)
    click(0, Qt.KeyboardModifier.ControlModifier)
    assert chosen == [made[1].id]
    assert [s.title for s in scene.widget.selected()] == ["chat 1", "chat 0"]


async def test_a_click_on_a_heading_folds_its_group(scene: Scene) -> None:
    session = await scene.sessions.create("one")
    await scene.sessions.pin([session.id], True)
    await until(lambda: scene.headings() == ["Pinned"])
    view, model = scene.widget.view, scene.widget.model
    for titles in ([], ["one"]):
        at = view.visualRect(model.index_at(("heading", "pinned"))).center()
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
        await until(lambda titles=titles: scene.titles() == titles)  # type: ignore[misc]
        await asyncio.sleep(0.3)  # else the two would be a double click


async def test_the_arrow_keys_pass_over_the_headings_of_days(scene: Scene) -> None:
    session = await scene.sessions.create("one")
    other = await scene.sessions.create("two")
    await scene.sessions.pin([other.id], True)
    await until(lambda: scene.headings() == ["Pinned", "Today"])
    scene.widget.set_current(other.id)
    scene.widget.activateWindow()
    scene.widget.view.setFocus()
    await until(scene.widget.view.hasFocus)
    chosen: list[str] = []
    scene.widget.chosen.connect(chosen.append)
    QTest.keyClick(scene.widget.view, Qt.Key.Key_Down)
    assert chosen == [session.id]
