"""The list of agents: what is there, and importing, exporting, copying, deleting."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

from chatty_desktop.domain.agents import AgentDefinition, read_agent, write_agent
from chatty_desktop.domain.strategies import State, Window
from chatty_desktop.ui.agents.agent_files import AGENT_FILES
from chatty_desktop.ui.agents.list import AgentList
from chatty_desktop.ui.stored_list import free_name
from chatty_desktop.ui.theme import Theme
from tests.helpers.desk import STATE
from tests.ui.panels import Bench, answer, bench, button, says, until


@pytest.fixture
async def at(tmp_path: Path, theme: Theme) -> AsyncIterator[Bench]:
    """Ada alone, with State memory."""
    async with bench(tmp_path / "desk", theme, STATE) as made:
        yield made


@pytest.fixture
async def agents(at: Bench) -> AgentList:
    made = AgentList(
        agents=at.desk.agents,
        chat=at.desk.chat,
        events=at.desk.bus,
        theme=at.theme,
        tasks=at.tasks,
    )
    made.resize(260, 500)
    at.show(made)
    await until(lambda: names(made) == ["Ada"])
    return made


def names(agents: AgentList) -> list[str]:
    return [agents.list.item(row).text() for row in range(agents.list.count())]


def choose(agents: AgentList, name: str) -> None:
    agents.list.setCurrentRow(names(agents).index(name))


def agent_file(folder: Path, **fields: Any) -> Path:
    file = folder / "agent.json"
    file.write_text(write_agent(AgentDefinition(**fields)), "utf-8")
    return file


async def test_agents_saved_elsewhere_come_in_by_name_and_the_choice_stays(
    at: Bench, agents: AgentList
) -> None:
    choose(agents, "Ada")
    await at.desk.agents.save(AgentDefinition(name="aaron"))
    await at.desk.agents.save(AgentDefinition(name="Zoë"))
    await until(lambda: names(agents) == ["aaron", "Ada", "Zoë"])
    assert agents.chosen is not None
    assert agents.chosen.name == "Ada"


async def test_without_agents_it_says_what_one_is_and_how_to_get_one(
    at: Bench, agents: AgentList
) -> None:
    await at.desk.agents.delete(at.desk.agent.id)
    await until(lambda: says(agents, "No agents yet"))
    assert not button(agents, "Delete").isEnabled()


async def test_what_can_be_done_is_asked_for_by_buttons_keys_and_double_click(
    at: Bench, agents: AgentList
) -> None:
    asked: list[tuple[str, str]] = []
    agents.chat_wanted.connect(lambda agent_id: asked.append(("chat", agent_id)))
    agents.edit_wanted.connect(lambda agent_id: asked.append(("edit", agent_id)))
    agents.new_wanted.connect(lambda: asked.append(("new", "")))
    button(agents, "New agent").click()
    button(agents, "Edit").click()
    button(agents, "Chat with agent").click()
    agents.list.setFocus()
    QTest.keyClick(agents.list, Qt.Key.Key_Return)
    ada = at.desk.agent.id
    assert asked == [("new", ""), ("edit", ada), ("chat", ada), ("chat", ada)]


async def test_a_copy_gets_a_name_of_its_own_and_is_chosen(at: Bench, agents: AgentList) -> None:
    button(agents, "Duplicate").click()
    await until(lambda: names(agents) == ["Ada", "Ada 2"])
    assert agents.chosen is not None
    assert agents.chosen.name == "Ada 2"
    assert isinstance(agents.chosen.definition.memory_strategy, State)


async def test_a_file_is_imported(tmp_path: Path, agents: AgentList) -> None:
    agents.import_from(agent_file(tmp_path, name="Bo", memory_strategy=Window(max_messages=3)))
    await until(lambda: names(agents) == ["Ada", "Bo"])
    assert says(agents, "Imported Bo.")
    assert agents.chosen is not None
    assert agents.chosen.definition.memory_strategy == Window(max_messages=3)


async def test_importing_over_an_agent_of_that_name_asks_and_keeps_its_id(
    at: Bench, tmp_path: Path, agents: AgentList
) -> None:
    agents.import_from(agent_file(tmp_path, name="Ada", system_prompt="New."))
    await answer(agents, "Replace")
    await until(lambda: says(agents, "Imported Ada."))
    replaced = await at.desk.agents.get(at.desk.agent.id)
    assert replaced is not None
    assert replaced.definition.system_prompt == "New."


async def test_importing_can_keep_both(at: Bench, tmp_path: Path, agents: AgentList) -> None:
    agents.import_from(agent_file(tmp_path, name="Ada", system_prompt="New."))
    await answer(agents, "Keep both")
    await until(lambda: names(agents) == ["Ada", "Ada 2"])
    kept = await at.desk.agents.get(at.desk.agent.id)
    assert kept is not None
    assert kept.definition.system_prompt == "You are Ada."


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "agent.json is not an agent file. This is not JSON"),
        (b'{"name": "Bo", "mood": 1}', "mood: this field is not known here"),
        (b"\xff\xfe\x00", "It is not UTF-8 text"),
        (None, "could not be read: No such file or directory"),
    ],
)
async def test_a_file_that_is_no_agent_is_refused_with_the_reason(
    tmp_path: Path, agents: AgentList, content: bytes | None, message: str
) -> None:
    file = tmp_path / "agent.json"
    if content is not None:
        file.write_bytes(content)
    agents.import_from(file)
    await until(lambda: says(agents, message))
    assert names(agents) == ["Ada"]


async def test_exporting_writes_a_file_that_can_be_imported(
    tmp_path: Path, agents: AgentList
) -> None:
    button(agents, "Export").click()
    dialog = agents.findChild(QFileDialog)
    assert dialog is not None
    file = tmp_path / "exported.json"
    dialog.fileSelected.emit(str(file))
    dialog.close()
    await until(lambda: says(agents, "Exported Ada to"))
    assert agents.chosen is not None
    assert read_agent(file.read_text("utf-8")) == agents.chosen.definition


async def test_exporting_where_nothing_can_be_written_says_so(
    tmp_path: Path, agents: AgentList
) -> None:
    button(agents, "Export").click()
    dialog = agents.findChild(QFileDialog)
    assert dialog is not None
    dialog.fileSelected.emit(str(tmp_path / "no such folder" / "ada.json"))
    dialog.close()
    await until(lambda: says(agents, "could not be written"))


async def test_deleting_asks_first_and_reports_what_went_along(
    at: Bench, agents: AgentList
) -> None:
    at.model.folds.append([{"key": "goal", "value": "see Kyoto"}])
    await at.desk.say("I want to see Kyoto.")
    agents.list.setFocus()
    QTest.keyClick(agents.list, Qt.Key.Key_Delete)
    await answer(agents, "Cancel")
    assert names(agents) == ["Ada"]
    button(agents, "Delete").click()
    await answer(agents, "Delete")
    await until(lambda: not names(agents))
    report = "Deleted Ada, with 1 revision of its state and 1 ledger row."
    await until(lambda: says(agents, report))
    said = await at.desk.messages.page(at.desk.session.id)
    assert [message.content for message in said] == ["I want to see Kyoto.", "OK."]


async def test_an_agent_that_is_answering_is_not_deleted(at: Bench, agents: AgentList) -> None:
    at.model.gate.clear()
    await at.desk.chat.send(at.desk.session.id, at.desk.agent.id, "Hello")
    await until(at.desk.chat.running)
    button(agents, "Delete").click()
    await answer(agents, "Delete")
    await until(lambda: says(agents, "Ada is answering in a chat"))
    at.model.gate.set()
    await at.desk.chat.wait(at.desk.session.id)
    assert await at.desk.agents.get(at.desk.agent.id) is not None


async def test_an_agent_is_not_deleted_whose_memory_settles_while_another_answers(
    at: Bench, agents: AgentList
) -> None:
    bo = await at.desk.agents.save(AgentDefinition(name="Bo"))
    await until(lambda: len(names(agents)) == 2)
    at.model.fold_gate.clear()
    await at.desk.chat.send(at.desk.session.id, at.desk.agent.id, "I want to see Kyoto.")
    await until(lambda: at.model.fold_requests)
    at.model.gate.clear()
    await at.desk.chat.send(at.desk.session.id, bo.id, "Hello")
    agents.list.setCurrentRow(0)
    button(agents, "Delete").click()
    await answer(agents, "Delete")
    await until(lambda: says(agents, "Ada is answering in a chat"))
    at.model.gate.set()
    at.model.fold_gate.set()
    await at.desk.chat.wait(at.desk.session.id)
    assert await at.desk.agents.get(at.desk.agent.id) is not None


async def test_memory_and_model_stand_below_the_name(at: Bench, agents: AgentList) -> None:
    await at.desk.agents.save(AgentDefinition(name="Bo", model="lab/small"))
    await until(lambda: len(names(agents)) == 2)
    role = Qt.ItemDataRole.AccessibleDescriptionRole
    assert [agents.list.item(row).data(role) for row in (0, 1)] == [
        "State memory · default model",
        "No memory · lab/small",
    ]


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("Ada", "ada.json"),
        ("Étude / 2: fin?", "étude_2_fin.json"),
        ("../../etc/passwd", "etc_passwd.json"),
        ("???", "agent.json"),
        ("x" * 200, "x" * 80 + ".json"),
    ],
)
def test_any_name_makes_a_file_name_every_system_takes(name: str, file: str) -> None:
    assert AGENT_FILES.file_name(name) == file


def test_a_free_name_is_the_first_that_is_not_taken() -> None:
    assert free_name("Ada", {"Bo"}) == "Ada"
    assert free_name("Ada", {"Ada", "Ada 2"}) == "Ada 3"
    assert len(free_name("x" * 200, {"x" * 200})) <= 200


def test_exported_agents_hold_no_more_than_the_shape_says(tmp_path: Path) -> None:
    file = agent_file(tmp_path, name="Bo")
    assert set(json.loads(file.read_text("utf-8"))) == {
        "name",
        "system_prompt",
        "model",
        "memory_strategy",
        "tools",
        "max_steps",
    }
