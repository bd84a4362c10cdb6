"""The tools in an agent's form: which it has, whether they ask, and what they reach."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Collection
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog

from chatty_desktop.domain.agents import AgentDefinition
from chatty_desktop.domain.tools import ToolResult, ToolSpec, ToolUse
from chatty_desktop.ui.agents.definition_views import FORM, JSON
from chatty_desktop.ui.agents.editor import AgentEditor
from chatty_desktop.ui.agents.tools.row import ToolRow
from chatty_desktop.ui.agents.tools.section import ToolsSection
from chatty_desktop.ui.theme import Theme
from tests.ui.panels import Bench, bench, button, says, texts, until

HERE = [
    ToolSpec("clock", "The time.", {}, harmless=True),
    ToolSpec("calculator", "Sums.", {}, harmless=True),
    ToolSpec("read_file", "Reads a file.", {}),
    ToolSpec("create_issue", "Creates an issue in the tracker.", {}, source="tracker"),
]


class Box:
    """Tools that are there, and do nothing."""

    def __init__(self) -> None:
        self.specs = list(HERE)

    async def tools(self, names: Collection[str] | None = None) -> list[ToolSpec]:
        return self.known_tools()

    def known_tools(self) -> list[ToolSpec]:
        return list(self.specs)

    async def call(self, use: ToolUse) -> ToolResult:
        return ToolResult("")


@pytest.fixture
async def at(tmp_path: Path, theme: Theme) -> AsyncIterator[Bench]:
    """Ada, who has a tool that is there and one that is not."""
    async with bench(tmp_path / "desk", theme, None) as made:
        definition = AgentDefinition(name="Ada", tools=("post_letter", "clock"))
        await made.desk.agents.save(definition, made.desk.agent.id)
        yield made


@pytest.fixture
def box() -> Box:
    return Box()


@pytest.fixture
async def editor(at: Bench, box: Box) -> AgentEditor:
    made = AgentEditor(
        agents=at.desk.agents,
        models=at.models,
        episodes=at.desk.episodes,
        tools=box,
        settings=lambda: at.desk.settings,
        events=at.desk.bus,
        theme=at.theme,
        tasks=at.tasks,
    )
    at._shown.append(made)
    made.edit(at.desk.agent.id)
    await until(lambda: made.isVisible() and made.form.name.text() == "Ada")
    await until(lambda: len(made.form.tools.rows) == 5)
    return made


def row(section: ToolsSection, name: str) -> ToolRow:
    return next(row for row in section.rows if row.name == name)


async def saved(at: Bench, editor: AgentEditor) -> AgentDefinition:
    editor.save_button.click()
    await until(lambda: not editor.isVisible())
    agent = await at.desk.agents.get(at.desk.agent.id)
    assert agent is not None
    return agent.definition


async def test_tools_stand_by_where_they_come_from_with_what_they_can_do(
    editor: AgentEditor,
) -> None:
    section = editor.form.tools
    said = texts(section)
    order = [said.index(words) for words in ("Built in", "From tracker", "Not there now")]
    assert order == sorted(order)
    assert [each.name for each in section.rows if each.on] == ["clock", "post_letter"]
    assert says(row(section, "clock"), "harmless")
    assert says(row(section, "read_file"), "what is in it goes to the model")
    assert says(row(section, "create_issue"), "Creates an issue in the tracker.")
    assert says(row(section, "post_letter"), "It is not there now.")
    assert not editor.dirty


async def test_a_tool_is_switched_on_and_one_that_is_not_there_stays(
    at: Bench, editor: AgentEditor
) -> None:
    row(editor.form.tools, "create_issue").switch.click()
    assert editor.dirty
    assert (await saved(at, editor)).tools == ("post_letter", "clock", "create_issue")


async def test_whether_a_tool_asks_is_said_only_where_it_is_not_its_default(
    at: Bench, editor: AgentEditor
) -> None:
    clock = row(editor.form.tools, "clock")
    assert clock.asks.currentText() == "Runs at once (default)"
    clock.asks.setCurrentIndex(clock.asks.findData("ask"))
    clock.asks.activated.emit(clock.asks.currentIndex())
    assert editor.form.value()["tool_policies"] == {"clock": "ask"}
    clock.asks.setCurrentIndex(clock.asks.findData("allow"))
    clock.asks.activated.emit(clock.asks.currentIndex())
    assert editor.form.value()["tool_policies"] == {}
    assert not editor.dirty


async def test_the_harmless_ones_are_turned_on_at_once(at: Bench, editor: AgentEditor) -> None:
    section = editor.form.tools
    button(section, "Turn on the harmless ones").click()
    assert section.value()["tools"] == ["post_letter", "clock", "calculator"]
    assert not section.recommended.isVisible()


async def test_folders_are_asked_for_once_a_tool_of_files_is_on(
    at: Bench, editor: AgentEditor, tmp_path: Path
) -> None:
    section = editor.form.tools
    assert not section.folders.isVisible()
    row(section, "read_file").switch.click()
    assert section.folders.isVisible()
    assert says(section.folders, "Without a folder the file tools reach nothing.")
    dialog = section.folders.ask()
    assert dialog.fileMode() is QFileDialog.FileMode.Directory
    dialog.fileSelected.emit(str(tmp_path))
    dialog.close()
    await until(lambda: says(section.folders, str(tmp_path)))
    assert not says(section.folders, "Without a folder")
    definition = await saved(at, editor)
    assert definition.folders == (str(tmp_path),)


async def test_a_folder_is_taken_away(editor: AgentEditor) -> None:
    section = editor.form.tools
    row(section, "read_file").switch.click()
    section.folders.set(["/one", "/two"])
    await until(lambda: says(section.folders, "/one"))
    button(section.folders, "Take /one away").click()
    assert section.value()["folders"] == ["/two"]


async def test_the_json_says_what_the_form_says(editor: AgentEditor) -> None:
    row(editor.form.tools, "read_file").switch.click()
    editor.tabs.setCurrentIndex(JSON)
    value = json.loads(editor.json.text.toPlainText())
    assert value["tools"] == ["post_letter", "clock", "read_file"]
    assert "folders" not in value
    value |= {"tools": ["calculator"], "tool_policies": {"calculator": "never"}}
    editor.json.text.setPlainText(json.dumps(value))
    editor.tabs.setCurrentIndex(FORM)
    section = editor.form.tools
    assert [each.name for each in section.rows if each.on] == ["calculator"]
    assert row(section, "calculator").asks.currentText() == "Never runs"


async def test_many_tools_can_be_searched(at: Bench, editor: AgentEditor, box: Box) -> None:
    section = editor.form.tools
    assert not section.search.isVisible()
    more = [ToolSpec(f"list_{n}", f"Lists {n}.", {}, source="many") for n in range(20)]
    section.show_tools([*box.specs, *more])
    assert section.search.isVisible()
    section.search.setText("lists 13")
    assert [each.name for each in section.rows if not each.isHidden()] == ["list_13"]
    assert "Built in" not in texts(section)
    section.search.clear()
    assert all(not each.isHidden() for each in section.rows)
