"""The composer sends on Enter, never while an input method composes, and says how it stands."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from chatty_desktop.domain.agents import Agent, AgentDefinition
from chatty_desktop.domain.strategies import parse_strategy
from chatty_desktop.ui.chat.composer import Composer
from chatty_desktop.ui.theme import Theme
from tests.ui.panels import button, says


def agent(name: str, kind: str = "window", model: str | None = None) -> Agent:
    strategy = parse_strategy({"kind": kind})
    return Agent(
        id=name.lower(),
        definition=AgentDefinition(name=name, model=model, memory_strategy=strategy),
        created_at=0.0,
    )


@pytest.fixture
def composer(theme: Theme, qtbot: QtBot) -> Composer:
    made = Composer(theme)
    qtbot.addWidget(made)
    made.resize(600, 200)
    made.set_agents([agent("Ada"), agent("Bo", model="lab/large")], "lab/small")
    made.show()
    return made


def sent(composer: Composer) -> list[str]:
    texts: list[str] = []
    composer.send_wanted.connect(texts.append)
    return texts


def test_enter_sends_and_shift_enter_begins_a_line(composer: Composer) -> None:
    texts = sent(composer)
    QTest.keyClicks(composer.input, "one")
    QTest.keyClick(composer.input, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClicks(composer.input, "two")
    assert texts == []
    QTest.keyClick(composer.input, Qt.Key.Key_Return)
    assert texts == ["one\ntwo"]


def test_enter_that_picks_a_candidate_of_an_input_method_sends_nothing(composer: Composer) -> None:
    texts = sent(composer)
    composer.input.setPlainText("京")
    QApplication.sendEvent(composer.input, QInputMethodEvent("とうきょう", []))
    QTest.keyClick(composer.input, Qt.Key.Key_Return)
    assert texts == []
    committed = QInputMethodEvent("", [])
    committed.setCommitString("東京")
    QApplication.sendEvent(composer.input, committed)
    QTest.keyClick(composer.input, Qt.Key.Key_Return)
    assert len(texts) == 1
    assert "東京" in texts[0]


def test_nothing_but_space_cannot_be_sent(composer: Composer) -> None:
    texts = sent(composer)
    composer.set_text("  \n ")
    assert not composer.send.isEnabled()
    QTest.keyClick(composer.input, Qt.Key.Key_Return)
    assert texts == []


def test_while_an_answer_comes_stop_stands_in_the_place_of_send(composer: Composer) -> None:
    texts = sent(composer)
    composer.set_text("next")
    composer.set_phase("streaming")
    assert composer.stop.isVisible()
    assert not composer.send.isVisible()
    QTest.keyClick(composer.input, Qt.Key.Key_Return)
    assert texts == []
    composer.set_phase("settling")
    assert composer.send.isVisible()
    assert says(composer, "Memory is being updated")


@pytest.mark.parametrize(
    ("phase", "text"),
    [("waiting_for_memory", "Waiting for memory"), ("waiting_for_model", "Thinking")],
)
def test_what_a_run_waits_for_is_said(composer: Composer, phase: str, text: str) -> None:
    composer.set_phase(phase)  # type: ignore[arg-type]
    assert says(composer, text)


def test_the_model_of_the_chosen_agent_is_shown(composer: Composer) -> None:
    assert says(composer, "lab/small")
    composer.set_agent("bo")
    assert says(composer, "lab/large")


def test_choosing_an_agent_is_told_but_being_set_is_not(composer: Composer) -> None:
    chosen: list[str] = []
    composer.agent_chosen.connect(chosen.append)
    composer.set_agent("bo")
    assert chosen == []
    composer.picker.setCurrentIndex(0)
    assert chosen == ["ada"]


def test_the_input_grows_with_its_text_up_to_nine_lines(composer: Composer) -> None:
    heights = []
    for lines in (1, 3, 9, 40):
        composer.set_text("\n".join("x" for _ in range(lines)))
        heights.append(composer.input.height())
    assert heights[0] < heights[1] < heights[2] == heights[3]


def test_with_ctrl_enter_as_the_key_enter_begins_a_line(composer: Composer) -> None:
    texts = sent(composer)
    composer.set_send_with("ctrl_enter")
    assert "Ctrl+Enter" in composer.send.toolTip()
    QTest.keyClicks(composer.input, "one")
    QTest.keyClick(composer.input, Qt.Key.Key_Return)
    QTest.keyClicks(composer.input, "two")
    QTest.keyClick(composer.input, Qt.Key.Key_Enter, Qt.KeyboardModifier.KeypadModifier)
    assert texts == []
    QTest.keyClick(composer.input, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert texts == ["one\ntwo\n"]


def test_with_ctrl_enter_as_the_key_nothing_is_sent_while_an_input_method_composes(
    composer: Composer,
) -> None:
    texts = sent(composer)
    composer.set_send_with("ctrl_enter")
    composer.input.setPlainText("京")
    QApplication.sendEvent(composer.input, QInputMethodEvent("とうきょう", []))
    QTest.keyClick(composer.input, Qt.Key.Key_Return)
    QTest.keyClick(composer.input, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert texts == []
    assert composer.text == "京"


def paste(composer: Composer, text: str) -> None:
    QApplication.clipboard().setText(text)
    QTest.keySequence(composer.input, QKeySequence(QKeySequence.StandardKey.Paste))


def test_a_long_text_that_is_pasted_lies_aside_and_is_sent_below_what_is_written(
    composer: Composer,
) -> None:
    texts = sent(composer)
    long = "x" * 1_000_000
    paste(composer, long)
    assert composer.input.toPlainText() == ""
    assert says(composer, "1,000,000 characters")
    QTest.keyClicks(composer.input, "what is this")
    QTest.keyClick(composer.input, Qt.Key.Key_Return)
    assert texts == [f"what is this\n\n{long}"]


def test_a_short_text_is_pasted_where_the_cursor_is(composer: Composer) -> None:
    paste(composer, "two lines\nof text")
    assert composer.input.toPlainText() == "two lines\nof text"


def test_a_long_text_can_be_removed_or_put_among_what_is_written(composer: Composer) -> None:
    long = "a line of words\n" * 5_000
    paste(composer, long)
    button(composer, "Remove the pasted text").click()
    assert composer.text == ""
    assert not composer.send.isEnabled()
    QTest.keyClicks(composer.input, "look:")
    paste(composer, long)
    button(composer, "Put the pasted text among what you write").click()
    assert composer.input.toPlainText() == f"look:\n\n{long}"


def test_a_draft_with_a_long_line_is_put_back_aside(composer: Composer) -> None:
    composer.set_text("y" * 200_000)
    assert composer.input.toPlainText() == ""
    assert composer.text == "y" * 200_000
    composer.set_text("short")
    assert composer.input.toPlainText() == composer.text == "short"


def test_tab_and_shift_tab_leave_the_input(composer: Composer) -> None:
    composer.set_text("some words")
    for key, modifier in (
        (Qt.Key.Key_Tab, Qt.KeyboardModifier.NoModifier),
        (Qt.Key.Key_Backtab, Qt.KeyboardModifier.ShiftModifier),
    ):
        composer.input.setFocus()
        QTest.keyClick(composer.input, key, modifier)
        assert composer.text == "some words"
        assert QApplication.focusWidget() is not composer.input


def test_the_input_grows_when_its_lines_wrap_in_a_narrower_window(composer: Composer) -> None:
    composer.set_text("a few words that fit on one line of a wide window, and not of a narrow one")
    wide = composer.input.height()
    composer.resize(300, 200)
    QApplication.processEvents()
    lines = composer.input.document().size().height()
    assert lines > 1
    assert composer.input.height() >= lines * composer.input.fontMetrics().lineSpacing() > wide
