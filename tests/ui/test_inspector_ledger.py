"""The Ledger tab of the inspector: what came of every fold, and folding again."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QMenu, QPushButton

from chatty_desktop.domain.errors import Unreachable
from chatty_desktop.domain.events import MemoryChanged
from chatty_desktop.domain.ids import new_id
from chatty_desktop.domain.memory import LedgerEntry
from chatty_desktop.ui.inspector.ledger_list import LedgerModel
from chatty_desktop.ui.inspector.panel import PAGE, InspectorPanel
from chatty_desktop.ui.theme import Theme
from tests.helpers.desk import STATE
from tests.ui.panels import Bench, bench, button, says, texts, until

UNKNOWN = [{"key": "mood", "value": "happy"}]


@pytest.fixture
async def at(tmp_path: Path, theme: Theme) -> AsyncIterator[Bench]:
    """Ada, whose memory is State over goal, working_on and open."""
    async with bench(tmp_path, theme, STATE) as made:
        yield made


def inspector(at: Bench) -> InspectorPanel:
    panel = at.inspector()
    panel.tabs.setCurrentWidget(panel.ledger)
    panel.set_scope(at.desk.scope)
    return panel


def rows(panel: InspectorPanel) -> list[str]:
    model = panel.ledger.model
    return [str(model.data(model.index(row))) for row in range(model.rowCount())]


async def test_before_the_first_fold_it_says_what_will_stand_here(at: Bench) -> None:
    panel = inspector(at)
    await until(lambda: says(panel.ledger, "No folds yet"))


async def test_an_accepted_fold_is_a_row_with_its_keys_and_in_full_below(at: Bench) -> None:
    panel = inspector(at)
    at.model.folds.append(
        [{"key": "goal", "value": "see Kyoto"}, {"key": "open", "value": "hotel"}]
    )
    await at.desk.say("I want to see Kyoto, the hotel is open.")
    await until(lambda: rows(panel) == ["Accepted: goal, open"])
    await until(lambda: says(panel.ledger.detail, "2 messages went in"))
    shown = texts(panel.ledger.detail)
    assert "What changed" in shown
    assert shown[shown.index("goal") + 1] == "see Kyoto"
    assert says(panel.ledger.detail, "test/small · 1 attempt")
    assert "2 messages went in" in shown


async def test_the_messages_that_went_in_can_be_asked_for(at: Bench) -> None:
    panel = inspector(at)
    wanted: list[str] = []
    panel.message_wanted.connect(wanted.append)
    at.model.folds.append([{"key": "goal", "value": "see Kyoto"}])
    reply = await at.desk.say("I want to see Kyoto.")
    await until(lambda: says(panel.ledger.detail, "2 messages went in"))
    button(panel.ledger.detail, "Show message 1").click()
    button(panel.ledger.detail, "Show message 2").click()
    assert wanted == [reply.parent_id, reply.id]


async def test_a_change_that_was_left_out_is_shown_with_its_reason(at: Bench) -> None:
    panel = inspector(at)
    at.model.folds.append(
        [{"key": "goal", "value": "see Kyoto"}, {"key": "open", "value": "xylophone lessons"}]
    )
    await at.desk.say("I want to see Kyoto.")
    await until(lambda: says(panel.ledger.detail, "2 messages went in"))
    (entry,) = await at.desk.ledger()
    assert entry.dropped, "grounding left nothing out"
    shown = texts(panel.ledger.detail)
    assert "Left out" in shown
    assert "xylophone lessons" in shown
    assert entry.dropped[0]["reason"] in shown


async def test_the_four_outcomes_differ_in_word_and_icon_not_in_colour_alone(at: Bench) -> None:
    panel = inspector(at)
    at.model.folds.append([{"key": "goal", "value": "see Kyoto"}])
    await at.desk.say("I want to see Kyoto.")
    at.model.folds.append([])
    await at.desk.say("Hm.")
    at.model.folds.extend([UNKNOWN, UNKNOWN])
    await at.desk.say("I am happy.")
    at.model.folds.append(Unreachable("The server of test/small does not answer."))
    await at.desk.say("Hello?")
    await until(lambda: len(rows(panel)) == 4)
    assert [text.partition(":")[0] for text in rows(panel)] == [
        "Model not reached",
        "Refused",
        "Nothing to change",
        "Accepted",
    ]
    assert says(panel.ledger.detail, "The server of test/small does not answer.")


async def test_a_refused_fold_says_why_and_can_be_done_again(at: Bench) -> None:
    panel = inspector(at)
    at.model.folds.extend([UNKNOWN, UNKNOWN])
    await at.desk.say("I am happy to see Kyoto.")
    await until(lambda: says(panel.ledger.detail, "What was proposed"))
    assert says(panel.ledger.detail, '"mood" is no key of the state')
    assert says(panel.ledger.detail, "2 attempts")
    at.model.folds.append([{"key": "goal", "value": "see Kyoto"}])
    at.model.fold_gate.clear()
    button(panel.ledger.detail, "Fold again").click()
    await until(lambda: len(at.model.fold_requests) == 3, "the model is asked")
    assert not button(panel.ledger.detail, "Folding …").isEnabled()
    at.model.fold_gate.set()
    await until(lambda: len(rows(panel)) == 2)
    assert rows(panel)[0] == "Accepted: goal"
    await until(lambda: says(panel.ledger.detail, "Accepted"), "the new row is chosen")
    assert await at.desk.state() == {"goal": "see Kyoto"}


async def test_only_a_refused_row_offers_to_fold_again(at: Bench) -> None:
    panel = inspector(at)
    at.model.folds.append([{"key": "goal", "value": "see Kyoto"}])
    await at.desk.say("I want to see Kyoto.")
    await until(lambda: rows(panel))
    with pytest.raises(AssertionError, match="0 buttons"):
        button(panel.ledger.detail, "Fold again")


async def test_folding_again_that_cannot_be_done_says_why_at_its_row(at: Bench) -> None:
    panel = inspector(at)
    at.model.folds.extend([UNKNOWN, UNKNOWN])
    await at.desk.say("I am happy.")
    await until(lambda: says(panel.ledger.detail, "Refused"))
    at.models.models.clear()
    button(panel.ledger.detail, "Fold again").click()
    await until(lambda: says(panel.ledger.detail, "There is no chat model to fold with."))
    assert button(panel.ledger.detail, "Fold again").isEnabled()


async def test_the_row_that_was_chosen_stays_chosen_while_new_ones_come(at: Bench) -> None:
    panel = inspector(at)
    for place in ("Kyoto", "Nara"):
        at.model.folds.append([{"key": "goal", "value": f"see {place}"}])
        await at.desk.say(f"I want to see {place}.")
    await until(lambda: len(rows(panel)) == 2)
    panel.ledger.list.setCurrentIndex(panel.ledger.model.index(1))
    await until(lambda: says(panel.ledger.detail, "see Kyoto"))
    at.model.folds.append([{"key": "open", "value": "the hotel"}])
    await at.desk.say("The hotel is open.")
    await until(lambda: len(rows(panel)) == 3)
    assert panel.ledger.list.currentIndex().row() == 2
    assert says(panel.ledger.detail, "see Kyoto")


async def test_a_long_ledger_is_read_a_page_at_a_time(at: Bench) -> None:
    at.model.folds.append([{"key": "goal", "value": "see Kyoto"}])
    await at.desk.say("I want to see Kyoto.")
    (entry,) = await at.desk.ledger()
    for _ in range(PAGE + 30):
        await at.desk.memory.settle_fold(replace(entry, id=new_id(), consumed=False), None)
    panel = inspector(at)
    await until(lambda: len(rows(panel)) == PAGE)
    button(panel.ledger, "Show older rows").click()
    await until(lambda: len(rows(panel)) == PAGE + 31)
    with pytest.raises(AssertionError, match="0 buttons"):
        button(panel.ledger, "Show older rows")


async def test_many_changes_at_once_are_read_once(at: Bench) -> None:
    panel = inspector(at)
    await until(lambda: says(panel.ledger, "No folds yet"))
    resets: list[object] = []
    panel.ledger.model.modelReset.connect(lambda: resets.append(True))
    at.model.folds.append([{"key": "goal", "value": "see Kyoto"}])
    await at.desk.say("I want to see Kyoto.")
    for _ in range(200):
        at.desk.bus.publish(MemoryChanged(at.desk.scope))
    await until(lambda: rows(panel))
    await at.tasks.idle()
    assert len(resets) == 1


def entry(number: int) -> LedgerEntry:
    return LedgerEntry(
        id=f"{number:05}",
        run_id="run",
        agent_id="ada",
        session_id="talk",
        layer="state",
        kind="fold",
        outcome="accepted",
        reason="",
        attempts=1,
        model="test/small",
        message_ids=("message",),
        patch={"goal": number},
        dropped=(),
        reply="",
        consumed=True,
        started_at=1.0,
        finished_at=2.0,
    )


def test_new_rows_are_inserted_and_the_old_ones_not_drawn_anew() -> None:
    model = LedgerModel()
    happened: list[str] = []
    model.modelReset.connect(lambda: happened.append("reset"))
    model.rowsInserted.connect(lambda _parent, first, last: happened.append(f"{first}-{last}"))
    old = tuple(entry(number) for number in range(3))
    model.show_entries(old)
    model.show_entries(old)
    model.show_entries((entry(9), entry(8), *old))
    model.show_entries(old[:1])
    assert happened == ["reset", "0-1", "reset"]
    assert model.row_of("00000") == 0
    assert model.row_of("00009") == -1


async def test_a_row_opens_to_what_went_in_what_was_asked_and_the_raw_answer(at: Bench) -> None:
    panel = inspector(at)
    at.model.folds.append([{"key": "goal", "value": "see Kyoto"}])
    await at.desk.say("I want to see Kyoto.")
    detail = panel.ledger.detail
    await until(lambda: says(detail, "user: I want to see Kyoto."))
    asked = at.model.fold_requests[-1]
    assert all(message.content in detail.prompt.text for message in asked.messages)
    assert json.loads(detail.reply.text) == {"changes": [{"key": "goal", "value": "see Kyoto"}]}


async def test_a_refused_batch_can_be_folded_by_another_model_in_a_row_of_its_own(
    at: Bench,
) -> None:
    panel = inspector(at)
    at.model.folds.extend([UNKNOWN, UNKNOWN])
    await at.desk.say("I am happy to see Kyoto.")
    await until(lambda: says(panel.ledger.detail, "Refused"))
    large = at.models.models["test/large"]
    large.folds.append([{"key": "goal", "value": "see Kyoto"}])
    by = button(panel.ledger.detail, "With another model")
    assert isinstance(by, QPushButton)
    by.menu().aboutToShow.emit()
    await until(lambda: len(by.menu().actions()) == 2)
    by.menu().actions()[1].trigger()
    await until(lambda: rows(panel)[:1] == ["Accepted: goal"])
    newest, refused = (await at.desk.ledger())[::-1]
    assert (newest.model, refused.model) == ("test/large", "test/small")
    assert refused.outcome == "refused"
    assert await at.desk.state() == {"goal": "see Kyoto"}


async def test_rows_are_chosen_by_outcome_and_by_words_and_all_come_back(at: Bench) -> None:
    panel = inspector(at)
    for place in ("Kyoto", "Zürich"):
        at.model.folds.append([{"key": "goal", "value": f"see {place}"}])
        await at.desk.say(f"I want to see {place}.")
    at.model.folds.append([])
    await at.desk.say("Hm.")
    await until(lambda: len(rows(panel)) == 3)
    bar = panel.ledger.filter
    bar.words.setText("ZURICH")
    await until(lambda: rows(panel) == ["Accepted: goal"])
    bar.words.setText("nowhere")
    await until(lambda: says(panel.ledger, "No row is like that."))
    button(panel.ledger, "Show all rows").click()
    await until(lambda: len(rows(panel)) == 3)
    outcomes = bar.menu.actions()[2].menu()
    assert isinstance(outcomes, QMenu)
    next(a for a in outcomes.actions() if a.text() == "Nothing to change").trigger()
    await until(lambda: len(rows(panel)) == 1 and rows(panel)[0].startswith("Nothing"))


@pytest.mark.parametrize("form", ["jsonl", "csv"])
async def test_the_rows_shown_are_written_to_a_file_with_all_that_belongs_to_them(
    at: Bench, tmp_path: Path, form: str
) -> None:
    panel = inspector(at)
    for text in ("I want to see Kyoto.", "=1+1 is Nara"):
        at.model.folds.append([{"key": "goal", "value": text}])
        await at.desk.say(text)
    await until(lambda: len(rows(panel)) == 2)
    panel.ledger.filter.words.setText("nara")
    await until(lambda: len(rows(panel)) == 1)
    panel.ledger.filter.export_wanted.emit(form)
    dialog = panel.ledger.findChild(QFileDialog)
    assert dialog is not None
    file = tmp_path / f"rows.{form}"
    dialog.fileSelected.emit(str(file))
    dialog.close()
    await until(file.exists)
    text = file.read_text(encoding="utf-8")
    if form == "jsonl":
        (row,) = map(json.loads, text.splitlines())
        assert row["messages"][0]["content"] == "=1+1 is Nara"
        assert row["prompt"][-1]["role"] == "user"
        assert row["patch"] == {"goal": "=1+1 is Nara"}
    else:
        (row,) = csv.DictReader(io.StringIO(text))
        assert json.loads(row["messages"])[0]["content"] == "=1+1 is Nara"
        assert not any(value.startswith(("=", "+", "-", "@")) for value in row.values())
