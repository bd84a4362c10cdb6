"""A text is found in all of a chat, marked where it stands, and one goes from place to place."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTextEdit, QToolButton
from pytestqt.qtbot import QtBot

from chatty_desktop.domain.messages import Message
from chatty_desktop.ui.chat.body import MessageBody
from chatty_desktop.ui.chat.find import FindInChat
from chatty_desktop.ui.chat.found_marks import MOST_MARKED
from chatty_desktop.ui.theme import Theme
from tests.ui.opened import Opened
from tests.ui.panels import until
from tests.ui.test_transcript import Scene, message


class Search:
    """A transcript with a search over it."""

    def __init__(self, theme: Theme, qtbot: QtBot, messages: list[Message]) -> None:
        self.scene = Scene(theme, qtbot, 0)
        self.scene.log.messages["s"] = messages
        self.find = FindInChat(
            self.scene.transcript, self.scene.log.whole, theme, self.scene.tasks,
            self.scene.transcript,
        )  # fmt: skip
        qtbot.addWidget(self.find.bar)
        self.bar = self.find.bar

    async def open(self, typed: str) -> None:
        await self.scene.open()
        self.find.set_session("s")
        self.find.open()
        self.type(typed)
        await until(lambda: self.bar.count.text() != "")
        await self.quiet()

    def type(self, typed: str) -> None:
        self.bar.field.setText(typed)

    def press(self, key: Qt.Key, shift: bool = False) -> None:
        modifiers = Qt.KeyboardModifier.ShiftModifier if shift else Qt.KeyboardModifier.NoModifier
        QTest.keyClick(self.bar.field, key, modifiers)

    async def quiet(self) -> None:
        await self.scene.tasks.idle()
        await self.scene.quiet()

    def marked(self) -> list[str]:
        """The words marked on the screen."""
        return [
            selection.cursor.selectedText()
            for view in self.scene.views
            for body in view.text._bodies
            for selection in painted(body)
        ]

    def meant(self, theme: Theme) -> list[tuple[str, str]]:
        """The place that is shown as the one meant: its message, and the words."""
        return [
            (view.message.id, selection.cursor.selectedText())
            for view in self.scene.views
            for body in view.text._bodies
            for selection in painted(body)
            if selection.format.background().color().name() == theme.tokens.accent
        ]


def painted(body: MessageBody) -> list[QTextEdit.ExtraSelection]:
    """The marks of a text that was drawn; they are made when it is."""
    body.grab()
    return list(body.extraSelections())


Look = Callable[[list[Message]], Search]


@pytest.fixture
async def look(theme: Theme, qtbot: QtBot) -> AsyncIterator[Look]:
    made: list[Search] = []

    def make(messages: list[Message]) -> Search:
        made.append(Search(theme, qtbot, messages))
        return made[-1]

    yield make
    for search in made:
        search.find.close()
        await search.scene.tasks.close()


def chat(*texts: str) -> list[Message]:
    return [replace(message(n), content=text) for n, text in enumerate(texts)]


async def test_every_place_is_marked_whatever_its_case_and_accents(
    theme: Theme, look: Look
) -> None:
    search = look(chat("Café au lait", "two **cafés**, one CAFE\u0301 🎉 café", "tea"))
    await search.open("cafe")
    assert search.marked() == ["Café", "café", "CAFE\u0301", "café"]
    assert search.bar.count.text() == "1 of 4"


async def test_enter_goes_on_shift_enter_back_and_round_at_the_ends(
    theme: Theme, look: Look
) -> None:
    search = look(chat("a word", "no", "word and word"))
    await search.open("word")
    seen = []
    for back in (False, False, False, True):
        seen.append((search.bar.count.text(), search.meant(theme)))
        search.press(Qt.Key.Key_Return, shift=back)
        await search.quiet()
    assert seen == [
        ("1 of 3", [("m0", "word")]),
        ("2 of 3", [("m2", "word")]),
        ("3 of 3", [("m2", "word")]),
        ("1 of 3", [("m0", "word")]),
    ]
    assert search.bar.count.text() == "3 of 3"


async def test_what_is_not_read_yet_is_counted_and_brought_into_sight(
    theme: Theme, look: Look
) -> None:
    messages = [message(n) for n in range(3_000)]
    messages[40] = replace(messages[40], content="a needle here")
    search = look(messages)
    await search.open("needle")
    assert search.bar.count.text() == "1 of 1"
    await until(lambda: search.meant(theme) == [("m40", "needle")])
    view = next(v for v in search.scene.views if v.message.id == "m40")
    assert 0 <= view.y() - search.scene.bar.value() < search.scene.column.viewport().height()


async def test_the_first_place_shown_is_the_next_from_where_the_reader_is(
    theme: Theme, look: Look
) -> None:
    search = look(chat(*(["needle"] + ["hay"] * 60 + ["needle", "hay"])))
    await search.open("needle")
    assert search.bar.count.text() == "2 of 2"


async def test_a_place_in_the_part_of_a_long_message_that_is_not_drawn_is_drawn(
    theme: Theme, look: Look
) -> None:
    search = look(chat("short", "word " * 20_000 + "needle"))
    await search.open("needle")
    await until(lambda: search.meant(theme) == [("m1", "needle")])


async def test_a_place_that_only_the_marks_of_markdown_hold_is_counted_and_does_no_harm(
    theme: Theme, look: Look
) -> None:
    search = look(chat("hm", "[click](https://example.org/needle)", "x"))
    await search.open("needle")
    assert search.bar.count.text() == "1 of 1"
    assert search.meant(theme) == []


async def test_words_are_found_across_marks_of_markdown(theme: Theme, look: Look) -> None:
    search = look(chat("hm", "a **bold** word"))
    await search.open("bold word")
    assert search.meant(theme) == [("m1", "bold word")]


@pytest.mark.parametrize(("below", "shown"), [(1, False), (60, True)])
async def test_the_jump_to_the_end_shows_only_while_there_is_something_below(
    below: int, shown: bool, look: Look
) -> None:
    search = look(chat("needle", *["hay"] * below))
    await search.open("needle")
    assert search.bar.count.text() == "1 of 1"
    jump = search.scene.column.findChild(
        QToolButton, options=Qt.FindChildOption.FindDirectChildrenOnly
    )
    assert jump is not None
    await until(lambda: jump.isHidden() != shown)


async def test_esc_ends_the_search_and_its_marks(theme: Theme, look: Look) -> None:
    search = look(chat("a word"))
    await search.open("word")
    left: list[bool] = []
    search.find.left.connect(lambda: left.append(True))
    search.press(Qt.Key.Key_Escape)
    assert search.bar.isHidden()
    assert search.marked() == []
    assert left == [True]


async def test_marks_are_made_only_where_a_message_is_in_sight(theme: Theme, look: Look) -> None:
    search = look(chat(*("e " * 100 + "tea " * 800 for _ in range(12))))
    await search.open("e t")
    await until(lambda: search.bar.count.text().endswith(" of 12"))
    bodies = [body for view in search.scene.views for body in view.text._bodies]
    in_sight = [body for body in bodies if not body.visibleRegion().isEmpty()]
    assert 0 < len(in_sight) < len(bodies)
    await until(lambda: all(len(body.extraSelections()) == body.marks.count for body in in_sight))
    assert not any(body.extraSelections() for body in bodies if body not in in_sight)


async def test_of_very_many_marks_those_around_what_is_in_sight_are_made(
    theme: Theme, look: Look
) -> None:
    search = look(chat("e " * 9_000))
    await search.open("e")
    await until(lambda: search.bar.count.text() == "1 of 9,000")
    (body,) = [body for view in search.scene.views for body in view.text._bodies]

    def places() -> list[int]:
        return [selection.cursor.selectionStart() for selection in body.extraSelections()]

    bar = search.scene.transcript.column.verticalScrollBar()
    bar.setValue(bar.minimum())
    await until(lambda: len(places()) >= MOST_MARKED and places()[1] < 6_000)
    bar.setValue(bar.maximum())
    # The one that is meant, and those that are in sight now.
    await until(lambda: len(places()) == MOST_MARKED + 1 and places()[1] > 10_000)
    assert places()[0] == 0


async def test_a_new_message_is_counted_and_the_place_stays(theme: Theme, look: Look) -> None:
    search = look(chat("a word"))
    await search.open("word")
    search.scene.commit(message(1, text="word again"))
    await until(lambda: search.bar.count.text() == "1 of 2")


async def test_nothing_found_is_said(theme: Theme, look: Look) -> None:
    search = look(chat("a word"))
    await search.open("absent")
    assert search.bar.count.text() == "Not found"
    assert not search.bar.after.isEnabled()
    search.type("(")
    await search.quiet()
    assert search.bar.count.text() in ("", "Not found")


@pytest.mark.parametrize("typed", ["", "   "])
async def test_an_empty_field_says_nothing(typed: str, look: Look) -> None:
    search = look(chat("a word"))
    await search.open("word")
    search.type(typed)
    await until(lambda: search.bar.count.text() == "")
    assert search.marked() == []


async def test_the_window_opens_the_search_by_its_keys_and_steps_with_f3(
    open_window: Opened,
) -> None:
    session = await open_window.session("Talk", 4)
    open_window.window.chat.open(session.id)
    await until(lambda: len(open_window.said()) == 8)
    find = open_window.window.chat.finding
    open_window.window.actions_.find.trigger()
    assert not find.bar.isHidden()
    find.bar.field.setText("answer")
    await until(lambda: find.bar.count.text().endswith(" of 4"))
    # Which is the first depends on what is in sight.
    at = int(find.bar.count.text()[0])
    open_window.window.actions_.find_next.trigger()
    assert find.bar.count.text() == f"{at % 4 + 1} of 4"
    open_window.window.actions_.find_previous.trigger()
    assert find.bar.count.text() == f"{at} of 4"
    find.close()
    await open_window.tasks.idle()


async def test_the_words_of_a_search_of_all_chats_are_marked_in_the_chat_that_is_opened(
    open_window: Opened,
) -> None:
    session = await open_window.session("Talk", 3)
    window = open_window.window
    window.sessions.search.setText("answ")
    message_id = (await open_window.app.messages.branch(session.id))[3].id
    window.sessions.message_chosen.emit(session.id, message_id)
    await until(lambda: len(open_window.said()) == 6)
    await open_window.tasks.idle()
    marked = [
        selection.cursor.selectedText()
        for view in open_window.views
        for body in view.text._bodies
        for selection in painted(body)
    ]
    assert marked == ["answer"] * 3
    window.sessions.search.clear()
    assert not any(b.extraSelections() for v in open_window.views for b in v.text._bodies)
