"""The Prompt tab of the inspector: what the model was given."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from chatty_desktop.domain.messages import ToolCall
from chatty_desktop.domain.requests import Delta
from chatty_desktop.domain.tools import ToolUse
from chatty_desktop.ui.inspector.panel import InspectorPanel
from chatty_desktop.ui.theme import Theme
from tests.helpers.desk import STATE
from tests.ui.panels import Bench, bench, says, texts, until


@pytest.fixture
async def at(tmp_path: Path, theme: Theme) -> AsyncIterator[Bench]:
    """Ada, whose memory is State over goal, working_on and open."""
    async with bench(tmp_path, theme, STATE) as made:
        yield made


def inspector(at: Bench) -> InspectorPanel:
    panel = at.inspector()
    panel.tabs.setCurrentWidget(panel.prompt)
    panel.set_scope(at.desk.scope)
    return panel


def rows(panel: InspectorPanel) -> list[str]:
    model = panel.prompt.model
    return [str(model.data(model.index(row))) for row in range(model.rowCount())]


async def test_before_the_first_message_it_says_what_will_stand_here(at: Bench) -> None:
    panel = inspector(at)
    await until(lambda: says(panel.prompt, "Nothing was sent yet"))


async def test_the_parts_of_the_last_request_stand_in_the_order_they_were_sent(
    at: Bench,
) -> None:
    panel = inspector(at)
    at.model.folds.append([{"key": "goal", "value": "see Kyoto"}])
    await at.desk.say("I want to see Kyoto.")
    await at.desk.say("When is best?")
    request = await at.desk.runs.last_request(at.desk.scope)
    assert request is not None
    await until(lambda: rows(panel)[-1:] == ["New message (user): When is best?"])
    await until(lambda: says(panel.prompt, "the server counted 11"))
    assert len(rows(panel)) == len(request.sections)
    assert rows(panel)[0] == "System prompt (system): You are Ada."
    assert any(row.startswith("Σ (system)") and "see Kyoto" in row for row in rows(panel))
    assert any(row == "Last exchange (user): I want to see Kyoto." for row in rows(panel))
    assert says(panel.prompt, f"about {request.estimated_tokens} tokens")


async def test_the_chosen_part_is_shown_whole(at: Bench) -> None:
    panel = inspector(at)
    long = "I want to see Kyoto.\n" * 200
    await at.desk.say(long)
    await until(lambda: rows(panel))
    last = panel.prompt.model.index(len(rows(panel)) - 1)
    panel.prompt.list.setCurrentIndex(last)
    assert panel.prompt.content.toPlainText() == long


async def test_turning_to_the_tab_shows_what_was_sent_meanwhile(at: Bench) -> None:
    panel = inspector(at)
    panel.tabs.setCurrentWidget(panel.time)
    await at.desk.say("Hello")
    await at.tasks.idle()
    assert rows(panel) == []
    panel.tabs.setCurrentWidget(panel.prompt)
    await until(lambda: rows(panel))
    assert rows(panel)[-1] == "New message (user): Hello"


def shown_runs(panel: InspectorPanel) -> list[str]:
    choice = panel.prompt.choice.list
    return [choice.itemText(row).partition(" · ")[0] for row in range(choice.count())]


async def test_the_request_of_any_reply_can_be_chosen_and_stays_when_a_new_one_comes(
    at: Bench,
) -> None:
    panel = inspector(at)
    for text in ("I want to see Kyoto.", "When is best?", "And Nara?"):
        await at.desk.say(text)
    await until(lambda: shown_runs(panel)[:1] == ["And Nara?"])
    assert shown_runs(panel) == ["And Nara?", "When is best?", "I want to see Kyoto."]
    panel.prompt.choice.older.click()
    await until(lambda: rows(panel)[-1:] == ["New message (user): When is best?"])
    await at.desk.say("Thank you.")
    await until(lambda: len(shown_runs(panel)) == 4)
    assert rows(panel)[-1] == "New message (user): When is best?"
    assert shown_runs(panel)[panel.prompt.choice.list.currentIndex()] == "When is best?"


async def test_a_reply_is_shown_with_its_request_when_asked_for_by_its_run(at: Bench) -> None:
    panel = inspector(at)
    panel.tabs.setCurrentWidget(panel.time)
    first = await at.desk.say("I want to see Kyoto.")
    await at.desk.say("When is best?")
    panel.show_prompt(first.run_id)
    await until(lambda: rows(panel)[-1:] == ["New message (user): I want to see Kyoto."])


async def test_the_size_of_each_part_is_told_in_words_beside_its_icon(at: Bench) -> None:
    panel = inspector(at)
    at.model.folds.append([{"key": "goal", "value": "see Kyoto"}])
    await at.desk.say("I want to see Kyoto.")
    await at.desk.say("When is best?")
    await until(lambda: says(panel.prompt, "Σ, what is known"))
    for part in ("System prompt", "What is kept", "Messages word for word", "New message"):
        await until(lambda part=part: part in texts(panel.prompt), part)  # type: ignore[misc]
    shown = texts(panel.prompt)
    assert sum(text.endswith(" %") for text in shown) == 5


async def test_what_changed_since_the_turn_before_is_marked_and_shown_as_a_diff(
    at: Bench,
) -> None:
    panel = inspector(at)
    for goal in ("see Kyoto", "see Nara"):
        at.model.folds.append([{"key": "goal", "value": goal}])
        await at.desk.say(f"I want to {goal}.")
    await at.desk.say("When is best?")
    await until(lambda: rows(panel)[-1:] == ["New message (user): When is best?"])
    panel.prompt.compare.click()
    model = panel.prompt.model
    changes = {
        (compared.section.origin, compared.change): row
        for row in range(model.rowCount())
        if (compared := model.section(model.index(row))) is not None
    }
    assert ("system", "same") in changes
    assert ("new", "new") in changes
    panel.prompt.list.setCurrentIndex(model.index(changes["state", "changed"]))
    diff = panel.prompt.content.toPlainText().splitlines()
    assert any(line.startswith("-") and "see Kyoto" in line for line in diff)
    assert any(line.startswith("+") and "see Nara" in line for line in diff)


async def test_the_whole_request_can_be_copied_as_json_and_as_curl(at: Bench) -> None:
    panel = inspector(at)
    await at.desk.say("I want to see Kyoto.")
    await at.desk.say("When is best?")
    await until(lambda: rows(panel)[-1:] == ["New message (user): When is best?"])
    as_json, as_curl = panel.prompt.copy.menu().actions()
    as_json.trigger()
    await until(lambda: QGuiApplication.clipboard().text().startswith("{"))
    body = json.loads(QGuiApplication.clipboard().text())
    sent = at.model.chats[-1]
    assert [(m["role"], m["content"]) for m in body["messages"]] == [
        (m.role, m.content) for m in sent.messages
    ]
    as_curl.trigger()
    await until(lambda: QGuiApplication.clipboard().text().startswith("curl"))
    command = QGuiApplication.clipboard().text()
    assert '-H "Authorization: Bearer $CHATTY_KEY_LAB"' in command
    assert json.loads(command.partition("<<'JSON'\n")[2].removesuffix("JSON\n")) == body


async def test_a_result_says_how_long_its_tool_took(at: Bench) -> None:
    async def slow(use: ToolUse) -> str:
        await asyncio.sleep(0.2)
        return "found"

    at.desk.tools.add("look_up", slow)
    await at.desk.equip("look_up")
    at.model.answers.append(
        [Delta(tool_calls=(ToolCall("c", "look_up", "{}"),), finish="tool_calls")]
    )
    panel = inspector(at)
    await at.desk.say("Where is it?")
    model = panel.prompt.model

    def told() -> list[str]:
        read = int(Qt.ItemDataRole.AccessibleTextRole)
        return [model.data(model.index(row), read) for row in range(model.rowCount())]

    await until(lambda: any(", tool, " in text for text in told()))
    (result,) = [text for text in told() if ", tool, " in text]
    assert re.search(r" tokens, \d+(\.\d)? s$", result)
    assert not any(text.endswith(" s") for text in told() if text != result)
