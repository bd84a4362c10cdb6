"""Texts of a megabyte do not hold up the window: counted is what Qt is given to lay out."""

from __future__ import annotations

import asyncio
import re
from itertools import pairwise

import pytest
from PySide6.QtWidgets import QPlainTextEdit
from pytestqt.qtbot import QtBot

from chatty_desktop.ui.chat.copying import plain_text
from chatty_desktop.ui.chat.edit_box import EditBox
from chatty_desktop.ui.chat.highlight import highlight
from chatty_desktop.ui.chat.laid_aside import LONGEST_LINE
from chatty_desktop.ui.chat.message_text import LINE, PLAIN, MessageText
from chatty_desktop.ui.chat.pieces_of_text import Pieces
from chatty_desktop.ui.elided import ElidedLabel
from chatty_desktop.ui.pieces import LABEL_CHARS, LongWords
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.tokens import LIGHT
from tests.ui.opened import stored

MEGABYTE = "w" * 1_000_000


@pytest.mark.parametrize("step", [700, 10_000, 1_000_000])
def test_a_line_without_end_is_written_in_texts_that_stay_short(
    step: int, theme: Theme, qtbot: QtBot
) -> None:
    text = MessageText("assistant", theme)
    qtbot.addWidget(text)
    for start in range(0, len(MEGABYTE), step):
        text.add(MEGABYTE[start : start + step])
    assert text.shown == MEGABYTE
    assert text.plain() == MEGABYTE[:PLAIN]
    assert max(len(body.toPlainText()) for body in text._bodies) < 2 * LINE
    text.show_final(MEGABYTE)
    assert len(text._bodies) == 1, "as many pieces as there were texts would take long"


def test_lines_of_a_usual_length_are_written_in_one_text(theme: Theme, qtbot: QtBot) -> None:
    text = MessageText("assistant", theme)
    qtbot.addWidget(text)
    for number in range(400):
        text.add(f"line {number} of a reply that goes on for a while\n")
    assert len(text._bodies) == 1


def test_a_word_of_thousands_of_letters_is_drawn_in_shorter_pieces() -> None:
    assert len(Pieces(MEGABYTE, 16_000).take()) <= 4_000
    assert len(Pieces("word " * 10_000, 16_000).take()) > 12_000


@pytest.mark.parametrize("language", ["console", "ocaml", "zeek", "lilypond", "python"])
def test_code_with_a_line_without_end_has_no_colours(language: str) -> None:
    code = "0" * 10_000
    assert highlight(code, language, LIGHT) == code


def test_a_lexer_that_takes_seconds_for_short_lines_is_left_out() -> None:
    assert highlight("a\n" * 1_000, "tnt", LIGHT) == "a\n" * 1_000


def test_a_line_that_ends_in_an_ellipsis_lays_out_no_more_than_could_be_seen(
    theme: Theme, qtbot: QtBot
) -> None:
    label = ElidedLabel(MEGABYTE)
    qtbot.addWidget(label)
    assert len(label.text()) <= 1_000
    assert len(label.toolTip()) < 2_000


def test_a_long_text_in_a_label_says_how_much_of_it_is_shown(theme: Theme, qtbot: QtBot) -> None:
    words = LongWords()
    qtbot.addWidget(words)
    words.show_text(MEGABYTE)
    words._more.click()
    assert words.text() == MEGABYTE[:LABEL_CHARS]


def test_a_megabyte_is_edited_below_what_is_written_and_sent_whole(
    theme: Theme, qtbot: QtBot
) -> None:
    box = EditBox(MEGABYTE, (), theme)
    qtbot.addWidget(box)
    for edit in box.findChildren(QPlainTextEdit):
        assert len(edit.toPlainText()) <= LONGEST_LINE
    sent: list[str] = []
    box.sent.connect(sent.append)
    assert box.send.isEnabled()
    box.send.click()
    box.words.setPlainText("And this:")
    box.send.click()
    assert sent == [MEGABYTE, f"And this:\n\n{MEGABYTE}"]


def test_an_edit_of_a_usual_length_is_sent_as_it_is_written(theme: Theme, qtbot: QtBot) -> None:
    box = EditBox(" one\n\n two ", (), theme)
    qtbot.addWidget(box)
    sent: list[str] = []
    box.sent.connect(sent.append)
    box.send.click()
    assert sent == [" one\n\n two "]


def test_a_megabyte_is_copied_as_it_was_written() -> None:
    text = "**bold** words\n" * 70_000
    assert plain_text(stored("s", None, "a", "assistant", text)) == text
    assert plain_text(stored("s", None, "a", "assistant", "**bold**")).strip() == "bold"


async def test_a_place_after_a_megabyte_is_drawn_with_a_breath_after_each_piece(
    theme: Theme, qtbot: QtBot
) -> None:
    text = MessageText("user", theme)
    qtbot.addWidget(text)
    text.show_final("some words\n" * 20_000 + "the needle")
    text.set_pattern(re.compile("needle"))
    assert len(text._bodies) == 1
    drawn = []

    async def breathe() -> None:
        while True:
            drawn.append(len(text._bodies))
            await asyncio.sleep(0)

    breathing = asyncio.create_task(breathe())
    await text.draw_place(0)
    breathing.cancel()
    assert not text.set_found(0).isNull()
    assert len(text._bodies) > 5
    assert max(after - before for before, after in pairwise(drawn)) <= 1
