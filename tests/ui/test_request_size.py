"""The composer tells how much the next request is, as the run then finds it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip

from chatty_desktop.domain.agents import AgentDefinition
from chatty_desktop.domain.messages import Scope
from chatty_desktop.domain.settings import ModelOptions, Settings
from chatty_desktop.domain.strategies import parse_strategy
from chatty_desktop.domain.tokens import estimate
from chatty_desktop.ui.chat.request_size import RequestSize
from tests.ui.opened import Opened
from tests.ui.panels import until


def size_of(made: Opened) -> RequestSize:
    return made.window.chat.composer.request_size


async def give_context(made: Opened, tokens: int) -> None:
    """Have the model take in so many tokens."""

    def change(settings: Settings) -> Settings:
        (provider,) = settings.providers
        options = {"small": ModelOptions(context_length=tokens)}
        changed = provider.model_copy(update={"model_options": options})
        return settings.with_provider(changed)

    await made.app.settings.change(change)


def figure(made: Opened) -> int:
    """The tokens it shows."""
    words = size_of(made).text().split()
    return int(words[1].replace(",", "")) if words else -1


async def estimated(made: Opened) -> int:
    """What the last run took its request for."""
    chat = made.window.chat
    assert chat.session_id is not None
    await made.app.chat.wait(chat.session_id)
    assert chat.composer.agent_id is not None
    scope = Scope(chat.composer.agent_id, chat.session_id)
    request = await made.app.memories.last_request(scope)
    assert request is not None
    return request.estimated_tokens


async def test_the_figure_is_what_the_next_run_sends(open_window: Opened) -> None:
    await give_context(open_window, 8192)
    await open_window.new_chat()
    composer = open_window.window.chat.composer
    shown = size_of(open_window)
    for text in ("What is there to see in Kyoto?", "And in Nara, 奈良?"):
        written = QInputMethodEvent("", [])
        written.setCommitString(text)
        QApplication.sendEvent(composer.input, written)
        counted = f"New message: {estimate(text)}"
        await until(lambda counted=counted: counted in shown.accessibleDescription())  # type: ignore[misc]
        assert shown.text().endswith(" of 8,192 tokens")
        told = figure(open_window)
        QTest.keyClick(composer.input, Qt.Key.Key_Return)
        await until(lambda: composer.text == "" and composer.answering)
        await until(lambda: not composer.answering)
        assert await estimated(open_window) == told
        # What was said counts from now on.
        await until(lambda: "word for word" in shown.accessibleDescription())


async def test_the_figure_turns_amber_near_the_limit_and_red_above(open_window: Opened) -> None:
    await give_context(open_window, 1000)
    await open_window.new_chat()
    shown, composer = size_of(open_window), open_window.window.chat.composer
    await until(lambda: shown.isVisible() and shown.property("tone") == "muted")
    for characters, tone in ((3_400, "warning"), (5_000, "danger"), (10, "muted")):
        composer.set_text("word " * (characters // 5))
        await until(lambda tone=tone: shown.property("tone") == tone)  # type: ignore[misc]


async def test_its_parts_are_told_by_pressing_it(open_window: Opened) -> None:
    session = await open_window.session("talk", 2)
    open_window.window.chat.open(session.id)
    shown = size_of(open_window)
    await until(lambda: "word for word" in shown.toolTip())
    open_window.window.chat.composer.set_text("Hello")
    await until(lambda: "New message: 5" in shown.accessibleDescription())
    shown.setFocus()
    QTest.keyClick(shown, Qt.Key.Key_Space)
    assert "word for word" in QToolTip.text()
    QToolTip.hideText()


async def test_another_agent_another_size(open_window: Opened) -> None:
    await open_window.new_chat()
    await until(lambda: figure(open_window) > 0)
    before = figure(open_window)
    long = AgentDefinition(
        name="Talkative",
        system_prompt="Be nice. " * 400,
        memory_strategy=parse_strategy({"kind": "none"}),
    )
    agent = await open_window.app.agents.save(long)
    picker = open_window.window.chat.composer.picker
    await until(lambda: picker.findData(agent.id) >= 0)
    picker.setCurrentIndex(picker.findData(agent.id))
    await until(lambda: figure(open_window) > before + 800)
    assert "System prompt: 90" in size_of(open_window).accessibleDescription()


async def test_where_the_context_is_not_known_only_the_size_is_told(open_window: Opened) -> None:
    await open_window.new_chat()
    shown = size_of(open_window)
    await until(lambda: shown.text().endswith(" tokens"))
    assert " of " not in shown.text()
    assert shown.property("tone") == "muted"
