"""The measuring window over the real app: measured, judged, compared and looked through by keys."""

from __future__ import annotations

import asyncio

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest

from chatty_desktop.domain.settings import Appearance
from chatty_desktop.domain.strategies import State, StateField
from chatty_desktop.ui.measuring.dialog import MeasuringWindow
from chatty_desktop.ui.palette.places import agents_and_chats
from chatty_desktop.ui.theme import Theme
from tests.helpers.servers import Answer
from tests.ui.opened import Opened
from tests.ui.panels import button, says, texts, until

RIGHT = Answer.fold([{"key": "name", "value": "Marta"}])


async def opened(at: Opened, agent: str = "Companion") -> MeasuringWindow:
    at.window.others.measure(await at.agent(agent))
    await until(lambda: at.window.others.measuring and at.window.others.measuring.isVisible())
    window = at.window.others.measuring
    assert window is not None
    await until(lambda: window.setup.models.count() > 0, "the models are listed")
    return window


def results(window: MeasuringWindow) -> list[str]:
    items = (window.results.item(row) for row in range(window.results.count()))
    return [item.text().split("\n")[1] for item in items]


async def test_a_model_is_measured_by_keys_and_the_verdict_stands_on_top(
    open_window: Opened,
) -> None:
    open_window.server.script_folds(RIGHT)
    window = await opened(open_window)
    assert window.setup.source.currentText() == "Getting to know a person"
    assert says(window, "Right answers are known for 4 of the 5 fields.")
    assert says(window, "Nothing was measured yet")
    assert window.setup.chosen_models() == ["lab/small"]
    window.setup.start_button.setFocus()
    QTest.keyClick(window.setup.start_button, Qt.Key.Key_Space)
    await until(window.setup.start_button.isEnabled, "it has ended")
    await until(lambda: says(window.verdict, "Use Summarized instead"), "the verdict")
    assert says(window.verdict, "lab/small · Getting to know a person")
    assert says(window.verdict, "of 12 steps went well")
    assert says(window.glance, "Changes that were missed")
    assert results(window) == ["Use Summarized instead"]


async def test_a_step_shows_what_was_said_what_should_change_and_what_did(
    open_window: Opened,
) -> None:
    open_window.server.script_folds(RIGHT, "I cannot say.", "I cannot say.")
    window = await opened(open_window)
    window.setup.start_button.click()
    await until(lambda: window.steps.list.count() == 12, "all steps are there")
    window.tabs.setCurrentWidget(window.steps)
    window.steps.list.setFocus()
    QTest.keyClick(window.steps.list, Qt.Key.Key_Home)
    detail = window.steps.detail
    assert says(detail, "Just as it should be")
    assert {"Hello! My name is Marta.", "something with “marta”", "Marta"} <= set(texts(detail))
    QTest.keyClick(window.steps.list, Qt.Key.Key_Down)
    assert says(detail, "The answer could not be used") and says(detail, "2 attempts")
    await until(lambda: says(detail, "I cannot say."), "its answer")
    assert says(detail, "There is no JSON object")


async def test_models_measured_with_the_same_conversation_are_compared(
    open_window: Opened,
) -> None:
    open_window.server.models = ("small", "large")
    open_window.server.default_fold = lambda asked: (
        Answer.fold([]) if asked.body["model"] == "large" else Answer(text="No idea.")
    )
    window = await opened(open_window)
    await until(lambda: window.setup.models.count() == 2, "both models are listed")
    for row in range(2):
        window.setup.models.item(row).setCheckState(Qt.CheckState.Checked)
    window.setup.start_button.click()
    await until(lambda: len(results(window)) == 2 and window.setup.start_button.isEnabled())
    assert results(window) == ["Use Summarized instead", "Use Summarized instead"]
    window.tabs.setCurrentIndex(1)
    chart = window.compare.right
    await until(lambda: chart.plot, "the chart is drawn")
    cells = [[chart.table.item(row, column) for column in range(3)] for row in range(2)]
    by_model = {row[0].text(): [cell.text() for cell in row[1:] if cell] for row in cells if row[0]}
    assert by_model["small"] == ["0", "0"]
    assert by_model["large"][0] == "100"


async def test_the_marks_of_earlier_results_follow_the_colours(
    open_window: Opened, theme: Theme
) -> None:
    open_window.server.script_folds(RIGHT)
    window = await opened(open_window)
    window.setup.start_button.click()
    await until(lambda: len(results(window)) == 1 and window.setup.start_button.isEnabled())

    def mark() -> QImage:
        return window.results.item(0).icon().pixmap(16).toImage()

    light = mark()
    theme.show(Appearance(theme="dark"))
    assert mark() != light
    assert results(window) == ["Use Summarized instead"]


async def test_it_is_stopped_and_what_was_measured_so_far_stays(open_window: Opened) -> None:
    held = asyncio.Event()
    open_window.server.script_folds(RIGHT, Answer(text='{"changes": []}', held=held))
    window = await opened(open_window)
    window.setup.start_button.click()
    await until(lambda: says(window.setup, "lab/small: step 1 of 12"), "its progress is told")
    assert not window.setup.source.isEnabled() and not window.delete_button.isEnabled()
    QTest.keyClick(window.setup.stop_button, Qt.Key.Key_Space)
    assert window.setup.stop_button.text() == "Stopping …"
    held.set()
    await until(window.setup.start_button.isEnabled, "it has stopped")
    assert results(window) == ["Too little was measured to say"]
    assert says(window.glance, "2 of 12")
    window.delete_button.click()
    await until(lambda: says(window, "Nothing was measured yet"), "it is deleted")


async def test_a_server_that_is_gone_is_said_beside_the_verdict(open_window: Opened) -> None:
    open_window.server.default_fold = Answer.fail(401, "who are you")
    window = await opened(open_window)
    window.setup.start_button.click()
    await until(window.verdict.problem.isVisible, "the problem is said")
    assert says(window.verdict, "lab") and says(window.verdict, "Too little was measured to say")
    await until(window.setup.start_button.isEnabled)


async def test_an_own_chat_is_measured_by_its_form(open_window: Opened) -> None:
    await open_window.session("My week", 6, agent="Companion")
    window = await opened(open_window)
    at = window.setup.source.findText("Your chat “My week”")
    window.setup.source.setCurrentIndex(at)
    assert says(window.setup, "nobody wrote down the right answers")
    window.setup.start_button.click()
    await until(lambda: says(window.verdict, "Answers in the right form"), "the verdict")
    assert says(window.verdict, "lab/small · Your chat “My week”")
    await until(window.setup.start_button.isEnabled)


async def test_an_agent_without_notes_is_told_why_it_cannot_be_measured(
    open_window: Opened,
) -> None:
    window = await opened(open_window, "Small talk")
    assert says(window.setup, "keeps no notes with fields")
    assert not window.setup.start_button.isEnabled()


async def test_the_editor_leads_there_with_its_changes_saved(open_window: Opened) -> None:
    agent_id = await open_window.agent("Companion")
    open_window.window.others.edit_agent(agent_id)
    await until(
        lambda: (
            open_window.window.others.agent_editor
            and open_window.window.others.agent_editor.isVisible()
        )
    )
    editor = open_window.window.others.agent_editor
    assert editor is not None
    editor.form.system_prompt.setPlainText("Be kind.")
    QTest.keyClick(button(editor, "Measure …"), Qt.Key.Key_Space)
    await until(
        lambda: (
            open_window.window.others.measuring and open_window.window.others.measuring.isVisible()
        )
    )
    stored = await open_window.app.agents.get(agent_id)
    assert stored is not None and stored.definition.system_prompt == "Be kind."
    editor.close()


async def test_the_palette_leads_there_for_agents_that_keep_notes(open_window: Opened) -> None:
    wanted: list[str] = []

    def nothing(_id: str) -> None: ...

    entries = await agents_and_chats(
        agents=open_window.app.agents,
        sessions=open_window.app.sessions,
        begin=nothing,
        edit=nothing,
        measure=wanted.append,
        open_chat=nothing,
        theme=open_window.window._theme,
    )
    (entry,) = [each for each in entries if each.words == "Measure models for Companion"]
    entry.do()
    assert wanted == [await open_window.agent("Companion")]
    assert not [each for each in entries if each.words == "Measure models for Small talk"]


async def test_fields_of_which_no_right_answers_are_known_are_named(open_window: Opened) -> None:
    agent = await open_window.app.agents.by_name("Companion")
    assert agent is not None
    memory = State(
        fields=(
            StateField(name="name", description="what the person is called"),
            StateField(name="mood", description="how the person feels"),
        )
    )
    changed = agent.definition.model_copy(update={"memory_strategy": memory})
    await open_window.app.agents.save(changed, agent.id)
    window = await opened(open_window)
    window.setup.start_button.click()
    await until(lambda: window.setup.start_button.isEnabled() and results(window))
    assert says(window.glance, "The right answers are known for name; the other fields are not")
