"""The Prompt tab of the inspector: what the model was given."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from chatty_desktop.ui.inspector.panel import InspectorPanel
from chatty_desktop.ui.theme import Theme
from tests.helpers.desk import STATE
from tests.ui.panels import Bench, bench, says, until


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
    panel.tabs.setCurrentWidget(panel.memory)
    await at.desk.say("Hello")
    await at.tasks.idle()
    assert rows(panel) == []
    panel.tabs.setCurrentWidget(panel.prompt)
    await until(lambda: rows(panel))
    assert rows(panel)[-1] == "New message (user): Hello"
