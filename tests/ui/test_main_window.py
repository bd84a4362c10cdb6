"""The whole window over the whole app, its model a server on loopback."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFrame, QLineEdit, QPushButton

from chatty_desktop.domain.events import ModelProgress, Notice
from chatty_desktop.ui.agents.editor import AgentEditor
from chatty_desktop.ui.chat.pane import ChatPane
from chatty_desktop.ui.chat_window import ChatWindow
from chatty_desktop.ui.theme import Theme
from tests.helpers.servers import Answer, OpenAIServer
from tests.ui.opened import Opened, opened, stored
from tests.ui.panels import answer, button, message_views, says, until


async def test_the_first_start_is_ready_to_write_and_says_what_memory_does(
    open_window: Opened,
) -> None:
    chat = open_window.window.chat
    await until(lambda: chat.composer.agent is not None)
    assert chat.composer.agent is not None
    assert chat.composer.agent.definition.memory_strategy.kind == "state"
    assert says(chat.empty, "notes what matters")
    open_window.window.activateWindow()
    await until(chat.composer.input.hasFocus)


async def test_the_first_message_makes_a_chat_named_after_it(
    open_window: Opened, server: OpenAIServer
) -> None:
    server.script("Hello **there**.")
    await open_window.new_chat()
    open_window.write("Good morning to you")
    await until(lambda: open_window.said() == ["Good morning to you", "Hello there."])
    assert open_window.window.chat.header.title == "Good morning to you"
    assert [s.title for s in await open_window.app.sessions.list()] == ["Good morning to you"]
    assert open_window.window.chat.composer.text == ""
    assert says(open_window.views[-1], "lab/small")


async def test_stop_keeps_what_has_come(open_window: Opened, server: OpenAIServer) -> None:
    held = asyncio.Event()
    server.script(Answer(["One ", "two ", "three"], held=held, held_after=2))
    await open_window.new_chat()
    open_window.write("Count")
    await until(lambda: open_window.said()[-1:] == ["One two"])
    open_window.window.chat.composer.stop.click()
    await until(lambda: says(open_window.views[-1], "Stopped by you"))
    assert open_window.said()[-1].strip() == "One two"
    assert open_window.window.chat.composer.send.isVisible()
    held.set()


async def test_a_failed_answer_says_why_and_retry_gets_one(
    open_window: Opened, server: OpenAIServer
) -> None:
    server.script(Answer.fail(400, "the prompt was not to my liking"), "Now it works.")
    await open_window.new_chat()
    open_window.write("Hello")
    await until(lambda: open_window.views and says(open_window.views[-1], "not to my liking"))
    button(open_window.views[-1], "Ask for this reply again").click()
    await until(lambda: open_window.said() == ["Hello", "Now it works."])


async def test_after_a_restart_chat_memory_and_queue_are_as_they_were(
    data_dir: Path, theme: Theme, server: OpenAIServer
) -> None:
    server.script("Lovely.", "An hour by train.")
    server.script_folds(
        [{"key": "goal", "value": "three nights in Kyoto"}], Answer.fail(401, "no longer welcome")
    )
    said = [
        "I want three nights in Kyoto.",
        "Lovely.",
        "How far is Nara from Kyoto?",
        "An hour by train.",
    ]
    async with opened(data_dir, theme, server) as made:
        await made.new_chat("Project notes")
        made.write(said[0])
        await until(lambda: says(made.window.inspector, "three nights in Kyoto"))
        await until(made.window.chat.composer.send.isVisible)
        made.write(said[2])
        await until(lambda: made.said() == said)
        await until(lambda: says(made.window.inspector, "Not folded yet (2)"))
        session = made.window.chat.session_id
        assert session is not None
        await made.app.chat.wait(session)
    async with opened(data_dir, theme, server) as again:
        await until(lambda: again.said() == said)
        await until(lambda: says(again.window.inspector, "three nights in Kyoto"))
        assert says(again.window.inspector, "Not folded yet (2)")
        assert says(again.views[2], "word for word")


async def test_the_next_message_waits_for_memory_and_says_so(
    open_window: Opened, server: OpenAIServer
) -> None:
    held = asyncio.Event()
    server.script("One.", "Two.")
    server.script_folds(Answer("{}", held=held))
    composer = open_window.window.chat.composer
    await open_window.new_chat("Project notes")
    open_window.write("first")
    await until(lambda: says(composer, "Memory is being updated"))
    assert open_window.said() == ["first", "One."]
    open_window.write("second")
    await until(lambda: says(composer, "Waiting for memory"))
    assert open_window.said() == ["first", "One.", "second"]
    held.set()
    await until(lambda: open_window.said() == ["first", "One.", "second", "Two."])


async def test_a_draft_stays_with_its_chat(open_window: Opened) -> None:
    one = await open_window.session("one", 1)
    two = await open_window.session("two", 1)
    chat = open_window.window.chat
    chat.open(one.id)
    chat.composer.set_text("for one")
    chat.open(two.id)
    assert chat.composer.text == ""
    chat.composer.set_text("for two")
    chat.open(one.id)
    assert chat.composer.text == "for one"
    chat.new_chat()
    assert chat.composer.text == ""
    chat.open(two.id)
    assert chat.composer.text == "for two"


async def test_two_chats_answer_at_once_without_mixing(
    open_window: Opened, server: OpenAIServer
) -> None:
    held = asyncio.Event()
    server.script(Answer(["slow ", "answer"], held=held, held_after=1), "quick answer")
    chat = open_window.window.chat
    await open_window.new_chat()
    open_window.write("first")
    await until(lambda: open_window.said()[-1:] == ["slow"])
    first = chat.session_id
    await open_window.new_chat()
    open_window.write("second")
    await until(lambda: open_window.said() == ["second", "quick answer"])
    held.set()
    assert first is not None
    await open_window.app.chat.wait(first)
    assert open_window.said() == ["second", "quick answer"]
    chat.open(first)
    await until(lambda: open_window.said() == ["first", "slow answer"])


async def test_the_chosen_agent_is_kept_with_the_chat(open_window: Opened) -> None:
    session = await open_window.session("one", 1)
    other = await open_window.session("two", 1)
    reader = await open_window.agent("Reader")
    chat = open_window.window.chat
    chat.open(session.id)
    await open_window.tasks.idle()
    chat.composer.picker.setCurrentIndex(chat.composer.picker.findData(reader))
    await open_window.tasks.idle()
    chat.open(other.id)
    await open_window.tasks.idle()
    assert chat.composer.agent_id != reader
    chat.open(session.id)
    await open_window.tasks.idle()
    assert chat.composer.agent_id == reader


async def test_deleting_a_chat_tells_the_counts_empties_the_pane_and_can_be_undone(
    open_window: Opened,
) -> None:
    session = await open_window.session("to go", 3)
    window = open_window.window
    window.chat.open(session.id)
    await until(lambda: [s.id for s in window.sessions.selected()] == [session.id])
    window.actions_.delete.trigger()
    await until(lambda: any("6 messages" in text for text in window.chat.banners.shown()))
    assert await open_window.app.sessions.get(session.id) is None
    assert window.chat.session_id is None
    await press_in_banner(window.chat, "Undo")
    await until(lambda: window.chat.session_id == session.id)
    await until(lambda: len(open_window.said()) == 6)
    assert window.chat.banners.shown() == []
    await until(lambda: [s.id for s in window.sessions.selected()] == [session.id])
    assert not window.actions_.undo_delete.isEnabled()
    window.actions_.delete.trigger()
    await until(window.actions_.undo_delete.isEnabled)
    window.actions_.undo_delete.trigger()
    await until(lambda: window.chat.session_id == session.id)
    assert window.chat.banners.shown() == []


async def test_notices_of_one_chat_do_not_show_in_another(open_window: Opened) -> None:
    one = await open_window.session("one", 1)
    two = await open_window.session("two", 1)
    chat = open_window.window.chat
    chat.open(one.id)
    publish = open_window.app.events.publish
    publish(Notice("warning", "about two", two.id))
    publish(Notice("error", "about the app"))
    assert chat.banners.shown() == ["about the app"]
    chat.open(two.id)
    assert chat.banners.shown() == ["about the app", "about two"]
    first = next(
        f for f in chat.banners.findChildren(QFrame) if "about the app" in f.accessibleName()
    )
    button(first, "Dismiss").click()
    assert chat.banners.shown() == ["about two"]


async def test_a_broken_settings_file_is_told_in_a_banner(
    data_dir: Path, theme: Theme, server: OpenAIServer
) -> None:
    await asyncio.to_thread(_break_settings, data_dir)
    async with opened(data_dir, theme, server) as made:
        assert any("settings.json" in text for text in made.window.chat.banners.shown())


def _break_settings(data_dir: Path) -> None:
    data_dir.mkdir()
    (data_dir / "settings.json").write_text("{not json")


async def test_how_far_a_model_is_made_ready_is_shown_until_it_is(open_window: Opened) -> None:
    bar = open_window.window.chat.progress
    publish = open_window.app.events.publish
    publish(ModelProgress("local/starter", "Putting the model together", 50 << 20, 200 << 20))
    assert bar.isVisible()
    assert "52 MB of 210 MB" in bar.label.text()
    assert bar.bar.value() * 4 == bar.bar.maximum()
    publish(ModelProgress("local/starter", ""))
    assert not bar.isVisible()


async def test_panels_hide_by_shortcut_and_the_window_remembers(
    data_dir: Path, theme: Theme, server: OpenAIServer
) -> None:
    async with opened(data_dir, theme, server) as made:
        session = await made.session("kept open", 2)
        made.window.chat.open(session.id)
        await made.tasks.idle()
        made.window.resize(980, 640)
        made.window.actions_.sidebar.trigger()
        made.window.actions_.run_log.trigger()
        assert not made.window.sessions.isVisible()
        assert not made.window.run_log.isVisible()
        made.window.actions_.schemes["dark"].trigger()
        await until(lambda: theme.is_dark)
    theme.force("light")
    async with opened(data_dir, theme, server) as again:
        await until(lambda: again.said()[-1:] == ["answer 1"])
        assert again.window.chat.header.title == "kept open"
        assert not again.window.sessions.isVisible()
        assert again.window.inspector.isVisible()
        assert not again.window.run_log.isVisible()
        assert theme.is_dark


async def test_closing_only_asks_until_the_window_is_released(open_window: Opened) -> None:
    asked: list[int] = []
    open_window.window.close_wanted.connect(lambda: asked.append(1))
    open_window.window.close()
    assert asked == [1]
    assert open_window.window.isVisible()


async def test_everything_can_be_reached_by_keyboard(open_window: Opened) -> None:
    session = await open_window.session("one", 3)
    window = open_window.window
    window.chat.open(session.id)
    await open_window.tasks.idle()
    await until(window.sessions.view.isVisible)
    window.activateWindow()
    window.chat.composer.input.setFocus()
    await until(window.chat.composer.input.hasFocus)
    seen = set()
    for _ in range(8):
        window.actions_.next_pane.trigger()
        focused = QApplication.focusWidget()
        assert focused is not None
        seen.add(focused)
    assert len(seen) >= 5
    QTest.keyClick(window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert window.sessions.search.hasFocus()
    QTest.keyClick(window, Qt.Key.Key_I, Qt.KeyboardModifier.ControlModifier)
    assert window.chat.composer.input.hasFocus()


async def test_each_shortcut_means_one_thing_wherever_the_keyboard_is(
    open_window: Opened,
) -> None:
    session = await open_window.session("to rename", 1)
    window = open_window.window
    window.chat.open(session.id)
    await until(lambda: window.sessions.model.index_of(session.id).isValid())
    window.activateWindow()
    window.sessions.view.setFocus()
    await until(window.sessions.view.hasFocus)
    QTest.keyClick(window.sessions.view, Qt.Key.Key_F2)
    editor = window.sessions.view.findChild(QLineEdit)
    assert editor is not None
    assert editor.hasFocus()
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    await until(lambda: not editor.isVisible())
    QTest.keyClick(window, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
    await until(lambda: isinstance(QApplication.focusWidget(), QLineEdit))
    keys = [
        shortcut.toString()
        for action in window.actions_.findChildren(QAction)
        for shortcut in action.shortcuts()
    ]
    assert len(keys) == len(set(keys))


async def test_the_smallest_window_shows_the_chat_whole(open_window: Opened) -> None:
    session = await open_window.session("one", 3)
    window = open_window.window
    window.chat.open(session.id)
    window.resize(900, 600)
    await open_window.tasks.idle()
    await until(lambda: window.width() == 900)
    assert window.chat.width() >= 340
    assert window.chat.composer.send.isVisible()
    right = window.chat.composer.send.mapTo(window, window.chat.composer.send.rect().topRight())
    assert right.x() < window.chat.mapTo(window, window.chat.rect().topRight()).x()


async def test_every_control_has_a_name_for_screen_readers(open_window: Opened) -> None:
    from PySide6.QtWidgets import QAbstractButton, QComboBox, QLineEdit, QPlainTextEdit

    nameless = [
        widget
        for kind in (QAbstractButton, QComboBox, QLineEdit, QPlainTextEdit)
        for widget in open_window.window.findChildren(kind)
        if widget.isVisible()
        and not (widget.accessibleName() or getattr(widget, "text", lambda: "")())
        and not widget.objectName().startswith("qt_")
    ]
    assert nameless == []


async def test_closing_asks_about_an_agent_that_is_being_edited(open_window: Opened) -> None:
    window = open_window.window
    closing: list[bool] = []
    window.close_wanted.connect(lambda: closing.append(True))
    window.actions_.new_agent.trigger()
    await until(lambda: window.findChild(AgentEditor) is not None)
    editor = window.findChild(AgentEditor)
    assert editor is not None
    editor.form.name.setText("Half-written")
    assert editor.dirty

    window.close()
    await answer(editor, "Cancel")
    assert closing == []
    assert editor.isVisible()
    window.close()
    await answer(editor, "Discard")
    await until(lambda: closing)
    assert not editor.isVisible()


async def test_a_hit_of_the_search_opens_its_chat_at_the_message(open_window: Opened) -> None:
    session = await open_window.session("long one", 60)
    window = open_window.window
    window.sessions.search.setText('"question 7"')
    await until(lambda: any(row.hit for row in window.sessions.model.rows))
    (hit,) = [row.hit for row in window.sessions.model.rows if row.hit]
    window.sessions.message_chosen.emit(session.id, hit.message_id)
    await until(lambda: "question 7" in open_window.said())
    view = next(v for v in open_window.views if v.message.id == hit.message_id)
    await until(lambda: not view.visibleRegion().isEmpty())
    assert window.chat.session_id == session.id


async def test_a_hit_on_another_branch_says_so_and_leads_there(open_window: Opened) -> None:
    session = await open_window.session("two ways", 1)
    app, chat = open_window.app, open_window.window.chat
    first, reply = await app.messages.page(session.id)
    other = stored(session.id, first.id, first.agent_id, "assistant", "another answer")
    await app.messages.append(other)
    chat.open_at(session.id, reply.id)
    await until(lambda: says_banner(chat, "another branch"))
    assert open_window.said() == ["question 0", "another answer"]
    await press_in_banner(chat, "Go to that branch")
    await until(lambda: open_window.said() == ["question 0", "answer 0"])


async def test_a_duplicate_opens_and_goes_its_own_way(open_window: Opened) -> None:
    session = await open_window.session("plan", 2)
    window = open_window.window
    window.chat.open(session.id)
    await until(lambda: [s.id for s in window.sessions.selected()] == [session.id])
    window.actions_.duplicate.trigger()
    await until(lambda: window.chat.header.title == "plan (copy)")
    await until(lambda: len(open_window.said()) == 4)
    assert window.chat.session_id != session.id


async def test_a_new_chat_is_named_by_the_model_where_the_settings_say_so(
    open_window: Opened,
) -> None:
    settings = open_window.app.settings
    await settings.change(lambda now: now.model_copy(update={"automatic_titles": True}))
    open_window.server.script("It goes at nine.", "Night trains")
    await open_window.new_chat()
    open_window.write("when does the night train go?")
    await until(lambda: open_window.window.chat.header.title == "when does the night train go?")
    await until(lambda: open_window.window.chat.header.title == "Night trains")


async def press_in_banner(chat: ChatPane, name: str) -> None:
    """Press a button of a banner; it is on the screen a moment after the banner is known."""

    def buttons() -> list[QPushButton]:
        found = chat.banners.findChildren(QPushButton)
        return [b for b in found if b.text() == name and b.isVisible()]

    await until(buttons, name)
    buttons()[0].click()


def says_banner(chat: ChatPane, part: str) -> bool:
    return any(part in text for text in chat.banners.shown())


async def test_a_chat_in_a_window_of_its_own_keeps_in_step_with_the_first(
    open_window: Opened, server: OpenAIServer
) -> None:
    server.script("Hello there.")
    session = await open_window.session("shared", 1)
    window = open_window.window
    window.chat.open(session.id)
    await until(lambda: [s.id for s in window.sessions.selected()] == [session.id])
    window.actions_.open_apart.trigger()
    apart = window.others.open_apart(session.id)
    await until(lambda: apart.windowTitle() == "shared")

    def said_apart() -> list[str]:
        return [v.text.plain().rstrip() for v in message_views(apart.chat.transcript.column)]

    await until(lambda: said_apart() == ["question 0", "answer 0"])
    window.chat.new_chat()
    apart.chat.composer.set_text("hello")
    apart.chat.composer.send.click()
    await until(lambda: said_apart()[-1] == "Hello there.")
    window.chat.open(session.id)
    await until(lambda: open_window.said()[-2:] == ["hello", "Hello there."])
    await open_window.app.sessions.rename(session.id, "renamed")
    await until(lambda: apart.windowTitle() == "renamed")
    apart.close()
    await until(lambda: not apart_windows())
    assert window.isVisible()
    assert window.chat.session_id == session.id


async def test_a_window_of_a_chat_goes_with_the_chat(open_window: Opened) -> None:
    session = await open_window.session("to go", 1)
    apart = open_window.window.others.open_apart(session.id)
    await until(lambda: apart.windowTitle() == "to go")
    await open_window.app.deletions.delete([session.id])
    await until(lambda: not apart_windows())


async def test_a_window_of_a_chat_ends_with_the_app(open_window: Opened) -> None:
    session = await open_window.session("stays", 1)
    apart = open_window.window.others.open_apart(session.id)
    await until(lambda: apart.windowTitle() == "stays")
    await open_window.tasks.close()
    assert apart_windows() == []


def apart_windows() -> list[ChatWindow]:
    """The windows of single chats on the screen."""
    return [
        w for w in QApplication.topLevelWidgets() if isinstance(w, ChatWindow) and w.isVisible()
    ]


async def test_the_window_is_never_narrower_than_the_panels_that_are_shown(
    open_window: Opened,
) -> None:
    window = open_window.window
    window.show()
    window.resize(100, 480)
    parts = (window.sessions, window.chat, window.inspector)

    def spans() -> list[tuple[int, int]]:
        shown = [part for part in parts if part.isVisible()]
        lefts = [part.mapTo(window, QPoint(0, 0)).x() for part in shown]
        return [(x, x + part.width()) for x, part in zip(lefts, shown, strict=True)]

    def apart() -> bool:
        found = spans()
        return found[-1][1] <= window.width() and all(
            before[1] <= after[0] for before, after in pairwise(found)
        )

    await until(lambda: len(spans()) == 3 and apart())
    window.actions_.inspector.trigger()
    window.actions_.run_log.trigger()
    wide = window.width()

    def narrower() -> bool:
        window.resize(100, 480)
        return window.width() < wide and len(spans()) == 2 and apart()

    await until(narrower)
