"""The first run: what there is, found by the real clients; every way through it and past it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from chatty_desktop.app import App
from chatty_desktop.providers.starter import STARTER
from chatty_desktop.ui.first_run.assistant import Assistant
from chatty_desktop.ui.main_window import MainWindow
from chatty_desktop.ui.tasks import Tasks
from chatty_desktop.ui.theme import Theme
from chatty_desktop.ui.window_state import WindowState
from tests.helpers.gguf import CHAT, write_model
from tests.helpers.keyrings import MemoryKeyring, system_keyring
from tests.helpers.servers import OllamaServer, OpenAIServer
from tests.ui.opened import Opened
from tests.ui.panels import button, message_views, says, until

KEY = "sk-very-secret"


class Fresh:
    """The window on a folder of which nothing was chosen yet."""

    def __init__(self, app: App, window: MainWindow, folder: Path) -> None:
        self.app = app
        self.window = window
        self.folder = folder

    @property
    def assistant(self) -> Assistant:
        assert self.window.welcome.assistant is not None
        return self.window.welcome.assistant

    @property
    def settings(self) -> dict[str, Any]:
        """What stands in the file."""
        found: dict[str, Any] = json.loads((self.folder / "settings.json").read_text("utf-8"))
        return found

    def press(self, key: Qt.Key, where: QWidget | None = None) -> None:
        """Press a key where the keyboard is."""
        target = where or self.window.focusWidget()
        assert target is not None
        QTest.keyClick(target, key)

    async def take(self, choice: str) -> None:
        """Take a source of models once it was looked for."""
        radio = self.assistant.model_step.cards[choice].radio
        await until(radio.isEnabled, f"{choice} is there")
        radio.setFocus()
        radio.click()

    async def go_on(self) -> None:
        """Enter, from the first step to the second."""
        self.press(Qt.Key.Key_Return)
        await until(self.assistant.memory_step.isVisible, "the second step")

    async def over(self) -> None:
        await until(lambda: self.window.welcome.assistant is None, "it is over")

    async def say(self, text: str) -> None:
        """Write a message where the keyboard is, and send it."""
        await until(lambda: self.window.chat.composer.agent_id, "an agent")
        QTest.keyClicks(self.window.chat.composer.input, text)
        self.press(Qt.Key.Key_Return, self.window.chat.composer.input)

    def answers(self) -> list[str]:
        column = self.window.chat.transcript.column
        return [v.text.plain().strip() for v in message_views(column)]


Open = Callable[[], AbstractAsyncContextManager[Fresh]]


@pytest.fixture
def open_fresh(data_dir: Path, theme: Theme, monkeypatch: pytest.MonkeyPatch) -> Open:
    """Opens the window on the test's folder, without any settings written for it. No Ollama
    answers unless a test names one; the starter model lies there already."""
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:1")
    starter = data_dir / "models" / STARTER.file_name
    starter.parent.mkdir(parents=True)
    starter.write_bytes(b"GGUF")

    @asynccontextmanager
    async def opening() -> AsyncIterator[Fresh]:
        QApplication.setQuitOnLastWindowClosed(False)
        app = await App.open(data_dir)
        failures: list[str] = []
        tasks = Tasks(failures.append)
        state = WindowState(app.paths.window)
        window = MainWindow(app=app, theme=theme, tasks=tasks, state=state)
        window.resize(1100, 760)
        window.show()
        window.start()
        try:
            yield Fresh(app, window, data_dir)
        finally:
            window.remember()
            await tasks.close()
            await app.close()
            window.release()
            window.deleteLater()
        assert failures == []

    return opening


@pytest.fixture
async def fresh(open_fresh: Open) -> AsyncIterator[Fresh]:
    async with open_fresh() as opened:
        yield opened


@pytest.fixture
async def ollama(monkeypatch: pytest.MonkeyPatch, open_fresh: Open) -> AsyncIterator[OllamaServer]:
    """An Ollama that runs."""
    async with OllamaServer(models=("qwen:7b", "nomic-embed-text:latest")) as server:
        monkeypatch.setenv("OLLAMA_HOST", server.address)
        yield server


# --- the way through -------------------------------------------------------------------------


async def test_enter_all_the_way_ends_in_a_chat_with_the_starter_model(fresh: Fresh) -> None:
    pytest.importorskip("xllamacpp")
    step = fresh.assistant.model_step
    assert step.key == "starter"
    assert "nothing to download" in step.cards["starter"].words()
    await fresh.go_on()
    assert fresh.assistant.memory_step.key == "built_in"
    fresh.press(Qt.Key.Key_Return)
    await fresh.over()
    assert fresh.settings["default_model"] == "local/starter"
    assert fresh.settings["embedder"]["model"] == "builtin"
    assert fresh.window.focusWidget() is fresh.window.chat.composer.input
    await until(lambda: fresh.window.chat.composer.agent_id, "a starter agent")


async def test_what_is_looked_for_stands_there_from_the_start_and_is_filled_in(
    ollama: OllamaServer, fresh: Fresh
) -> None:
    cards = fresh.assistant.model_step.cards
    assert list(cards) == ["starter", "ollama", "file", "server"]
    assert not cards["ollama"].radio.isEnabled()
    await until(lambda: "with 1 model" in cards["ollama"].words(), "Ollama")
    await until(lambda: "None was found" in cards["file"].words(), "no files")
    assert not cards["file"].radio.isEnabled()


async def test_a_running_ollama_answers_the_first_message(
    ollama: OllamaServer, fresh: Fresh
) -> None:
    ollama.default = "Hello from Ollama."
    await fresh.take("ollama")
    await fresh.go_on()
    fresh.press(Qt.Key.Key_Return)
    await fresh.over()
    assert fresh.settings["default_model"] == "ollama/qwen:7b"
    assert fresh.settings["providers"][0]["base_url"] == ollama.address
    await fresh.say("Hello")
    await until(lambda: "Hello from Ollama." in fresh.answers(), "the answer")


async def test_an_embedding_model_of_ollama_can_be_chosen_for_memory(
    ollama: OllamaServer, fresh: Fresh
) -> None:
    await fresh.take("ollama")
    await fresh.go_on()
    step = fresh.assistant.memory_step
    step.cards["model"].radio.click()
    assert not fresh.assistant.next.isEnabled()
    assert step.picker.itemText(1) == "ollama/nomic-embed-text:latest"
    step.picker.setCurrentIndex(1)
    step.picker.activated.emit(1)
    assert fresh.assistant.next.isEnabled()
    fresh.assistant.next.click()
    await fresh.over()
    embedder = fresh.settings["embedder"]
    assert (embedder["provider"], embedder["model"]) == ("ollama", "nomic-embed-text:latest")


async def test_memory_can_do_without_an_embedder(fresh: Fresh) -> None:
    pytest.importorskip("xllamacpp")
    await fresh.go_on()
    fresh.assistant.memory_step.cards["none"].radio.click()
    fresh.assistant.next.click()
    await fresh.over()
    assert fresh.settings["embedder"] is None


async def test_a_model_file_is_told_of_and_becomes_the_default(
    open_fresh: Open, data_dir: Path
) -> None:
    write_model(data_dir / "models" / "tiny.gguf", CHAT)
    async with open_fresh() as fresh:
        await fresh.take("file")
        assert says(fresh.assistant, "0.5B · Q4_K_M · reads up to 32,768 tokens")
        assert not says(fresh.assistant, "no chat template")
        await fresh.go_on()
        fresh.press(Qt.Key.Key_Return)
        await fresh.over()
        assert fresh.settings["default_model"] == "local/tiny.gguf"
        assert fresh.settings["providers"][0]["models"] == ["starter", "tiny.gguf"]


async def test_a_model_file_without_a_chat_template_is_warned_of(
    open_fresh: Open, data_dir: Path
) -> None:
    bare = {key: value for key, value in CHAT.items() if key != "tokenizer.chat_template"}
    write_model(data_dir / "models" / "bare.gguf", bare)
    async with open_fresh() as fresh:
        await fresh.take("file")
        assert says(fresh.assistant, "no chat template")


# --- a server --------------------------------------------------------------------------------


async def _type(fresh: Fresh, address: str, key: str = "") -> None:
    form = fresh.assistant.model_step.server
    for line, text in ((form.address, address), (form.key, key)):
        line.setFocus()
        line.selectAll()
        QTest.keyClicks(line, text)


async def test_a_server_with_a_key_is_tested_and_the_key_is_kept_in_the_keyring_alone(
    fresh: Fresh,
) -> None:
    keyring = MemoryKeyring()
    async with OpenAIServer(models=("big", "text-embedding-3-small"), key=KEY) as server:
        server.default = "Hello from the lab."
        with system_keyring(keyring):
            await fresh.take("server")
            assert not fresh.assistant.next.isEnabled()
            await _type(fresh, server.base_url)
            fresh.press(Qt.Key.Key_Return)
            form = fresh.assistant.model_step.server
            await until(lambda: form.address_field.problem, "the cause of the failure")
            assert fresh.assistant.model_step.chosen() is None
            await _type(fresh, server.base_url, KEY)
            assert form.address_field.problem == ""
            fresh.press(Qt.Key.Key_Return)
            await until(lambda: "2 models" in form.result.text(), "it answers")
            assert form.model.currentText() == "big"
            await fresh.go_on()
            picker = fresh.assistant.memory_step.picker
            assert picker.itemText(1) == "server/text-embedding-3-small"
            fresh.press(Qt.Key.Key_Return)
            await fresh.over()
            assert list(keyring.kept.values()) == [KEY]
            assert KEY not in json.dumps(fresh.settings)
            assert fresh.settings["default_model"] == "server/big"
            await fresh.say("Hello")
            await until(lambda: "Hello from the lab." in fresh.answers(), "the answer")


async def test_without_a_keyring_the_person_is_asked_about_a_file(
    fresh: Fresh, data_dir: Path
) -> None:
    async with OpenAIServer(models=("big",), key=KEY) as server:
        await fresh.take("server")
        await _type(fresh, server.base_url, KEY)
        fresh.press(Qt.Key.Key_Return)
        await until(fresh.assistant.model_step.chosen, "it answers")
        await fresh.go_on()
        fresh.press(Qt.Key.Key_Return)
        await until(fresh.assistant.into_file.isVisible, "the question")
        assert fresh.assistant.problem.text() != ""
        assert fresh.settings["default_model"] == "local/starter"
        fresh.assistant.into_file.click()
        await fresh.over()
        assert fresh.settings["default_model"] == "server/big"
        assert await fresh.app.keys.key("server") == KEY
        assert KEY not in json.dumps(fresh.settings)


async def test_what_was_found_out_of_a_server_holds_for_no_other_address(fresh: Fresh) -> None:
    async with OpenAIServer(models=("big",)) as server:
        await fresh.take("server")
        await _type(fresh, server.base_url)
        fresh.assistant.model_step.server.test.click()
        await until(fresh.assistant.model_step.chosen, "it answers")
        await _type(fresh, "127.0.0.1:2")
        assert fresh.assistant.model_step.chosen() is None
        assert fresh.assistant.model_step.server.model_field.isHidden()


# --- the way past ----------------------------------------------------------------------------


async def test_skip_leaves_the_defaults_and_it_does_not_come_again(open_fresh: Open) -> None:
    async with open_fresh() as fresh:
        before = fresh.settings
        fresh.assistant.skip.click()
        await fresh.over()
        assert fresh.settings == before
        assert fresh.window.focusWidget() is fresh.window.chat.composer.input
    async with open_fresh() as fresh:
        assert fresh.window.welcome.assistant is None


async def test_closed_without_an_answer_it_comes_again(open_fresh: Open) -> None:
    async with open_fresh() as fresh:
        assert fresh.assistant.isVisible()
    async with open_fresh() as fresh:
        assert fresh.assistant.isVisible()
        fresh.press(Qt.Key.Key_Escape)
        await fresh.over()


async def test_whoever_begins_to_write_writes_a_message_and_the_first_one_ends_it(
    ollama: OllamaServer, fresh: Fresh
) -> None:
    await fresh.app.settings.change(
        lambda now: now.model_copy(
            update={
                "providers": (
                    now.providers[0].model_copy(
                        update={"id": "ollama", "kind": "ollama", "base_url": ollama.address}
                    ),
                ),
                "default_model": "ollama/qwen:7b",
            }
        )
    )
    await until(lambda: fresh.window.chat.composer.agent_id, "an agent")
    radio = fresh.assistant.model_step.cards["starter"].radio
    radio.setFocus()
    QTest.keyClicks(radio, "H")
    composer = fresh.window.chat.composer
    assert fresh.window.focusWidget() is composer.input
    assert composer.text == "H"
    QTest.keyClicks(composer.input, "ello there")
    fresh.press(Qt.Key.Key_Return)
    await fresh.over()
    await until(lambda: fresh.answers()[:1] == ["Hello there"], "the message")
    await until(lambda: len(fresh.answers()) == 2, "the answer")


async def test_another_chat_can_be_opened_instead(fresh: Fresh) -> None:
    agent = await fresh.app.agents.by_name("Small talk")
    assert agent is not None
    session = await fresh.app.sessions.create("Talk", agent.id)
    fresh.window.chat.open(session.id)
    await fresh.over()
    assert fresh.window.chat.session_id == session.id


async def test_a_folder_with_settings_is_asked_nothing_until_the_menu_is_used(
    open_window: Opened,
) -> None:
    welcome = open_window.window.welcome
    assert welcome.assistant is None
    before = open_window.app.settings.current
    open_window.window.actions_.set_up.trigger()
    assistant = welcome.assistant
    assert assistant is not None
    assert assistant.isVisible()
    assert assistant.model_step.key == "present"
    assert says(assistant, "lab/small answers.")
    QTest.keyClick(assistant, Qt.Key.Key_Return)
    await until(assistant.memory_step.isVisible, "the second step")
    assert assistant.memory_step.key == "none"
    QTest.keyClick(assistant, Qt.Key.Key_Return)
    await until(lambda: welcome.assistant is None, "it is over")
    assert open_window.app.settings.current == before


async def test_the_settings_lead_back_to_it(open_window: Opened) -> None:
    dialog = open_window.window.others.open_settings("about")
    button(dialog.page("about"), "Ask me again").click()
    assistant = open_window.window.welcome.assistant
    assert assistant is not None
    assert assistant.isVisible()
    assert not dialog.isVisible()


async def test_where_there_are_episodes_the_embedder_is_left_to_the_settings(
    open_window: Opened,
) -> None:
    session = await open_window.session("Talk", 1)
    messages = list(await open_window.app.messages.branch(session.id))
    await open_window.app.episodes.record([(message, None) for message in messages])
    open_window.window.actions_.set_up.trigger()
    assistant = open_window.window.welcome.assistant
    assert assistant is not None
    await until(lambda: assistant.next.text() == "Start chatting", "one step")
    QTest.keyClick(assistant, Qt.Key.Key_Return)
    await until(lambda: open_window.window.welcome.assistant is None, "it is over")
