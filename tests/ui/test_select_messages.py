"""Several messages are chosen by mouse and keyboard, copied and deleted; code becomes a file."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from chatty_desktop.ui.chat.asked import CopySeveral, OpenMenu, OpenMenuOfSeveral, SaveCode
from chatty_desktop.ui.chat.code_file import ending_of
from chatty_desktop.ui.chat.copying import as_markdown, as_plain_text
from chatty_desktop.ui.chat.message import MessageView
from chatty_desktop.ui.theme import Theme
from tests.ui.opened import Opened
from tests.ui.panels import answer, button, until
from tests.ui.test_message_acts import act, chat
from tests.ui.test_transcript import Scene, message

LEFT = Qt.MouseButton.LeftButton
SHIFT = Qt.KeyboardModifier.ShiftModifier
NONE = Qt.KeyboardModifier.NoModifier


def chosen(scene: Scene) -> list[str]:
    """The messages that look chosen."""
    return [v.message.id for v in scene.views if v._card.property("panel") == "selected"]


def click(view: MessageView, *, shift: bool = False) -> None:
    QTest.mouseClick(view, LEFT, SHIFT if shift else NONE, QPoint(4, view.height() // 2))


def text_of(view: MessageView) -> QWidget:
    return view.text._bodies[0].viewport()


async def test_shift_and_a_click_choose_all_messages_between(theme: Theme, qtbot: QtBot) -> None:
    scene = Scene(theme, qtbot, 6)
    await scene.open()
    click(scene.views[1])
    assert chosen(scene) == []
    click(scene.views[4], shift=True)
    assert chosen(scene) == ["m1", "m2", "m3", "m4"]
    QTest.mouseClick(text_of(scene.views[0]), LEFT, SHIFT)
    assert chosen(scene) == ["m0", "m1"]
    QTest.mouseClick(text_of(scene.views[5]), LEFT)
    assert chosen(scene) == []


async def test_a_selection_drawn_beyond_a_message_chooses_whole_ones_and_back_again_words(
    theme: Theme, qtbot: QtBot
) -> None:
    scene = Scene(theme, qtbot, 6)
    await scene.open()
    first, third = scene.views[1], scene.views[3]
    start = text_of(first)
    beyond = start.mapFrom(scene.column.viewport().window(), third.mapTo(
        scene.column.viewport().window(), third.rect().center()))  # fmt: skip
    QTest.mousePress(start, LEFT, NONE, QPoint(3, 5))
    QTest.mouseMove(start, beyond)
    assert chosen(scene) == ["m1", "m2", "m3"]
    QTest.mouseMove(start, QPoint(40, 5))
    assert chosen(scene) == []
    assert first.text._bodies[0].textCursor().hasSelection()
    QTest.mouseMove(start, beyond)
    QTest.mouseRelease(start, LEFT, NONE, beyond)
    assert chosen(scene) == ["m1", "m2", "m3"]
    assert not first.text._bodies[0].textCursor().hasSelection()


async def test_ctrl_a_chooses_what_is_read_ctrl_c_copies_it_and_esc_lets_go(
    theme: Theme, qtbot: QtBot
) -> None:
    scene = Scene(theme, qtbot, 4)
    await scene.open()
    asked: list[object] = []
    scene.transcript.asked.connect(asked.append)
    body = scene.views[2].text._bodies[0]
    control = Qt.KeyboardModifier.ControlModifier
    QTest.keyClick(body, Qt.Key.Key_A, control)
    assert chosen(scene) == ["m0", "m1", "m2", "m3"]
    QTest.keyClick(body, Qt.Key.Key_C, control)
    assert asked == [CopySeveral(tuple(scene.log.messages["s"]))]
    QTest.keyClick(body, Qt.Key.Key_Escape)
    assert chosen(scene) == []


async def test_the_menu_of_a_chosen_message_is_that_of_all_chosen(
    theme: Theme, qtbot: QtBot
) -> None:
    scene = Scene(theme, qtbot, 4)
    await scene.open()
    asked: list[object] = []
    scene.transcript.asked.connect(asked.append)
    click(scene.views[1])
    click(scene.views[2], shift=True)
    button(scene.views[2], "More to do with this message").click()
    button(scene.views[3], "More to do with this message").click()
    several, single = asked
    assert isinstance(several, OpenMenuOfSeveral)
    assert [m.id for m in several.messages] == ["m1", "m2"]
    assert isinstance(single, OpenMenu)


async def test_a_choice_lasts_while_older_messages_are_read(theme: Theme, qtbot: QtBot) -> None:
    scene = Scene(theme, qtbot, 300)
    await scene.open()
    click(scene.views[-2])
    click(scene.views[-1], shift=True)
    scene.transcript.to_start()
    await until(lambda: "message 0" in scene.said())
    scene.transcript.to_end()
    await scene.quiet()
    assert chosen(scene) == ["m298", "m299"]


def test_messages_are_copied_under_the_names_of_who_said_them() -> None:
    messages = [message(0, text="a *b*"), message(1, text="**c**\n\n- d")]
    assert as_plain_text(messages, ["You", "Ada"]) == "You:\na *b*\n\nAda:\nc\nd"
    assert as_markdown(messages, ["You", "Ada"]) == "**You:**\n\na *b*\n\n**Ada:**\n\n**c**\n\n- d"


async def test_chosen_messages_are_copied_and_deleted_in_the_window(open_window: Opened) -> None:
    await chat(open_window, "one", "two", "three")
    pane = open_window.window.chat
    messages = pane.transcript.read.messages[2:4]
    rest = [m.id for m in pane.transcript.read.messages if m not in messages]
    menu = pane.acts.menu_of_several(messages)
    act(menu, "Copy 2 messages as Markdown").trigger()
    name = open_window.views[1]._who.text()
    wanted = f"**You:**\n\ntwo\n\n**{name}:**\n\n{messages[1].content}"
    await until(lambda: QApplication.clipboard().text() == wanted)
    act(menu, "Delete 2 messages").trigger()
    await answer(pane, "Delete")
    await until(lambda: [m.id for m in pane.transcript.read.messages] == rest)
    await open_window.tasks.idle()


@pytest.mark.parametrize(
    ("language", "ending"),
    [
        ("python", ".py"), ("bash", ".sh"), ("javascript", ".js"), ("c++", ".cpp"),
        ("json", ".json"), ("", ".txt"), ("no such language", ".txt"), ("dockerfile", ".docker"),
        ("../../etc", ".txt"), ("makefile", ".mak"), ("html", ".html"), ("rust", ".rs"),
    ],
)  # fmt: skip
def test_a_file_of_code_ends_as_files_of_its_language_do(language: str, ending: str) -> None:
    assert ending_of(language) == ending


async def test_a_block_of_code_can_be_saved_and_where_it_cannot_the_reason_is_told(
    open_window: Opened, tmp_path: Path
) -> None:
    acts = open_window.window.chat.acts
    dialog = acts.save_code("x = 1", "python")
    assert isinstance(dialog, QFileDialog)
    assert dialog.defaultSuffix() == "py"
    file = tmp_path / "sum.py"
    dialog.fileSelected.emit(str(file))
    await until(file.exists)
    await open_window.tasks.idle()
    assert file.read_text("utf-8") == "x = 1\n"
    dialog.fileSelected.emit(str(tmp_path / "no" / "such" / "folder.py"))
    await until(lambda: len(open_window.failures) == 1)
    assert "folder.py could not be written" in open_window.failures.pop()
    dialog.close()


async def test_the_button_on_a_block_of_code_asks_for_it_to_be_saved(
    theme: Theme, qtbot: QtBot
) -> None:
    scene = Scene(theme, qtbot, 1)
    await scene.open()
    scene.commit(message(1, text="so:\n\n```python\nx = 1\n```"))
    asked: list[object] = []
    scene.transcript.asked.connect(asked.append)
    button(scene.views[1], "Save this code …").click()
    assert asked == [SaveCode("x = 1", "python")]
