"""Questions of tools in the window: what they say, who may answer, and where they stand."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from chatty_desktop.domain.messages import Scope
from chatty_desktop.domain.tools import Consent, ToolSpec, ToolUse
from chatty_desktop.ui.chat.consent.card import ConsentCard
from tests.ui.opened import Opened
from tests.ui.panels import button, says, texts, until

WRITE = ToolSpec("write_file", "Writes a file.", {})
FETCH = ToolSpec("fetch_page", "Fetches a page.", {})
MCP = ToolSpec("create_issue", "Creates an issue.", {}, source="tracker")


class Asking:
    """Calls that wait in chats of the window, as a run's would."""

    def __init__(self, window: Opened) -> None:
        self.window = window
        self.tasks: list[asyncio.Task[Consent]] = []

    async def ask(
        self,
        session_id: str,
        tool: ToolSpec = FETCH,
        arguments: dict[str, Any] | None = None,
        folders: tuple[str, ...] = (),
    ) -> asyncio.Task[Consent]:
        agent_id = await self.window.agent()
        arguments = arguments or {"url": "https://example.org/a"}
        call_id = f"call{len(self.tasks)}"
        use = ToolUse(Scope(agent_id, session_id), call_id, tool, arguments, folders)
        task = asyncio.ensure_future(self.window.app.consents.ask(use))
        self.tasks.append(task)
        await until(lambda: any(w.use is use for w in self.window.app.consents.waiting()))
        return task

    @property
    def card(self) -> ConsentCard:
        card = self.window.window.chat.questions.card
        assert card is not None
        return card

    @property
    def is_asked(self) -> bool:
        questions = self.window.window.chat.questions
        return questions.card is not None and questions.isVisible()

    async def may_answer(self) -> None:
        await until(self.card.buttons["once"].isEnabled, "answers are taken")


@pytest.fixture
async def asking(open_window: Opened) -> AsyncIterator[Asking]:
    made = Asking(open_window)
    yield made
    for task in made.tasks:
        task.cancel()
    await asyncio.gather(*made.tasks, return_exceptions=True)


async def chat(window: Opened, title: str = "Trip") -> str:
    session = await window.session(title, 1)
    window.window.chat.open(session.id)
    await until(lambda: window.said() == ["question 0", "answer 0"])
    return session.id


async def test_a_question_says_who_wants_what_and_from_where(
    open_window: Opened, asking: Asking
) -> None:
    session = await chat(open_window)
    await asking.ask(session, MCP, {"title": "Roof leaks", "labels": ["house"]})
    card = asking.card
    assert card.title.text() == "Small talk wants to use: Create issue"
    assert says(card, "create_issue, MCP server tracker")
    assert card.arguments.text == '{\n  "title": "Roof leaks",\n  "labels": [\n    "house"\n  ]\n}'
    assert card.arguments.isVisible()
    assert card.accessibleName() == card.title.text()
    assert "Roof leaks" in card.accessibleDescription()


async def test_a_page_to_be_fetched_is_named_by_its_address(
    open_window: Opened, asking: Asking
) -> None:
    session = await chat(open_window)
    await asking.ask(session, FETCH, {"url": "https://example.org/a", "pages": 2})
    card = asking.card
    assert says(card, "fetch_page, built in")
    assert card.about.text() == "https://example.org/a"
    assert not card.arguments.isVisible()
    button(card, "Show the exact arguments").click()
    assert '"pages": 2' in card.arguments.text
    assert card.arguments.isVisible()


async def test_a_file_to_be_written_is_shown_as_what_would_change_in_it(
    open_window: Opened, asking: Asking, tmp_path: Path
) -> None:
    folder = tmp_path / "given"
    folder.mkdir()
    (folder / "list.txt").write_text("milk\nbread\n")
    session = await chat(open_window)
    arguments = {"path": "list.txt", "content": "milk\neggs\n"}
    await asking.ask(session, WRITE, arguments, (str(folder),))
    card = asking.card
    await until(card.change.isVisible)
    assert card.about.text() == "list.txt"
    assert card.change.text.split("\n")[1:] == [" milk", "-bread", "+eggs"]
    assert says(card, "The file is there. This would change in it:")


async def test_a_new_file_is_shown_whole_and_one_outside_is_not_read(
    open_window: Opened, asking: Asking, tmp_path: Path
) -> None:
    folder = tmp_path / "given"
    folder.mkdir()
    (tmp_path / "secret.txt").write_text("the key")
    session = await chat(open_window)
    await asking.ask(session, WRITE, {"path": "new.txt", "content": "eggs"}, (str(folder),))
    await until(lambda: says(asking.card, "A new file:"))
    assert asking.card.change.text == "eggs"
    await asking.may_answer()
    button(asking.card, "Don’t allow").click()
    outside = {"path": "../secret.txt", "content": "mine"}
    await asking.ask(session, WRITE, outside, (str(folder),))
    await until(lambda: says(asking.card, "This would be written:"))
    assert asking.card.change.text == "mine"


@pytest.mark.parametrize(
    ("name", "consent"),
    [("Allow once", "once"), ("Allow in this chat", "chat"), ("Don’t allow", "refused")],
)
async def test_each_answer_reaches_the_call(
    open_window: Opened, asking: Asking, name: str, consent: str
) -> None:
    session = await chat(open_window)
    task = await asking.ask(session)
    await asking.may_answer()
    button(asking.card, name).click()
    assert await task == consent
    await until(lambda: not asking.is_asked)


async def test_answers_are_given_by_keyboard_from_the_composer(
    open_window: Opened, asking: Asking
) -> None:
    session = await chat(open_window)
    composer = open_window.window.chat.composer
    open_window.window.activateWindow()
    composer.input.setFocus()
    await until(composer.input.hasFocus)
    task = await asking.ask(session)
    await until(asking.card.hasFocus, "the question has the keyboard")
    await asking.may_answer()
    QTest.keyClick(asking.card, Qt.Key.Key_1, Qt.KeyboardModifier.AltModifier)
    assert await task == "once"
    await until(composer.input.hasFocus, "the keyboard is back")


async def test_whoever_is_writing_keeps_the_keyboard(open_window: Opened, asking: Asking) -> None:
    session = await chat(open_window)
    composer = open_window.window.chat.composer
    open_window.window.activateWindow()
    composer.input.setFocus()
    await until(composer.input.hasFocus)
    QTest.keyClicks(composer.input, "And then")
    await asking.ask(session)
    await until(lambda: asking.is_asked)
    assert QApplication.focusWidget() is composer.input


async def test_several_questions_stand_in_line_and_a_second_click_answers_none(
    open_window: Opened, asking: Asking
) -> None:
    session = await chat(open_window)
    first = await asking.ask(session, FETCH)
    second = await asking.ask(session, MCP, {"title": "x"})
    assert says(asking.card, "1 of 2")
    await asking.may_answer()
    allow = asking.card.buttons["once"]
    allow.click()
    allow.click()
    assert await first == "once"
    assert says(asking.card, "Create issue")
    await until(lambda: says(asking.card, "2 of 2"))
    assert not second.done()
    await asking.may_answer()
    allow.click()
    assert await second == "once"


async def test_a_question_that_is_withdrawn_goes(open_window: Opened, asking: Asking) -> None:
    session = await chat(open_window)
    task = await asking.ask(session)
    assert asking.is_asked
    task.cancel()
    await until(lambda: not asking.is_asked)


async def test_another_chats_question_is_told_of_and_marks_it(
    open_window: Opened, asking: Asking
) -> None:
    there = await chat(open_window, "There")
    await chat(open_window, "Here")
    window = open_window.window
    task = await asking.ask(there)
    told = "There waits for you: may it use “Fetch a page”?"
    await until(lambda: window.chat.banners.shown() == [told])
    assert not asking.is_asked
    rows = window.sessions.model
    read = int(Qt.ItemDataRole.AccessibleTextRole)
    await until(
        lambda: rows.data(rows.index_of(there), read) == "There, a tool waits for your answer"
    )
    button(window.chat.banners, "Go there").click()
    await until(lambda: asking.is_asked)
    assert window.chat.session_id == there
    assert window.chat.banners.shown() == []
    await asking.may_answer()
    button(asking.card, "Don’t allow").click()
    assert await task == "refused"
    await until(lambda: rows.data(rows.index_of(there), read) == "There")


async def test_a_question_survives_looking_at_other_chats_and_windows(
    open_window: Opened, asking: Asking
) -> None:
    there = await chat(open_window, "There")
    task = await asking.ask(there)
    await chat(open_window, "Here")
    assert not asking.is_asked
    apart = open_window.window.others.open_apart(there)
    await until(lambda: apart.chat.questions.card is not None)
    open_window.window.chat.open(there)
    await until(lambda: asking.is_asked)
    await asking.may_answer()
    button(asking.card, "Allow once").click()
    assert await task == "once"
    await until(lambda: apart.chat.questions.card is None)
    apart.close()
    await until(lambda: not open_window.window.others.apart)


async def test_the_way_to_the_agents_tools_leads_there(open_window: Opened, asking: Asking) -> None:
    session = await chat(open_window)
    await asking.ask(session)
    button(asking.card, "Tools of Small talk …").click()
    others = open_window.window.others
    await until(lambda: others.agent_editor is not None and others.agent_editor.isVisible())
    assert others.agent_editor is not None
    assert others.agent_editor.form.name.text() == "Small talk"
    assert "Tools" in texts(others.agent_editor.form.tools)
    others.agent_editor.close()
