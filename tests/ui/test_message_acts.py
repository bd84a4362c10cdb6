"""What a person does to messages in the window, by mouse and keyboard."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu

from chatty_desktop.domain.events import MessageCommitted
from chatty_desktop.domain.messages import Status
from chatty_desktop.ui.chat.edit_box import EditBox
from chatty_desktop.ui.chat.message import MessageView
from chatty_desktop.ui.chat.message_menu import MessageMenu
from chatty_desktop.ui.chat.versions import Versions
from tests.ui.opened import Opened
from tests.ui.panels import answer, button, until


def views(at: Opened) -> list[MessageView]:
    return at.views


def said(at: Opened) -> list[str]:
    return [view.message.content for view in views(at)]


def act(menu: QMenu, text: str) -> QAction:
    """The entry of a menu, or of a menu in it, that says so."""
    found = [action for action in menu.actions() if action.text().startswith(text)]
    assert len(found) == 1, [action.text() for action in menu.actions()]
    return found[0]


def menu_of(at: Opened, view: MessageView) -> MessageMenu:
    return at.window.chat.acts.menu(view.message)


def versions_of(view: MessageView) -> Versions | None:
    return next((v for v in view.findChildren(Versions) if v.isVisibleTo(view)), None)


async def chat(at: Opened, *texts: str) -> None:
    """A new chat in which these were sent and answered."""
    await at.new_chat()
    for number, text in enumerate(texts, 1):
        at.write(text)
        await until(partial(shows, at, 2 * number))
        await idle(at)


def shows(at: Opened, count: int) -> bool:
    return len(views(at)) == count


async def idle(at: Opened) -> None:
    session = at.window.chat.session_id
    assert session is not None
    await until(lambda: at.app.chat.phase(session) is None)


async def test_a_message_is_edited_where_it_stands_and_the_old_one_is_a_version(
    open_window: Opened,
) -> None:
    at = open_window
    at.server.script("Kyoto.", "Far.", "Nara.")
    await chat(at, "Where to?", "How far?")
    before = views(at)[0]
    button(before, "Edit and send again").click()
    box = before.findChild(EditBox)
    assert box is not None
    await until(box.words.hasFocus)
    assert box.words.toPlainText() == "Where to?"
    box.words.setPlainText("Where else?")
    QTest.keyClick(box.words, Qt.Key.Key_Return)
    await until(lambda: said(at) == ["Where else?", "Nara."])
    assert at.window.chat.composer.input.hasFocus()
    await until(lambda: versions_of(views(at)[0]) is not None)
    switch = versions_of(views(at)[0])
    assert switch is not None
    assert not switch.on.isEnabled()
    await idle(at)
    switch.back.click()
    await until(lambda: said(at) == ["Where to?", "Kyoto.", "How far?", "Far."])
    assert at.failures == []


async def test_an_edit_is_left_with_escape(open_window: Opened) -> None:
    at = open_window
    await chat(at, "Where to?")
    view = views(at)[0]
    view.edit()
    box = view.findChild(EditBox)
    assert box is not None
    box.words.setPlainText("")
    assert not box.send.isEnabled()
    QTest.keyClick(box.words, Qt.Key.Key_Escape)
    assert view.text.isVisibleTo(view)
    assert said(at)[0] == "Where to?"
    assert at.window.chat.composer.input.hasFocus()


async def test_another_answer_stands_beside_the_first(open_window: Opened) -> None:
    at = open_window
    at.server.script("One.", "Two.")
    await chat(at, "Say something.")
    kept = views(at)[0]
    button(views(at)[-1], "Answer again").click()
    await until(lambda: said(at) == ["Say something.", "Two."])
    assert views(at)[0] is kept, "what both branches have in common is not drawn anew"
    await until(lambda: versions_of(views(at)[-1]) is not None)
    await idle(at)
    switch = versions_of(views(at)[-1])
    assert switch is not None
    switch.back.click()
    await until(lambda: said(at) == ["Say something.", "One."])


async def test_the_menu_of_the_newest_message_opened_by_its_keys_offers_other_models(
    open_window: Opened,
) -> None:
    at = open_window
    at.server.models = ("small", "large")
    at.server.script("One.")
    await chat(at, "Say something.")
    at.window.actions_.message_menu.trigger()
    (menu,) = at.window.findChildren(MessageMenu)
    models = act(menu, "Answer again with another model").menu()
    assert isinstance(models, QMenu)
    await until(lambda: any("large" in a.text() for a in models.actions()))
    menu.close()


async def test_the_menu_offers_other_models_and_agents(open_window: Opened) -> None:
    at = open_window
    at.server.models = ("small", "large")
    at.server.script("One.", "Two.")
    await chat(at, "Say something.")
    menu = menu_of(at, views(at)[-1])
    models = act(menu, "Answer again with another model").menu()
    assert isinstance(models, QMenu)
    views(at)[-1]._open_menu(QPoint(0, 0))  # as a press of the button does
    await until(lambda: any("large" in a.text() for a in models.actions()))
    next(a for a in models.actions() if "large" in a.text()).trigger()
    await until(lambda: said(at) == ["Say something.", "Two."])
    assert views(at)[-1].message.model.endswith("/large")
    agents = act(menu, "Ask another agent").menu()
    assert isinstance(agents, QMenu)
    assert "Small talk" not in [a.text() for a in agents.actions()]


async def test_a_message_is_deleted_after_a_question_and_what_went_is_counted(
    open_window: Opened,
) -> None:
    at = open_window
    at.server.script("Kyoto.", "Far.")
    await chat(at, "Where to?", "How far?")
    act(menu_of(at, views(at)[0]), "Delete message and answer").trigger()
    await answer(at.window.chat, "Cancel")
    assert len(said(at)) == 4
    act(menu_of(at, views(at)[0]), "Delete message and answer").trigger()
    await answer(at.window.chat, "Delete")
    await until(lambda: said(at) == ["How far?", "Far."])
    await until(lambda: any("2 messages" in t for t in at.window.chat.banners.shown()))


async def test_the_last_message_can_be_deleted_and_the_empty_page_comes_back(
    open_window: Opened,
) -> None:
    at = open_window
    await chat(at, "Where to?")
    act(menu_of(at, views(at)[0]), "Delete from here").trigger()
    await answer(at.window.chat, "Delete")
    await until(lambda: said(at) == [] and at.window.chat.empty.isVisible())


async def test_a_chat_goes_on_from_an_earlier_message(open_window: Opened) -> None:
    at = open_window
    at.server.script("Kyoto.", "Far.", "Two days.")
    await chat(at, "Where to?", "How far?")
    act(menu_of(at, views(at)[1]), "Go on from here").trigger()
    await until(lambda: said(at) == ["Where to?", "Kyoto."])
    at.write("How long?")
    await until(lambda: said(at) == ["Where to?", "Kyoto.", "How long?", "Two days."])
    await until(lambda: versions_of(views(at)[2]) is not None)


async def test_a_message_is_copied_with_and_without_its_marks(open_window: Opened) -> None:
    at = open_window
    at.server.script("It is **far**.")
    await chat(at, "How *far*?")
    act(menu_of(at, views(at)[1]), "Copy as Markdown").trigger()
    assert QGuiApplication.clipboard().text() == "It is **far**."
    act(menu_of(at, views(at)[1]), "Copy as plain text").trigger()
    assert QGuiApplication.clipboard().text().strip() == "It is far."
    act(menu_of(at, views(at)[0]), "Copy as plain text").trigger()
    assert QGuiApplication.clipboard().text() == "How *far*?"


async def test_a_reply_that_was_cut_off_is_gone_on_with(open_window: Opened) -> None:
    at = open_window
    at.server.script("It is ")
    await chat(at, "Well?")
    reply = views(at)[-1].message

    cut = replace(reply, status=Status.CUT)
    await at.app.messages.update(cut)
    at.app.events.publish(MessageCommitted(cut))
    at.server.script("far.")
    button(views(at)[-1], "Go on with this reply").click()
    await until(lambda: said(at) == ["Well?", "It is far."])


async def test_the_newest_messages_are_at_hand_by_keyboard(open_window: Opened) -> None:
    at = open_window
    at.server.script("One.", "Two.", "Three.")
    await chat(at, "Say something.")
    do = at.window.actions_
    do.copy_last.trigger()
    assert QGuiApplication.clipboard().text() == "One."
    do.answer_again.trigger()
    await until(lambda: said(at) == ["Say something.", "Two."])
    await idle(at)
    await until(at.window.chat.transcript.last_versions)
    do.version_before.trigger()
    await until(lambda: said(at) == ["Say something.", "One."])
    do.version_before.trigger()
    await until(at.window.chat.transcript.last_versions)
    do.version_after.trigger()
    await until(lambda: said(at) == ["Say something.", "Two."])
    do.edit_last.trigger()
    box = views(at)[0].findChild(EditBox)
    assert box is not None
    box.words.setPlainText("Say more.")
    box.send.click()
    await until(lambda: said(at) == ["Say more.", "Three."])
    assert at.failures == []
