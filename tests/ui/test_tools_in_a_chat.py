"""Tools in a chat of the real window: a model calls them, the person answers, the reply follows."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from chatty_desktop.domain.agents import AgentDefinition
from chatty_desktop.ui.chat.consent.card import ConsentCard
from chatty_desktop.ui.chat.steps.view import StepsView
from chatty_desktop.ui.inspector.prompt_choice import StepChoice
from chatty_desktop.ui.inspector.prompt_list import PromptModel
from chatty_desktop.ui.verbatim import Verbatim
from tests.helpers.servers.answers import Answer, Call
from tests.ui.opened import Opened
from tests.ui.panels import says, until


async def chat_with(window: Opened, *tools: str, folder: Path | None = None) -> None:
    """A new chat with an agent that has these tools, each as it asks by itself."""
    folders = (str(folder),) if folder else ()
    definition = AgentDefinition(name="Ada", tools=tools, folders=folders)
    await window.app.agents.save(definition)
    await window.new_chat("Ada")


def calls(name: str, arguments: str) -> Answer:
    return Answer(tool_calls=(Call(name, arguments),))


def steps(window: Opened) -> list[StepsView]:
    return [view.steps for view in window.views if view.steps is not None]


def step_says(window: Opened, *parts: str) -> bool:
    return bool(steps(window)) and all(says(steps(window)[0], part) for part in parts)


def opened_texts(window: Opened) -> list[str]:
    """Arguments and result of the one step, opened."""
    (view,) = steps(window)
    (row,) = view.rows
    row.open(True)
    return [part.text for part in row.findChildren(Verbatim)]


def results_sent(window: Opened) -> list[str]:
    """Of tools, in the last request."""
    messages = window.server.chats[-1].body["messages"]
    return [message["content"] for message in messages if message["role"] == "tool"]


async def asked(window: Opened) -> ConsentCard:
    """The question, once it takes answers."""
    questions = window.window.chat.questions
    await until(lambda: questions.card is not None and questions.isVisible(), "it is asked")
    card = questions.card
    assert card is not None
    await until(card.buttons["once"].isEnabled, "answers are taken")
    return card


async def asked_for_notes(window: Opened, inside: Path, answer: str) -> ConsentCard:
    """The question whether notes in a folder may be read; `answer` comes once it is answered."""
    folder = inside / "given"
    folder.mkdir()
    (folder / "notes.md").write_text("The meeting is on Friday.")
    await chat_with(window, "read_file", folder=folder)
    window.server.script(calls("read_file", '{"path": "notes.md"}'), answer)
    window.window.activateWindow()
    window.write("When do we meet?")
    return await asked(window)


async def test_a_call_is_run_and_shown_and_the_answer_follows(open_window: Opened) -> None:
    await chat_with(open_window, "calculator")
    open_window.server.script(
        calls("calculator", '{"expression": "17 * 23"}'), "That makes 391, my friend."
    )
    open_window.write("What is 17 times 23?")
    await until(lambda: open_window.said()[-1:] == ["That makes 391, my friend."])
    await until(lambda: step_says(open_window, "Calculator", "17 * 23"))
    assert opened_texts(open_window) == ['{\n  "expression": "17 * 23"\n}', "17 * 23 = 391"]
    assert results_sent(open_window) == ["17 * 23 = 391"]
    assert [view.message.role for view in open_window.views] == ["user", "assistant", "assistant"]


async def test_a_tool_that_asks_runs_once_the_person_allows_it_by_a_key(
    open_window: Opened, tmp_path: Path
) -> None:
    card = await asked_for_notes(open_window, tmp_path, "You meet on Friday, it says.")
    assert card.title.text() == "Ada wants to use: Read a file"
    assert card.arguments.text == '{\n  "path": "notes.md"\n}'
    await until(lambda: step_says(open_window, "waits for you"))
    assert len(open_window.server.chats) == 1
    QTest.keyClick(card, Qt.Key.Key_1, Qt.KeyboardModifier.AltModifier)
    await until(lambda: open_window.said()[-1:] == ["You meet on Friday, it says."])
    await until(lambda: step_says(open_window, "Read a file", "notes.md"))
    await until(lambda: not step_says(open_window, "waits for you"))
    assert "The meeting is on Friday." in opened_texts(open_window)[1]
    assert "The meeting is on Friday." in results_sent(open_window)[0]
    assert open_window.window.chat.questions.card is None


async def test_a_call_the_person_declines_says_so_and_the_model_goes_on_without_it(
    open_window: Opened, tmp_path: Path
) -> None:
    card = await asked_for_notes(open_window, tmp_path, "Then I do not know when.")
    QTest.keyClick(card, Qt.Key.Key_3, Qt.KeyboardModifier.AltModifier)
    await until(lambda: open_window.said()[-1:] == ["Then I do not know when."])
    await until(lambda: step_says(open_window, "Read a file", "notes.md", "declined by you"))
    (told,) = results_sent(open_window)
    assert "The person declined this call of read_file." in told
    assert "Friday" not in told
    # It is the same when the chat is read anew.
    session = open_window.window.chat.session_id
    assert session
    open_window.window.chat.new_chat(await open_window.agent("Ada"))
    await until(lambda: open_window.views == [])
    open_window.window.chat.open(session)
    await until(lambda: step_says(open_window, "declined by you"))


async def test_what_was_sent_in_each_step_can_be_chosen_in_the_inspector(
    open_window: Opened,
) -> None:
    await chat_with(open_window, "calculator")
    open_window.server.script(
        calls("calculator", '{"expression": "17 * 23"}'),
        calls("calculator", '{"expression": "391 + 9"}'),
        "It is 400.",
    )
    open_window.write("What is 17 times 23, and 9 more?")
    await until(lambda: open_window.said()[-1:] == ["It is 400."])
    inspector = open_window.window.inspector
    inspector.tabs.setCurrentWidget(inspector.prompt)
    prompt = inspector.prompt
    await until(lambda: prompt.steps.currentText() == "Step 3 of 3")
    await until(lambda: sent_in(prompt.model) == ["17 * 23 = 391", "391 + 9 = 400"])
    choose(prompt.steps, Qt.Key.Key_Home)
    await until(lambda: sent_in(prompt.model) == [])
    assert prompt.steps.currentText() == "Step 1 of 3"
    choose(prompt.steps, Qt.Key.Key_Down)
    await until(lambda: sent_in(prompt.model) == ["17 * 23 = 391"])
    # The next reply comes and goes; what is looked at stays.
    open_window.server.script("You are welcome.")
    open_window.write("Thank you")
    await until(lambda: open_window.said()[-1:] == ["You are welcome."])
    await until(lambda: prompt.choice.list.count() == 2)
    assert sent_in(prompt.model) == ["17 * 23 = 391"]
    prompt.choice.newer.click()
    await until(prompt.steps.isHidden)


def sent_in(model: PromptModel) -> list[str]:
    """The results of tools among the sections."""
    sections = [model.section(model.index(row)) for row in range(model.rowCount())]
    return [each.section.content for each in sections if each and each.section.role == "tool"]


def choose(steps: StepChoice, key: Qt.Key) -> None:
    QTest.keyClick(steps, key)
