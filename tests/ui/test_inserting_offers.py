"""Prompts and resources of real MCP servers put into a message, with the keys of a person."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from chatty_desktop.domain.mcp_settings import McpServer
from chatty_desktop.ui.chat.composer import Composer
from chatty_desktop.ui.chat.offers.dialog import OffersDialog
from chatty_desktop.ui.controls import GrowingText
from tests.helpers.mcp_servers import entry
from tests.helpers.servers import OpenAIServer
from tests.ui.opened import Opened
from tests.ui.panels import button, says, texts, until

RETURN, DOWN, ESC = Qt.Key.Key_Return, Qt.Key.Key_Down, Qt.Key.Key_Escape


@pytest.fixture
async def window(open_window: Opened, tmp_path: Path) -> Opened:
    """The window with a server that runs."""
    await add(open_window, "library", entry("library", str(tmp_path / "there")))
    await open_window.new_chat()
    return open_window


async def add(window: Opened, name: str, value: dict[str, object]) -> None:
    await window.app.tool_servers.add({name: McpServer.model_validate(value)})


def composer(window: Opened) -> Composer:
    return window.window.chat.composer


async def begin(window: Opened) -> OffersDialog:
    """Open the list by its shortcut's action, with all the library has in it."""
    window.window.actions_.insert.trigger()
    dialog = window.window.chat.inserting.dialog
    assert dialog is not None
    await until(lambda: dialog.model.rowCount() == 7)
    return dialog


def rows(dialog: OffersDialog) -> list[str]:
    return [dialog.model.index(row).data() for row in range(dialog.model.rowCount())]


def find(dialog: OffersDialog, typed: str) -> None:
    dialog.search.clear()
    QTest.keyClicks(dialog.search, typed)


def is_open(window: Opened) -> bool:
    return window.window.chat.inserting.dialog is not None


async def test_the_button_is_there_once_a_server_runs_that_has_something(window: Opened) -> None:
    assert not composer(window).insert.isVisible()
    window.app.mcp.start("library")
    await until(composer(window).insert.isVisible)
    QTest.mouseClick(composer(window).insert, Qt.MouseButton.LeftButton)
    assert is_open(window)
    await window.app.mcp.stop("library")
    await until(lambda: not composer(window).insert.isVisible())


async def test_the_list_starts_servers_and_is_searched_by_name_server_and_words(
    window: Opened,
) -> None:
    dialog = await begin(window)
    assert rows(dialog)[:3] == ["recap", "review", "today.md"]
    find(dialog, "colleague")
    assert rows(dialog) == ["review"]
    spoken = dialog.model.index(0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "review, Prompt, library, Look at a piece of code as a colleague would."
    find(dialog, "library on today")
    assert rows(dialog) == ["today.md"]
    find(dialog, "zzz")
    assert says(dialog, "Nothing is called that.")
    assert not dialog.insert.isEnabled()
    QTest.keyClick(dialog.search, ESC)
    await until(lambda: not is_open(window))


async def test_a_prompt_comes_to_the_cursor_and_can_be_edited_undone_and_sent(
    window: Opened, server: OpenAIServer
) -> None:
    writing = composer(window).input
    QTest.keyClicks(writing, "First. Last.")
    for _ in range(5):
        QTest.keyClick(writing, Qt.Key.Key_Left)
    dialog = await begin(window)
    find(dialog, "recap")
    QTest.keyClick(dialog.search, RETURN)
    await until(lambda: writing.toPlainText() == "First. Sum up what we have said.Last.")
    await until(lambda: not is_open(window))
    writing.undo()
    assert writing.toPlainText() == "First. Last."
    writing.redo()
    QTest.keyClick(writing, Qt.Key.Key_Space)
    QTest.keyClick(writing, RETURN)
    await until(lambda: len(server.chats) == 1)
    await until(lambda: len(window.views) == 2 and not composer(window).answering)
    said = server.chats[0].body["messages"][-1]["content"]
    assert said == "First. Sum up what we have said. Last."


async def test_a_prompt_that_wants_values_shows_a_form_and_says_what_is_missing(
    window: Opened,
) -> None:
    dialog = await begin(window)
    QTest.keyClick(dialog.search, DOWN)
    assert dialog.insert.text() == "Fill in …"
    QTest.keyClick(dialog.search, RETURN)
    assert dialog.form is not None
    assert {"code (required)", "language"} <= set(texts(dialog.form))
    code, language = dialog.form.fields["code"], dialog.form.fields["language"]
    assert isinstance(code.control, GrowingText)
    QTest.keyClick(code.control, RETURN)
    assert code.problem == "This has to be filled in."
    assert language.problem == ""
    QTest.keyClicks(code.control, "a = 1")
    QTest.keyClick(code.control, RETURN, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClicks(code.control, "b = 2")
    QTest.keyClick(code.control, RETURN)
    await until(lambda: composer(window).text == "Review this code in any language: a = 1\nb = 2")


async def test_a_form_goes_back_to_the_list(window: Opened) -> None:
    dialog = await begin(window)
    find(dialog, "review")
    QTest.keyClick(dialog.search, RETURN)
    assert dialog.form is not None
    QTest.keyClick(dialog.form, ESC)
    assert dialog.form is None
    assert rows(dialog) == ["review"]
    assert is_open(window)


async def test_a_resource_is_attached_under_its_name_and_sent(
    window: Opened, server: OpenAIServer
) -> None:
    dialog = await begin(window)
    find(dialog, "today")
    assert dialog.insert.text() == "Attach"
    QTest.keyClick(dialog.search, RETURN)
    await until(lambda: [file.name for file in composer(window).files] == ["today.md"])
    await until(lambda: not is_open(window))
    assert [file.name for file in window.app.drafts.files(None)] == ["today.md"]
    QTest.keyClicks(composer(window).input, "What now?")
    await until(composer(window).send.isEnabled)
    QTest.keyClick(composer(window).input, RETURN)
    await until(lambda: len(server.chats) == 1)
    await until(lambda: len(window.views) == 2 and not composer(window).answering)
    said = server.chats[0].body["messages"][-1]["content"]
    assert said == "What now?\n\nFile: today.md\n```md\nBuy milk.\n```"


async def test_a_resource_that_is_too_long_is_cut_and_that_is_told(window: Opened) -> None:
    dialog = await begin(window)
    find(dialog, "chronicle")
    QTest.keyClick(dialog.search, RETURN)
    await until(lambda: len(composer(window).files) == 1)
    banners = window.window.chat.banners
    await until(lambda: any("the last 10,000 characters" in each for each in banners.shown()))
    assert composer(window).files[0].chars < 491_000


async def test_a_resource_without_text_is_refused_at_the_list(window: Opened) -> None:
    dialog = await begin(window)
    find(dialog, "cover")
    QTest.keyClick(dialog.search, RETURN)
    await until(
        lambda: (
            "The resource notes://cover of the MCP server library holds no text."
            in dialog.problem.text()
        )
    )
    assert dialog.again.isVisible()
    assert composer(window).files == ()
    find(dialog, "today")
    QTest.keyClick(dialog.search, RETURN)
    await until(lambda: len(composer(window).files) == 1)


async def test_a_slow_answer_can_be_stopped_and_the_list_goes_on(window: Opened) -> None:
    dialog = await begin(window)
    find(dialog, "slow")
    QTest.keyClick(dialog.search, RETURN)
    assert says(dialog, "Asking library …")
    QTest.keyClick(dialog.search, ESC)
    await until(dialog.insert.isEnabled)
    assert is_open(window)
    find(dialog, "today")
    QTest.keyClick(dialog.search, RETURN)
    await until(lambda: len(composer(window).files) == 1)


async def test_closing_the_list_stops_what_is_asked_for(window: Opened) -> None:
    dialog = await begin(window)
    find(dialog, "slow")
    QTest.keyClick(dialog.search, RETURN)
    dialog.close()
    await until(lambda: not is_open(window))
    await window.tasks.idle()


async def test_a_server_that_ends_meanwhile_is_told_of_and_asked_again(
    window: Opened, tmp_path: Path
) -> None:
    dialog = await begin(window)
    find(dialog, "last")
    QTest.keyClick(dialog.search, RETURN)
    await until(lambda: "The MCP server library" in dialog.problem.text())
    await until(dialog.again.isEnabled)
    await until(lambda: window.app.mcp.states()["library"].phase == "starting")
    (tmp_path / "there").touch()
    await until(lambda: window.app.mcp.states()["library"].phase == "ready")
    button(dialog, "Retry").click()
    await until(lambda: [file.name for file in composer(window).files] == ["last words"])


async def test_a_server_that_cannot_start_stands_at_the_list_beside_what_the_others_have(
    window: Opened,
) -> None:
    await add(window, "broken", entry("bad", "ends-at-once"))
    dialog = await begin(window)
    await until(lambda: "broken: " in dialog.problem.text())
    assert dialog.insert.isEnabled()
    button(dialog, "Retry").click()
    assert dialog.problem.text() == ""
    await until(lambda: "broken: " in dialog.problem.text())
    assert len(rows(dialog)) == 7


async def test_without_any_server_the_list_says_where_they_are_set_up(
    open_window: Opened,
) -> None:
    open_window.window.actions_.insert.trigger()
    dialog = open_window.window.chat.inserting.dialog
    assert dialog is not None
    await until(lambda: says(dialog, "No MCP server has anything to insert."))
    assert not dialog.insert.isEnabled()
