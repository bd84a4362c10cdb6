"""The Memory tab of the inspector: what is remembered, since when, and what waits."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from chatty_desktop.domain.errors import Unreachable
from chatty_desktop.domain.messages import Scope
from chatty_desktop.ui.inspector.key_row import KeyRow
from chatty_desktop.ui.inspector.panel import InspectorPanel
from chatty_desktop.ui.inspector.pending_view import MOST_CARDS, MessageCard
from chatty_desktop.ui.pieces import TextButton
from chatty_desktop.ui.theme import Theme
from tests.helpers.desk import STATE
from tests.ui.panels import Bench, bench, button, on_screen, says, texts, until

GONE = Unreachable("The server of test/small does not answer.")


@pytest.fixture
async def at(tmp_path: Path, theme: Theme) -> AsyncIterator[Bench]:
    """Ada, whose memory is State over goal, working_on and open."""
    async with bench(tmp_path, theme, STATE) as made:
        yield made


def inspector(at: Bench) -> InspectorPanel:
    return at.inspector()


def row(panel: InspectorPanel, key: str) -> KeyRow:
    return next(r for r in on_screen(panel, KeyRow) if r.accessibleName().startswith(key))


async def test_without_a_chat_it_says_what_to_do(at: Bench) -> None:
    assert says(inspector(at).memory, "No memory yet")


async def test_before_anything_is_known_every_key_is_named_and_the_next_step_said(
    at: Bench,
) -> None:
    panel = inspector(at)
    panel.set_scope(at.desk.scope)
    await until(lambda: says(panel, "0 of 3 keys"))
    assert texts(panel.memory).count("not known yet") == 3
    assert says(panel.memory, "Send a message")


async def test_a_fold_shows_by_itself_with_its_keys_and_values(at: Bench) -> None:
    panel = inspector(at)
    panel.set_scope(at.desk.scope)
    changes: list[dict[str, object]] = [
        {"key": "goal", "value": "see Kyoto"},
        {"key": "open", "value": ["hotel", "flight"]},
    ]
    at.model.folds.append(changes)
    await at.desk.say("I want to see Kyoto. Hotel and flight are open.")
    await until(lambda: says(panel, "2 of 3 keys") and says(panel, "Not folded yet (0)"))
    shown = texts(panel.memory)
    assert "see Kyoto" in shown
    assert "• hotel\n• flight" in shown
    assert shown.count("not known yet") == 1
    size = len(json.dumps(await at.desk.state(), separators=(",", ":")))
    assert f"{size} / 4000" in shown
    assert "Not folded yet (0)" in shown


async def test_the_description_of_a_key_is_its_tooltip(at: Bench) -> None:
    panel = inspector(at)
    panel.set_scope(at.desk.scope)
    await until(lambda: on_screen(panel, KeyRow))
    tips = [label.toolTip() for label in row(panel, "goal").findChildren(QLabel)]
    assert "<qt>what they are trying to achieve</qt>" in tips


async def test_only_what_changed_lights_up(at: Bench) -> None:
    panel = inspector(at)
    panel.set_scope(at.desk.scope)
    at.model.folds.append([{"key": "goal", "value": "see Kyoto"}])
    await at.desk.say("I want to see Kyoto.")
    await until(lambda: says(panel, "1 of 3 keys"))
    kept = row(panel, "goal")
    await until(lambda: not kept.flashing)
    at.model.folds.append([{"key": "open", "value": "a hotel"}])
    await at.desk.say("A hotel is open.")
    await until(lambda: row(panel, "open").flashing)
    assert not kept.flashing
    assert row(panel, "goal") is kept, "what did not change is not drawn anew"


async def test_opening_a_chat_lights_nothing_up(at: Bench) -> None:
    at.model.folds.append([{"key": "goal", "value": "see Kyoto"}])
    await at.desk.say("I want to see Kyoto.")
    panel = inspector(at)
    panel.set_scope(at.desk.scope)
    await until(lambda: says(panel, "see Kyoto"))
    assert not any(r.flashing for r in on_screen(panel, KeyRow))


async def test_the_message_after_which_a_key_changed_can_be_asked_for(at: Bench) -> None:
    at.model.folds.append([{"key": "goal", "value": "see Kyoto"}])
    await at.desk.say("I want to see Kyoto.")
    at.model.folds.append([{"key": "open", "value": "a hotel"}])
    await at.desk.say("A hotel is open.")
    changes = (await at.desk.layer()).changes
    panel = inspector(at)
    wanted: list[str] = []
    panel.message_wanted.connect(wanted.append)
    panel.set_scope(at.desk.scope)
    await until(lambda: says(panel, "a hotel"))
    for key in ("goal", "open"):
        link = row(panel, key).findChildren(TextButton)[0]
        link.click()
    assert wanted == [changes["goal"].message_id, changes["open"].message_id]
    assert wanted[0] != wanted[1]


async def test_what_waits_is_listed_below_and_leads_to_its_message(at: Bench) -> None:
    at.model.folds.append(GONE)
    await at.desk.say("I want to see Kyoto.")
    pending = (await at.desk.layer()).pending or ()
    panel = inspector(at)
    wanted: list[str] = []
    panel.message_wanted.connect(wanted.append)
    panel.set_scope(at.desk.scope)
    await until(lambda: says(panel, "Not folded yet (2)"))
    cards = on_screen(panel, MessageCard)
    assert [card.accessibleName() for card in cards] == [
        "You: I want to see Kyoto.",
        "Assistant: OK.",
    ]
    QTest.mouseClick(cards[0], Qt.MouseButton.LeftButton)
    cards[1].setFocus()
    QTest.keyClick(cards[1], Qt.Key.Key_Return)
    assert wanted == [message.id for message in pending]


async def test_of_a_long_queue_the_end_is_drawn_and_the_rest_counted(at: Bench) -> None:
    for number in range(18):
        at.model.folds.append(GONE)
        await at.desk.say(f"Message {number}")
    panel = inspector(at)
    panel.set_scope(at.desk.scope)
    await until(lambda: says(panel, "Not folded yet (36)"))
    assert len(on_screen(panel, MessageCard)) == MOST_CARDS
    assert says(panel, "6 earlier messages wait too.")


async def test_a_long_value_is_folded_up_until_it_is_asked_for(at: Bench) -> None:
    long = "word " * 500
    at.model.folds.append([{"key": "goal", "value": long}])
    await at.desk.say(long)
    panel = inspector(at)
    panel.set_scope(at.desk.scope)
    await until(lambda: says(panel, "1 of 3 keys"))
    assert max(map(len, texts(panel.memory))) < 800
    button(panel, "Show all 2,500 characters").click()
    assert says(panel, long)
    button(panel, "Show less").click()
    assert not says(panel, long)


async def test_sigma_can_be_copied_as_json(at: Bench) -> None:
    at.model.folds.append([{"key": "goal", "value": "see Kyōto"}])
    await at.desk.say("I want to see Kyōto.")
    panel = inspector(at)
    panel.set_scope(at.desk.scope)
    await until(lambda: says(panel, "1 of 3 keys"))
    button(panel, "Copy Σ as JSON").click()
    copied = QGuiApplication.clipboard().text()
    assert json.loads(copied) == {"goal": "see Kyōto"}
    assert "ō" in copied


async def test_a_key_that_the_fields_lost_stays_and_is_marked(at: Bench) -> None:
    at.model.folds.append([{"key": "goal", "value": "see Kyoto"}])
    await at.desk.say("I want to see Kyoto.")
    panel = inspector(at)
    panel.set_scope(at.desk.scope)
    await until(lambda: says(panel, "1 of 3 keys"))
    await at.desk.use({**STATE, "fields": [{"name": "aim", "description": "what they want"}]})
    await until(lambda: says(panel, "1 of 2 keys"))
    assert says(panel, "no longer a field")
    badge = (await at.desk.layer()).badge
    assert badge
    assert says(panel, badge)


async def test_a_memory_that_began_in_mid_session_says_so_and_shows_where(at: Bench) -> None:
    await at.desk.use({"kind": "none"})
    await at.desk.say("An old message.")
    await at.desk.say("The last one before.")
    await at.desk.use(STATE)
    at.model.folds.append([{"key": "goal", "value": "see Kyoto"}])
    await at.desk.say("I want to see Kyoto.")
    start = (await at.desk.layer()).starts_at
    assert start is not None
    panel = inspector(at)
    panel.set_scope(at.desk.scope)
    await until(lambda: says(panel, "changed in mid-session"))
    wanted: list[str] = []
    panel.message_wanted.connect(wanted.append)
    card = next(c for c in on_screen(panel, MessageCard) if "last one" in c.accessibleName())
    QTest.mouseClick(card, Qt.MouseButton.LeftButton)
    assert wanted == [start.id]


@pytest.mark.parametrize(
    ("strategy", "sentence"),
    [
        ({"kind": "none"}, "the model sees the new message alone"),
        ({"kind": "window", "max_messages": 3}, "carries 3 messages word for word"),
        ({"kind": "full_transcript"}, "4 messages so far"),
    ],
)
async def test_plain_memories_say_what_the_model_will_see(
    at: Bench, strategy: dict[str, object], sentence: str
) -> None:
    await at.desk.use(dict(strategy))
    await at.desk.say("One")
    await at.desk.say("Two")
    panel = inspector(at)
    panel.set_scope(at.desk.scope)
    await until(lambda: says(panel, sentence))
    assert not on_screen(panel, KeyRow) or not says(panel, "Σ")
    panel.tabs.setCurrentWidget(panel.ledger)
    assert says(panel.ledger, "asks no model")


async def test_where_verbatim_memory_begins_is_told_and_taken_back(at: Bench) -> None:
    reply = await at.desk.say("Hello")
    panel = inspector(at)
    told: list[object] = []
    panel.verbatim_from_changed.connect(told.append)
    panel.set_scope(at.desk.scope)
    await until(lambda: told)
    panel.set_scope(None)
    assert told == [reply.parent_id, None]
    assert says(panel, "No memory yet")


async def test_the_answer_for_a_chat_left_meanwhile_is_never_shown(at: Bench) -> None:
    at.model.folds.append([{"key": "goal", "value": "the first chat"}])
    await at.desk.say("This is the first chat.")
    other = await at.desk.sessions.create("Other", at.desk.agent.id)
    at.model.folds.append([{"key": "goal", "value": "the second chat"}])
    asked = await at.desk.chat.send(other.id, at.desk.agent.id, "This is the second chat.")
    await at.desk.chat.wait(other.id)
    panel = inspector(at)
    told: list[object] = []
    panel.verbatim_from_changed.connect(told.append)
    for _ in range(5):
        panel.set_scope(at.desk.scope)
        panel.set_scope(Scope(at.desk.agent.id, other.id))
    await until(lambda: says(panel, "the second chat"))
    await at.tasks.idle()
    assert told == [asked.id], "nothing of the first chat was drawn on the way"
    assert not says(panel, "the first chat")


async def test_a_panel_that_is_gone_hears_nothing_more(at: Bench) -> None:
    panel = inspector(at)
    panel.set_scope(at.desk.scope)
    await until(lambda: says(panel, "Σ"))
    gone: list[object] = []
    panel.destroyed.connect(lambda: gone.append(True))
    panel.deleteLater()
    at._shown.clear()
    await until(lambda: gone)
    await at.desk.say("Hello")  # A listener that fails is logged, and the log fails the test.
