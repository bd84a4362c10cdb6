"""Chats go out into files, and come in from those of other programs."""

from __future__ import annotations

import zipfile
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog

from chatty_desktop.ui.exchange.import_dialog import ImportDialog
from tests.ui.opened import Opened
from tests.ui.panels import button, says, until

EXPORTS = Path(__file__).parents[1] / "helpers" / "exports"


async def dialog_of(at: Opened) -> ImportDialog:
    """The dialog, opened from the menu, its agents there."""
    at.window.actions_.import_chats.trigger()
    found = at.window.findChild(ImportDialog)
    assert found is not None
    await until(lambda: found.agent.count() > 1)
    return found


def rows(dialog: ImportDialog) -> list[str]:
    return [str(dialog.model.index(row).data()) for row in range(dialog.model.rowCount())]


async def test_the_chats_of_another_program_are_shown_before_they_are_taken(
    open_window: Opened,
) -> None:
    at = open_window
    dialog = await dialog_of(at)
    assert says(dialog, "Bring your chats along")
    dialog.read(EXPORTS / "chatgpt.json")
    await until(lambda: len(rows(dialog)) == 3)
    assert rows(dialog)[0].startswith("Nara trip · 5 messages · ")
    assert "1 image" in rows(dialog)[0]
    assert says(dialog, "3 chats of ChatGPT")
    assert says(dialog, "2 chats cannot be read")
    dialog.none.click()
    assert not dialog.start.isEnabled()
    first = dialog.model.index(0)
    dialog.model.setData(first, Qt.CheckState.Checked.value, Qt.ItemDataRole.CheckStateRole)
    dialog.agent.setCurrentIndex(dialog.agent.findText("Small talk"))
    dialog.start.click()
    await until(lambda: says(dialog, "1 chat was imported. Left out: "))
    await until(lambda: at.window.chat.header.title == "Nara trip")
    await until(lambda: len(at.window.chat.transcript.column.views) == 4)
    assert len(await at.app.sessions.list()) == 1
    session = (await at.app.sessions.list())[0]
    assert session.agent_id == await at.agent("Small talk")
    assert session.updated_at == 1730000204.0


async def test_the_agents_memory_takes_imported_chats_in_when_that_is_wanted(
    open_window: Opened,
) -> None:
    at = open_window
    dialog = await dialog_of(at)
    dialog.read(EXPORTS / "open-webui.json")
    await until(lambda: len(rows(dialog)) == 3)
    dialog.agent.setCurrentIndex(dialog.agent.findText("Project notes"))
    dialog.remember.setChecked(True)
    dialog.start.click()
    await until(lambda: says(dialog, "3 chats were imported"))
    for session in await at.app.sessions.list():
        await at.app.chat.wait(session.id)
    assert len(at.server.folds) == 3


async def test_what_is_no_export_is_refused_in_place(open_window: Opened, tmp_path: Path) -> None:
    at = open_window
    dialog = await dialog_of(at)
    for name, text in (("a.json", "not json"), ("b.json", "[]"), ("c.json", "\udcff")):
        file = tmp_path / name
        file.write_bytes(text.encode("utf-8", "surrogateescape"))
        dialog.problem.say("")
        dialog.read(file)
        await until(lambda: dialog.problem.text() != "")
        assert rows(dialog) == []
    dialog.problem.say("")
    dialog.read(tmp_path / "missing.json")
    await until(lambda: "could not be read" in dialog.problem.text())


async def test_a_chat_goes_out_whole_and_comes_in_from_a_zip(
    open_window: Opened, tmp_path: Path
) -> None:
    at = open_window
    session = await at.session("Kyoto trip", 2)
    at.window.chat.open(session.id)
    await until(lambda: at.window.chat.header.title == "Kyoto trip")
    written: dict[str, str] = {}
    for kind in ("md", "html", "json"):
        at.window.actions_.export_chat.trigger()
        (chooser,) = at.window.findChildren(QFileDialog)
        file = tmp_path / f"out.{kind}"
        chooser.fileSelected.emit(str(file))
        chooser.close()
        chooser.setParent(None)
        await until(file.exists)
        written[kind] = file.read_text("utf-8")
    assert written["md"].startswith("# Kyoto trip")
    assert "<h1>Kyoto trip</h1>" in written["html"]
    await until(lambda: any("Written to" in text for text in at.window.chat.banners.shown()))
    archive = tmp_path / "all.zip"
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr("chats/Kyoto trip.json", written["json"])
        made.writestr("chats/broken.json", "{")
    dialog = await dialog_of(at)
    dialog.read(archive)
    await until(lambda: len(rows(dialog)) == 1)
    assert says(dialog, "1 chat of Chatty Desktop")
    assert not dialog.whose.isVisibleTo(dialog)
    button(dialog, "Import").click()
    await until(lambda: says(dialog, "1 chat was imported."))
    assert [s.title for s in await at.app.sessions.list()] == ["Kyoto trip", "Kyoto trip"]


async def test_a_zip_without_chats_says_what_was_looked_for(
    open_window: Opened, tmp_path: Path
) -> None:
    file = tmp_path / "photos.zip"
    with zipfile.ZipFile(file, "w") as made:
        made.writestr("photos/1.txt", "x")
    dialog = await dialog_of(open_window)
    dialog.read(file)
    await until(lambda: "There are no chats" in dialog.problem.text())
