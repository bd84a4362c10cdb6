"""What the inspector shows of Summarized, Semantic and Composite memory."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QToolButton

from chatty_desktop.domain.errors import Unreachable
from chatty_desktop.ui.inspector.panel import InspectorPanel
from chatty_desktop.ui.inspector.pending_view import MessageCard
from chatty_desktop.ui.inspector.words_dialog import WordsDialog
from chatty_desktop.ui.pieces import TextButton
from chatty_desktop.ui.theme import Theme
from tests.helpers.desk import STATE
from tests.ui.panels import Bench, bench, button, on_screen, says, texts, until

EVERY_4: dict[str, Any] = {"kind": "summarized", "every": 4}


@pytest.fixture
async def at(tmp_path: Path, theme: Theme) -> AsyncIterator[Bench]:
    async with bench(tmp_path, theme, EVERY_4) as made:
        yield made


def inspector(at: Bench) -> InspectorPanel:
    panel = at.inspector()
    panel.set_scope(at.desk.scope)
    return panel


def facts(*found: tuple[str, str]) -> str:
    return json.dumps({"facts": [{"subject": s, "fact": f} for s, f in found]})


async def test_before_the_first_summary_it_is_said_when_there_will_be_one(at: Bench) -> None:
    panel = inspector(at)
    await at.desk.say("one")
    await until(lambda: says(panel.memory, "Sent word for word (2)"))
    assert says(panel.memory, "Once 4 messages have gathered")
    assert len(on_screen(panel.memory, MessageCard)) == 2


async def test_a_summary_shows_with_what_it_covers_its_cut_and_earlier_ones(at: Bench) -> None:
    panel = inspector(at)
    at.model.folds.extend(["They plan a trip.", "They plan a trip to Kyoto."])
    replies = [await at.desk.say(text) for text in ("one", "two", "three", "four", "five")]
    # Each of these was shown before; all of them are only at the end.
    wanted_words = (
        "They plan a trip to Kyoto.",
        "of 8 messages",
        "Sent word for word (2)",
        "2 messages more until the summary is renewed.",
    )
    await until(lambda: all(says(panel.memory, words) for words in wanted_words))
    wanted: list[str] = []
    panel.message_wanted.connect(wanted.append)
    links = [b for b in panel.memory.findChildren(TextButton) if "in the summary" in b.toolTip()]
    links[0].click()
    assert wanted == [replies[3].id]
    assert "They plan a trip." not in texts(panel.memory)
    button(panel.memory, "Show 1 earlier summary").click()
    assert "They plan a trip." in texts(panel.memory)


async def test_a_failed_summary_shows_what_waits_and_stands_in_the_ledger(at: Bench) -> None:
    panel = inspector(at)
    at.model.folds.append(Unreachable("The server is down."))
    await at.desk.say("one")
    await at.desk.say("two")
    await until(lambda: says(panel.memory, "Summarized with the next reply: 4 of 4"))
    row = panel.ledger.model.index(0).data()
    assert row == "Model not reached · summary: The server is down."


async def test_a_refused_summary_can_be_asked_for_again(at: Bench) -> None:
    panel = inspector(at)
    panel.tabs.setCurrentWidget(panel.ledger)
    at.model.folds.extend(["", "They plan a trip."])
    await at.desk.say("one")
    await at.desk.say("two")
    await until(lambda: says(panel.ledger.detail, "Refused · summary"))
    button(panel.ledger.detail, "Summarize now").click()
    await until(lambda: says(panel.ledger.detail, "Accepted · summary"))
    assert says(panel.ledger.detail, "They plan a trip.")


async def test_facts_stand_under_their_subject_with_the_message_they_are_from(at: Bench) -> None:
    await at.desk.use({"kind": "semantic"})
    panel = inspector(at)
    await until(lambda: says(panel.memory, "Nothing is known yet"))
    at.model.folds.append(facts(("Leo", "Leo is seven."), ("user", "The user lives in Porto.")))
    await at.desk.say("My son Leo is seven. We live in Porto.")
    await until(lambda: says(panel.memory, "2 facts") and says(panel.memory, "Leo is seven."))
    shown = texts(panel.memory)
    assert shown.index("Leo is seven.") == shown.index("Leo") + 1
    wanted: list[str] = []
    panel.message_wanted.connect(wanted.append)
    link = next(
        b
        for b in panel.memory.findChildren(TextButton)
        if "Leo is seven" in b.accessibleName() and b.isVisibleTo(panel)
    )
    link.click()
    assert wanted == [(await at.desk.messages.branch(at.desk.session.id))[0].id]


async def test_a_fact_is_corrected_and_deleted_by_hand(at: Bench) -> None:
    await at.desk.use({"kind": "semantic"})
    panel = inspector(at)
    at.model.folds.append(facts(("Leo", "Leo is seven.")))
    await at.desk.say("Leo is seven.")
    await until(lambda: says(panel.memory, "1 fact"))

    def act(name: str) -> None:
        shown = [b for b in panel.memory.findChildren(QToolButton) if b.isVisible()]
        menus = [
            b.menu() for b in shown if b.popupMode() is QToolButton.ToolButtonPopupMode.InstantPopup
        ]
        next(a for a in menus[-1].actions() if a.text() == name).trigger()

    act("Correct …")
    (dialog,) = panel.findChildren(WordsDialog)
    dialog.text.setPlainText(" ")
    dialog.save.click()
    await until(lambda: "needs words" in dialog.field.problem)
    dialog.text.setPlainText("Leo is  eight.")
    dialog.save.click()
    await until(lambda: says(panel.memory, "Leo is eight."))
    assert not says(panel.memory, "Leo is seven.")
    act("Delete")
    await until(lambda: says(panel.memory, "Nothing is known yet"))
    assert (await at.desk.layer()).facts == ()


async def test_facts_without_room_are_said_to_be_kept(at: Bench) -> None:
    await at.desk.use({"kind": "semantic", "max_chars": 100})
    panel = inspector(at)
    for number in range(4):
        at.model.folds.append(facts((f"point {number}", f"point {number} is settled for good")))
        await at.desk.say(f"point {number} is settled for good")
    await until(lambda: says(panel.memory, "The oldest fact is kept but not sent"))


async def test_messages_that_wait_to_be_read_for_facts_are_shown(at: Bench) -> None:
    await at.desk.use({"kind": "semantic"})
    panel = inspector(at)
    at.model.folds.append(Unreachable("The server is down."))
    await at.desk.say("Leo is seven.")
    await until(lambda: says(panel.memory, "Not read for facts yet (2)"))


async def test_the_layers_of_a_composite_stand_in_order_under_their_names(at: Bench) -> None:
    window = {"kind": "window", "max_messages": 4}
    await at.desk.use({"kind": "composite", "layers": [STATE, window, {"kind": "semantic"}]})
    panel = inspector(at)
    verbatim: list[str | None] = []
    panel.verbatim_from_changed.connect(verbatim.append)
    at.model.folds.extend([[{"key": "goal", "value": "Kyoto"}], facts()])
    for text in ("To Kyoto!", "two", "three"):
        await at.desk.say(text)
    await until(lambda: says(panel.memory, "The next request carries 4 messages"))
    shown = [text for text in texts(panel.memory) if text in ("State", "Window", "Semantic")]
    assert shown == ["State", "Window", "Semantic"]
    assert "Kyoto" in texts(panel.memory)
    branch = await at.desk.messages.branch(at.desk.session.id)
    await until(lambda: verbatim[-1:] == [branch[2].id])


async def test_a_composite_without_a_layer_says_what_to_do(at: Bench) -> None:
    await at.desk.use({"kind": "composite", "layers": []})
    panel = inspector(at)
    await until(lambda: says(panel.memory, "Add layers to this agent's memory"))
