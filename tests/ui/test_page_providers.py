"""Settings, Providers: who is there, whether they answer, and everything done with them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QMessageBox

from chatty_desktop.domain.settings import ProviderSettings, Settings
from chatty_desktop.ui.settings.dialog import SettingsDialog
from chatty_desktop.ui.settings.page_providers import SettingsPage
from chatty_desktop.ui.settings.providers.form import ProviderForm
from chatty_desktop.ui.settings.providers.new import NewProvider
from chatty_desktop.ui.settings.providers.words import KINDS, KNOWN_ADDRESSES
from tests.helpers.keyrings import MemoryKeyring
from tests.helpers.servers import FixedServer, OllamaServer, OpenAIServer
from tests.ui.opened import Opened
from tests.ui.panels import answer, button, says, texts, until

KEY = "sk-planted-0123456789"
DISCARD = "http://127.0.0.1:9"


class Desk:
    """The page in front, and short ways about it."""

    def __init__(self, opened: Opened) -> None:
        self.opened = opened
        self.app = opened.app
        self.dialog: SettingsDialog = opened.window.others.open_settings("providers")
        page = self.dialog.page("providers")
        assert isinstance(page, SettingsPage)
        self.page = page

    @property
    def settings(self) -> Settings:
        return self.app.settings.current

    def ids(self) -> list[str]:
        return [entry.id for entry in self.settings.providers]

    def state(self, name: str = "lab") -> str:
        return self.page.list.cards[name].state.text()

    async def ready(self, name: str = "lab") -> None:
        await until(lambda: "Ready" in self.state(name), f"{name} is ready: {self.state(name)}")

    async def have(self, *entries: ProviderSettings) -> None:
        """Have these providers, and those there already behind them."""
        await self.app.settings.change(
            lambda now: now.model_copy(update={"providers": (*entries, *now.providers)})
        )

    def edit(self, name: str = "lab") -> ProviderForm:
        self.page.list.cards[name].edit.click()
        return self.page.forms[name]

    def new(self, kind: int = 0) -> NewProvider:
        self.page.adding.button.click()
        assert self.page.adding.new is not None
        self.page.adding.new.kinds.setCurrentIndex(kind)
        return self.page.adding.new


def write(line: QLineEdit, text: str) -> None:
    """Type a text in the place of what is there, and go on to the next field."""
    line.setFocus()
    line.selectAll()
    QTest.keyClicks(line, text)
    QTest.keyClick(line, Qt.Key.Key_Return)


@pytest.fixture
async def desk(open_window: Opened, keyring: MemoryKeyring) -> Desk:
    return Desk(open_window)


# --- how they are ----------------------------------------------------------------------------


async def test_each_provider_says_whether_it_answers_and_why_not(desk: Desk) -> None:
    await desk.have(
        ProviderSettings(id="down", kind="openai", base_url=DISCARD),
        ProviderSettings(id="wrong", kind="openai", base_url="ftp://x"),
    )
    await desk.ready()
    assert "1 model" in desk.state()
    await until(lambda: "no program listens" in desk.state("down"))
    await until(lambda: "not the address of a server" in desk.state("wrong"))
    assert list(desk.page.list.order()) == ["down", "wrong", "lab"]


async def test_a_server_that_comes_up_is_seen_by_checking_again_and_on_entering(
    desk: Desk,
) -> None:
    await desk.ready()
    await desk.opened.server.close()
    desk.dialog.open("about")
    desk.dialog.open("providers")
    await until(lambda: "cannot be reached" in desk.state())
    async with desk.opened.server:
        button(desk.page.list.cards["lab"], "Check lab again").click()
        await desk.ready()


async def test_a_provider_says_where_its_key_comes_from(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = desk.page.list.cards["lab"]
    await desk.ready()
    assert "key" not in card.about.text()
    await desk.app.keys.set("lab", KEY)
    await until(lambda: "key in the keyring" in card.about.text())
    monkeypatch.setenv("CHATTY_KEY_LAB", "sk-outside")
    desk.page.entered()
    await until(lambda: "key from CHATTY_KEY_LAB" in card.about.text())


# --- adding ----------------------------------------------------------------------------------


async def test_a_server_is_added_with_its_key_and_is_asked_with_it(
    desk: Desk, keyring: MemoryKeyring, data_dir: Path
) -> None:
    async with OpenAIServer(models=("a", "b"), key=KEY) as server:
        new = desk.new()
        write(new.form.address_line, server.base_url)
        write(new.form.name_line, "office")
        new.form.key.line.setText(KEY)
        button(new, "Add").click()
        await until(lambda: "office" in desk.page.list.cards)
        await until(lambda: "2 models" in desk.state("office"))
        assert desk.page.adding.new is None
        assert desk.ids() == ["lab", "office"]
        assert keyring.kept == {("chatty-desktop", "office"): KEY}
        assert KEY not in (data_dir / "settings.json").read_text()


async def test_an_ollama_needs_no_address_and_names_are_suggested(desk: Desk) -> None:
    new = desk.new(1)
    assert new.form.written_name() == "ollama"
    button(new, "Add").click()
    await until(lambda: desk.ids() == ["lab", "ollama"])
    entry = desk.settings.provider("ollama")
    assert entry is not None and entry.kind == "ollama" and entry.base_url is None
    again = desk.new(1)
    assert again.form.written_name() == "ollama-2"


async def test_models_of_this_computer_need_neither_address_nor_key(desk: Desk) -> None:
    new = desk.new(2)
    assert not new.form.address.isVisible() and not new.form.key.isVisible()
    button(new, "Add").click()
    await until(lambda: desk.ids() == ["lab", "local"])
    assert desk.settings.providers[1].kind == KINDS[2].kind


async def test_a_known_address_is_written_and_names_the_provider(desk: Desk) -> None:
    new = desk.new()
    new.form.pick(KNOWN_ADDRESSES[0])
    assert new.form.written_address() == KNOWN_ADDRESSES[0].address
    assert new.form.written_name() == KNOWN_ADDRESSES[0].name
    write(new.form.name_line, "mine")
    new.form.pick(KNOWN_ADDRESSES[1])
    assert new.form.written_name() == "mine", "what the person wrote stays"


async def test_what_is_missing_or_wrong_is_said_beside_its_field_and_nothing_is_added(
    desk: Desk,
) -> None:
    new = desk.new()
    write(new.form.name_line, "lab")
    button(new, "Add").click()
    assert "address of the server" in new.form.address.problem
    assert "already" in new.form.name.problem
    write(new.form.address_line, "https://me:secret@models.test/v1")
    write(new.form.name_line, "a/b")
    button(new, "Add").click()
    assert "slash" in new.form.name.problem
    write(new.form.name_line, "office")
    button(new, "Add").click()
    assert "before the @" in new.form.address.problem
    assert desk.ids() == ["lab"]
    button(new, "Cancel").click()
    assert desk.page.adding.new is None and desk.page.adding.button.isVisible()


# --- trying out ------------------------------------------------------------------------------


async def test_a_provider_is_tried_with_what_is_written_before_it_is_there(desk: Desk) -> None:
    async with OpenAIServer(key=KEY) as server:
        new = desk.new()
        new.form.address_line.setText(server.address)
        new.form.trial.button.click()
        await until(lambda: "wants a key" in new.form.trial.problem.text())
        new.form.key.line.setText(KEY)
        assert new.form.trial.problem.text() == "", "what was found was of something else"
        new.form.trial.button.click()
        await until(lambda: "It works" in new.form.trial.result.text())
        assert f"Found at {server.base_url}" in new.form.trial.result.text()
    assert desk.ids() == ["lab"]


async def test_a_stored_key_of_another_provider_is_not_tried(desk: Desk) -> None:
    await desk.app.keys.set("lab", KEY)
    async with OpenAIServer(key=KEY) as server:
        new = desk.new()
        write(new.form.name_line, "lab")
        new.form.address_line.setText(server.address)
        new.form.trial.button.click()
        await until(lambda: "wants a key" in new.form.trial.problem.text())
        assert all("authorization" not in request.headers for request in server.requests)


async def test_a_better_address_is_written_at_a_press(desk: Desk) -> None:
    form = desk.edit()
    wrong = desk.opened.server.base_url.replace("http://", "https://")
    form.address_line.setText(wrong)
    form.trial.button.click()
    await until(lambda: "does not speak https" in form.trial.problem.text())
    form.trial.use.click()
    assert form.written_address() == desk.opened.server.base_url
    form.trial.button.click()
    await until(lambda: "It works" in form.trial.result.text())


async def test_waiting_for_a_server_that_hangs_can_be_stopped(desk: Desk) -> None:
    async with FixedServer(None) as server:
        new = desk.new()
        new.form.address_line.setText(server.address)
        new.form.trial.button.click()
        assert new.form.trial.button.text() == "Stop"
        await until(lambda: server.requests)
        new.form.trial.button.click()
        await server.requests[0].left.wait()
        assert new.form.trial.button.text() == "Test"
        assert new.form.trial.problem.text() == ""


async def test_a_server_without_models_points_to_the_page_where_they_are_named(
    desk: Desk,
) -> None:
    async with OpenAIServer(models=()) as server:
        await desk.have(ProviderSettings(id="empty", kind="openai", base_url=server.base_url))
        await until(lambda: desk.state("empty") == "It lists no models yet.")
        form = desk.edit("empty")
        form.trial.button.click()
        await until(form.trial.go.isVisible)
        form.trial.go.click()
    assert desk.dialog.current == "models"


# --- changing --------------------------------------------------------------------------------


async def test_an_address_applies_once_it_is_written_and_the_provider_is_asked_anew(
    desk: Desk,
) -> None:
    await desk.ready()
    async with OpenAIServer(models=("a", "b", "c")) as other:
        form = desk.edit()
        write(form.address_line, other.base_url)
        await until(lambda: "3 models" in desk.state())
        assert desk.settings.providers[0].base_url == other.base_url


async def test_a_wrong_address_stays_to_be_mended_and_is_not_saved(desk: Desk) -> None:
    before = desk.settings
    form = desk.edit()
    write(form.address_line, "https://me:secret@models.test")
    assert "before the @" in form.address.problem
    assert form.written_address() == "https://me:secret@models.test"
    assert desk.settings == before


async def test_an_address_taken_out_does_not_become_the_one_of_a_service(desk: Desk) -> None:
    before = desk.settings
    form = desk.edit()
    form.address_line.setFocus()
    form.address_line.selectAll()
    QTest.keyClick(form.address_line, Qt.Key.Key_Delete)
    QTest.keyClick(form.address_line, Qt.Key.Key_Return)
    assert "address of the server" in form.address.problem
    assert desk.settings == before


async def test_a_context_length_is_set_and_taken_back(desk: Desk) -> None:
    form = desk.edit()
    number = form.context_number
    number.setValue(100)
    number.editingFinished.emit()
    assert "256" in form.context.problem
    number.setValue(16384)
    number.editingFinished.emit()
    await until(lambda: desk.settings.providers[0].context_length == 16384)
    assert form.context.problem == ""
    number.setValue(0)
    number.editingFinished.emit()
    await until(lambda: desk.settings.providers[0].context_length is None)


async def test_what_is_being_typed_survives_a_change_from_elsewhere(desk: Desk) -> None:
    form = desk.edit()
    form.address_line.setFocus()
    await until(form.address_line.hasFocus)
    QTest.keyClicks(form.address_line, "x")
    typed = form.address_line.text()
    await desk.have(ProviderSettings(id="other", kind="ollama", base_url=DISCARD))
    assert form.address_line.text() == typed
    assert desk.page.forms["lab"] is form


async def test_only_one_form_is_open_at_a_time(desk: Desk) -> None:
    await desk.have(ProviderSettings(id="other", kind="ollama", base_url=DISCARD))
    desk.edit("lab")
    desk.edit("other")
    assert list(desk.page.forms) == ["other"]
    assert not desk.page.list.cards["lab"].edit.isChecked()


# --- keys ------------------------------------------------------------------------------------


async def test_a_key_is_hidden_shown_while_it_is_typed_stored_and_never_shown_again(
    desk: Desk, keyring: MemoryKeyring
) -> None:
    form = desk.edit()
    line = form.key.line
    assert line.echoMode() == QLineEdit.EchoMode.Password and line.actions() == []
    QTest.keyClicks(line, KEY)
    assert says(form.key, "Not stored yet")
    (look,) = line.actions()
    look.trigger()
    assert line.echoMode() == QLineEdit.EchoMode.Normal
    form.key.save.click()
    await until(lambda: keyring.kept == {("chatty-desktop", "lab"): KEY})
    await until(lambda: line.text() == "")
    assert line.echoMode() == QLineEdit.EchoMode.Password
    await until(form.key.forget.isVisible)
    assert all(KEY not in text for text in texts(desk.dialog))
    form.key.forget.click()
    await until(lambda: keyring.kept == {})
    await until(lambda: not form.key.forget.isVisible())


async def test_a_key_of_the_environment_cannot_be_changed_and_says_which_variable(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHATTY_KEY_LAB", KEY)
    form = desk.edit()
    desk.page.entered()
    await until(lambda: not form.key.line.isEnabled())
    assert says(form.key, "CHATTY_KEY_LAB")
    assert not form.key.save.isVisible() and not form.key.forget.isVisible()


async def test_what_is_no_key_is_refused_beside_the_field(
    desk: Desk, keyring: MemoryKeyring
) -> None:
    form = desk.edit()
    form.key.line.setText("two words")
    form.key.save.click()
    await until(lambda: "neither spaces" in form.key.field.problem)
    assert keyring.kept == {} and form.key.line.text() == "two words"


async def test_without_a_keyring_the_person_is_told_and_asked_before_a_file_is_written(
    open_window: Opened, data_dir: Path
) -> None:
    desk = Desk(open_window)
    await until(lambda: "no keyring" in desk.page.keyring.text())
    form = desk.edit()
    form.key.line.setText(KEY)
    form.key.save.click()
    await answer(desk.page, "Do not store it")
    assert not (data_dir / "keys.json").exists()
    form.key.save.click()
    await until(lambda: [b for b in desk.page.findChildren(QMessageBox) if b.isVisible()])
    (box,) = [b for b in desk.page.findChildren(QMessageBox) if b.isVisible()]
    assert str(data_dir / "keys.json") in box.informativeText()
    assert "CHATTY_KEY_LAB" in box.informativeText() and KEY not in box.informativeText()
    await answer(desk.page, "Keep it in the file")
    await until(lambda: says(form.key, "a file that only you can read"))
    assert json.loads((data_dir / "keys.json").read_text()) == {"lab": KEY}


# --- the name --------------------------------------------------------------------------------


async def test_a_new_name_takes_all_along_and_leaves_the_form_open(
    desk: Desk, keyring: MemoryKeyring
) -> None:
    await desk.app.keys.set("lab", KEY)
    form = desk.edit()
    write(form.name_line, "office")
    await until(lambda: "is called office now" in desk.page.report.text())
    assert "the default model" in desk.page.report.text() and "the key" in desk.page.report.text()
    assert desk.settings.default_model == "office/small"
    assert desk.page.forms == {"office": form}
    assert keyring.kept == {("chatty-desktop", "office"): KEY}
    write(form.name_line, "lab")
    await until(lambda: desk.ids() == ["lab"])


async def test_what_cannot_go_along_is_asked_about_first(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHATTY_KEY_LAB", KEY)
    form = desk.edit()
    write(form.name_line, "office")
    await answer(desk.page, "Cancel")
    assert desk.ids() == ["lab"] and form.name_line.text() == "lab"
    write(form.name_line, "office")
    await answer(desk.page, "Rename")
    await until(lambda: desk.ids() == ["office"])


# --- order -----------------------------------------------------------------------------------


async def test_the_order_is_changed_by_buttons_and_keys(desk: Desk) -> None:
    await desk.have(
        ProviderSettings(id="one", kind="ollama", base_url=DISCARD),
        ProviderSettings(id="two", kind="ollama", base_url=DISCARD),
    )
    cards = desk.page.list.cards
    assert not cards["one"].up.isEnabled() and not cards["lab"].down.isEnabled()
    button(cards["lab"], "Move lab up").click()
    await until(lambda: desk.ids() == ["one", "lab", "two"])
    cards["one"].edit.setFocus()
    await until(cards["one"].edit.hasFocus)
    QTest.keyClick(cards["one"].edit, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    await until(lambda: desk.ids() == ["lab", "one", "two"])
    assert desk.page.list.order() == ["lab", "one", "two"]


async def test_a_card_is_dragged_to_another_place(desk: Desk) -> None:
    await desk.have(
        ProviderSettings(id="one", kind="ollama", base_url=DISCARD),
        ProviderSettings(id="two", kind="ollama", base_url=DISCARD),
    )
    cards = desk.page.list.cards
    await until(lambda: cards["lab"].geometry().top() > cards["two"].geometry().top() > 0)
    handle = cards["lab"].handle
    QTest.mousePress(handle, Qt.MouseButton.LeftButton)
    top = QPointF(cards["one"].mapToGlobal(QPoint(10, 2)))
    move = QMouseEvent(
        QMouseEvent.Type.MouseMove,
        QPointF(handle.mapFromGlobal(top.toPoint())),
        top,
        Qt.MouseButton.NoButton,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    handle.mouseMoveEvent(move)
    assert desk.page.list.order() == ["lab", "one", "two"]
    assert desk.ids() == ["one", "two", "lab"], "not before it is let go"
    QTest.mouseRelease(handle, Qt.MouseButton.LeftButton)
    await until(lambda: desk.ids() == ["lab", "one", "two"])


# --- deleting --------------------------------------------------------------------------------


async def test_what_depends_on_a_provider_is_told_before_it_is_deleted(
    desk: Desk, keyring: MemoryKeyring
) -> None:
    await desk.app.keys.set("lab", KEY)
    agent = await desk.app.agents.by_name("Small talk")
    assert agent is not None
    named = agent.definition.model_copy(update={"model": "lab/small"})
    await desk.app.agents.save(named, agent.id)
    card = desk.page.list.cards["lab"]
    button(card, "Delete lab").click()
    await until(lambda: [b for b in desk.page.findChildren(QMessageBox) if b.isVisible()])
    (box,) = [b for b in desk.page.findChildren(QMessageBox) if b.isVisible()]
    assert "default model" in box.informativeText()
    assert "1 agent (Small talk)" in box.informativeText()
    await answer(desk.page, "Cancel")
    assert desk.ids() == ["lab"]
    button(card, "Delete lab").click()
    await answer(desk.page, "Delete, and forget its key")
    await until(lambda: "lab was deleted" in desk.page.report.text())
    assert desk.ids() == [] and desk.settings.default_model is None
    assert keyring.kept == {} and desk.page.list.cards == {}


async def test_a_key_may_be_kept_when_its_provider_goes(desk: Desk, keyring: MemoryKeyring) -> None:
    async with OllamaServer() as server:
        entry = ProviderSettings(id="other", kind="ollama", base_url=server.base_url)
        await desk.have(entry)
        await desk.app.keys.set("other", KEY)
        button(desk.page.list.cards["other"], "Delete other").click()
        await answer(desk.page, "Delete, and keep its key")
        await until(lambda: desk.ids() == ["lab"])
        assert keyring.kept == {("chatty-desktop", "other"): KEY}


async def test_the_search_finds_what_the_page_says(desk: Desk) -> None:
    desk.dialog.open("about")
    desk.dialog.search.setText("ollama address key")
    assert desk.dialog.current == "providers"
