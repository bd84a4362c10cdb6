"""The page Data of the settings, on a real data folder."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog

from chatty_desktop.app import App
from chatty_desktop.domain.data_folder import DataCounts
from chatty_desktop.domain.events import Event, RestartWanted
from chatty_desktop.domain.work import Work
from chatty_desktop.ui.settings.data.backups import StagedCard
from chatty_desktop.ui.settings.data.erase_question import EraseQuestion
from chatty_desktop.ui.settings.page_data import SettingsPage
from tests.helpers.filled import fill
from tests.ui.opened import Opened
from tests.ui.panels import answer, button, says, texts, until


async def page_of(opened: Opened) -> SettingsPage:
    """The page in front, with everything counted."""
    page = opened.window.others.open_settings("data").page("data")
    assert isinstance(page, SettingsPage)
    await counted(page)
    return page


async def counted(page: SettingsPage) -> None:
    await page.tasks.idle()
    await until(lambda: "…" not in texts(page.room))


def choose(page: SettingsPage, file: Path) -> None:
    """Name a file in the dialog that is open, as a person does."""
    (dialog,) = [d for d in page.findChildren(QFileDialog) if d.isVisible()]
    dialog.fileSelected.emit(str(file))
    dialog.close()


def plain(text: str) -> str:
    return text.replace("\u00a0", " ")


async def test_it_says_where_the_data_is_what_it_takes_and_what_is_in_it(
    open_window: Opened, data_dir: Path
) -> None:
    await fill(open_window.app, "word")
    page = await page_of(open_window)
    assert page.path.text() == str(data_dir)
    button(page, "Copy path").click()
    assert QGuiApplication.clipboard().text() == str(data_dir)
    agents = len(await open_window.app.agents.list())
    assert plain(page.room.counts.text()) == f"2 chats · 8 messages · {agents} agents · 8 episodes"
    assert "not compacted yet" in page.room.index.text()
    assert {"Chats and memory", "Index of episodes", "Models", "Altogether"} <= set(texts(page))
    (data_dir / "models" / "new.gguf").write_bytes(b"x" * 2_000_000)
    page.entered()
    await until(lambda: says(page.room, "2.0 MB"))


async def test_compacting_says_what_it_came_to(open_window: Opened) -> None:
    await fill(open_window.app, "word")
    page = await page_of(open_window)
    button(page, "Compact now").click()
    assert not button(page, "Back up now").isEnabled()
    await until(lambda: "Compacted." in page.compacting.result.text())
    await until(lambda: "compacted once" in page.room.index.text())
    assert button(page, "Back up now").isEnabled()


async def test_a_backup_is_made_listed_and_removed(open_window: Opened) -> None:
    page = await page_of(open_window)
    assert says(page.backups, "No backups yet.")
    button(page, "Back up now").click()
    await until(lambda: says(page.backups, "made by you"))
    (backup,) = await open_window.app.data.backups()
    assert backup.file in page.backing_up.result.text()
    name = Path(backup.file).name
    button(page, f"Remove the backup {name}").click()
    await answer(page, "Cancel")
    assert len(await open_window.app.data.backups()) == 1
    button(page, f"Remove the backup {name}").click()
    await answer(page, "Remove")
    await until(lambda: says(page.backups, "No backups yet."))
    assert await open_window.app.data.backups() == []


async def test_a_backup_a_day_can_be_left_off_and_is_told_from_those_of_the_person(
    open_window: Opened,
) -> None:
    page = await page_of(open_window)
    assert page.daily.isChecked()
    page.daily.click()
    await until(lambda: not open_window.app.settings.current.daily_backups)
    page.daily.click()
    await until(lambda: open_window.app.settings.current.daily_backups)
    await open_window.app.data.back_up(None, Work(), by_itself=True)
    page.entered()
    await until(lambda: says(page.backups, "the daily one"))


async def test_a_backup_goes_where_the_person_says(open_window: Opened, tmp_path: Path) -> None:
    page = await page_of(open_window)
    button(page, "Back up to …").click()
    choose(page, tmp_path / "mine.zip")
    await until(lambda: "mine.zip" in page.backing_up.result.text())
    assert zipfile.is_zipfile(tmp_path / "mine.zip")
    button(page, "Back up to …").click()
    choose(page, tmp_path / "nowhere" / "mine.zip")
    await until(lambda: "cannot be used" in page.backing_up.result.text())
    assert page.backing_up.result.property("tone") == "danger"


async def test_a_restore_waits_for_the_next_start_and_can_be_called_off(
    open_window: Opened,
) -> None:
    heard: list[Event] = []
    open_window.app.events.subscribe(heard.append)
    await open_window.app.data.back_up(None, Work())
    page = await page_of(open_window)
    button(page.backups, "Restore …").click()
    await answer(page, "Restore")
    await until(page.staged.isVisible)
    assert says(page.staged, "takes the place of what is here now")
    button(page.staged, "Restart now").click()
    assert RestartWanted() in heard
    button(page.staged, "Call it off").click()
    await until(lambda: not page.staged.isVisible())
    assert await open_window.app.data.staged_restore() is None


async def test_a_file_that_is_no_backup_is_refused_with_its_reason(
    open_window: Opened, tmp_path: Path
) -> None:
    page = await page_of(open_window)
    (tmp_path / "photo.zip").write_bytes(b"no zip")
    button(page, "Restore a file …").click()
    choose(page, tmp_path / "photo.zip")
    await until(lambda: "photo.zip is damaged, or no backup" in page.backing_up.result.text())
    assert not page.staged.isVisible()


async def test_all_is_exported_to_a_file(open_window: Opened, tmp_path: Path) -> None:
    await fill(open_window.app, "word")
    page = await page_of(open_window)
    button(page, "Export all …").click()
    choose(page, tmp_path / "all.zip")
    await until(lambda: "Exported 2 chats" in page.exporting.result.text())
    with zipfile.ZipFile(tmp_path / "all.zip") as archive:
        chats = [n for n in archive.namelist() if n.startswith("chats/") and n.endswith(".json")]
        assert len(json.loads(archive.read(chats[0]))["messages"]) == 4


async def question_of(page: SettingsPage, name: str) -> EraseQuestion:
    button(page, name).click()

    def open_ones() -> list[EraseQuestion]:
        return [q for q in page.findChildren(EraseQuestion) if q.isVisible()]

    await until(open_ones)
    return open_ones()[0]


async def test_deleting_tells_the_counts_wants_a_word_and_says_what_went(
    open_window: Opened,
) -> None:
    session = await open_window.session("Open chat", 2)
    open_window.window.chat.open(session.id)
    await fill(open_window.app, "word")
    await open_window.app.data.back_up(None, Work())
    page = await page_of(open_window)
    question = await question_of(page, "Delete all chats and memory …")
    assert "3 chats" in plain(question.what.text())
    assert "12 messages" in plain(question.what.text())
    assert "agent" not in question.what.text()
    assert says(question, "Agents, models and settings stay.")
    assert not question.delete.isEnabled()
    QTest.keyClicks(question.typed, "Delet")
    assert not question.delete.isEnabled()
    QTest.keyClicks(question.typed, "e")
    QTest.mouseClick(question.delete, Qt.MouseButton.LeftButton)
    await until(lambda: page.erasing.result.text().startswith("Deleted: "))
    said = plain(page.erasing.result.text())
    assert "3 chats, 12 messages, 8 episodes, 1 backup" in said
    agents = len(await open_window.app.agents.list())
    assert await open_window.app.data.counts() == DataCounts(agents=agents)
    # The window shows nothing of it any more.
    await until(lambda: open_window.window.chat.session_id is None)
    await until(lambda: open_window.window.sessions.view.model().rowCount() == 0)
    await until(lambda: says(page.backups, "No backups yet."))


async def test_deleting_everything_takes_agents_and_models_and_can_leave_backups(
    open_window: Opened, data_dir: Path
) -> None:
    (data_dir / "models" / "some.gguf").write_bytes(b"x" * 5_000)
    await open_window.app.data.back_up(None, Work())
    page = await page_of(open_window)
    question = await question_of(page, "Delete everything …")
    assert "1 model file (5.0 kB)" in question.what.text()
    assert "agents" in question.what.text()
    question.backups.click()
    QTest.keyClicks(question.typed, "delete")
    question.delete.click()
    await until(lambda: "1 model file" in page.erasing.result.text())
    assert "back at the next start" in page.erasing.result.text()
    assert await open_window.app.data.counts() == DataCounts()
    assert len(await open_window.app.data.backups()) == 1
    await until(lambda: open_window.window.chat.composer.agent_id is None)


async def test_nothing_is_deleted_when_the_question_is_put_away(open_window: Opened) -> None:
    await fill(open_window.app, "word")
    page = await page_of(open_window)
    question = await question_of(page, "Delete everything …")
    QTest.keyClicks(question.typed, "delete")
    QTest.keyClick(question.typed, Qt.Key.Key_Escape)
    await page.tasks.idle()
    assert (await open_window.app.data.counts()).chats == 2


async def test_work_that_is_stopped_says_so(open_window: Opened) -> None:
    page = await page_of(open_window)
    button(page, "Back up now").click()
    button(page.backing_up, "Stop").click()
    await until(lambda: "Stopped." in page.backing_up.result.text())
    assert await open_window.app.data.backups() == []


async def test_every_button_is_reached_by_the_keyboard(open_window: Opened) -> None:
    page = await page_of(open_window)
    button(page, "Open folder").setFocus()
    reached = []
    for _ in range(30):
        focused = QApplication.focusWidget()
        if focused is not None and page.isAncestorOf(focused) and hasattr(focused, "text"):
            reached.append(focused.text())
        QTest.keyClick(focused or page, Qt.Key.Key_Tab)
    assert {
        "Copy path",
        "Compact now",
        "Back up now",
        "Restore a file …",
        "Export all …",
        "Delete everything …",
    } <= set(reached)


@pytest.mark.parametrize("wanted", [True, False])
async def test_the_card_of_a_restore_is_there_when_the_page_opens_with_one(
    open_window: Opened, wanted: bool
) -> None:
    app: App = open_window.app
    if wanted:
        backup = await app.data.back_up(None, Work())
        await app.data.stage_restore(Path(backup.file), Work())
    page = await page_of(open_window)
    card = page.findChild(StagedCard)
    assert card is not None
    assert card.isVisibleTo(page) == wanted
