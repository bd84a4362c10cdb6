"""Files at the composer and in the transcript, with the keys, pastes and drops of a person."""

from __future__ import annotations

import base64
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import (
    QColor,
    QDragEnterEvent,
    QDropEvent,
    QGuiApplication,
    QImage,
    QKeySequence,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from chatty_desktop.domain.attachments import MOST_FILES
from chatty_desktop.domain.models import with_options
from chatty_desktop.ui.chat.body import MessageBody
from chatty_desktop.ui.chat.composer import Composer
from chatty_desktop.ui.chat.edit_box import EditBox
from chatty_desktop.ui.chat.files.chip import FileChip
from chatty_desktop.ui.chat.files.window import FileWindow
from chatty_desktop.ui.theme import Theme
from tests.helpers.attached import image_bytes, image_file, text_file
from tests.helpers.servers import Answer, OpenAIServer
from tests.ui.opened import Opened, opened, stored
from tests.ui.panels import button, on_screen, says, until


@pytest.fixture
def window(open_window: Opened) -> Opened:
    """The window over a server whose models tell nothing of themselves."""
    return open_window


def files_in(folder: Path) -> list[Path]:
    """A text and an image on the disk."""
    folder.mkdir(exist_ok=True)
    notes, photo = folder / "notes.md", folder / "photo.png"
    notes.write_text("# Notes\nKyoto in May\n")
    photo.write_bytes(image_bytes("PNG", (400, 300)))
    return [notes, photo]


def urls(files: list[Path]) -> QMimeData:
    source = QMimeData()
    source.setUrls([QUrl.fromLocalFile(str(file)) for file in files])
    return source


def drop(on: QWidget, source: QMimeData) -> bool:
    """Carry something over a widget and let go there; whether it took it."""
    copy, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    none = Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(5, 5), copy, source, left, none)
    QApplication.sendEvent(on, enter)
    if not enter.isAccepted():
        return False
    dropped = QDropEvent(QPointF(5, 5), copy, source, left, none)
    QApplication.sendEvent(on, dropped)
    return dropped.isAccepted()


def names(composer: Composer) -> list[str]:
    return [file.name for file in composer.files]


async def test_files_dropped_on_the_chat_stand_above_the_text_and_are_sent(
    window: Opened, server: OpenAIServer, tmp_path: Path
) -> None:
    await window.new_chat()
    composer = window.window.chat.composer
    assert drop(window.window.chat, urls(files_in(tmp_path / "drop")))
    await until(lambda: names(composer) == ["notes.md", "photo.png"])
    chips = on_screen(composer, FileChip)
    assert [chip.accessibleName().split(",")[0] for chip in chips] == ["notes.md", "photo.png"]
    assert says(composer, "21 bytes · 21 characters")
    await until(lambda: chips[1].picture is not None and not chips[1].picture.image.isNull())
    QTest.keyClicks(composer.input, "What is this?")
    QTest.keyClick(composer.input, Qt.Key.Key_Return)
    await until(lambda: len(server.chats) == 1)
    words, image = server.chats[0].body["messages"][-1]["content"]
    assert words["text"].startswith("What is this?\n\nFile: notes.md")
    assert base64.b64decode(image["image_url"]["url"].split(",")[1]).startswith(b"\x89PNG")
    await until(lambda: composer.files == () and composer.text == "")
    await until(lambda: len(window.views) == 2)
    shown = on_screen(window.views[0], FileChip)
    assert [chip.file.name for chip in shown] == ["notes.md", "photo.png"]
    assert window.said()[0] == "What is this?"


async def test_an_image_of_the_clipboard_is_pasted_by_key_and_sent_without_words(
    window: Opened, server: OpenAIServer
) -> None:
    await window.new_chat()
    composer = window.window.chat.composer
    image = QImage(30, 20, QImage.Format.Format_RGB32)
    image.fill(QColor("red"))
    QGuiApplication.clipboard().setImage(image)
    composer.input.setFocus()
    assert not composer.send.isEnabled()
    QTest.keySequence(composer.input, QKeySequence(QKeySequence.StandardKey.Paste))
    await until(lambda: names(composer) == ["Pasted image.png"])
    assert (composer.files[0].width, composer.files[0].height) == (30, 20)
    await until(composer.send.isEnabled)
    QTest.keyClick(composer.input, Qt.Key.Key_Return)
    await until(lambda: len(server.chats) == 1)
    (session,) = await window.app.sessions.list()
    assert session.title == "Pasted image.png"
    await until(lambda: len(window.views) == 2)


async def test_text_that_brings_a_picture_of_itself_along_is_pasted_as_text(
    window: Opened,
) -> None:
    await window.new_chat()
    composer = window.window.chat.composer
    source = QMimeData()
    source.setText("cells of a table")
    source.setImageData(QImage(30, 20, QImage.Format.Format_RGB32))
    QGuiApplication.clipboard().setMimeData(source)
    composer.input.setFocus()
    QTest.keySequence(composer.input, QKeySequence(QKeySequence.StandardKey.Paste))
    assert composer.text == "cells of a table"
    assert composer.files == ()


async def test_files_are_removed_by_button_and_by_key(window: Opened, tmp_path: Path) -> None:
    await window.new_chat()
    composer = window.window.chat.composer
    assert drop(composer.input.viewport(), urls(files_in(tmp_path / "drop")))
    await until(lambda: len(composer.files) == 2)
    button(composer, "Remove notes.md").click()
    await until(lambda: names(composer) == ["photo.png"])
    (chip,) = composer.attached.chips
    QTest.keyClick(chip, Qt.Key.Key_Delete)
    assert composer.files == ()
    assert window.app.drafts.files(None) == ()
    assert not composer.send.isEnabled()


async def test_what_cannot_be_attached_is_said_and_the_rest_is(
    window: Opened, tmp_path: Path
) -> None:
    await window.new_chat()
    composer = window.window.chat.composer
    folder = tmp_path / "drop"
    good = files_in(folder)
    (folder / "tool.exe").write_bytes(b"MZ\0\1" * 9)
    composer.input.setPlainText("still here")
    assert drop(window.window.chat, urls([folder, folder / "tool.exe", good[0]]))
    await until(lambda: names(composer) == ["notes.md"])
    banners = window.window.chat.banners
    await until(lambda: any("drop is a folder" in each for each in banners.shown()))
    (told,) = banners.shown()
    assert "tool.exe is neither text, PDF nor an image" in told
    assert composer.text == "still here"


async def test_many_files_scroll_and_leave_room_for_the_chat(
    window: Opened, tmp_path: Path
) -> None:
    await window.new_chat()
    composer = window.window.chat.composer
    low = composer.height()
    folder = tmp_path / "many"
    folder.mkdir()
    files = [folder / f"notes {number}.txt" for number in range(MOST_FILES + 2)]
    for file in files:
        file.write_text(file.name)
    drop(window.window.chat, urls(files))
    await until(lambda: len(composer.files) == MOST_FILES)
    banners = window.window.chat.banners
    await until(lambda: any("2 more are left out" in each for each in banners.shown()))
    await until(lambda: composer.height() > low + 100)
    assert composer.height() < low + 220
    composer.set_files([])
    await until(lambda: composer.height() == low)


async def test_the_button_asks_for_files(window: Opened, tmp_path: Path) -> None:
    await window.new_chat()
    chat = window.window.chat
    button(chat.composer, "Attach files").click()
    (dialog,) = chat.findChildren(QFileDialog)
    dialog.filesSelected.emit([str(file) for file in files_in(tmp_path / "chosen")])
    dialog.close()
    await until(lambda: names(chat.composer) == ["notes.md", "photo.png"])


async def test_drafts_keep_their_files_in_every_chat_and_over_a_restart(
    data_dir: Path, theme: Theme, server: OpenAIServer, tmp_path: Path
) -> None:
    files = files_in(tmp_path / "drop")
    async with opened(data_dir, theme, server) as window:
        one = await window.session("One", 1)
        two = await window.session("Two", 1)
        chat = window.window.chat
        chat.open(one.id)
        drop(chat, urls(files))
        await until(lambda: len(chat.composer.files) == 2)
        chat.open(two.id)
        assert chat.composer.files == ()
        chat.open(one.id)
        assert names(chat.composer) == ["notes.md", "photo.png"]
    async with opened(data_dir, theme, server) as window:
        window.window.chat.open(one.id)
        assert names(window.window.chat.composer) == ["notes.md", "photo.png"]


async def test_a_model_that_sees_no_images_is_told_of_before_sending_and_they_can_go(
    window: Opened, server: OpenAIServer, tmp_path: Path
) -> None:
    await window.app.settings.change(lambda now: with_options(now, "lab/small", vision=False))
    await window.new_chat()
    composer = window.window.chat.composer
    drop(window.window.chat, urls(files_in(tmp_path / "drop")))
    await until(lambda: says(composer, "lab/small does not look at images"))
    composer.input.setPlainText("Look")
    button(composer, "Remove images").click()
    assert names(composer) == ["notes.md"]
    assert not composer.unseen.isVisible()
    assert composer.text == "Look"


async def test_a_refused_image_is_an_error_with_its_cause_and_retry(
    window: Opened, server: OpenAIServer, tmp_path: Path
) -> None:
    server.script(Answer.fail(400, "this model takes no image_url"), "A red square.")
    await window.new_chat()
    drop(window.window.chat, urls(files_in(tmp_path / "drop")))
    await until(lambda: len(window.window.chat.composer.files) == 2)
    window.write("What is this?")
    await until(lambda: len(window.views) == 2 and says(window.views[1], "takes no image_url"))
    button(window.views[1], "Retry").click()
    await until(lambda: window.said()[-1] == "A red square.")
    assert isinstance(server.chats[-1].body["messages"][-1]["content"], list)


async def test_a_file_in_the_transcript_opens_copies_and_is_saved(
    window: Opened, tmp_path: Path
) -> None:
    session = await stored_with_files(window)
    window.window.chat.open(session)
    await until(lambda: len(window.views) == 2)
    text, image = on_screen(window.views[0], FileChip)
    await until(lambda: image.picture is not None and not image.picture.image.isNull())
    text.setFocus()
    QTest.keyClick(text, Qt.Key.Key_Return)
    await until(lambda: on_screen(window.window, FileWindow))
    (reading,) = on_screen(window.window, FileWindow)
    assert reading.text is not None
    assert reading.text.toPlainText() == "# Notes\nKyoto in May\n"
    button(reading, "Copy text").click()
    await until(lambda: QGuiApplication.clipboard().text() == "# Notes\nKyoto in May\n")
    QTest.keyClick(reading, Qt.Key.Key_Escape)
    QTest.mouseClick(image, Qt.MouseButton.LeftButton)
    await until(
        lambda: [w for w in on_screen(window.window, FileWindow) if w.windowTitle() == "photo.png"]
    )
    for each in on_screen(window.window, FileWindow):
        each.close()
    next(a for a in image.menu().actions() if a.text() == "Copy image").trigger()
    await until(lambda: QGuiApplication.clipboard().image().width() == 40)
    next(a for a in image.menu().actions() if a.text() == "Save as …").trigger()
    (dialog,) = window.window.chat.findChildren(QFileDialog)
    dialog.fileSelected.emit(str(tmp_path / "saved.png"))
    dialog.close()
    await until((tmp_path / "saved.png").exists)
    banners = window.window.chat.banners
    await until(lambda: any("saved.png" in each for each in banners.shown()))
    assert (tmp_path / "saved.png").read_bytes() == image_file().data


async def test_an_edited_message_goes_out_with_the_files_that_are_left(
    window: Opened, server: OpenAIServer
) -> None:
    session = await stored_with_files(window)
    window.window.chat.open(session)
    await until(lambda: len(window.views) == 2)
    view = window.views[0]
    button(view, "Edit and send again").click()
    await until(lambda: on_screen(view, EditBox))
    (box,) = on_screen(view, EditBox)
    button(box, "Remove photo.png").click()
    box.words.setPlainText("Only the notes")
    QTest.keyClick(box.words, Qt.Key.Key_Return)
    await until(lambda: len(server.chats) == 1)
    said = server.chats[0].body["messages"][-1]["content"]
    assert said.startswith("Only the notes\n\nFile: notes.md")
    await until(lambda: len(window.views) == 2 and window.said()[0] == "Only the notes")
    assert [chip.file.name for chip in on_screen(window.views[0], FileChip)] == ["notes.md"]


async def test_a_message_is_copied_with_the_names_of_its_files(window: Opened) -> None:
    session = await stored_with_files(window)
    window.window.chat.open(session)
    await until(lambda: len(window.views) == 2)
    (words,) = on_screen(window.views[0], MessageBody)
    control = Qt.KeyboardModifier.ControlModifier
    QTest.keyClick(words, Qt.Key.Key_A, control)
    QTest.keyClick(words, Qt.Key.Key_C, control)
    await until(lambda: "Attached: notes.md, photo.png" in QGuiApplication.clipboard().text())


async def stored_with_files(window: Opened) -> str:
    """The id of a chat whose first message has a text and an image."""
    agent_id = await window.agent()
    session = await window.app.sessions.create("Files", agent_id)
    files = (text_file(), image_file())
    asked = stored(session.id, None, agent_id, "user", "What is this?")
    asked = replace(asked, attachments=tuple(file.about for file in files))
    await window.app.messages.append(asked, files)
    await window.app.messages.append(
        stored(session.id, asked.id, agent_id, "assistant", "A red square.")
    )
    return session.id
