"""Settings, Tools: MCP servers added, pasted, run, looked into, changed and deleted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QLineEdit, QMessageBox

from chatty_desktop.domain.errors import Refused
from chatty_desktop.domain.mcp_settings import McpServer
from chatty_desktop.domain.messages import Scope
from chatty_desktop.domain.tools import ToolUse
from chatty_desktop.ui.settings.page_tools import SettingsPage
from chatty_desktop.ui.settings.tools.card import ServerCard
from tests.helpers.keyrings import MemoryKeyring
from tests.helpers.mcp_servers import entry
from tests.helpers.servers.fixed import Fixed, FixedServer
from tests.ui.opened import Opened
from tests.ui.panels import answer, button, says, until

KEY = "planted-0123456789"


class Desk:
    """The page in front, and short ways about it."""

    def __init__(self, opened: Opened) -> None:
        self.opened = opened
        self.app = opened.app
        self.dialog = opened.window.others.open_settings("tools")
        page = self.dialog.page("tools")
        assert isinstance(page, SettingsPage)
        self.page = page

    @property
    def servers(self) -> dict[str, McpServer]:
        return dict(self.app.settings.current.mcp_servers)

    async def have(self, **servers: dict[str, Any]) -> None:
        for name, value in servers.items():
            await self.app.tool_servers.add({name: McpServer.model_validate(value)})
        await until(lambda: set(servers) <= set(self.page.cards))

    def card(self, name: str = "notes") -> ServerCard:
        return self.page.cards[name]

    async def says(self, text: str, name: str = "notes") -> None:
        await until(lambda: text in self.card(name).state.text(), text)

    def paste(self, text: str) -> None:
        if self.page.adding.pasting is None:
            self.page.adding.by_pasting.click()
        assert self.page.adding.pasting is not None
        self.page.adding.pasting.text.setPlainText(text)
        self.page.adding.pasting.add.click()

    def question(self) -> str:
        boxes = [box for box in self.page.findChildren(QMessageBox) if box.isVisible()]
        return boxes[0].text() + boxes[0].informativeText() if boxes else ""


@pytest.fixture
async def desk(open_window: Opened, keyring: MemoryKeyring) -> Desk:
    return Desk(open_window)


def holding(folder: Path, secret: str) -> list[str]:
    files = [file for file in folder.rglob("*") if file.is_file()]
    return [file.name for file in files if secret.encode() in file.read_bytes()]


async def test_a_server_is_started_looked_into_and_stopped(desk: Desk) -> None:
    assert says(desk.page, "There is none yet.")
    await desk.have(notes=entry("good"))
    await desk.says("Off.")
    button(desk.card(), "Start").click()
    await desk.says("Ready · 9 tools")
    assert "good 1.2" in desk.card().about.text()
    desk.card().tools.click()
    for text in ("Add two whole numbers.", "notes://today", "Greets someone."):
        await until(lambda text=text: says(desk.card(), text), text)  # type: ignore[misc]
    button(desk.card(), "Stop").click()
    await desk.says("Off.")
    assert says(desk.card(), "Add two whole numbers."), "what it has stays known"


async def test_a_tool_is_switched_off_and_on(desk: Desk) -> None:
    await desk.have(notes=entry("good"))
    button(desk.card(), "Start").click()
    await desk.says("Ready")
    desk.card().tools.click()
    offers = desk.card().offers
    assert offers is not None
    offers.switches["fail"].click()
    await desk.says("1 of them off")
    assert desk.servers["notes"].disabled_tools == ("fail",)
    assert "notes__fail" not in [spec.name for spec in desk.app.mcp.known_tools()]
    offers.switches["fail"].click()
    await until(lambda: desk.servers["notes"].disabled_tools == ())


async def test_one_that_fails_says_why_and_shows_its_log(desk: Desk) -> None:
    await desk.have(notes=entry("bad", "ends-at-once"))
    button(desk.card(), "Start").click()
    await desk.says("no such flag")
    desk.card().show_log.click()
    log = desk.card().log
    assert log is not None
    await until(lambda: "no such flag" in log.text.toPlainText())


async def test_one_that_is_switched_off_ends_and_is_not_started(desk: Desk) -> None:
    await desk.have(notes=entry("good"))
    button(desk.card(), "Start").click()
    await desk.says("Ready")
    desk.card().on.click()
    await desk.says("Switched off")
    await until(lambda: desk.app.mcp.states()["notes"].phase == "off")
    assert not desk.card().start.isVisibleTo(desk.card())
    assert await desk.app.mcp.tools() == []


async def test_pasted_programs_are_added_after_a_question_with_their_keys_apart(
    desk: Desk, keyring: MemoryKeyring
) -> None:
    value = {"mcpServers": {"notes": entry("good", env={"API_KEY": KEY, "REGION": "eu"})}}
    desk.paste(json.dumps(value))
    await until(desk.question)
    assert "good.py" in desk.question() and "your rights" in desk.question()
    await answer(desk.page, "Add it")
    await until(lambda: "notes" in desk.page.cards)
    assert desk.page.adding.pasting is None
    assert KEY in keyring.kept.values()
    button(desk.card(), "Start").click()
    await desk.says("Ready")
    assert holding(desk.app.paths.data, KEY) == []


async def test_pasted_programs_that_are_not_wanted_leave_nothing(desk: Desk) -> None:
    desk.paste(json.dumps({"notes": entry("good")}))
    await answer(desk.page, "Cancel")
    assert desk.servers == {}
    assert desk.page.adding.pasting is not None, "the text stays to be mended"


async def test_what_cannot_be_read_is_said_with_its_place(desk: Desk) -> None:
    desk.paste('{"mcpServers": {\n"a": {"command": }}}')
    assert desk.page.adding.pasting is not None
    assert "Line 2" in desk.page.adding.pasting.field.problem
    desk.paste('{"url": "http://127.0.0.1:9/mcp"}')
    assert "name" in desk.page.adding.pasting.name.problem
    desk.page.adding.pasting.name_line.setText("web")
    desk.page.adding.pasting.add.click()
    await until(lambda: "web" in desk.page.cards)


async def test_a_name_that_is_taken_is_said_where_it_was_pasted(desk: Desk) -> None:
    await desk.have(notes=entry("good"))
    desk.paste('{"notes": {"url": "http://127.0.0.1:9/mcp"}}')
    pasting = desk.page.adding.pasting
    assert pasting is not None
    await until(lambda: "already" in pasting.field.problem)
    assert desk.servers["notes"].is_program


async def test_without_a_keyring_the_person_is_asked_about_a_file(open_window: Opened) -> None:
    desk = Desk(open_window)
    desk.paste(json.dumps({"web": {"url": "http://127.0.0.1:9", "headers": {"X-Key": KEY}}}))
    await answer(desk.page, "Keep them in the file")
    await until(lambda: "web" in desk.page.cards)
    assert holding(desk.app.paths.data, KEY) == ["keys.json"]


async def test_a_server_is_added_by_the_form(desk: Desk) -> None:
    desk.page.adding.by_form.click()
    form = desk.page.adding.form
    assert form is not None
    form.save.click()
    assert "which program" in form.command.problem
    form.command_line.setText('npx -y server "a b"')
    form.save.click()
    assert "name" in form.name.problem
    form.name_line.setText("notes")
    form.environment_values.more.click()
    row = form.environment_values.rows[0]
    row.name.setText("TOKEN")
    assert row.secret.isChecked() and row.value.echoMode() != QLineEdit.EchoMode.Normal
    row.value.setText(KEY)
    form.save.click()
    await until(lambda: "notes" in desk.page.cards)
    assert desk.servers["notes"].command == "npx"
    assert desk.servers["notes"].args == ("-y", "server", "a b")
    assert desk.servers["notes"].env == {"TOKEN": "${keyring:mcp/notes/TOKEN}"}
    assert desk.page.adding.form is None


async def test_a_server_is_changed_and_renamed_without_its_key_being_seen(
    desk: Desk, keyring: MemoryKeyring
) -> None:
    await desk.have(notes=entry("good", env={"TOKEN": KEY}))
    desk.card().edit.click()
    form = desk.card().form
    assert form is not None
    row = form.environment_values.rows[0]
    assert row.value.text() == "" and KEY not in row.value.placeholderText()
    form.name_line.setText("memos")
    form.with_app.setChecked(True)
    form.save.click()
    await until(lambda: "memos" in desk.page.cards and "notes" not in desk.page.cards)
    assert desk.servers["memos"].start_with_app
    assert KEY in keyring.kept.values()
    button(desk.card("memos"), "Start").click()
    await desk.says("Ready", "memos")


async def test_a_server_is_deleted_with_its_keys(desk: Desk, keyring: MemoryKeyring) -> None:
    await desk.have(notes=entry("good", env={"TOKEN": KEY}))
    desk.card().delete.click()
    await answer(desk.page, "Delete")
    await until(lambda: "notes" not in desk.page.cards)
    await until(lambda: KEY not in keyring.kept.values())


async def test_what_is_typed_in_a_form_stays_while_the_server_starts(desk: Desk) -> None:
    await desk.have(notes=entry("good"))
    desk.card().edit.click()
    form = desk.card().form
    assert form is not None
    form.folder_line.setText("half writ")
    desk.app.mcp.start("notes")
    await desk.says("Ready")
    assert desk.card().form is form and form.folder_line.text() == "half writ"


async def test_pages_of_this_computer_are_fetched_only_once_that_is_switched_on(
    desk: Desk,
) -> None:
    switch = desk.page.private_pages
    assert not switch.isChecked()
    page = Fixed(200, "The cellar is at 12 degrees.", "text/plain")
    async with FixedServer(page) as house:
        (reading,) = await desk.app.tools.tools(["fetch_page"])
        use = ToolUse(Scope("a", "s"), "c", reading, {"url": f"{house.address}/cellar"})
        with pytest.raises(Refused):
            await desk.app.tools.call(use)
        switch.click()
        await until(lambda: desk.app.settings.current.fetch_private_pages)
        assert "12 degrees" in (await desk.app.tools.call(use)).text
        switch.click()
        await until(lambda: not desk.app.settings.current.fetch_private_pages)
        with pytest.raises(Refused):
            await desk.app.tools.call(use)
