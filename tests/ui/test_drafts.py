"""What is written and not sent stays, in each chat, until it is sent."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from chatty_desktop.domain.settings import with_chat
from chatty_desktop.ui.chat.composer import Composer
from chatty_desktop.ui.theme import Theme
from tests.helpers.servers import OpenAIServer
from tests.ui.opened import Opened, opened
from tests.ui.panels import until


def composer_of(made: Opened) -> Composer:
    return made.window.chat.composer


def type_(made: Opened, text: str) -> None:
    QTest.keyClicks(composer_of(made).input, text)


def press(made: Opened, key: Qt.Key) -> None:
    QTest.keyClick(composer_of(made).input, key)


async def test_each_chat_and_the_empty_page_have_drafts_that_outlive_a_restart(
    data_dir: Path, theme: Theme, server: OpenAIServer
) -> None:
    async with opened(data_dir, theme, server) as made:
        one, two = await made.session("one", 1), await made.session("two", 1)
        await made.new_chat()
        type_(made, "for a new one")
        made.window.chat.open(one.id)
        type_(made, "for one")
        made.window.chat.open(two.id)
        type_(made, "for two")
        made.window.chat.open(one.id)
        assert composer_of(made).text == "for one"
        made.window.chat.open(two.id)
    async with opened(data_dir, theme, server) as made:
        for session_id, text in ((one.id, "for one"), (two.id, "for two")):
            made.window.chat.open(session_id)
            assert composer_of(made).text == text
        await made.new_chat()
        assert composer_of(made).text == "for a new one"


async def test_what_is_sent_is_no_draft_any_more(
    data_dir: Path, theme: Theme, server: OpenAIServer
) -> None:
    async with opened(data_dir, theme, server) as made:
        await made.new_chat()
        made.write("hello")
        await until(lambda: made.said()[:1] == ["hello"] and composer_of(made).text == "")
        session_id = made.window.chat.session_id
        assert session_id is not None
        await made.app.chat.wait(session_id)
    async with opened(data_dir, theme, server) as made:
        assert made.app.drafts.text(session_id) == ""
        assert made.app.drafts.text(None) == ""


async def test_what_could_not_be_sent_stays_and_can_still_be_undone(open_window: Opened) -> None:
    await open_window.new_chat()
    composer = composer_of(open_window)
    type_(open_window, "one")
    composer.input.put("one and two")
    # Gone without a word, so that only sending notices.
    await open_window.app._database.write(lambda c: c.exec_driver_sql("DELETE FROM agents"))
    press(open_window, Qt.Key.Key_Return)
    await until(lambda: open_window.failures and composer.send.isEnabled())
    assert "agent is no longer there" in open_window.failures.pop()
    assert open_window.window.chat.session_id is not None
    assert composer.text == "one and two"
    QTest.keySequence(composer.input, QKeySequence(QKeySequence.StandardKey.Undo))
    assert composer.text == "one"


async def shows(composer: Composer, text: str) -> None:
    await until(lambda: composer.text == text, f"the composer shows {text!r}")


async def test_up_and_down_go_through_what_was_sent_before(open_window: Opened) -> None:
    session = await open_window.session("talk", 3)
    open_window.window.chat.open(session.id)
    composer = composer_of(open_window)
    for text in ("question 2", "question 1", "question 0", "question 0"):
        press(open_window, Qt.Key.Key_Up)
        await shows(composer, text)
    for text in ("question 1", "question 2", ""):
        press(open_window, Qt.Key.Key_Down)
        await shows(composer, text)


async def test_up_goes_on_through_a_chat_longer_than_what_is_read_at_once(
    open_window: Opened,
) -> None:
    session = await open_window.session("talk", 130)
    open_window.window.chat.open(session.id)
    for _ in range(120):
        press(open_window, Qt.Key.Key_Up)
    await until(lambda: composer_of(open_window).text == "question 10")


async def test_up_in_a_draft_or_a_changed_message_moves_the_cursor(open_window: Opened) -> None:
    session = await open_window.session("talk", 2)
    open_window.window.chat.open(session.id)
    composer = composer_of(open_window)
    composer.set_text("first line\nmy draft")
    press(open_window, Qt.Key.Key_Up)
    assert composer.input.textCursor().blockNumber() == 0
    await open_window.tasks.idle()
    assert composer.text == "first line\nmy draft"
    composer.set_text("")
    press(open_window, Qt.Key.Key_Up)
    await until(lambda: composer.text == "question 1")
    type_(open_window, "?")
    press(open_window, Qt.Key.Key_Up)
    await open_window.tasks.idle()
    assert composer.text == "question 1?"


async def test_a_message_brought_back_can_be_undone(open_window: Opened) -> None:
    session = await open_window.session("talk", 1)
    open_window.window.chat.open(session.id)
    composer = composer_of(open_window)
    press(open_window, Qt.Key.Key_Up)
    await until(lambda: composer.text == "question 0")
    QTest.keySequence(composer.input, QKeySequence(QKeySequence.StandardKey.Undo))
    assert composer.text == ""


async def test_up_picks_from_an_input_method_while_it_composes(open_window: Opened) -> None:
    session = await open_window.session("talk", 1)
    open_window.window.chat.open(session.id)
    composer = composer_of(open_window)
    QApplication.sendEvent(composer.input, QInputMethodEvent("とうきょう", []))
    press(open_window, Qt.Key.Key_Up)
    await open_window.tasks.idle()
    assert composer.text == ""


async def test_the_key_that_sends_holds_for_the_composer_and_for_messages_being_changed(
    open_window: Opened,
) -> None:
    session = await open_window.session("talk", 1)
    open_window.window.chat.open(session.id)
    await until(lambda: len(open_window.views) == 2)
    await open_window.app.settings.change(with_chat(send_with="ctrl_enter"))
    composer = composer_of(open_window)
    await until(lambda: "Ctrl+Enter" in composer.send.toolTip())
    open_window.views[0].edit()
    box = open_window.views[0]._edit_box
    assert box is not None
    sent: list[str] = []
    box.sent.disconnect()
    box.sent.connect(sent.append)
    QTest.keyClick(box.words, Qt.Key.Key_Return)
    assert sent == []
    assert box.words.toPlainText() == "question 0\n"
    QTest.keyClick(box.words, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert sent == ["question 0\n"]


@pytest.mark.skipif(os.name == "nt", reason="Windows lets nobody move a folder that is open")
async def test_what_is_written_while_the_data_folder_is_gone_stays_and_is_sent_once_it_is_back(
    open_window: Opened, data_dir: Path
) -> None:
    await open_window.new_chat()
    taken = data_dir.with_name("taken")
    await asyncio.to_thread(data_dir.rename, taken)
    composer = composer_of(open_window)
    type_(open_window, "To Kyoto in May.")
    composer.send.click()
    await until(lambda: bool(open_window.failures) and composer.send.isEnabled())
    assert all("is gone" in text for text in open_window.failures)
    banners = open_window.window.chat.banners
    await until(lambda: any("is gone" in text for text in banners.shown()))
    assert composer.text == "To Kyoto in May."
    await asyncio.to_thread(taken.rename, data_dir)
    open_window.failures.clear()
    composer.send.click()
    await until(lambda: open_window.said()[:1] == ["To Kyoto in May."] and composer.text == "")
