"""The steps of a run in the transcript: which stand together, how they open, live ones."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from chatty_desktop.domain.finding import pattern_of
from chatty_desktop.domain.messages import Message, Status, ToolCall
from chatty_desktop.ui.chat.steps.tail import StepTail
from chatty_desktop.ui.chat.steps.view import StepsView
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.verbatim import Verbatim
from tests.ui.panels import button, says, texts, until
from tests.ui.test_transcript import Scene, message


def calls(number: int, *names: str, text: str = "") -> Message:
    """A message that calls tools, each with one path."""
    asked = tuple(ToolCall(f"c{at}", name, '{"path": "notes.md"}') for at, name in enumerate(names))
    return replace(message(number, "assistant"), content=text, tool_calls=asked)


def result(number: int, call: str = "c0", text: str = "three lines", error: str = "") -> Message:
    made = message(number, "tool", text)
    return replace(made, tool_call_id=call, seconds=1.5, error=error)


def reply(number: int, text: str = "It says hello.") -> Message:
    return message(number, "assistant", text)


@pytest.fixture
def scene(theme: Theme, qtbot: QtBot) -> Scene:
    """A transcript of one message of the person's."""
    return Scene(theme, qtbot, 1)


def steps(scene: Scene) -> list[StepsView]:
    return [view.steps for view in scene.views if view.steps is not None]


def run_of(count: int) -> list[Message]:
    """A question's steps, one after the other, and the reply."""
    made: list[Message] = []
    for step in range(count):
        made += [calls(1 + 2 * step, "read_file"), result(2 + 2 * step)]
    return [*made, reply(1 + 2 * count)]


async def test_a_single_step_is_one_line_that_opens_to_arguments_and_result(scene: Scene) -> None:
    scene.log.messages["s"] += [calls(1, "read_file"), result(2), reply(3)]
    await scene.open()
    (view,) = steps(scene)
    (row,) = view.rows
    assert texts(row) == ["Read a file", "notes.md", "1.5 s"]
    await until(lambda: row.height() < 60)
    before = row.height()
    row.open(True)
    assert [part.text for part in row.findChildren(Verbatim)] == [
        '{\n  "path": "notes.md"\n}',
        "three lines",
    ]
    await until(lambda: row.height() > before + 60)
    row.open(False)
    await until(lambda: row.height() == before)


async def test_the_steps_of_a_run_stand_together_under_one_line(scene: Scene) -> None:
    scene.log.messages["s"] += run_of(12)
    await scene.open()
    (view,) = steps(scene)
    assert view.title() == "12 steps · 18 s"
    assert view.rows == []
    assert len(scene.views) == 3
    button(view, "12 steps · 18 s").click()
    assert len(view.rows) == 12
    button(view, "12 steps · 18 s").click()
    assert view.rows == []


async def test_what_is_said_between_steps_stands_between_them(scene: Scene) -> None:
    scene.log.messages["s"] += [
        calls(1, "read_file", text="First the notes."),
        result(2),
        calls(3, "list_files"),
        result(4),
        calls(5, "fetch_page", text="Now the page."),
        result(6),
        reply(7, "Done."),
    ]
    await scene.open()
    said = [
        (view.text.plain().strip(), len(view.steps.steps) if view.steps else 0)
        for view in scene.views
    ]
    assert said == [("message 0", 0), ("First the notes.", 2), ("Now the page.", 1), ("Done.", 0)]


async def test_a_step_that_failed_says_so_and_why(scene: Scene) -> None:
    why = "There is no file of that name."
    scene.log.messages["s"] += [
        calls(1, "read_file", "clock"),
        result(2, "c0", why, error=why),
        result(3, "c1"),
        reply(4),
    ]
    await scene.open()
    (view,) = steps(scene)
    assert view.title() == "2 steps · 3.0 s · 1 failed"
    view.unfold(True)
    first, second = view.rows
    assert says(first, "failed · 1.5 s")
    assert not says(second, "failed")
    first.open(True)
    assert says(first, why)


async def test_steps_come_in_live_the_last_one_in_sight(scene: Scene) -> None:
    await scene.open()
    scene.transcript.drawn.set_working(True)
    scene.commit(calls(1, "read_file"))
    (view,) = steps(scene)
    assert says(view, "running …")
    scene.commit(result(2))
    assert not says(view, "running …")
    scene.commit(calls(3, "list_files"))
    assert view.title() == "2 steps · 1.5 s"
    (row,) = view.rows
    assert says(row, "List files")
    scene.commit(result(4))
    scene.commit(reply(5))
    scene.transcript.drawn.set_working(False)
    assert view.rows == []
    assert [view.message.id for view in scene.views] == ["m0", "m1", "m5"]


async def test_a_message_that_turns_out_to_be_a_call_joins_the_steps_above_it(
    scene: Scene,
) -> None:
    await scene.open()
    scene.transcript.drawn.set_working(True)
    scene.commit(calls(1, "read_file"))
    scene.commit(result(2))
    streaming = replace(message(3, "assistant"), content="", status=Status.STREAMING)
    scene.commit(streaming)
    scene.stream(3, "", "Which file next?")
    await scene.quiet()
    assert [view.message.id for view in scene.views] == ["m0", "m1", "m3"]
    scene.commit(replace(calls(3, "clock"), reasoning="Which file next?"))
    assert [view.message.id for view in scene.views] == ["m0", "m1"]
    (view,) = steps(scene)
    view.unfold(True)
    view.rows[1].open(True)
    assert says(view.rows[1], "Which file next?")


async def test_a_run_that_was_stopped_in_a_step_leaves_it_not_run(scene: Scene) -> None:
    await scene.open()
    scene.transcript.drawn.set_working(True)
    scene.commit(calls(1, "fetch_page", "clock"))
    scene.commit(replace(result(2), status=Status.STOPPED))
    scene.transcript.drawn.set_working(False)
    (view,) = steps(scene)
    assert view.title() == "2 steps · 1.5 s · stopped"
    view.unfold(True)
    assert says(view.rows[0], "stopped · 1.5 s")
    assert says(view.rows[1], "not run")


async def test_what_is_read_further_up_stays_where_it_is_while_steps_come(
    theme: Theme, qtbot: QtBot
) -> None:
    scene = Scene(theme, qtbot, 41)
    await scene.open()
    scene.bar.setValue(scene.bar.maximum() // 3)
    await scene.quiet()
    before = scene.top_in_sight()
    scene.transcript.drawn.set_working(True)
    for made in run_of(8):
        scene.commit(replace(made, id=f"x{made.id}", parent_id=scene.log.messages["s"][-1].id))
        await scene.quiet()
        assert scene.top_in_sight() == before


async def test_thirty_steps_are_read_back_page_by_page_as_one_row(
    theme: Theme, qtbot: QtBot
) -> None:
    scene = Scene(theme, qtbot, 1)
    scene.log.messages["s"] += run_of(30)
    await scene.open()
    await until(lambda: len(scene.column.views) == 62)
    (view,) = steps(scene)
    assert view.title().startswith("30 steps")
    assert [each.message.id for each in scene.views] == ["m0", "m1", "m61"]


async def test_a_result_that_was_looked_for_is_opened(scene: Scene) -> None:
    scene.log.messages["s"] += run_of(12)
    await scene.open()
    assert await scene.transcript.show_message("m8")
    (view,) = steps(scene)
    assert [at for at, row in enumerate(view.rows) if row.opened] == [3]


async def test_a_megabyte_is_drawn_in_part_and_copied_whole(scene: Scene) -> None:
    long = "0123456789" * 100_000
    scene.log.messages["s"] += [calls(1, "fetch_page"), result(2, text=long), reply(3)]
    await scene.open()
    (view,) = steps(scene)
    view.rows[0].open(True)
    drawn = view.findChildren(Verbatim)[1]
    assert len(drawn.box.toPlainText()) == 20_000
    assert says(drawn, "The first 20,000 of 1,000,000 characters.")
    button(drawn, "Copy: Result").click()
    assert QGuiApplication.clipboard().text() == long


async def test_another_branch_takes_its_steps_along(scene: Scene) -> None:
    scene.log.messages["s"] += [calls(1, "read_file"), result(2), reply(3)]
    await scene.open()
    other = [replace(calls(4, "clock"), parent_id="m0"), result(5), reply(6, "Noon.")]
    scene.log.messages["s"][1:] = other
    scene.transcript.follow_branch()
    await scene.quiet()
    (view,) = steps(scene)
    assert says(view, "Date and time")
    assert [view.message.id for view in scene.views] == ["m0", "m4", "m6"]


async def test_a_step_is_opened_by_keyboard_and_read_aloud(scene: Scene) -> None:
    scene.log.messages["s"] += [calls(1, "read_file"), result(2), reply(3)]
    await scene.open()
    (row,) = steps(scene)[0].rows
    row.focus()
    line = row.focusWidget()
    assert line is not None
    assert line.accessibleName() == "Read a file, notes.md, 1.5 s"
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert row.opened


async def test_a_place_found_in_a_result_is_opened_and_chosen(scene: Scene) -> None:
    scene.log.messages["s"] += run_of(12)
    scene.log.messages["s"][6] = result(6, text="one\nthe door is blue\nblue again")
    await scene.open()
    scene.transcript.mark_words(pattern_of("Blue"))
    assert await scene.transcript.show_found("m6", 1)
    (view,) = steps(scene)
    drawn = view.rows[2].findChildren(Verbatim)[1]
    assert drawn.box.textCursor().selectedText() == "blue"
    assert drawn.box.textCursor().selectionStart() == len("one\nthe door is blue\n")
    scene.transcript.leave_found()


async def test_messages_are_chosen_together_with_the_steps_between_them(scene: Scene) -> None:
    scene.log.messages["s"] += run_of(3)
    await scene.open()
    question, _, answer = scene.views
    assert any(isinstance(view, StepTail) for view in scene.column.views)
    left, shift = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier
    QTest.mouseDClick(question.text._bodies[0].viewport(), left, pos=QPoint(5, 8))
    assert question.text._bodies[0].textCursor().hasSelection()
    QTest.mouseClick(question.text._bodies[0].viewport(), left, pos=QPoint(5, 8))
    QTest.mouseClick(answer.text._bodies[0].viewport(), left, shift)
    assert [each.id for each in scene.transcript.drawn.selection.messages] == [
        each.id for each in scene.log.messages["s"]
    ]
    assert not any(view.text._bodies[0].textCursor().hasSelection() for view in (question, answer))


async def test_a_place_found_in_a_step_whose_row_begins_in_what_is_not_read_does_no_harm(
    scene: Scene,
) -> None:
    scene.log.messages["s"] += run_of(30)
    drawn = scene.transcript.drawn
    scene.column.near_top.disconnect()
    await scene.open()
    scene.transcript.mark_words(pattern_of("lines"))
    (tail, *_) = scene.column.views
    assert isinstance(tail, StepTail)
    assert not scene.transcript.read.at_start
    at = scene.transcript.read.index(tail.message.id)
    assert at is not None
    assert drawn.view(drawn.drawn_in(at)) is tail
    assert await scene.transcript.show_found(tail.message.id, 0)
    assert scene.failures == []
